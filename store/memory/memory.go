// Package memory keeps the engine's records in memory, for tests, for demos
// and as the plain statement of what a store does: stores that are faster or
// durable are compared with it.
//
// The whole state is one value. Update works on a copy of it, cheap because
// its trees share what neither side changes, and puts the copy in place when
// the function succeeds. View reads whatever value is in place. So nothing
// ever has to be undone, and readers never wait.
package memory

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"signalbox/store"
)

// Store is a store.Store in memory. Its methods are safe for concurrent use.
type Store struct {
	now     atomic.Pointer[state]
	writing sync.Mutex
	running sync.RWMutex // read-held by calls, so that Close waits for them
	closed  bool
}

var _ store.Store = (*Store)(nil)

// New makes an empty store.
func New() *Store {
	s := &Store{}
	s.now.Store(&state{queues: map[string]*queue{}, numbers: map[string]uint64{}, marks: map[mark]uint64{}, jobs: newJobs()})
	return s
}

// View implements store.Store. A panic in fn is returned as an error.
func (s *Store) View(ctx context.Context, fn func(store.Reader) error) error {
	s.running.RLock()
	defer s.running.RUnlock()
	if err := s.ready(ctx); err != nil {
		return err
	}
	return guard(func() error { return fn(s.now.Load()) })
}

// Update implements store.Store. A panic in fn is returned as an error, with
// nothing changed.
func (s *Store) Update(ctx context.Context, fn func(store.Tx) error) error {
	s.running.RLock()
	defer s.running.RUnlock()
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := s.ready(ctx); err != nil {
		return err
	}
	next := &tx{state: s.now.Load().copy(), own: map[string]bool{}}
	if err := guard(func() error { return fn(next) }); err != nil {
		return err
	}
	s.now.Store(next.state)
	return nil
}

func (s *Store) ready(ctx context.Context) error {
	if s.closed {
		return &store.Error{Code: store.CodeUnavailable, Thing: "store", Rule: "is closed", Mend: "open it again"}
	}
	return ctx.Err()
}

// Close implements store.Store. Closing a second time does nothing.
func (s *Store) Close() error {
	s.running.Lock()
	defer s.running.Unlock()
	s.closed = true
	return nil
}

// guard turns a panic of fn into an error.
func guard(fn func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &store.Error{Code: store.CodeFailed, Thing: "store call", Rule: "panicked", Err: fmt.Errorf("%v", p)}
		}
	}()
	return fn()
}
