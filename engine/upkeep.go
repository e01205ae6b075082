package engine

import (
	"context"
	"slices"
	"strings"
	"sync"

	"signalbox/store"
)

// The loops that do what no caller asks for, by the names that Upkeep has for them.
const (
	LeaseLoop     = "leases"       // ends leases and delays, and tells of dates
	RetentionLoop = "retention"    // removes what is old
	DrainLoop     = "drains"       // starts drains where there is work
	HistoryLoop   = "slot-history" // writes down who held which slot
)

// loopWords is what people are told of loops: what does not happen while they fail, and
// what does once they don't.
var loopWords = map[string]struct{ undone, again string }{
	LeaseLoop:     {"leases and delays do not end", "leases and delays end again"},
	RetentionLoop: {"retention is not applied", "retention is applied again"},
	DrainLoop:     {"no drain is started", "drains are started again"},
	HistoryLoop:   {"the history of slots is not written", "the history of slots is written again"},
}

// Upkeep is how one of the engine's own loops fares. One that failed tries again by
// itself; until it succeeds everybody is told, for nobody waits for its answer.
type Upkeep struct {
	Loop string `json:"loop"`
	// RanAt is when it last came to its end without a failure, 0 = not since the
	// engine started. One that has nothing to do sleeps, however long.
	RanAt store.Time `json:"ran_at,omitempty"`
	// FailingSince is when the first of the failures in a row was, 0 = it works.
	FailingSince store.Time `json:"failing_since,omitempty"`
	Error        string     `json:"error,omitempty"` // of the last of them
}

// Failing says that the loop's last run failed.
func (u Upkeep) Failing() bool { return u.FailingSince != 0 }

// Undone says in a few words what does not happen while the loop fails.
func (u Upkeep) Undone() string { return loopWords[u.Loop].undone }

// upkeep keeps how the loops fare.
type upkeep struct {
	mu    sync.Mutex
	loops []Upkeep // in order of name
}

// Tended says how a run of one of the engine's loops ended; runs that only ended
// because they were told to say nothing. Whoever watches is told when a loop begins
// to fail, and when it works again. Safe for concurrent use.
func (e *Engine) Tended(loop string, err error) {
	now := e.now()
	u := &e.upkeep
	u.mu.Lock()
	n, known := slices.BinarySearchFunc(u.loops, loop, func(l Upkeep, name string) int { return strings.Compare(l.Loop, name) })
	if !known {
		u.loops = slices.Insert(u.loops, n, Upkeep{Loop: loop})
	}
	l := &u.loops[n]
	was := *l
	if err == nil {
		l.RanAt, l.FailingSince, l.Error = now, 0, ""
	} else if l.Error = cleanText(err.Error(), maxReason); !was.Failing() {
		l.FailingSince = now
	}
	is := *l
	u.mu.Unlock()
	switch {
	case !was.Failing() && is.Failing():
		e.log.Error(is.Undone(), "loop", loop, "err", err)
		e.feed.touchUpkeep(Notice{At: now, Level: "error", Text: is.Undone() + ", which is tried again: " + is.Error})
	case was.Failing() && !is.Failing():
		text := loopWords[loop].again + ", after " + lasting(now.Sub(was.FailingSince))
		e.log.Info(text, "loop", loop)
		e.feed.touchUpkeep(Notice{At: now, Level: "info", Text: text})
	}
}

// Upkeep gives how the engine's loops fare, in order of name; those that have not run
// are not among them. Safe for concurrent use.
func (e *Engine) Upkeep() []Upkeep {
	e.upkeep.mu.Lock()
	defer e.upkeep.mu.Unlock()
	return slices.Clone(e.upkeep.loops)
}

// tended tells how a run of a loop ended, but not that it was stopped.
func (e *Engine) tended(ctx context.Context, loop string, err error) {
	if ctx.Err() == nil {
		e.Tended(loop, err)
	}
}
