package bolt

import (
	"context"
	"errors"
	"os"
	"runtime/debug"
	"sync"

	"go.etcd.io/bbolt"

	"signalbox/store"
)

// Store is a store.Store in one file. Its methods are safe for concurrent use.
type Store struct {
	db     *bbolt.DB
	path   string
	writer *writer // nil when read-only

	mu     sync.RWMutex // read-held by running calls, so that Close waits for them
	closed bool
	pool   sync.Pool // of *call
	relief relief
}

var _ store.Store = (*Store)(nil)

// View implements store.Store. It runs beside the writer on the state of the
// last checkpoint, and asks for one if that is older than the last change that
// was acknowledged. A panic in fn is returned as an error.
func (s *Store) View(ctx context.Context, fn func(store.Reader) error) (err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return errClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.settle() != nil { // a full disk must not keep anybody from reading
		return s.update(ctx, func(t store.Tx) error { return fn(t) })
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	b, err := s.db.Begin(false)
	if err != nil {
		return store.Unavailable("store", err, mendDamage)
	}
	defer func() {
		if p := recover(); p != nil {
			err = recovered(p)
		}
		_ = b.Rollback()
	}()
	s.relief.viewed(b)
	r := newReader(b)
	r.relief = &s.relief
	return fn(&r)
}

// Update implements store.Store. A panic in fn is returned as an error, with
// nothing changed.
func (s *Store) Update(ctx context.Context, fn func(store.Tx) error) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	switch {
	case s.closed:
		return errClosed
	case s.writer == nil:
		return &store.Error{Code: store.CodeForbidden, Thing: "store", Rule: "is open read-only", Mend: "open it without --read-only"}
	}
	return s.update(ctx, fn)
}

// update hands the writer a call and waits for its outcome.
func (s *Store) update(ctx context.Context, fn func(store.Tx) error) error {
	c, _ := s.pool.Get().(*call)
	if c == nil {
		c = &call{done: make(chan error, 1)}
	}
	*c = call{ctx: ctx, fn: fn, done: c.done}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case s.writer.calls <- c:
	}
	err := <-c.done
	*c = call{done: c.done}
	s.pool.Put(c)
	return err
}

// whole begins to read the file in a state that needs no log beside it, so that
// a copy of it is a store.
func (s *Store) whole(ctx context.Context) (*bbolt.Tx, error) {
	if s.writer == nil {
		b, err := s.db.Begin(false)
		if err != nil {
			return nil, store.Unavailable("store "+s.path, err, mendDamage)
		}
		if of, err := generationOf(b.Bucket(metaBucket)); err != nil || of.logged {
			return nil, errors.Join(err, b.Rollback(), store.Unavailable("store "+s.path, errLeft, "open it for writing once"))
		}
		return b, nil
	}
	c := &call{ctx: ctx, whole: true, done: make(chan error, 1)}
	s.writer.calls <- c
	err := <-c.done
	return c.read, err
}

// settle brings all that was acknowledged so far to the store's file.
func (s *Store) settle() error {
	if s.writer == nil || s.writer.acked.Load() <= s.writer.kept.Load() {
		return nil
	}
	return s.update(context.Background(), nil)
}

// Close implements store.Store. Closing a second time does nothing.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	var err error
	if s.writer != nil {
		close(s.writer.calls)
		<-s.writer.stopped
		err = s.writer.closed
		_ = os.Remove(pidPath(s.path))
	}
	if e := s.db.Close(); err == nil {
		err = e
	}
	if err != nil {
		return store.Unavailable("store "+s.path, cause(err), "its records are safe, the next opening brings the last of them from its log; make room on the disk for it")
	}
	return nil
}
