package slots

import (
	"time"

	"signalbox/engine"
	"signalbox/engine/lane"
	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/widget/slotgrid"
)

// How long a slot is expected to be held when its queue sets no limit. A drain
// gives its slot back after 25 s, once the item in hand is done.
const (
	expectFast = time.Minute
	expectSlow = 5 * time.Minute
	drainBound = 25 * time.Second
)

// limits are the times that queues set for an attempt.
type limits struct {
	revision uint64
	of       map[string]time.Duration
}

// take brings the limits up to the queues' settings.
func (l *limits) take(snap *engine.Snapshot) {
	if l.of != nil && l.revision == snap.QueuesRevision {
		return
	}
	l.revision, l.of = snap.QueuesRevision, map[string]time.Duration{}
	for i := range snap.Queues {
		q := &snap.Queues[i]
		if limit := max(q.AttemptTimeout, q.Consumer.Timeout); limit > 0 {
			l.of[q.Name] = time.Duration(limit)
		}
	}
}

// expected says how long a holder may hold its slot before it counts as stuck.
func (s *Slots) expected(h *lane.Holder) time.Duration {
	if limit := s.limits.of[h.Queue]; limit > 0 {
		return drainBound + limit
	}
	if h.Lane == lane.Slow {
		return expectSlow
	}
	return expectFast
}

// grid is the pool to be drawn.
func (s *Slots) grid(e env.Env) slotgrid.Grid {
	return slotgrid.Grid{State: &e.Snap.Slots, Selected: s.selected, Expect: s.expected, Focus: e.Focused}
}

// role is the look of a slot's holder, stuck whether it has held on too long.
func (s *Slots) role(e env.Env, slot *lane.SlotState) (r themes.Role, stuck bool) {
	g := s.grid(e)
	return g.Role(e, slot), g.Stuck(e, slot)
}
