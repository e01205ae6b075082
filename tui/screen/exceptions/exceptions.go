// Package exceptions lists what waits for a person's decision, grouped by
// reason: abandoned items, and in review business exceptions apart from faults.
package exceptions

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"signalbox/keymap"
	"signalbox/store"
	"signalbox/tui/act"
	"signalbox/tui/env"
	"signalbox/tui/screen"
	"signalbox/tui/screen/items"
	"signalbox/tui/text"
	"signalbox/tui/widget/filterbar"
	"signalbox/tui/widget/list"
	"signalbox/tui/widget/table"
)

// key names a group.
type key struct {
	queue  string
	status store.Status
	kind   string
	text   string
}

func keyOf(g *store.Group) key { return key{g.Queue, g.Status, g.Kind, g.Text} }

// Exceptions is the screen.
type Exceptions struct {
	id     int
	gen    uint64
	desk   act.Desk
	title  text.Safe
	in     func(store.Status) bool
	table  table.Table[store.Group, key]
	filter filterbar.Bar
	asked  map[uint64]order // groups whose items are being selected
}

// order is a verb on its way to whole groups; without one, their names are to
// be copied.
type order struct {
	verb   act.Verb
	groups []store.Group
	json   bool
}

// IsAbandoned selects the items of robots that died.
func IsAbandoned(s store.Status) bool { return s == store.Abandoned }

// IsException selects the items that failed, for a reason of their own or not.
func IsException(s store.Status) bool { return act.Decidable(s) && s != store.Abandoned }

// NewAbandoned makes the screen of abandoned items.
func NewAbandoned(d act.Desk) *Exceptions { return newScreen(d, "Abandoned", IsAbandoned) }

// NewReview makes the screen of exceptions and faults.
func NewReview(d act.Desk) *Exceptions { return newScreen(d, "Review", IsException) }

func newScreen(d act.Desk, title text.Safe, in func(store.Status) bool) *Exceptions {
	return &Exceptions{
		id: d.Number(), desk: d, title: title, in: in,
		table: table.New(columns(), keyOf, nil), asked: map[uint64]order{},
	}
}

// ID implements screen.Screen.
func (s *Exceptions) ID() int { return s.id }

// Title implements screen.Screen.
func (s *Exceptions) Title() text.Safe { return s.title }

// Scope implements screen.Screen.
func (s *Exceptions) Scope() keymap.Scope {
	if s.filter.Typing() {
		return keymap.Command
	}
	return keymap.Table
}

// Answers implements screen.Screen.
func (s *Exceptions) Answers(a keymap.Action) bool {
	switch a {
	case keymap.Up, keymap.Down, keymap.Top, keymap.Bottom, keymap.PageUp, keymap.PageDown,
		keymap.Open, keymap.Filter, keymap.Verbs, keymap.Mark, keymap.MarkRange, keymap.MarkAll, keymap.Unmark,
		keymap.CopyIDs, keymap.CopyJSON:
		return true
	}
	verb, ok := act.Of(a)
	return ok && verb != act.Edit || list.Answers(a)
}

// Footer implements screen.Footing.
func (s *Exceptions) Footer(e env.Env) []keymap.Action {
	switch {
	case s.filter.Typing():
		return []keymap.Action{keymap.Apply, keymap.Back}
	case e.ReadOnly:
		return []keymap.Action{keymap.Open, keymap.Filter}
	}
	return []keymap.Action{keymap.Open, keymap.Retry, keymap.Verify, keymap.Assign, keymap.Note, keymap.Mark, keymap.Verbs, keymap.Filter}
}

// Holding implements screen.Settling.
func (s *Exceptions) Holding(e env.Env) bool { return s.table.Holding(e.Now) }

// Update implements screen.Screen.
func (s *Exceptions) Update(e env.Env, msg tea.Msg) screen.Effects {
	switch msg := msg.(type) {
	case screen.Fed, screen.Shown:
		s.take(e)
	case screen.Typed, screen.Pasted:
		if s.filter.Edit(msg) {
			s.take(e)
		}
	case act.Selected:
		return s.selected(e, msg)
	case act.Done:
		if msg.Err == nil {
			s.table.Clear()
		}
		return msg.Tell()
	case act.Copied:
		return msg.Tell()
	case act.Exported:
		return msg.Tell()
	case screen.Click:
		return s.click(e, msg)
	case screen.Wheel:
		s.table.Wheel(msg.By, s.height(e), e.Now)
	case screen.Key:
		return s.key(e, msg.Action)
	}
	return screen.Effects{}
}

// take shows the groups that the filter lets through: what needs a person
// first, then the largest.
func (s *Exceptions) take(e env.Env) {
	if e.Snap == nil {
		return
	}
	s.filter.Check("queue", "status", "kind", "reason")
	var rows []store.Group
	for _, g := range e.Snap.Groups {
		if s.in(g.Status) && g.Count > 0 && s.filter.Matches(filterbar.Fields{"queue", g.Queue, "reason", g.Text, "status", g.Status.String(), "kind", string(kind(&g))}) {
			rows = append(rows, g)
		}
	}
	slices.SortStableFunc(rows, func(a, b store.Group) int {
		return cmp.Or(
			cmp.Compare(rank(&a), rank(&b)),
			cmp.Compare(b.Count, a.Count),
			cmp.Compare(a.Queue, b.Queue),
			cmp.Compare(a.Text, b.Text),
		)
	})
	s.table.SetRows(rows, s.height(e), e.Now)
}

func (s *Exceptions) key(e env.Env, a keymap.Action) screen.Effects {
	if s.filter.Key(a) {
		s.take(e)
		return screen.Effects{}
	}
	if verb, ok := act.Of(a); ok {
		return s.begin(e, verb, s.chosen(e))
	}
	row := s.table.Row()
	switch a {
	case keymap.Back:
		if s.table.Marked() > 0 || s.table.Ranging() {
			s.table.Clear()
			break
		}
		return screen.Want(screen.Leave{})
	case keymap.Open:
		if row != nil {
			return screen.Want(screen.Push{Screen: items.New(s.desk, items.Group(*row))})
		}
	case keymap.Mark:
		s.table.Toggle(s.filter.Text())
		s.table.Move(keymap.Down, s.height(e), e.Now)
	case keymap.MarkRange:
		s.table.Range(s.filter.Text())
	case keymap.MarkAll:
		s.table.MarkAll(s.filter.Text())
	case keymap.Unmark:
		s.table.Clear()
	case keymap.Verbs:
		return s.menu(e)
	case keymap.CopyIDs, keymap.CopyJSON:
		return s.send(order{groups: s.chosen(e), json: a == keymap.CopyJSON})
	case keymap.Sort, keymap.Columns, keymap.Export:
		return s.list(e, a)
	default:
		s.table.Move(a, s.height(e), e.Now)
	}
	return screen.Effects{}
}

// left counts the items shown, and those of them that need a person.
func (s *Exceptions) left(e env.Env) (all, business int64) {
	if e.Snap == nil {
		return 0, 0
	}
	for _, g := range e.Snap.Groups {
		if !s.in(g.Status) {
			continue
		}
		all += g.Count
		if env.Business(g.Status, g.Kind) {
			business += g.Count
		}
	}
	return all, business
}
