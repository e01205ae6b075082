package tui

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/store/memory"
	"signalbox/tui/act"
)

var _ act.Engine = (*engine.Engine)(nil)

// A person decides on the real engine's exceptions: verifies one group, retries
// the other, and the items say so.
func TestReviewOnTheRealEngine(t *testing.T) {
	e := realEngine(t, map[string]int{"not shipped": 18, "no postal code": 19})
	c := openOn(t, e, 120, 40)
	c.now = time.Now()
	c.press("5")
	c.shows("37 left", "no postal code", "not shipped", "19", "18")
	c.press("v").wait(time.Second)
	c.shows("Verify 19 matching items?")
	c.press("y")
	c.shows("Verified 19")
	c.feed()
	c.shows("18 left")
	c.press("r").wait(time.Second).press("y")
	c.shows("Retried 18")
	c.feed()
	c.shows("Nothing waits for review.")

	counts := map[store.Status]int64{}
	snap, err := e.Watch(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	for s, n := range snap.Queues[0].Counts {
		counts[store.Status(s)] = n
	}
	if counts[store.BusinessException] != 19 || counts[store.Retried] != 18 || counts[store.Pending] != 18 {
		t.Fatalf("%v", counts)
	}
}

func TestItemPageOnTheRealEngine(t *testing.T) {
	e := realEngine(t, map[string]int{"no postal code": 2})
	c := openOn(t, e, 120, 40)
	c.now = time.Now()
	c.press("5", "enter", "enter", "r")
	c.shows("Retried orders/1: goes on as orders/3", "orders/2")
	c.feed()
	c.shows("1 left in this group")
	c.press("esc", "esc", "2", "enter", "G", "enter")
	c.shows("retried", "orders/1", "next", "orders/3", "History", "by ada")
	c.press("right")
	c.shows("pending", "previous", "chain from")
}

func TestFilterErrorOfTheRealEngineStandsAtTheBar(t *testing.T) {
	c := openOn(t, realEngine(t, map[string]int{"no postal code": 2}), 120, 40)
	c.press("2", "enter", "/").text("status:nonsense")
	c.shows("status", "nonsense", "✗")
	c.press("esc", "/").text("status:business-exception").press("enter")
	c.shows("2 items")
}

// realEngine is an engine in memory whose robots broke rules, so many times
// each.
func realEngine(t *testing.T, reasons map[string]int) *engine.Engine {
	t.Helper()
	e, err := engine.Open(context.Background(), memory.New(), engine.Options{Name: "memory:"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	must := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	_, err = e.AddQueue(t.Context(), engine.DefaultQueue("orders", store.Transactions))
	must(err)
	for reason, n := range reasons {
		var items []engine.NewItem
		for i := range n {
			items = append(items, engine.NewItem{Payload: json.RawMessage(fmt.Sprintf(`{"order":%d}`, i)), Reference: fmt.Sprintf("INV-%d", i)})
		}
		_, err = e.Add(t.Context(), engine.AddRequest{Queue: "orders", Items: items})
		must(err)
		held, err := e.Claim(t.Context(), engine.ClaimRequest{Queue: "orders", Robot: "r1", N: n})
		must(err)
		var settled []engine.Settlement
		for _, r := range held {
			settled = append(settled, engine.Settlement{Item: r.ID(), Fence: r.Fence, Status: engine.Business, Reason: reason})
		}
		_, err = e.Settle(t.Context(), settled)
		must(err)
	}
	return e
}
