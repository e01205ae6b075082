package tui

import (
	"testing"
	"time"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/internal/fake"
)

// What comes in above the rows that are read is counted, and moves none of them;
// who goes up has seen it.
func TestNewerRowsAboveAreAnnounced(t *testing.T) {
	c := open(t, fake.Lifelike(), 80, 24)
	add := func(n int) {
		for range n {
			c.engine.Put(engine.Record{Item: store.Item{Queue: "finance.orders", Status: store.Pending, Reference: "NEW"}})
		}
		c.engine.Change(func(s *engine.Snapshot) { s.QueuesRevision++ })
		c.feed()
	}
	c.press("2", "down", "enter", "pgdown", "pgdown")
	c.hides("newer above")
	before := lineOf(c.picture(), "▌")
	add(12)
	c.shows("12 newer above")
	if got := lineOf(c.picture(), "▌"); got != before {
		t.Fatalf("the row in hand was\n%s\nand is\n%s", before, got)
	}
	add(3)
	c.shows("15 newer above")
	c.press("g")
	c.hides("newer above")
	c.press("pgdown", "pgdown", "pgdown")
	c.hides("newer above")
	add(1)
	c.shows("1 newer above")
	c.press("z").wait(time.Second)
	c.shows("1 newer above")
	// The events too.
	var log []store.Change
	for i := range uint64(60) {
		log = append(log, happened(i+1))
	}
	c.engine.Log(log...)
	c.press("7", "pgdown", "pgdown", "pgdown")
	c.engine.Log(append(log, happened(8), happened(9))...)
	c.feed()
	c.shows("2 newer above")
	c.press("g")
	c.hides("newer above")
}
