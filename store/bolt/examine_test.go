package bolt_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.etcd.io/bbolt"
	"pgregory.net/rapid"

	"github.com/google/go-cmp/cmp"

	"signalbox/store"
	"signalbox/store/bolt"
)

// traffic works on an open store as robots do, damaged as it may be, and notes
// which items it had to do with.
type traffic struct {
	mu      sync.Mutex
	touched map[string]bool
}

func (w *traffic) run(t testing.TB, s *bolt.Store, from, to int) {
	for n := from; n < to; n++ {
		queue := []string{"a", "b"}[n%2]
		var ids []store.ID
		err := s.Update(t.Context(), func(tx store.Tx) error {
			ids = ids[:0]
			i := store.Item{
				Queue: queue, Status: store.Pending, Reference: "r", DueAt: store.Time(n % 3 * 50), DeferUntil: store.Time(n % 5 * 60),
				Job: []string{"", "j0"}[(n+1)%2], Weight: 1, Key: fmt.Sprint("t", n),
			}
			if err := tx.Add(&i, []byte(`{}`), store.Change{Event: "add", To: i.Status}); err != nil {
				return err
			}
			ids = append(ids, i.ID())
			for i, err := range tx.Ready(queue, 500) {
				if err != nil {
					return err
				}
				from := i.Status
				i.Status = []store.Status{store.Claimed, store.Successful, store.Failed}[n%3]
				i.LeaseUntil, i.Group = store.Time(600+n), ""
				if i.Status == store.Failed {
					i.Group, i.Error = "g0", &store.Failure{Kind: "system", Reason: "r"}
				}
				ids = append(ids, i.ID())
				if err := tx.Put(&i, &store.Change{Event: "move", From: from, To: i.Status}); err != nil {
					return err
				}
				break
			}
			if n%7 == 0 {
				_, err := tx.Ripen(store.Time(100 + n))
				return err
			}
			return nil
		})
		if err == nil {
			w.mu.Lock()
			for _, id := range ids {
				w.touched[id.String()] = true
			}
			w.mu.Unlock()
		}
	}
}

