// Package exceptions lists what waits for a person's decision, grouped by
// reason: abandoned items, and in review business exceptions apart from faults.
package exceptions

import (
	"cmp"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"signalbox/engine"
	"signalbox/keymap"
	"signalbox/store"
	"signalbox/tui/act"
	"signalbox/tui/env"
	"signalbox/tui/screen"
	"signalbox/tui/screen/items"
	"signalbox/tui/text"
	"signalbox/tui/widget/dialog"
	"signalbox/tui/widget/filterbar"
	"signalbox/tui/widget/table"
)

// key names a group.
type key struct {
	queue  string
	status store.Status
	text   string
}

func keyOf(g *store.Group) key { return key{g.Queue, g.Status, g.Text} }

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

// order is a verb on its way to a whole group.
type order struct {
	verb  act.Verb
	group store.Group
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
		keymap.Open, keymap.Filter, keymap.Verbs:
		return true
	}
	_, verb := act.Of(a)
	return verb
}

// Footer implements screen.Footing.
func (s *Exceptions) Footer(e env.Env) []keymap.Action {
	switch {
	case s.filter.Typing():
		return []keymap.Action{keymap.Apply, keymap.Back}
	case e.ReadOnly:
		return []keymap.Action{keymap.Open, keymap.Filter}
	}
	return []keymap.Action{keymap.Open, keymap.Retry, keymap.Verify, keymap.Assign, keymap.Note, keymap.Verbs, keymap.Filter}
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
		return msg.Tell()
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
	var rows []store.Group
	for _, g := range e.Snap.Groups {
		if s.in(g.Status) && g.Count > 0 && s.filter.Matches(g.Queue, g.Text, g.Status.String()) {
			rows = append(rows, g)
		}
	}
	slices.SortStableFunc(rows, func(a, b store.Group) int {
		return cmp.Or(
			cmp.Compare(kindOf(a.Status), kindOf(b.Status)),
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
		return s.begin(e, verb)
	}
	row := s.table.Row()
	switch {
	case a == keymap.Back:
		return screen.Want(screen.Leave{})
	case a == keymap.Open && row != nil:
		return screen.Want(screen.Push{Screen: items.New(s.desk, items.Group(*row))})
	case a == keymap.Verbs:
		return s.menu(e)
	default:
		s.table.Move(a, s.height(e), e.Now)
	}
	return screen.Effects{}
}

// begin has the engine freeze the group's items as they stand, so that the
// question can name them.
func (s *Exceptions) begin(e env.Env, verb act.Verb) screen.Effects {
	row := s.table.Row()
	switch {
	case row == nil:
		return act.Refuse(verb, "there is no group")
	case e.ReadOnly:
		return act.Refuse(verb, "this console is read-only")
	}
	s.gen++
	s.asked[s.gen] = order{verb, *row}
	return screen.Do(s.desk.Select(screen.Addr{Screen: s.id, Gen: s.gen}, verb, request(row)))
}

// request selects a group's items.
func request(g *store.Group) engine.ListRequest {
	return engine.ListRequest{Queue: g.Queue, Statuses: []store.Status{g.Status}, Group: g.Text}
}

// selected asks the question about the items that were frozen.
func (s *Exceptions) selected(e env.Env, msg act.Selected) screen.Effects {
	asked, ok := s.asked[msg.Gen]
	delete(s.asked, msg.Gen)
	if !ok || msg.Gen != s.gen {
		return screen.Effects{}
	}
	if msg.Err != nil {
		return act.Fail("read the group", msg.Err)
	}
	g := asked.group
	o := act.Order{
		Verb: asked.verb, Scope: act.Matching, Targets: msg.Targets, Request: request(&g),
		Where: text.Clean(fmt.Sprintf("status:%s queue:%s reason: %s", g.Status, g.Queue, g.Text)),
	}
	return s.desk.Begin(e, screen.Addr{Screen: s.id, Gen: s.gen}, o, true)
}

func (s *Exceptions) menu(e env.Env) screen.Effects {
	row := s.table.Row()
	n := 0
	title := text.Safe("Verbs")
	if row != nil {
		n = 1
		title = text.Safe(fmt.Sprintf("Verbs for the whole group of %s", text.Count(row.Count)))
	}
	return screen.Want(screen.Ask{Dialog: dialog.NewMenu(title, act.Choices(nil, n, e.ReadOnly))})
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
		if g.Status == store.BusinessException {
			business += g.Count
		}
	}
	return all, business
}
