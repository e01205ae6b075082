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

func (e *Engine) now() store.Time { return store.At(e.clock.Now()) }
