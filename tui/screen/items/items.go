// Package items lists the items of a queue, or of a group that waits for a
// person's decision, however many there are.
//
// The table holds a window on the list, read around the row in hand. The rows
// shown stay until others have come; an answer to an older question is dropped.
package items

import (
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"signalbox/engine"
	"signalbox/keymap"
	"signalbox/store"
	"signalbox/tui/act"
	"signalbox/tui/env"
	"signalbox/tui/screen"
	"signalbox/tui/screen/item"
	"signalbox/tui/screen/list"
	"signalbox/tui/text"
	"signalbox/tui/widget/filterbar"
	"signalbox/tui/widget/table"
)

// Source says which items are listed.
type Source struct {
	title   text.Safe
	request engine.ListRequest
	group   store.Group // the group whose items wait for a decision, if one
	filter  string      // what the list is filtered by to begin with
}

// Queue lists all of a queue, the newest first.
func Queue(name string) Source {
	return Source{title: text.Clean(name), request: engine.ListRequest{Queue: name, Desc: true}}
}

// Group lists the items that wait for a decision under one reason.
func Group(g store.Group) Source {
	return Source{
		title:   text.Clean(g.Queue),
		request: engine.ListRequest{Queue: g.Queue, Statuses: []store.Status{g.Status}, Kind: g.Kind, Group: g.Text},
		group:   g,
	}
}

// Robot lists what a robot holds, or has claimed last where it holds nothing,
// in its queues.
func Robot(name string, queues []string, holds bool) Source {
	filter := "robot:" + name
	if strings.ContainsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || r == '"' || r == '\'' || r == '\\' }) {
		filter = "robot:" + engine.Quoted(name)
	}
	if holds {
		filter = "status:claimed,processing " + filter
	}
	s := Source{title: text.Clean(env.Robot(name)), request: engine.ListRequest{Desc: true}, filter: filter}
	if len(queues) == 1 {
		s = Queue(queues[0])
		s.filter = filter
	}
	return s
}

// Job lists the items of a job.
func Job(queue, id string) Source {
	s := Queue(queue)
	s.title, s.filter = "items", act.JobFilter(id)
	return s
}

// deciding says that the items wait for a person.
func (s *Source) deciding() bool { return s.group.Text != "" }

// Items is the screen.
type Items struct {
	list.List[store.Item, store.ID]
	source  Source
	tab     int // the status filter chosen
	narrow  tab // and what it selects
	window  window
	all     *scope            // what the marks are all of, as it stood when asked
	asked   scope             // what all are being marked of
	once    act.Turn          // for verbs that act at once
	walked  map[store.ID]bool // decided on the pages of items opened from here
	decided store.ID          // by the verb that came last
	fields  fields
}

// scope is what a list is narrowed to, in words and as it is asked for.
type scope struct {
	where   string
	request engine.ListRequest
}

// New makes the screen.
func New(d act.Desk, s Source) *Items {
	t := table.New(columns(s.deciding(), s.request.Queue == "", s.group.Text), (*store.Item).ID, func(i *store.Item) uint64 { return i.Revision })
	t.Order("number", s.request.Desc)
	t.Loose()
	l := &Items{source: s, walked: map[store.ID]bool{}}
	l.List = list.New(d, t, list.Own{
		Height: height, Anew: l.anew, Key: l.key, Footer: l.footer, Moved: l.moved,
		Order: l.order, Words: filterbar.Words(engine.FilterVocabulary()), Name: l.name, Sheet: l.sheet,
	})
	l.Filter.Set(s.filter)
	return l
}

// Title implements screen.Screen.
func (s *Items) Title() text.Safe { return s.source.title }

// Answers implements screen.Screen.
func (s *Items) Answers(a keymap.Action) bool {
	switch a {
	case keymap.Left, keymap.Right, keymap.Verbs,
		keymap.Mark, keymap.MarkRange, keymap.MarkAll, keymap.Unmark,
		keymap.Explain, keymap.CopyIDs, keymap.CopyJSON:
		return true
	}
	_, verb := act.Of(a)
	return verb || s.List.Answers(a)
}

// Word implements screen.Wording.
func (s *Items) Word(a keymap.Action) text.Safe {
	switch a {
	case keymap.Left:
		return "status"
	case keymap.Right:
		return "status"
	}
	return s.List.Word(a)
}

