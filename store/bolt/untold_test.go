package bolt

import (
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"

	"signalbox/store"
	"signalbox/store/storetest"
)

// TestUntoldOfOldStore opens a store that has no index of dates to tell of. It gets
// that in changes of a bounded size, also when it was killed after some of them.
func TestUntoldOfOldStore(t *testing.T) {
	defer func(n int) { untoldPiece = n }(untoldPiece)
	untoldPiece = 3
	for pieces := range 6 {
		path := filepath.Join(t.TempDir(), "signalbox.db")
		fillUntold(t, path)
		forgetUntold(t, path, "a")
		forgetUntold(t, path, "b")
		buildSome(t, path, pieces)

		s, err := Open(path, Options{NoSync: true})
		if err != nil {
			t.Fatal(err)
		}
		storetest.Recount(t, s)
		if lacking, err := s.lackUntold(t.Context()); lacking != nil || err != nil {
			t.Errorf("the index lack %q, %v", lacking, err)
		}
		for range 2 {
			var next store.Time
			var passed []store.Item
			if err := s.Update(t.Context(), func(tx store.Tx) (err error) {
				if next, err = tx.NextDate(); err == nil {
					passed, err = tx.Passed(100, 50)
				}
				return err
			}); err != nil || next != 50 || len(passed) != 16 {
				t.Errorf("after %d pieces: next is %d, %d have passed, %v", pieces, next, len(passed), err)
			}
			storetest.Recount(t, s)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// fillUntold makes a store with two queues of items of all kinds.
func fillUntold(t *testing.T, path string) {
	t.Helper()
	s, err := Open(path, Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	err = s.Update(t.Context(), func(tx store.Tx) error {
		for _, name := range []string{"a", "b"} {
			if err := tx.PutQueue(&store.Queue{Name: name, Family: store.Jobs}); err != nil {
				return err
			}
			for n := range 16 {
				i := []store.Item{
					{Status: store.Queued, DueAt: 150, RiskAt: 90}, {Status: store.Claimed, DueAt: 50}, {Status: store.Completed, DueAt: 10}, {Status: store.Queued},
				}[n%4]
				i.Queue = name
				if err := tx.Add(&i, nil, store.Change{Event: "add", At: 10}); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil || s.Close() != nil {
		t.Fatal(err)
	}
}

// buildSome makes so many of the changes that build the index, as one that is killed
// then has.
func buildSome(t *testing.T, path string, pieces int) {
	t.Helper()
	db, err := openNamed(path, Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	s := &Store{db: db, path: path}
	if _, err := s.prepare(Options{NoSync: true}); err != nil {
		t.Fatal(err)
	}
	go s.writer.loop()
	var after []byte
	more := true
	for n := 0; n < pieces && more; n++ {
		err := s.Update(t.Context(), func(st store.Tx) (err error) {
			before := st.(*tx).writes
			after, more, err = st.(*tx).untoldSome("a", after)
			if n := st.(*tx).writes - before; n > untoldPiece {
				t.Errorf("one change writes %d entries", n)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
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
		if err := tx.Bucket(metaBucket).Delete(allUntold); err != nil { // of all queues
			return err
		}
		return root.DeleteBucket([]byte("untold"))
	})
	if err != nil {
		t.Fatal(err)
	}
}
