package bolt_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"signalbox/store"
	"signalbox/store/bolt"
	"signalbox/store/storetest"
)

func TestBackupIsTheStoreAsOfThen(t *testing.T) {
	dir := t.TempDir()
	path, copied := filepath.Join(dir, "s.db"), filepath.Join(dir, "backup.db")
	s := open(t, path)
	fill(t, s, "q", 50)
	var b bytes.Buffer
	if err := s.Backup(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	fill(t, s, "later", 1)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(copied, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := bolt.Restore(path, copied); err != nil {
		t.Fatal(err)
	}
	s = open(t, path)
	storetest.Recount(t, s)
	if got := names(t, s); got != "q" {
		t.Errorf("restored queues %q", got)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	old := open(t, path+".old")
	if got := names(t, old); got != "later q" {
		t.Errorf("the store of before has queues %q", got)
	}
}

func TestRestoreRefuses(t *testing.T) {
	dir := t.TempDir()
	path, backup := filepath.Join(dir, "s.db"), filepath.Join(dir, "backup.db")
	s := open(t, path)
	fill(t, s, "q", 200)
	var b bytes.Buffer
	if err := s.Backup(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	whole := b.Bytes()
	if err := os.WriteFile(backup, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := bolt.Restore(path, backup); !errors.Is(err, bolt.ErrHeld) {
		t.Errorf("over a store that is held: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"half": whole[:len(whole)/2], "text": []byte(strings.Repeat("no store ", 2000))} {
		if err := os.WriteFile(backup, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := bolt.Restore(path, backup); store.CodeOf(err) != store.CodeUnavailable {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := bolt.Restore(path, filepath.Join(dir, "none")); store.CodeOf(err) != store.CodeUnavailable {
		t.Errorf("missing: %v", err)
	}
	s = open(t, path)
	if got := names(t, s); got != "q" {
		t.Errorf("a refused restore left queues %q", got)
	}
}

func TestCompactKeepsEverything(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	s := open(t, path)
	fill(t, s, "keep", 100)
	fill(t, s, "drop", 5000)
	storetest.Recount(t, s) // a checkpoint: what follows makes free pages
	update(t, s, func(tx store.Tx) error { return tx.DeleteQueue("drop") })
	if _, _, err := bolt.Compact(path, bolt.Options{Timeout: 1}); !errors.Is(err, bolt.ErrHeld) {
		t.Errorf("a store that is held: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	before, after, err := bolt.Compact(path, bolt.Options{})
	if err != nil || after >= before {
		t.Errorf("from %d to %d: %v", before, after, err)
	}
	s = open(t, path)
	storetest.Recount(t, s)
	fill(t, s, "more", 10)
	storetest.Recount(t, s)
	if got := names(t, s); got != "keep more" {
		t.Errorf("queues %q", got)
	}
}

// Whoever waits for a store while it is compacted gets the one that has its name
// afterwards, and loses nothing.
func TestWaitersFollowTheNameOfACompactedStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	s := open(t, path)
	fill(t, s, "q", 100)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var compactors sync.WaitGroup
	for range 2 {
		compactors.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if _, _, err := bolt.Compact(path, bolt.Options{}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	const adds = 30
	for range adds {
		s := open(t, path)
		update(t, s, func(tx store.Tx) error {
			i := store.Item{Queue: "q", Family: store.Jobs, Status: store.Queued}
			return tx.Add(&i, []byte(`{}`), store.Change{Event: "add", To: store.Queued})
		})
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	compactors.Wait()
	s = open(t, path)
	if err := s.View(t.Context(), func(r store.Reader) error {
		stats, err := r.Stats("q", 0)
		if stats.Counts.Total() != 100+adds {
			t.Errorf("%d items are left of %d", stats.Counts.Total(), 100+adds)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

func names(t *testing.T, s store.Store) string {
	t.Helper()
	var all []string
	if err := s.View(t.Context(), func(r store.Reader) error {
		queues, err := r.Queues()
		for _, q := range queues {
			all = append(all, q.Name)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, " ")
}

func update(t *testing.T, s store.Store, fn func(store.Tx) error) {
	t.Helper()
	if err := s.Update(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

func fill(t *testing.T, s store.Store, queue string, n int) {
	t.Helper()
	update(t, s, func(tx store.Tx) error {
		if err := tx.PutQueue(&store.Queue{Name: queue, Family: store.Jobs}); err != nil {
			return err
		}
		for range n {
			i := store.Item{Queue: queue, Family: store.Jobs, Status: store.Queued}
			if err := tx.Add(&i, []byte(`{"a":1}`), store.Change{Event: "add", To: store.Queued}); err != nil {
				return err
			}
		}
		return nil
	})
}
