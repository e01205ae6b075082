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
	"signalbox/tui/screen/list"
	"signalbox/tui/text"
	"signalbox/tui/widget/filterbar"
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
	list.List[engine.Robot, string]
	robots []engine.Robot
	ended  int // drains that are left out

	flying bool
	loaded bool
	err    error
	seen   uint64
	came   time.Time
	took   time.Duration
}

// words are what rows are filtered by.
var words = filterbar.Words{
	Names: []string{"robot", "queue"},
}

// New makes the screen.
func New(d act.Desk) *Robots {
	s := &Robots{}
	rows := table.New(columns(), func(r *engine.Robot) string { return r.Name }, nil)
	s.List = list.New(d, rows, list.Own{Height: height, Anew: s.take, Key: s.key, Footer: s.footer, Words: words, Name: list.Named("robots")})
	return s
}

// Title implements screen.Screen.
func (s *Robots) Title() text.Safe { return "Robots" }

// Answers implements screen.Screen.
func (s *Robots) Answers(a keymap.Action) bool {
	return a == keymap.CopyIDs || a == keymap.Explain || s.List.Answers(a)
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
	return s.List.Word(a)
}

func (s *Robots) footer(env.Env) []keymap.Action {
	return []keymap.Action{keymap.Open, keymap.Explain, keymap.Filter, keymap.Sort, keymap.Freeze}
}

// Ticks implements screen.Ticking: holds, leases and silences run.
func (s *Robots) Ticks(env.Env) bool { return s.Table.Len() > 0 }

// Update implements screen.Screen.
func (s *Robots) Update(e env.Env, msg tea.Msg) screen.Effects {
	switch msg := msg.(type) {
	case screen.Shown:
		return s.read()
	case screen.Fed:
		if s.Table.Held() {
			s.take(e)
		}
		return s.follow(e)
	case act.Rolled:
		return s.rolled(e, msg)
	}
	return s.List.Update(e, msg)
}

func (s *Robots) read() screen.Effects {
	if s.flying {
		return screen.Effects{}
	}
	s.flying = true
	s.Gen++
	return screen.Do(s.Desk.Robots(s.Address()))
}

// follow reads again when something has changed, not too often.
func (s *Robots) follow(e env.Env) screen.Effects {
	if e.Snap == nil || e.Snap.Revision == s.seen || e.Now.Sub(s.came) < max(gap, patience*s.took) {
		return screen.Effects{}
	}
	s.seen = e.Snap.Revision
	return s.read()
}

func (s *Robots) rolled(e env.Env, msg act.Rolled) screen.Effects {
	s.flying = false
	s.came, s.took, s.err = e.Now, msg.Took, msg.Err
	if msg.Err != nil {
		return screen.Effects{}
	}
	s.loaded, s.robots = true, msg.Robots
	return s.take(e)
}

// take shows the robots that the filter lets through. Drains of the engine's
// whose runs are over are only counted, unless a filter asks for them.
func (s *Robots) take(e env.Env) screen.Effects {
	s.Filter.Check()
	var rows []engine.Robot
	s.ended = 0
	for _, r := range s.robots {
		if s.Filter.Text() == "" && ended(&r, e.Now) {
			s.ended++
			continue
		}
		if s.Filter.Matches(filterbar.Fields{"robot", r.Name + " " + env.Robot(r.Name), "queue", strings.Join(r.Queues, " ")}) {
			rows = append(rows, r)
		}
	}
	slices.SortStableFunc(rows, inOrder(e.Now))
	s.Show(e, rows)
	return screen.Effects{}
}

func (s *Robots) key(e env.Env, a keymap.Action) screen.Effects {
	row := s.Table.Row()
	switch a {
	case keymap.Open:
		return s.open()
	case keymap.CopyIDs:
		if row != nil {
			return act.Copy(row.Name, row.Name)
		}
	case keymap.Explain:
		if row != nil && !row.Oldest.IsZero() {
			return s.Desk.Explain(s.Address(), row.Oldest)
		}
	default:
		return s.Key(e, a)
	}
	return screen.Effects{}
}

// open shows what the robot holds; one that works several queues, in all of
// them.
func (s *Robots) open() screen.Effects {
	row := s.Table.Row()
	if row == nil {
		return screen.Effects{}
	}
	return screen.Want(screen.Push{Screen: items.New(s.Desk, items.Robot(row.Name, row.Queues, row.Held > 0))})
}
