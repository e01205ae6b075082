package tui

import (
	"testing"
	"time"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/act"
	"signalbox/tui/internal/fake"
	"signalbox/tui/screen"
)

// The feed may move the cursor under an open menu; what is chosen is done to
// the row that the title names, as it was seen.
func TestMenuActsOnTheRowItsTitleNames(t *testing.T) {
	c := group(t)
	c.press("x")
	c.shows("Verbs for finance.orders/4")
	first := store.ID{Queue: "finance.orders", Number: 4}
	c.engine.Edit(first, func(r *engine.Record) { r.Group = "" })
	c.feed()
	c.press("enter")
	if n := len(c.engine.Retries); n != 1 {
		t.Fatalf("%d retries\n%s", n, c.picture())
	}
	want := engine.Target{Item: first, Revision: 1}
	if got := c.engine.Retries[0].Targets; len(got) != 1 || got[0] != want {
		t.Fatalf("retried %v, want %v", got, want)
	}
}

func TestMenuActsOnTheGroupItsTitleNames(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.press("5", "x")
	c.shows("Verbs for the whole group of 5")
	c.engine.Change(func(s *engine.Snapshot) {
		s.Groups = append([]store.Group(nil), s.Groups...)
		for i := range s.Groups {
			if s.Groups[i].Text == "no postal code" {
				s.Groups[i].Count = 0
			}
		}
	})
	c.feed()
	c.press("enter")
	c.wait(time.Second)
	c.shows("Retry 5 matching items?", "no postal code")
}

func TestHeldVerbDecidesOnlyWhatWasSeen(t *testing.T) {
	c := group(t)
	c.press("enter")
	for range 6 {
		c.press("v").wait(30 * time.Millisecond)
	}
	if n := len(c.engine.Reviews); n != 1 {
		t.Fatalf("%d items were verified", n)
	}
	c.feed()
	c.shows("INV-10260", "4 left in this group")
	c.wait(700 * time.Millisecond).press("v")
	if n := len(c.engine.Reviews); n != 2 {
		t.Fatal("the verb after the quiet time was not taken")
	}
}

// A verb whose outcome comes late leaves the item shown by then where it is.
func TestLateOutcomeDoesNotAdvanceFromAnotherItem(t *testing.T) {
	c := group(t)
	c.press("enter")
	page := c.app.top().ID()
	c.press("n")
	c.shows("finance.orders/13", "INV-10260")
	done := act.Done{Addr: screen.Addr{Screen: page}, Order: act.Order{Verb: act.Verify}}
	done.Outcomes = []engine.Outcome{{Item: store.ID{Queue: "finance.orders", Number: 4}, Result: engine.OK}}
	c.send(done)
	c.shows("Verified finance.orders/4", "INV-10260")
}

// "All matching" goes on to mean what matched when all were marked.
func TestAllMatchingKeepsTheScopeItWasMarkedIn(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.press("2", "down", "enter", "left", "left")
	c.shows("abandoned 3")
	c.press("a")
	c.shows("Marked all 3 that match now")
	c.press("/").text("INV-1026").press("enter", "r")
	c.shows("Retry 3 matching items?", "status:abandoned queue:finance.orders")
	c.hides("queue:finance.orders INV-1026")
}

func TestMarkingAllOfAnotherFilterIsDropped(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.press("2", "down", "enter", "left", "left")
	late := act.Selected{Addr: screen.Addr{Screen: c.app.top().ID()}}
	late.Requests = []engine.ListRequest{{Queue: "finance.orders", Desc: true}}
	late.Targets = []engine.Target{{Item: store.ID{Queue: "finance.orders", Number: 4}, Revision: 1}}
	c.send(late)
	c.shows("so nothing was")
	c.hides("Marked all")
}
