package exceptions

import (
	"fmt"
	"slices"

	"signalbox/engine"
	"signalbox/keymap"
	"signalbox/store"
	"signalbox/tui/act"
	"signalbox/tui/env"
	"signalbox/tui/screen"
	"signalbox/tui/text"
	"signalbox/tui/widget/dialog"
)

// chosen are the marked groups, or else the one in hand. Marked ones that the
// filter hides are among them; those that have gone are not.
func (s *Exceptions) chosen(e env.Env) []store.Group {
	if row := s.Table.Row(); s.Table.Marked() == 0 {
		if row == nil {
			return nil
		}
		return []store.Group{*row}
	}
	var groups []store.Group
	for _, g := range e.Snap.Groups {
		if _, ok := s.Table.Marks()[keyOf(&g)]; ok {
			groups = append(groups, g)
		}
	}
	return groups
}

// begin has the engine freeze the groups' items as they stand, so that the
// question can name them.
func (s *Exceptions) begin(e env.Env, verb act.Verb, groups []store.Group) screen.Effects {
	switch why := act.BarredMany(e, verb, many(groups)); {
	case verb == act.Edit:
		return act.Refuse(verb, "one item at a time: open the group")
	case why != "":
		return act.Refuse(verb, why)
	case len(groups) == 0:
		return act.Refuse(verb, "there is no group")
	}
	return s.send(order{verb: verb, groups: groups})
}

func (s *Exceptions) send(o order) screen.Effects {
	if len(o.groups) == 0 {
		return act.CopyIDs(nil)
	}
	s.Gen++
	s.asked[s.Gen] = o
	effects := screen.Do(s.Desk.Select(s.Address(), o.verb, requests(o.groups)...))
	if o.verb != act.NoVerb {
		effects.Want(screen.Awaits{})
	}
	return effects
}

// many are the items of groups.
func many(groups []store.Group) (m act.Many) {
	for i := range groups {
		m.Items += int(groups[i].Count)
		if !slices.Contains(m.Queues, groups[i].Queue) {
			m.Queues = append(m.Queues, groups[i].Queue)
		}
	}
	return m
}

// requests select the items of groups.
func requests(groups []store.Group) []engine.ListRequest {
	var all []engine.ListRequest
	for i := range groups {
		g := &groups[i]
		all = append(all, engine.ListRequest{Queue: g.Queue, Statuses: []store.Status{g.Status}, Kind: g.Kind, Group: g.Text})
	}
	return all
}

// selected asks the question about the items that were frozen.
func (s *Exceptions) selected(e env.Env, msg act.Selected) screen.Effects {
	asked, ok := s.asked[msg.Gen]
	delete(s.asked, msg.Gen)
	if !ok || msg.Gen != s.Gen {
		return screen.Effects{}
	}
	if msg.Err != nil {
		return act.Fail("read the group", msg.Err)
	}
	to := s.Address()
	if asked.verb == act.NoVerb {
		var ids []store.ID
		for _, t := range msg.Targets {
			ids = append(ids, t.Item)
		}
		if asked.json {
			return s.Desk.CopyJSON(to, ids, e.Mask)
		}
		return act.CopyIDs(ids)
	}
	o := act.Order{Verb: asked.verb, Scope: act.Matching, Targets: msg.Targets, Named: msg.Named, Requests: requests(asked.groups)}
	for i := range asked.groups {
		g := &asked.groups[i]
		words := text.Clean(act.GroupWords(g))
		if len(asked.groups) > 1 {
			words = text.Safe(text.Count(g.Count)) + "  " + words
		}
		o.Where = append(o.Where, words)
	}
	return s.Desk.Begin(e, to, o, true)
}

func (s *Exceptions) menu(e env.Env) screen.Effects {
	groups := s.chosen(e)
	title := text.Safe("Verbs")
	all := many(groups)
	n := int64(all.Items)
	switch {
	case len(groups) == 1:
		title = text.Safe("Verbs for the whole group of " + text.Count(n))
	case len(groups) > 1:
		title = text.Safe(fmt.Sprintf("Verbs for %d groups of %s", len(groups), text.Plural(n, "item")))
	}
	return screen.Want(screen.Ask{Dialog: dialog.NewMenu(title, s.Desk.Choices(e, nil, all),
		func(e env.Env, a keymap.Action) screen.Effects {
			verb, _ := act.Of(a)
			return s.begin(e, verb, groups)
		})})
}
