package engine

import (
	"time"

	"signalbox/store"
)

// Clock is the engine's only source of time: the store's clock, by which
// leases and delays are judged.
type Clock interface {
	Now() time.Time
	// AfterFunc calls f once in its own goroutine when d has passed.
	AfterFunc(d time.Duration, f func()) Timer
}

// Timer is a pending AfterFunc.
type Timer interface{ Stop() bool }

// SystemClock is the machine's clock.
type SystemClock struct{}

// Now gives the machine's time.
func (SystemClock) Now() time.Time { return time.Now() }

// AfterFunc is time.AfterFunc.
func (SystemClock) AfterFunc(d time.Duration, f func()) Timer { return time.AfterFunc(d, f) }

// now is the clock's time, but never earlier than it was: where a clock is set
// back, leases and delays wait until it has caught up.
func (e *Engine) now() store.Time {
	now := store.At(e.clock.Now())
	for {
		last := e.latest.Load()
		if int64(now) <= last {
			return store.Time(last)
		}
		if e.latest.CompareAndSwap(last, int64(now)) {
			return now
		}
	}
}
