package coop

import (
	"log/slog"
	"runtime/debug"
)

// Kind is what an event tells.
type Kind string

// The kinds of events.
const (
	Enqueued  Kind = "enqueue" // an entry is in line, also by Restore
	Started   Kind = "start"   // an attempt began
	Retried   Kind = "retry"   // an attempt failed with Err; the entry is in line again, at its head
	Succeeded Kind = "success" // settled with a result
	Failed    Kind = "failure" // settled with Err: the handler's, ErrTimeout or ErrCleanup
	Aborted   Kind = "abort"   // settled with ErrAborted, ErrCleared or ErrDestroyed
	Drained   Kind = "drain"   // the last outstanding entry has settled
)

// Event is one transition, told after it was made.
type Event struct {
	Kind    Kind
	ID      string // "" for drain
	Attempt int    // the attempts begun so far
	Err     error
}

// tell notes an event for the observers. Must be called with the lock held.
func (q *Queue[T, R]) tell(kind Kind, e *entry[T, R], err error) {
	if len(q.options.Observers) == 0 {
		return
	}
	ev := Event{Kind: kind, Err: err}
	if e != nil {
		ev.ID, ev.Attempt = e.id, e.attempt
	}
	q.events = append(q.events, ev)
	if !q.telling {
		q.telling = true
		go q.deliver()
	}
}

// deliver hands noted events to the observers, in the order of the transitions,
// and ends when there are none left. An observer that ends the goroutine leaves
// the rest to another.
func (q *Queue[T, R]) deliver() {
	defer func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if q.telling = len(q.events) > 0; q.telling {
			go q.deliver()
		}
		q.leave()
	}()
	for {
		q.mu.Lock()
		if len(q.events) == 0 {
			q.mu.Unlock()
			return
		}
		ev := q.events[0]
		q.events = q.events[1:]
		q.mu.Unlock()
		for _, see := range q.options.Observers {
			q.show(see, ev)
		}
	}
}

// show calls an observer; one that panics is reported.
func (q *Queue[T, R]) show(see func(Event), ev Event) {
	defer func() {
		if p := recover(); p != nil {
			q.report(&Panic{p, debug.Stack()})
		}
	}()
	see(ev)
}

// report tells of what must not disturb the queue.
func (q *Queue[T, R]) report(err error) {
	defer func() { _ = recover() }()
	if q.options.Report != nil {
		q.options.Report(err)
		return
	}
	slog.Error("coop", "error", err)
}
