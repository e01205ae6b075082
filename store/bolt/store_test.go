package bolt_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
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

// TestCrashed runs the suite on a store that dies after every update, so that
// nothing can depend on what is not in the log.
func TestCrashed(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store {
		r := &reopened{t: t, path: filepath.Join(t.TempDir(), "signalbox.db"), crash: true}
		r.Store = open(t, r.path)
		return r
	})
}

// TestReopened runs the suite on a store that is closed and opened again
// after every update, so that nothing can depend on what stays in memory.
func TestReopened(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store {
		r := &reopened{t: t, path: filepath.Join(t.TempDir(), "signalbox.db")}
		r.Store = open(t, r.path)
		return r
	})
}

type reopened struct {
	*bolt.Store
	t      *testing.T
	path   string
	crash  bool // go on with copies of the files instead of closing them
	mu     sync.RWMutex
	closed bool
}

func (r *reopened) View(ctx context.Context, fn func(store.Reader) error) error {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.Store.View(ctx, fn)
}

func (r *reopened) Update(ctx context.Context, fn func(store.Tx) error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.Store.Update(ctx, fn)
	if r.closed {
		return err
	}
	if r.crash {
		copied := filepath.Join(r.t.TempDir(), "signalbox.db")
		for _, suffix := range []string{"", ".wal"} {
			content, err := os.ReadFile(r.path + suffix)
			if err == nil {
				err = os.WriteFile(copied+suffix, content, 0o600)
			}
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				r.t.Error(err)
			}
		}
		defer os.RemoveAll(filepath.Dir(r.path))
		r.path = copied
	}
	if err := r.Store.Close(); err != nil {
		r.t.Errorf("Close: %v", err)
	}
	r.Store = open(r.t, r.path)
	return err
}

func (r *reopened) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	return r.Store.Close()
}
