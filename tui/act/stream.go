package act

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/screen"
)

// Streamed answers Stream.
type Streamed struct {
	screen.Addr
	Rows    []store.Change // the newest first
	AtStart bool           // nothing newer
	AtEnd   bool           // nothing older
	Last    uint64         // the newest change there is
	Next    uint64         // where to go on towards older ones
	Counted bool           // only Last was asked for
	Took    time.Duration
	Err     error
}

// Reach says which changes are wanted: Newer ones of At, At itself, and Older
// ones. At 0 is the newest of all.
type Reach struct {
	Filter       string
	At           uint64
	Newer, Older int
	FromEnd      bool // the oldest instead
}

// CountStream asks only which change is the newest.
func (d Desk) CountStream(to screen.Addr) tea.Cmd {
	return func() tea.Msg {
		start := time.Now()
		s, err := d.stream(Reach{Older: 1})
		return Streamed{Addr: to, Last: s.Last, Counted: true, Took: time.Since(start), Err: err}
	}
}

// Stream reads a stretch of the history of everything.
func (d Desk) Stream(to screen.Addr, want Reach) tea.Cmd {
	return func() tea.Msg {
		start := time.Now()
		s, err := d.stream(want)
		s.Addr, s.Err, s.Took = to, err, time.Since(start)
		return s
	}
}

func (d Desk) stream(want Reach) (Streamed, error) {
	var s Streamed
	source, ok := d.engine.(Streamer)
	if !ok {
		return s, store.Invalid("the events", notThere, "use a newer signalbox there")
	}
	if want.FromEnd {
		got, err := source.Stream(d.ctx, engine.StreamRequest{Filter: want.Filter, Newer: true, Limit: want.Older})
		return Streamed{Rows: got.Changes, AtStart: !got.More, AtEnd: true, Last: got.Last}, err
	}
	s.AtStart = true
	if want.At > 0 && want.Newer > 0 {
		got, err := source.Stream(d.ctx, engine.StreamRequest{Filter: want.Filter, From: want.At, Newer: true, Limit: want.Newer})
		if err != nil {
			return s, err
		}
		s.Rows, s.AtStart = got.Changes, !got.More
	}
	req := engine.StreamRequest{Filter: want.Filter, Limit: want.Older}
	if want.At > 0 {
		req.From = want.At + 1
	}
	got, err := source.Stream(d.ctx, req)
	s.Rows = append(slices.Clip(s.Rows), got.Changes...)
	s.AtEnd, s.Last, s.Next = !got.More, got.Last, got.Next
	return s, err
}

// Rolled answers Robots.
type Rolled struct {
	screen.Addr
	Robots []engine.Robot
	Took   time.Duration
	Err    error
}

// Robots reads who claims.
func (d Desk) Robots(to screen.Addr) tea.Cmd {
	return func() tea.Msg {
		roller, ok := d.engine.(Roller)
		if !ok {
			return Rolled{Addr: to, Err: store.Invalid("the robots", notThere, "use a newer signalbox there")}
		}
		start := time.Now()
		robots, err := roller.Robots(d.ctx)
		return Rolled{to, robots, time.Since(start), err}
	}
}
