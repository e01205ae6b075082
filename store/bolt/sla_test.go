package bolt

import (
	"context"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"

	"signalbox/store"
	"signalbox/store/storetest"
)

// TestSLAOfOldStore opens a store that has no index of dates: its items are
// counted all the same, and the first change makes the index.
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
	forgetSLA(t, path, "a")

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

// forgetSLA makes a closed store one from before the index.
func forgetSLA(t *testing.T, path, name string) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.Update(func(tx *bbolt.Tx) error {
		root := tx.Bucket(queuesBucket).Bucket([]byte(name))
		q, err := openQueue(name, store.Jobs, root)
		if err != nil {
			return err
		}
		q.counters.sla = slaCounters{}
		if err := root.Put(countersKey, encode(nil, func(c *coder, n *counters) { n.code(c) }, &q.counters)); err != nil {
			return err
		}
		return root.DeleteBucket([]byte("sla"))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// An examination makes the index of a queue from before it, and counts the same.
func TestExaminationMakesTheIndexOfDates(t *testing.T) {
	s := logging(t)
	if err := s.Update(t.Context(), func(tx store.Tx) error {
		for n := range 20 {
			i := store.Item{Queue: "a", Status: store.Queued, DueAt: store.Time(n % 4 * 50), RiskAt: store.Time(n % 3 * 40)}
			if err := tx.Add(&i, nil, store.Change{Event: "add", At: 10}); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	forgetSLA(t, s.path, "a")
	old := reopened(t, s.path)
	standings := func() (s store.Standings) {
		t.Helper()
		if err := old.View(t.Context(), func(r store.Reader) error {
			stats, err := r.Stats("a", 90)
			s = stats.Standings
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return s
	}
	before := standings()
	for round, want := range []int{1, 0} {
		wrong, err := old.Examine(t.Context(), store.Examination{})
		if err != nil || len(wrong) != want {
			t.Fatalf("round %d: %+v, %v", round, wrong, err)
		}
		for _, w := range wrong {
			if err := old.Update(t.Context(), func(tx store.Tx) error {
				_, err := w.Mend(tx, 5, "kim")
				return err
			}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := standings(); got != before {
		t.Errorf("it counts %+v, before it was there %+v", got, before)
	}
	storetest.Recount(t, old)
	if problems, err := old.Check(t.Context()); err != nil || len(problems) > 0 {
		t.Errorf("%q, %v", problems, err)
	}
}