func (s *Items) footer(e env.Env) []keymap.Action {
	switch {
	case e.ReadOnly:
		return []keymap.Action{keymap.Open, keymap.Filter, keymap.Right, keymap.Back}
	case s.source.deciding():
		return []keymap.Action{keymap.Open, keymap.Retry, keymap.Verify, keymap.Assign, keymap.Note, keymap.Mark, keymap.MarkAll, keymap.Filter, keymap.Back}
	}
	return []keymap.Action{keymap.Open, keymap.Filter, keymap.Right, keymap.Mark, keymap.MarkAll, keymap.Retry, keymap.Verbs, keymap.Sort, keymap.Back}
}

// Ticks implements screen.Ticking: delays run down, and ages grow.
func (s *Items) Ticks(e env.Env) bool {
	if (e.Zone == env.Relative || s.source.deciding()) && s.Table.Len() > 0 {
		return true
	}
	return slices.ContainsFunc(s.Table.Rows(), func(i store.Item) bool {
		return i.Status.Waiting() && i.ReadyAt() > store.At(e.Now)
	})
}

// Update implements screen.Screen.
func (s *Items) Update(e env.Env, msg tea.Msg) screen.Effects {
	effects := s.update(e, msg)
	effects.Add(s.inform(e))
	return effects
}

func (s *Items) update(e env.Env, msg tea.Msg) screen.Effects {
	switch msg := msg.(type) {
	case screen.Shown:
		return s.reload()
	case screen.Fed:
		return s.follow(e)
	case act.Windowed:
		return s.windowed(e, msg)
	case act.Fielded:
		s.fielded(msg)
		return screen.Effects{}
	case act.Selected:
		return s.selected(e, msg)
	case act.Done:
		return s.done(msg)
	case act.Opened:
		return screen.Do(msg.Editor(s.Desk))
	case act.Edited:
		return s.Desk.Retried(msg)
	}
	return s.List.Update(e, msg)
}

func (s *Items) key(e env.Env, a keymap.Action) screen.Effects {
	if verb, ok := act.Of(a); ok {
		return s.press(e, verb)
	}
	switch a {
	case keymap.Back:
		return s.back(e)
	case keymap.Explain:
		return s.explain()
	case keymap.CopyIDs:
		return act.CopyIDs(s.chosen())
	case keymap.CopyJSON:
		return s.Desk.CopyJSON(s.Address(), s.chosen(), e.Mask)
	case keymap.Open:
		return s.open()
	case keymap.Left, keymap.Right:
		return s.turn(e, a)
	case keymap.Mark:
		s.all = nil
		s.Table.Toggle(s.where())
		return s.Move(e, keymap.Down)
	case keymap.MarkRange:
		s.all = nil
		s.Table.Range(s.where())
	case keymap.MarkAll:
		return s.markAll()
	case keymap.Unmark:
		s.unmark()
	case keymap.Verbs:
		return s.menu(e)
	case keymap.Top, keymap.Bottom:
		return s.jump(e, a)
	default:
		return s.Key(e, a)
	}
	return screen.Effects{}
}

// back undoes a step: marks, the status filter, the screen.
func (s *Items) back(e env.Env) screen.Effects {
	switch {
	case s.Table.Marked() > 0 || s.Table.Ranging():
		s.unmark()
	case s.tab != 0:
		s.tab, s.narrow = 0, tab{}
		return s.restart()
	default:
		return s.Key(e, keymap.Back)
	}
	return screen.Effects{}
}

func (s *Items) unmark() {
	s.Table.Clear()
	s.all = nil
}

// open shows the item in hand; from there a decision leads to the next.
func (s *Items) open() screen.Effects {
	row := s.Table.Row()
	if row == nil {
		return screen.Effects{}
	}
	walk := item.Walk{Group: s.source.group, Decided: s.walked}
	for i := range s.Table.Rows() {
		walk.IDs = append(walk.IDs, s.Table.Rows()[i].ID())
	}
	return screen.Want(screen.Push{Screen: item.New(s.Desk, row.ID(), walk)})
}

// turn goes to the next or the previous status filter.
func (s *Items) turn(e env.Env, a keymap.Action) screen.Effects {
	if s.source.deciding() {
		return screen.Effects{}
	}
	n := len(s.tabs(e))
	if a == keymap.Left {
		s.tab = (s.tab + n - 1) % n
	} else {
		s.tab = (s.tab + 1) % n
	}
	s.narrow = s.tabs(e)[s.tab]
	return s.restart()
}
