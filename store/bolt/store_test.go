package bolt_test

import (
	"path/filepath"
	"testing"

	"signalbox/store"
	"signalbox/store/bolt"
	"signalbox/store/storetest"
)

func open(t testing.TB, path string) *bolt.Store {
	t.Helper()
	s, err := bolt.Open(path, bolt.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store {
		return open(t, filepath.Join(t.TempDir(), "deep", "signalbox.db"))
	})
}
