package bolt

import (
	"context"
	"path/filepath"
	"testing"

	"signalbox/store"
	"signalbox/store/storetest"
)

// TestSLAOfOldStore opens a store that has no index of dates: its items are
// counted all the same.
func TestSLAOfOldStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "signalbox.db")
	s, err := Open(path, Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	items := []store.Item{{DueAt: 50}, {DueAt: 150, RiskAt: 90}, {DueAt: 500, DeferUntil: 300}, {DueAt: 500, RiskAt: 400}, {RiskAt: 700}, {}}
	err = s.Update(ctx, func(tx store.Tx) error {
		if err := tx.PutQueue(&store.Queue{Name: "a", Family: store.Jobs}); err != nil {
			return err
		}
		for n := range items {
			items[n].Queue, items[n].Status = "a", store.Queued
			if err := tx.Add(&items[n], nil, store.Change{Event: "add", At: 10}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || s.Close() != nil {
		t.Fatal(err)
	}
	forget(t, path, &slaIndex, "a")

	if s, err = Open(path, Options{NoSync: true}); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	want := func(now store.Time, ok, risk, overdue int64) {
		t.Helper()
		err := s.View(ctx, func(r store.Reader) error {
			stats, err := r.Stats("a", now)
			if stats.Standings != (store.Standings{OnTime: ok, AtRisk: risk, Overdue: overdue}) {
				t.Errorf("at %d: %+v, want %d, %d, %d", now, stats.Standings, ok, risk, overdue)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	want(100, 3, 1, 1)
	if err := s.Update(ctx, func(tx store.Tx) error {
		items[1].Status = store.Claimed
		return tx.Put(&items[1], &store.Change{Event: "claim", At: 100, From: store.Queued, To: store.Claimed})
	}); err != nil {
		t.Fatal(err)
	}
	want(100, 3, 0, 1)
	want(450, 2, 1, 1)
	want(500, 1, 0, 3)
	storetest.Recount(t, s)
}
