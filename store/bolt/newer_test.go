package bolt

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"

	"signalbox/store"
	"signalbox/store/storetest"
)

// halfway makes stores whose queues lack an index, but for so many changes of those
// that build it.
func halfway(t *testing.T, story func(t *testing.T, path string, x *newer)) {
	t.Helper()
	defer func(n int) { newerPiece = n }(newerPiece)
	newerPiece = 3
	for _, x := range newerIndexes {
		for pieces := range 7 {
			path := filepath.Join(t.TempDir(), "signalbox.db")
			fillDated(t, path)
			forget(t, path, x, "a", "b")
			buildSome(t, path, x, pieces)
			t.Run(fmt.Sprintf("%s/%d", x.all, pieces), func(t *testing.T) { story(t, path, x) })
		}
	}
}

// An older store gets the indexes that it lacks in changes of a bounded size, also
// when it was killed after some of them.
func TestIndexesOfOldStore(t *testing.T) {
	halfway(t, func(t *testing.T, path string, x *newer) {
		s := reopened(t, path)
		storetest.Recount(t, s)
		if lacking, err := s.lack(t.Context(), x); lacking != nil || err != nil {
			t.Errorf("%q lack it, %v", lacking, err)
		}
		for range 2 {
			var next store.Time
			var passed []store.Item
			var stats store.Stats
			if err := s.Update(t.Context(), func(tx store.Tx) (err error) {
				if next, err = tx.NextDate(); err == nil {
					passed, err = tx.Passed(100, 50)
				}
				if err == nil {
					stats, err = tx.Stats("a", 100)
				}
				return err
			}); err != nil || next != 50 || len(passed) != 16 || stats.Standings != (store.Standings{AtRisk: 4}) {
				t.Errorf("next is %d, %d have passed, %+v, %v", next, len(passed), stats.Standings, err)
			}
			storetest.Recount(t, s)
		}
	})
}

// What an index lacks that is still to be built is no damage, whoever opens the store
// only to look at it; an entry of nothing is.
func TestCheckOfAHalfBuiltIndex(t *testing.T) {
	halfway(t, func(t *testing.T, path string, x *newer) {
		checked := func(sound bool) {
			t.Helper()
			s, err := Open(path, Options{ReadOnly: true})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if problems, err := s.Check(t.Context()); err != nil || sound != (len(problems) == 0) {
				t.Errorf("%q, %v", problems, err)
			}
		}
		checked(true)
		db, err := bbolt.Open(path, 0o600, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Update(func(tx *bbolt.Tx) error {
			b, err := tx.Bucket(queuesBucket).Bucket([]byte("b")).CreateBucketIfNotExists([]byte(spaceNames[x.space]))
			if err != nil {
				return err
			}
			return b.Put(slaEntry{999_999, risk}.key(nil, 4), slaValue)
		}); err != nil || db.Close() != nil {
			t.Fatal(err)
		}
		checked(false)
	})
}

// Stores of all older formats lack them.
func TestOldFormatsGetTheirIndexes(t *testing.T) {
	for n, file := range []string{"testdata/format1.db", "testdata/format2.db"} {
		s := reopened(t, laid(t, taken(t, file)))
		for _, x := range newerIndexes {
			if lacking, err := s.lack(t.Context(), x); lacking != nil || err != nil {
				t.Errorf("format %d: %q lack %s, %v", n+1, lacking, x.all, err)
			}
		}
	}
}

// fillDated makes a store with two queues of items of all kinds.
func fillDated(t *testing.T, path string) {
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

// buildSome makes so many of the changes that build an index of queue a, as one that
// is killed then has.
func buildSome(t *testing.T, path string, x *newer, pieces int) {
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
	b := building{index: x, queue: "a"}
	more := true
	for n := 0; n < pieces && more; n++ {
		err := s.Update(t.Context(), func(st store.Tx) (err error) {
			before := st.(*tx).writes
			more, err = b.some(st.(*tx))
			if n := st.(*tx).writes - before; n > 2*newerPiece { // an item has two entries at most
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

// forget makes a closed store one from before an index.
func forget(t *testing.T, path string, x *newer, queues ...string) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.Update(func(tx *bbolt.Tx) error {
		for _, name := range queues {
			root := tx.Bucket(queuesBucket).Bucket([]byte(name))
			q, err := openQueue(name, store.Jobs, root)
			if err != nil {
				return err
			}
			if x == &untoldIndex {
				if err := tx.Bucket(dueBucket).Delete(dueKey(q.counters.nextDate, passes, name)); err != nil {
					return err
				}
				q.counters.untold, q.counters.nextDate = false, 0
			} else {
				q.counters.sla = slaCounters{}
			}
			if err := errors.Join(root.Put(countersKey, q.encodedCounters()), root.DeleteBucket([]byte(spaceNames[x.space]))); err != nil {
				return err
			}
		}
		return tx.Bucket(metaBucket).Delete(x.all)
	})
	if err != nil {
		t.Fatal(err)
	}
}
