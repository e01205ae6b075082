package bolt

import (
	"testing"

	"signalbox/store"
	"signalbox/store/storetest"
)

// Pages that are given back at every turn are read again as they were, in the
// middle of a walk and of a transaction that writes.
func TestRelief(t *testing.T) {
	mapped, every := maxMapped, reliefEvery
	maxMapped, reliefEvery = -1<<40, 1
	t.Cleanup(func() { maxMapped, reliefEvery = mapped, every })
	s := logging(t)
	for n := 1; n <= 60; n += 20 {
		grow(t, s, n, n+19, 10<<10)
		checkpointed(t, s)
	}
	n := 0
	if err := s.View(t.Context(), func(r store.Reader) error {
		for i, err := range r.Items(store.Query{Queue: "a"}) {
			if err != nil {
				return err
			}
			n++
			if payload, err := r.Payload(i.ID()); err != nil || len(payload) != 10<<10 {
				t.Errorf("%s has %d bytes, %v", i.ID(), len(payload), err)
			}
		}
		return nil
	}); err != nil || n != 60 {
		t.Errorf("%d items, %v", n, err)
	}
	storetest.Recount(t, s)
	wantKeys(t, "after a crash", contents(t, crashed(t, s), Options{NoSync: true}), numbered(1, 60))
}
