// Package events shows the history of everything as it grows, the newest
// change first.
//
// The table holds a window on the stream, read around the row in hand. With
// the cursor on the newest row the list follows; further down, or paused, what
// is read stays, and newer changes are only counted.
package events

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"signalbox/engine"
	"signalbox/keymap"
	"signalbox/store"
	"signalbox/tui/act"
	"signalbox/tui/env"
	"signalbox/tui/screen"
	"signalbox/tui/screen/item"
	"signalbox/tui/screen/items"
	"signalbox/tui/screen/list"
	"signalbox/tui/text"
	"signalbox/tui/widget/filterbar"
	"signalbox/tui/widget/table"
)

// Rows read before and after the row in hand, how near to the edge of them it
// may come before more are read, and how many times as long as reading took
// the rows are left alone.
const (
	reach    = 200
	margin   = 60
	patience = 10
	quick    = 20 * time.Millisecond
)

// Events is the screen.
type Events struct {
	list.List[store.Change, uint64]

	flying   bool
	again    bool
	loaded   bool
	atStart  bool
	atEnd    bool
	last     uint64 // the newest change there is
	searched uint64 // how far back a filter has been looked for in vain
	err      error
	to       jump
	seen     uint64 // the picture's revision when last read
	came     time.Time
	took     time.Duration
	paused   bool
	pausedAt time.Time
	newest   uint64 // of those shown when it was paused
}

type jump uint8

const (
	stay jump = iota
	toTop
	toBottom
)

// New makes the screen.
func New(d act.Desk) *Events {
	s := &Events{}
	rows := table.New(columns(), func(c *store.Change) uint64 { return c.Seq }, nil)
	rows.Loose()
	s.List = list.New(d, rows, list.Own{
		Height: height, Anew: s.anew, Key: s.key, Footer: s.footer, Moved: s.near, Words: filterbar.Words(engine.StreamVocabulary()), Name: list.Named("events"),
	})
	return s
}

// Title implements screen.Screen.
func (s *Events) Title() text.Safe { return "Events" }

// Answers implements screen.Screen.
func (s *Events) Answers(a keymap.Action) bool {
	return a == keymap.Pause || a == keymap.CopyIDs || a == keymap.Explain || s.List.Answers(a)
}

// Word implements screen.Wording.
func (s *Events) Word(a keymap.Action) text.Safe {
	switch {
	case a == keymap.Pause && s.paused:
		return "go on"
	case a == keymap.Top && s.paused:
		return "newest"
	}
	return s.List.Word(a)
}

func (s *Events) footer(env.Env) []keymap.Action {
	return []keymap.Action{keymap.Open, keymap.Filter, keymap.Pause, keymap.Explain, keymap.Export, keymap.Freeze}
}

// Ticks implements screen.Ticking: ages grow.
func (s *Events) Ticks(e env.Env) bool { return e.Zone == env.Relative && s.Table.Len() > 0 }

// Update implements screen.Screen.
func (s *Events) Update(e env.Env, msg tea.Msg) screen.Effects {
	switch msg := msg.(type) {
	case screen.Shown:
		return s.reload()
	case screen.Fed:
		return s.follow(e)
	case act.Streamed:
		return s.streamed(e, msg)
	}
	return s.List.Update(e, msg)
}

func (s *Events) key(e env.Env, a keymap.Action) screen.Effects {
	switch a {
	case keymap.Open:
		return s.open(e)
	case keymap.Pause:
		return s.pause(e)
	case keymap.CopyIDs, keymap.Explain:
		return s.about(a)
	case keymap.Top:
		return s.top(e)
	case keymap.Bottom:
		if !s.atEnd {
			return s.leap(toBottom)
		}
	}
	return s.Key(e, a)
}

// anew reads what the filter lets through now.
func (s *Events) anew(env.Env) screen.Effects { return s.leap(toTop) }

// top goes to the newest change, and follows again.
func (s *Events) top(e env.Env) screen.Effects {
	if !s.atStart || s.paused {
		s.paused = false
		return s.leap(toTop)
	}
	s.Table.Move(keymap.Top, height(e), e.Now)
	return s.reload()
}

// pause stops following, or goes on.
func (s *Events) pause(e env.Env) screen.Effects {
	s.paused = !s.paused
	if s.paused {
		s.pausedAt, s.newest = e.Now, s.last
		return screen.Effects{}
	}
	return s.reload()
}

// open shows the item that a change is of, or its queue's items.
func (s *Events) open(e env.Env) screen.Effects {
	c := s.Table.Row()
	if c == nil {
		return screen.Effects{}
	}
	if c.Number > 0 {
		return screen.Want(screen.Push{Screen: item.New(s.Desk, store.ID{Queue: c.Queue, Number: c.Number}, item.Walk{})})
	}
	if _, ok := e.Queue(c.Queue); ok {
		return screen.Want(screen.Push{Screen: items.New(s.Desk, items.Queue(c.Queue))})
	}
	return screen.Want(screen.Say{Toast: screen.Toast{Text: "This change is of no item: there is nothing to open", Brief: true}})
}

// about tells of the item that a change is of.
func (s *Events) about(a keymap.Action) screen.Effects {
	c := s.Table.Row()
	switch {
	case c == nil || c.Number == 0:
		return screen.Want(screen.Say{Toast: screen.Toast{Text: "This change is of no item", Brief: true}})
	case a == keymap.CopyIDs:
		return act.CopyIDs([]store.ID{{Queue: c.Queue, Number: c.Number}})
	}
	return s.Desk.Explain(s.Address(), store.ID{Queue: c.Queue, Number: c.Number})
}
