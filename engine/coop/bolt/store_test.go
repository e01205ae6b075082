package bolt_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.etcd.io/bbolt"
	"go.uber.org/goleak"

	"signalbox/engine/coop"
	"signalbox/engine/coop/bolt"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t testing.TB, path string) *bolt.Store {
	t.Helper()
	s, err := bolt.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func row(id string) coop.Row { return coop.Row{ID: id, Payload: []byte("1")} }

func TestRowsOutliveTheStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "coop.db")
	s := open(t, path)
	for _, id := range []string{"b", "a"} {
		if err := s.Save(t.Context(), row(id)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := bolt.Open(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("open twice: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Save(t.Context(), row("c")); err == nil {
		t.Error("saved in a closed store")
	}
	if _, err := s.Load(t.Context()); err == nil {
		t.Error("loaded from a closed store")
	}
	s = open(t, path)
	all, err := s.Load(t.Context())
	if err != nil || len(all) != 2 || all[0].ID != "b" || all[1].ID != "a" {
		t.Errorf("got %v, %v", all, err)
	}
}

func TestACallThatFailsFailsAlone(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "coop.db"))
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() {
			id := strings.Repeat("x", i) // the first has none
			if err := s.Save(t.Context(), row(id)); (err == nil) != (id != "") {
				t.Errorf("save %d: %v", i, err)
			}
		})
	}
	all.Wait()
	if rows, err := s.Load(t.Context()); err != nil || len(rows) != 99 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

func TestFilesThatAreNoStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "coop.db")
	if err := os.WriteFile(path, []byte(strings.Repeat("no", 9000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := bolt.Open(path); err == nil {
		t.Error("opened a file that is none")
	}
}

func TestADamagedRowRefusesTheLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "coop.db")
	s := open(t, path)
	if err := s.Save(t.Context(), row("a")); err != nil {
		t.Fatal(err)
	}
	_ = s.Close()
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bbolt.Tx) error { return tx.Bucket([]byte("rows")).Put([]byte("00000001"), []byte("{")) })
	if err != nil {
		t.Fatal(err)
	}
	_ = db.Close()
	if rows, err := open(t, path).Load(t.Context()); err == nil {
		t.Errorf("loaded %v", rows)
	}
}
