package engine

import (
	"sync"
	"time"

	"signalbox/store"
)

// longestSleep bounds a timer, so that a far instant can't overflow a duration
// and a clock set forward is noticed.
const longestSleep = time.Hour

// alarm kicks whoever reads from it at the earliest instant it was told of.
type alarm struct {
	e    *Engine
	kick chan struct{} // capacity 1

	mu    sync.Mutex
	timer Timer
	armed store.Time // 0 = not armed
}

func (a *alarm) init(e *Engine) {
	a.e = e
	a.kick = make(chan struct{}, 1)
}

// due says that at this instant something is to be done; 0 is nothing.
func (a *alarm) due(at store.Time) {
	if at == 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.armed != 0 && a.armed <= at {
		return
	}
	a.armed = at
	if a.timer != nil {
		a.timer.Stop()
	}
	// What ends within this millisecond has ended at the next.
	sleep := min(max(at.Sub(a.e.now()), 0), longestSleep) + time.Millisecond
	a.timer = a.e.clock.AfterFunc(sleep, a.wake)
}

func (a *alarm) wake() {
	select {
	case a.kick <- struct{}{}:
	default:
	}
}

// heard is called by who was kicked, before it looks what is due.
func (a *alarm) heard() {
	a.mu.Lock()
	a.armed = 0
	a.mu.Unlock()
}

func (a *alarm) silence() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.timer != nil {
		a.timer.Stop()
	}
}
