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
	"signalbox/tui/screen/list"
	"signalbox/tui/text"
	"signalbox/tui/widget/filterbar"
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
	list.List[store.Group, key]
	title text.Safe
	in    func(store.Status) bool
	asked map[uint64]order // groups whose items are being selected
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
// words are what rows are filtered by.
var words = filterbar.Words{
	Names:  []string{"queue", "status", "kind", "reason"},
	Values: map[string][]string{"kind": {"business", "system"}, "status": {"failed", "business-exception", "system-exception", "abandoned"}},
}

func NewAbandoned(d act.Desk) *Exceptions { return newScreen(d, "Abandoned", IsAbandoned) }

// NewReview makes the screen of exceptions and faults.
func NewReview(d act.Desk) *Exceptions { return newScreen(d, "Review", IsException) }

func newScreen(d act.Desk, title text.Safe, in func(store.Status) bool) *Exceptions {
	s := &Exceptions{title: title, in: in, asked: map[uint64]order{}}
	s.List = list.New(d, table.New(columns(), keyOf, nil), list.Own{
		Height: height, Anew: s.take, Key: s.key, Footer: s.footer, Words: words, Name: list.Named(string(title)),
	})
	return s
}

// Title implements screen.Screen.
func (s *Exceptions) Title() text.Safe { return s.title }

// Answers implements screen.Screen.
func (s *Exceptions) Answers(a keymap.Action) bool {
	switch a {
	case keymap.Verbs, keymap.Mark, keymap.MarkRange, keymap.MarkAll, keymap.Unmark,
		keymap.CopyIDs, keymap.CopyJSON:
		return true
	}
	verb, ok := act.Of(a)
	return ok && verb != act.Edit || s.List.Answers(a)
}

func (s *Exceptions) footer(e env.Env) []keymap.Action {
	if e.ReadOnly {
		return []keymap.Action{keymap.Open, keymap.Filter}
	}
	return []keymap.Action{keymap.Open, keymap.Retry, keymap.Verify, keymap.Assign, keymap.Note, keymap.Mark, keymap.Verbs, keymap.Filter}
}

// Update implements screen.Screen.
func (s *Exceptions) Update(e env.Env, msg tea.Msg) screen.Effects {
	switch msg := msg.(type) {
	case screen.Fed, screen.Shown:
		return s.take(e)
	case screen.Forget:
		s.Gen++ // its answer is an old one's
		clear(s.asked)
		return screen.Effects{}
	case act.Selected:
		return s.selected(e, msg)
	case act.Done:
		if msg.Err == nil {
			s.Table.Clear()
		}
	}
	return s.List.Update(e, msg)
}

// take shows the groups that the filter lets through: what needs a person
// first, then the largest.
func (s *Exceptions) take(e env.Env) screen.Effects {
	if e.Snap == nil {
		return screen.Effects{}
	}
	s.Filter.Check()
	var rows []store.Group
	for _, g := range e.Snap.Groups {
		if s.in(g.Status) && g.Count > 0 && s.Filter.Matches(filterbar.Fields{"queue", g.Queue, "reason", g.Text, "status", g.Status.String(), "kind", string(kind(&g))}) {
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
	s.Show(e, rows)
	return screen.Effects{}
}

func (s *Exceptions) key(e env.Env, a keymap.Action) screen.Effects {
	if verb, ok := act.Of(a); ok {
		return s.begin(e, verb, s.chosen(e))
	}
	row := s.Table.Row()
	switch a {
	case keymap.Back:
		if s.Table.Marked() > 0 || s.Table.Ranging() {
			s.Table.Clear()
			break
		}
		return s.Key(e, a)
	case keymap.Open:
		if row != nil {
			return screen.Want(screen.Push{Screen: items.New(s.Desk, items.Group(*row))})
		}
	case keymap.Mark:
		s.Table.Toggle(s.Filter.Text())
		return s.Move(e, keymap.Down)
	case keymap.MarkRange:
		s.Table.Range(s.Filter.Text())
	case keymap.MarkAll:
		s.Table.MarkAll(s.Filter.Text())
	case keymap.Unmark:
		s.Table.Clear()
	case keymap.Verbs:
		return s.menu(e)
	case keymap.CopyIDs, keymap.CopyJSON:
		return s.send(order{groups: s.chosen(e), json: a == keymap.CopyJSON})
	default:
		return s.Key(e, a)
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

// Refuses implements screen.Refusing.
func (s *Exceptions) Refuses(e env.Env, a keymap.Action) text.Safe {
	if a == keymap.Unmark && s.Table.Marked() == 0 {
		return "nothing is marked"
	}
	if _, ok := act.Of(a); !ok && a != keymap.Open {
		return ""
	}
	if s.Table.Row() == nil {
		return "there is no row"
	}
	for _, c := range s.Desk.Choices(e, nil, many(s.chosen(e))) {
		if c.Action == a {
			return c.Refuse
		}
	}
	return ""
}
