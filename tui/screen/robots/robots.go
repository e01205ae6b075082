// Package robots shows who claims items: what each holds, since when, when it
// was last heard of, and how much it gets done.
package robots

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"signalbox/engine"
	"signalbox/keymap"
	"signalbox/tui/act"
	"signalbox/tui/env"
	"signalbox/tui/screen"
	"signalbox/tui/screen/items"
	"signalbox/tui/text"
	"signalbox/tui/widget/filterbar"
	"signalbox/tui/widget/list"
	"signalbox/tui/widget/table"
)

// The list is read a second after the picture changed at the soonest, and ten
// times what reading took.
const (
	gap      = time.Second
	patience = 10
)

// Robots is the screen.
type Robots struct {
	id     int
	desk   act.Desk
	table  table.Table[engine.Robot, string]
	filter filterbar.Bar
	robots []engine.Robot

	gen    uint64
	flying bool
	loaded bool
	err    error
	seen   uint64
	came   time.Time
	took   time.Duration
}

// New makes the screen.
func New(d act.Desk) *Robots {
	return &Robots{id: d.Number(), desk: d, table: table.New(columns(), func(r *engine.Robot) string { return r.Name }, nil)}
}

// ID implements screen.Screen.
func (s *Robots) ID() int { return s.id }

// Title implements screen.Screen.
func (s *Robots) Title() text.Safe { return "Robots" }

// Scope implements screen.Screen.
func (s *Robots) Scope() keymap.Scope {
	if s.filter.Typing() {
		return keymap.Command
	}
	return keymap.Table
}

// Answers implements screen.Screen.
func (s *Robots) Answers(a keymap.Action) bool {
	switch a {
	case keymap.Up, keymap.Down, keymap.Top, keymap.Bottom, keymap.PageUp, keymap.PageDown,
		keymap.Open, keymap.Filter, keymap.CopyIDs, keymap.Explain:
		return true
	}
	return list.Answers(a)
}

// Word implements screen.Wording.
func (s *Robots) Word(a keymap.Action) text.Safe {
	switch a {
	case keymap.Open:
		return "its items"
	case keymap.CopyIDs:
		return "copy name"
	case keymap.Explain:
		return "its oldest item"
	}
	return ""
}

// Footer implements screen.Footing.
func (s *Robots) Footer(env.Env) []keymap.Action {
	if s.filter.Typing() {
		return []keymap.Action{keymap.Apply, keymap.Back}
	}
	return []keymap.Action{keymap.Open, keymap.Explain, keymap.Filter, keymap.Sort, keymap.Freeze}
}

// Ticks implements screen.Ticking: holds, leases and silences run.
func (s *Robots) Ticks(env.Env) bool { return s.table.Len() > 0 }

// Holding implements screen.Settling.
func (s *Robots) Holding(e env.Env) bool { return s.table.Holding(e.Now) }

// Update implements screen.Screen.
func (s *Robots) Update(e env.Env, msg tea.Msg) screen.Effects {
	switch msg := msg.(type) {
	case screen.Shown:
		return s.read()
	case screen.Fed:
		if s.table.Held() {
			s.take(e)
		}
		return s.follow(e)
	case act.Rolled:
		s.rolled(e, msg)
	case act.Explained:
		return msg.Show(e)
	case act.Exported:
		return msg.Tell()
	case screen.Typed, screen.Pasted:
		if s.filter.Edit(msg) {
			s.take(e)
		}
	case screen.Click:
		switch hit := s.table.Click(msg.X, msg.Y, e.Now); {
		case hit.Row && msg.Twice:
			return s.open()
		case hit.Title != "":
			return s.sort(e, hit.Title)
		}
	case screen.Wheel:
		s.table.Wheel(msg.By, height(e), e.Now)
	case screen.Key:
		return s.key(e, msg.Action)
	}
	return screen.Effects{}
}

func (s *Robots) read() screen.Effects {
	if s.flying {
		return screen.Effects{}
	}
	s.flying = true
	s.gen++
	return screen.Do(s.desk.Robots(screen.Addr{Screen: s.id, Gen: s.gen}))
}

// follow reads again when something has changed, not too often.
func (s *Robots) follow(e env.Env) screen.Effects {
	if e.Snap == nil || e.Snap.Revision == s.seen || e.Now.Sub(s.came) < max(gap, patience*s.took) {
		return screen.Effects{}
	}
	s.seen = e.Snap.Revision
	return s.read()
}

func (s *Robots) rolled(e env.Env, msg act.Rolled) {
	s.flying = false
	s.came, s.took, s.err = e.Now, msg.Took, msg.Err
	if msg.Err != nil {
		return
	}
	s.loaded, s.robots = true, msg.Robots
	s.take(e)
}

// take shows the robots that the filter lets through: who holds the oldest
// item first, then who was heard of last.
func (s *Robots) take(e env.Env) {
	s.filter.Check("robot", "queue")
	var rows []engine.Robot
	for _, r := range s.robots {
		if s.filter.Matches(filterbar.Fields{"robot", r.Name + " " + env.Robot(r.Name), "queue", strings.Join(r.Queues, " ")}) {
			rows = append(rows, r)
		}
	}
	slices.SortStableFunc(rows, inOrder)
	s.table.SetRows(rows, height(e), e.Now)
}

func (s *Robots) key(e env.Env, a keymap.Action) screen.Effects {
	if s.filter.Key(a) {
		s.take(e)
		return screen.Effects{}
	}
	row := s.table.Row()
	to := screen.Addr{Screen: s.id, Gen: s.gen}
	switch a {
	case keymap.Back:
		return screen.Want(screen.Leave{})
	case keymap.Open:
		return s.open()
	case keymap.CopyIDs:
		if row != nil {
			return act.Copy(row.Name, row.Name)
		}
	case keymap.Explain:
		if row != nil && !row.Oldest.IsZero() {
			return s.desk.Explain(to, row.Oldest)
		}
	case keymap.Sort:
		return list.Sort(e, &s.table, s.sort)
	case keymap.Columns:
		return list.Columns(&s.table)
	case keymap.Export:
		titles, rows := s.table.Shown(e)
		return s.desk.AskExport(e, to, "robots", act.Sheet{Titles: titles, Rows: rows})
	default:
		s.table.Move(a, height(e), e.Now)
	}
	return screen.Effects{}
}

func (s *Robots) sort(e env.Env, title text.Safe) screen.Effects {
	s.table.Sort(title)
	s.take(e)
	return screen.Effects{}
}

// open shows what the robot holds; one that works several queues, in all of
// them.
func (s *Robots) open() screen.Effects {
	row := s.table.Row()
	if row == nil {
		return screen.Effects{}
	}
	return screen.Want(screen.Push{Screen: items.New(s.desk, items.Robot(row.Name, row.Queues, row.Held > 0))})
}

// Narrow implements screen.Filtering.
func (s *Robots) Narrow(e env.Env, filter string) screen.Effects {
	s.filter.Set(filter)
	s.take(e)
	return screen.Effects{}
}
