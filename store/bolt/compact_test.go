package bolt_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"signalbox/store"
	"signalbox/store/bolt"
	"signalbox/store/storetest"
)

// A store is compacted while others write to it and read it: nothing that was
// acknowledged is lost, and the file stays theirs.
func TestCompactWhileOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	s := open(t, path)
	fill(t, s, "keep", 100)
	fill(t, s, "drop", 5000)
	storetest.Recount(t, s) // a checkpoint: what follows makes free pages
	update(t, s, func(tx store.Tx) error { return tx.DeleteQueue("drop") })
	var others sync.WaitGroup
	const writers, adds = 4, 50
	for w := range writers {
		others.Go(func() {
			for n := range adds {
				if err := s.Update(t.Context(), func(tx store.Tx) error {
					i := store.Item{Queue: "keep", Status: store.Queued, Key: fmt.Sprint(w, " ", n)}
					return tx.Add(&i, []byte(`{}`), store.Change{Event: "add", To: i.Status})
				}); err != nil {
					t.Error(err)
				}
				if err := s.View(t.Context(), func(r store.Reader) error { _, err := r.Stats("keep", 0); return err }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for round := range 5 {
		before, after, err := s.Compact(t.Context())
		if err != nil || round == 0 && after >= before {
			t.Errorf("from %d to %d: %v", before, after, err)
		}
	}
	others.Wait()
	storetest.Recount(t, s)
	if _, err := bolt.Open(path, bolt.Options{Timeout: 1}); !errors.Is(err, bolt.ErrHeld) {
		t.Errorf("another opened it: %v", err)
	}
	var copied bytes.Buffer
	if err := s.Backup(t.Context(), &copied); err != nil || copied.Len() == 0 {
		t.Errorf("a backup after it: %d bytes, %v", copied.Len(), err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path + ".compact"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the copy is left: %v", err)
	}
	s = open(t, path)
	storetest.Recount(t, s)
	if err := s.View(t.Context(), func(r store.Reader) error {
		stats, err := r.Stats("keep", 0)
		if n := stats.Counts.Total(); n != 100+writers*adds {
			t.Errorf("%d items are left", n)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

func TestCompactAClosedStore(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "s.db"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Compact(t.Context()); store.CodeOf(err) != store.CodeUnavailable {
		t.Errorf("%v", err)
	}
}
