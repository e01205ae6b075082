package items

import (
	"fmt"
	"reflect"
	"slices"

	"signalbox/engine"
	"signalbox/keymap"
	"signalbox/store"
	"signalbox/tui/act"
	"signalbox/tui/env"
	"signalbox/tui/screen"
	"signalbox/tui/text"
	"signalbox/tui/widget/dialog"
	"signalbox/tui/widget/table"
)

// where names in words what the list is narrowed to.
func (s *Items) where() string {
	words := "queue:" + s.source.request.Queue
	if s.source.deciding() {
		words = act.GroupWords(&s.source.group)
	} else if s.tab != 0 {
		words = "status:" + s.narrow.name + " " + words
	}
	if f := s.Filter.Text(); f != "" {
		words += " " + f
	}
	return words
}

// aim is what a verb is to be done to, as it was seen when it was chosen.
type aim struct {
	row   *store.Item // nil where rows are marked, or there is none
	order act.Order   // without its verb
}

// aim takes the marked rows, or else the row in hand.
func (s *Items) aim() aim {
	if s.Table.Marked() == 0 {
		row := s.Table.Row()
		if row == nil {
			return aim{}
		}
		seen := *row
		return aim{&seen, act.Order{Targets: []engine.Target{{Item: seen.ID(), Revision: seen.Revision}}}}
	}
	order := act.Order{Scope: act.Marked, Hidden: s.Table.Hidden(s.where()), Targets: s.targets()}
	if s.all != nil {
		order.Scope, order.Where, order.Requests = act.Matching, []text.Safe{text.Clean(s.all.where)}, []engine.ListRequest{s.all.request}
	}
	return aim{order: order}
}

// begin acts on what was aimed at, whatever the table shows by now.
func (s *Items) begin(e env.Env, verb act.Verb, at aim) screen.Effects {
	if at.order.Scope == act.Row {
		if why := verb.Refusal(e, at.row); why != "" {
			return act.Refuse(verb, why)
		}
		if verb == act.Edit {
			return s.Desk.Edit(e, s.Address(), at.order.Targets[0])
		}
	} else if verb == act.Edit {
		return act.Refuse(verb, "one item at a time: take the marks away")
	}
	order := at.order
	order.Verb = verb
	order.Name(s.Table.Rows())
	return s.Desk.Begin(e, s.Address(), order, false)
}

// chosen are the marked items, or else the one in hand.
func (s *Items) chosen() []store.ID {
	var ids []store.ID
	for _, t := range s.targets() {
		ids = append(ids, t.Item)
	}
	if row := s.Table.Row(); len(ids) == 0 && row != nil {
		ids = append(ids, row.ID())
	}
	return ids
}

func (s *Items) explain() screen.Effects {
	row := s.Table.Row()
	if row == nil {
		return screen.Effects{}
	}
	return s.Desk.Explain(s.Address(), row.ID())
}

// targets are the marked items as they were seen, those held first, in their
// order.
func (s *Items) targets() []engine.Target {
	marks := s.Table.Marks()
	targets := make([]engine.Target, 0, len(marks))
	held := map[store.ID]bool{}
	for i := range s.Table.Rows() {
		id := s.Table.Rows()[i].ID()
		if m, ok := marks[id]; ok {
			held[id] = true
			targets = append(targets, engine.Target{Item: id, Revision: m.Revision})
		}
	}
	for id, m := range marks {
		if !held[id] {
			targets = append(targets, engine.Target{Item: id, Revision: m.Revision})
		}
	}
	return targets
}

// many are the marked items.
func (s *Items) many() act.Many {
	m := act.Many{Items: s.Table.Marked()}
	if s.source.request.Queue != "" {
		m.Queues = []string{s.source.request.Queue}
		return m
	}
	for id := range s.Table.Marks() {
		if !slices.Contains(m.Queues, id.Queue) {
			m.Queues = append(m.Queues, id.Queue)
		}
	}
	return m
}

// markAll has the engine freeze all that match, beyond the rows held.
func (s *Items) markAll() screen.Effects {
	s.asked = scope{s.where(), s.request().All()}
	return screen.Do(s.Desk.Select(s.Address(), act.NoVerb, s.asked.request))
}

func (s *Items) selected(_ env.Env, msg act.Selected) screen.Effects {
	if msg.Err != nil {
		return act.Fail("mark all", msg.Err)
	}
	if now := s.request().All(); !reflect.DeepEqual(msg.Requests, []engine.ListRequest{now}) || !reflect.DeepEqual(s.asked.request, now) {
		return screen.Want(screen.Say{Toast: screen.Toast{Level: screen.Warning, Text: "The list was narrowed anew before all were marked, so nothing was", Brief: true}})
	}
	all := s.asked
	s.Table.Clear()
	for _, t := range msg.Targets {
		s.Table.Put(t.Item, table.Mark{Revision: t.Revision, Filter: all.where})
	}
	s.all = &all
	words := fmt.Sprintf("Marked all %s that match now", text.Count(int64(len(msg.Targets))))
	return screen.Want(screen.Say{Toast: screen.Toast{Text: text.Safe(words)}})
}

// press begins a verb on what is in hand: for a row that it acts on at once, one
// for each row seen.
func (s *Items) press(e env.Env, verb act.Verb) screen.Effects {
	at := s.aim()
	if at.order.Scope != act.Row {
		return s.begin(e, verb, at)
	}
	if ok, told := s.once.Takes(e.Now); !ok {
		return told
	}
	effects := s.begin(e, verb, at)
	if slices.Contains(effects.Intents, screen.Intent(screen.Started{})) {
		s.once.Begin(e.Now)
	}
	return effects
}

// done tells the outcome, and clears the marks of what is finished.
func (s *Items) done(msg act.Done) screen.Effects {
	one := len(msg.Order.Targets) == 1
	if s.once.End(one); one {
		s.decided = msg.Order.Targets[0].Item
	}
	for _, id := range msg.Over() {
		s.Table.Unmark(id)
	}
	if s.Table.Marked() == 0 {
		s.unmark()
	}
	s.window.acted = true
	effects := msg.Tell()
	effects.Add(s.reload())
	return effects
}

// came says after rows have come whether another one took the place of that
// which was decided.
func (s *Items) came(e env.Env) {
	at, _ := s.Table.Cursor()
	s.once.Came(e.Now, at != s.decided)
}

// menu lists every verb, with the reason where one can't be used.
func (s *Items) menu(e env.Env) screen.Effects {
	at, marked := s.aim(), s.Table.Marked()
	title := text.Safe("Verbs")
	if marked > 0 {
		title = text.Safe(fmt.Sprintf("Verbs for %s marked", text.Count(int64(marked))))
	} else if at.row != nil {
		title = "Verbs for " + text.Clean(at.row.ID().String())
	}
	return screen.Want(screen.Ask{Dialog: dialog.NewMenu(title, s.Desk.Choices(e, at.row, s.many()),
		func(e env.Env, a keymap.Action) screen.Effects {
			verb, _ := act.Of(a)
			return s.begin(e, verb, at)
		})})
}
