package bolt

import (
	"context"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"

	"signalbox/store"
	"signalbox/store/storetest"
)

// TestUntoldOfOldStore opens a store that has no index of dates to tell of: who
// asks what is due next gets it, also of queues that nobody changes.
func TestUntoldOfOldStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "signalbox.db")
	s, err := Open(path, Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	err = s.Update(ctx, func(tx store.Tx) error {
		if err := tx.PutQueue(&store.Queue{Name: "a", Family: store.Jobs}); err != nil {
			return err
		}
		for _, i := range []store.Item{
			{Status: store.Queued, DueAt: 150, RiskAt: 90}, {Status: store.Claimed, DueAt: 50}, {Status: store.Completed, DueAt: 10},
		} {
			i.Queue = "a"
			if err := tx.Add(&i, nil, store.Change{Event: "add", At: 10}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || s.Close() != nil {
		t.Fatal(err)
	}
	forgetUntold(t, path, "a")

	if s, err = Open(path, Options{NoSync: true}); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	storetest.Recount(t, s)
	for range 2 {
		var next store.Time
		var passed []store.Item
		if err := s.Update(ctx, func(tx store.Tx) (err error) {
			if next, err = tx.NextDate(); err == nil {
				passed, err = tx.Passed(100, 10)
			}
			return err
		}); err != nil || next != 50 || len(passed) != 2 {
			t.Errorf("next is %d, %d have passed, %v", next, len(passed), err)
		}
		storetest.Recount(t, s)
	}
}

// forgetUntold makes a closed store one from before the index.
func forgetUntold(t *testing.T, path, name string) {
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
		due := tx.Bucket(dueBucket)
		if err := due.Delete(dueKey(q.counters.nextDate, passes, name)); err != nil {
			return err
		}
		q.counters.untold, q.counters.nextDate = false, 0
		if err := root.Put(countersKey, q.encodedCounters()); err != nil {
			return err
		}
		if err := tx.Bucket(metaBucket).Delete(allUntold); err != nil {
			return err
		}
		return root.DeleteBucket([]byte("untold"))
	})
	if err != nil {
		t.Fatal(err)
	}
}
