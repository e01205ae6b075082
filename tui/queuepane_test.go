package tui

import (
	"fmt"
	"testing"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/internal/fake"
)

// The queue in hand is told whole below the rows, another one as the hand moves, and
// the rows have the place once they need it.
func TestTheQueueInHandIsToldBelow(t *testing.T) {
	e := fake.Lifelike()
	e.Change(func(s *engine.Snapshot) {
		for i := range s.Queues {
			if q := &s.Queues[i]; q.Name == "finance.orders" {
				q.Consumer = store.Consumer{Kind: engine.Command, Argv: []string{"./book\x1b[31m", "--all"}}
				q.Lease, q.OnExpiry, q.MaxReclaims = 60_000_000_000, engine.Reclaim, 3
				q.Retries, q.RetryWindow = 2, 3_600_000_000_000
			}
		}
	})
	c := open(t, e, 120, 40)
	c.press("2")
	c.shows("agents.triage  Reads tickets", "15 min ago")
	c.hides("waits again up to 3 times")
	c.press("j")
	c.shows("./book␛[31m --all", "1m, waits again up to 3 times", "2 within 1h", "15 min ago")
	c.hides("Reads tickets")
	e.Change(func(s *engine.Snapshot) {
		s.QueuesRevision++
		for n := range 30 {
			s.Queues = append(s.Queues, engine.QueueState{Queue: store.Queue{Name: fmt.Sprintf("z%02d", n)}})
		}
	})
	c.feed()
	c.shows("z25", "Orders from the web shop") // in the one line that is left
	c.hides("15 min ago")
	c.press("G").shows("z29")
	c.press("g")
	c.press("/").text("queue:finance").press("enter")
	c.shows("2 within 1h", "15 min ago")
}
