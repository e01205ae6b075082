package tui

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/internal/fake"
)

// Who decides on a group sees what its items are about: the payload's fields in
// which they differ first, none that is masked, and more by choice.
func TestGroupShowsThePayloadsFields(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.press("5").shows("no postal code")
	c.press("g", "enter")
	titles := c.titles("number")
	if !strings.Contains(titles, "order  freight  paid") || strings.Contains(titles, "customer") {
		t.Errorf("columns: %s", titles)
	}
	c.shows("10251    23.38  false")
	c.hides("DE89", "••••")
	c.press("o").shows("customer")
	c.hides("iban")
}

// counted counts the items read whole.
type counted struct {
	*fake.Engine
	read map[store.ID]int
}

func (c *counted) Item(ctx context.Context, id store.ID) (engine.Record, error) {
	c.read[id]++
	return c.Engine.Item(ctx, id)
}

// Payloads are read for the rows in sight, once each, however long the group is.
func TestOnlyPayloadsInSightAreRead(t *testing.T) {
	e := &counted{fake.New(), map[store.ID]int{}}
	e.Change(func(s *engine.Snapshot) {
		s.Queues = []engine.QueueState{{Queue: store.Queue{Name: "orders", Family: store.Transactions}}}
	})
	for i := range 150 {
		r := engine.Record{Payload: json.RawMessage(fmt.Sprintf(`{"amount":%d}`, i))}
		r.Queue, r.Status, r.Group = "orders", store.BusinessException, "no order"
		r.Error = &store.Failure{Kind: engine.Business, Reason: "no order"}
		e.Put(r)
	}
	e.Change(nil)
	c := openOn(t, e, 80, 24)
	c.press("5", "enter").shows("amount")
	if n := len(e.read); n == 0 || n > 24 {
		t.Fatalf("%d of 150 payloads were read", n)
	}
	c.press("down", "up")
	c.feed()
	for id, n := range e.read {
		if n > 1 {
			t.Errorf("%s was read %d times", id, n)
		}
	}
	c.press("G").shows("149")
	if n := len(e.read); n > 48 {
		t.Errorf("%d payloads were read", n)
	}
}