// mendOnce examines a store and mends what it finds, a few things in a
// transaction, with something between the two. It gives what is wrong.
func mendOnce(t testing.TB, s *bolt.Store, between func()) (wrong, mended []string) {
	t.Helper()
	list, err := s.Examine(t.Context(), store.Examination{Queue: func(string, store.Family) store.Queue { return store.Queue{Lane: "slow"} }})
	if err != nil {
		t.Fatal(err)
	}
	between()
	for _, w := range list {
		wrong = append(wrong, w.Text)
	}
	for len(list) > 0 {
		batch := list[:min(5, len(list))]
		list = list[len(batch):]
		var done []string
		if err := s.Update(t.Context(), func(tx store.Tx) error {
			done = done[:0]
			for _, w := range batch {
				m, err := w.Mend(tx, 1234, "kim")
				if err != nil {
					return fmt.Errorf("%s: %w", w.Text, err)
				}
				if m.Done {
					done = append(done, w.Text)
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		mended = append(mended, done...)
	}
	return wrong, mended
}

// However a store is damaged, and while others work on it, mending what was
// examined leaves one in which nothing is wrong, and every record that could be
// read as it was or as those others left it. After a crash too: the log has it all.
func TestMendedWhileOthersWork(t *testing.T) {
	dir := t.TempDir()
	run := 0
	rapid.Check(t, func(rt *rapid.T) {
		run++
		path := filepath.Join(dir, fmt.Sprint(run, ".db"))
		lived(t, path, rapid.IntRange(0, 50).Draw(rt, "seed"))
		before := truth(t, path)
		sp, did := damage(rt, t, path)
		s := open(t, path)
		if s.Update(t.Context(), func(store.Tx) error { return nil }) != nil {
			_ = s.Close() // its newest history can't be read: nobody works on that, and a repair is the way
			return
		}
		busy := rapid.IntRange(0, 40).Draw(rt, "traffic")
		w := &traffic{touched: map[string]bool{}}
		var others sync.WaitGroup
		others.Go(func() { w.run(t, s, 0, busy) })
		var mended []string
		for round := range 3 {
			_, done := mendOnce(t, s, func() { w.run(t, s, 100+20*round, 100+20*round+busy/2) })
			mended = append(mended, done...)
		}
		others.Wait()
		for round := 0; ; round++ {
			wrong, done := mendOnce(t, s, func() {})
			mended = append(mended, done...)
			if len(wrong) == 0 {
				break
			}
			if round > 8 {
				rt.Fatalf("after %q were mended %q, and there are still %q", did, mended, wrong)
			}
		}
		image := filepath.Join(dir, fmt.Sprint(run, ".crashed"))
		for _, end := range []string{"", ".wal"} {
			if content, err := os.ReadFile(path + end); err == nil {
				err = os.WriteFile(image+end, content, 0o600)
				if err != nil {
					rt.Fatal(err)
				}
			}
		}
		problems, err := s.Check(t.Context())
		if err != nil || len(problems) > 0 {
			rt.Fatalf("after %q were mended %q, and there are still %q, %v", did, mended, problems, err)
		}
		generic(rt, s)
		if err := s.Close(); err != nil {
			rt.Fatal(err)
		}
		now := truth(t, path)
		if diff := cmp.Diff(now, truth(t, image)); diff != "" {
			rt.Fatalf("after %q and a crash: %s", did, diff)
		}
		crashed := open(t, image)
		problems, err = crashed.Check(t.Context())
		if err = errors.Join(err, crashed.Close()); err != nil || len(problems) > 0 {
			rt.Fatalf("after %q, %q and a crash: %q, %v", did, mended, problems, err)
		}
		for id, is := range before {
			if now[id] != is && !sp.hurt[id] && !w.touched[id] {
				rt.Fatalf("after %q, %q: %s differs: %s", did, mended, id, cmp.Diff(is, now[id]))
			}
		}
		for id := range now {
			if before[id] == "" && !w.touched[id] {
				rt.Fatalf("after %q: %s was never there", did, id)
			}
		}
		works(rt, t, path)
	})
}

// What was found of an item that has moved since is left alone: mending it would
// make an entry that is wrong.
func TestMendsLeaveWhatHasMoved(t *testing.T) {
	for _, index := range indexes {
		t.Run(index, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s.db")
			lived(t, path, 3)
			rewrite(t, path, func(b *bbolt.Tx) error {
				if err := indexed(b); err != nil {
					return err
				}
				return errors.Join(b.Bucket([]byte("queues")).Bucket([]byte("a")).DeleteBucket([]byte(index)),
					b.Bucket([]byte("transactions")).Bucket([]byte("b")).DeleteBucket([]byte(index)))
			})
			s := open(t, path)
			wrong, mended := mendOnce(t, s, func() { moveAll(t, s) })
			if len(wrong) == 0 {
				t.Fatal("nothing is wrong: the test shows nothing")
			}
			list, err := s.Examine(t.Context(), store.Examination{})
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range list {
				if strings.Contains(w.Text, "that it does not have") {
					t.Errorf("after %q: %s", mended, w.Text)
				}
			}
		})
	}
}

// moveAll changes every item there is, and all that indexes are about.
func moveAll(t *testing.T, s *bolt.Store) {
	t.Helper()
	update(t, s, func(tx store.Tx) error {
		var list []store.Item
		for i, err := range tx.Items(store.Query{}) {
			if err != nil {
				return err
			}
			list = append(list, i)
		}
		for _, i := range list {
			from := i.Status
			i.Status, i.Reference, i.Key, i.Group, i.Error = store.Deleted, "moved", "moved "+i.ID().String(), "", nil
			if err := tx.Put(&i, &store.Change{Event: "move", From: from, To: i.Status}); err != nil {
				return err
			}
		}
		return nil
	})
}
