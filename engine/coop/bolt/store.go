// Package bolt keeps the outstanding entries of a cooperative queue in a bbolt
// file. Calls that come at once share a commit, so many small ones cost a disk
// little more than one.
package bolt

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"go.etcd.io/bbolt"

	"signalbox/engine/coop"
)

// most is how many calls may share a commit, and gatherings how often others
// are let run before those that wait are taken.
const (
	most       = 512
	gatherings = 3
)

var (
	rowsBucket = []byte("rows") // number of arrival → row
	idsBucket  = []byte("ids")  // id → number of arrival
)

var errClosed = errors.New("the store is closed")

// Store is a coop.Store in a file of its own. Its methods are safe for
// concurrent use, and durable when they return.
type Store struct {
	db *bbolt.DB

	mu      sync.Mutex
	waiting []*call
	leading bool // a call commits what waits
	closed  bool
}

var _ coop.Store = (*Store)(nil)

// call is one change on its way. Whoever made it waits for its outcome, or to
// be told to commit what has gathered.
type call struct {
	change func(rows, ids *bbolt.Bucket) error
	done   chan error // holds one
	lead   chan struct{}
	err    error
}

// Open opens the file, which is made when it is not there. It fails when
// another process holds the file for a second.
func Open(path string) (*Store, error) {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: time.Second, NoFreelistSync: true, FreelistType: bbolt.FreelistMapType})
	if err != nil {
		return nil, fmt.Errorf("store %s: %w", path, err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		if _, err := tx.CreateBucketIfNotExists(rowsBucket); err != nil {
			return err
		}
		_, err := tx.CreateBucketIfNotExists(idsBucket)
		return err
	})
	if err != nil {
		_ = db.Close()
		return nil, fmt.Errorf("store %s: %w", path, err)
	}
	return &Store{db: db}, nil
}

// Close waits for the commit under way and closes the file. Calls that still
// wait fail, and so do all after it.
func (s *Store) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	return s.db.Close() // waits for the transaction under way
}

// Save implements coop.Store.
func (s *Store) Save(ctx context.Context, r coop.Row) error {
	row, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return s.do(ctx, func(rows, ids *bbolt.Bucket) error {
		number := ids.Get([]byte(r.ID))
		if number == nil {
			n, err := rows.NextSequence()
			if err != nil {
				return err
			}
			number = binary.BigEndian.AppendUint64(nil, n)
			if err := ids.Put([]byte(r.ID), number); err != nil {
				return err
			}
		}
		return rows.Put(append([]byte(nil), number...), row)
	})
}

// Remove implements coop.Store.
func (s *Store) Remove(ctx context.Context, gone ...string) error {
	return s.do(ctx, func(rows, ids *bbolt.Bucket) error {
		for _, id := range gone {
			if err := remove(rows, ids, []byte(id)); err != nil {
				return err
			}
		}
		return nil
	})
}

func remove(rows, ids *bbolt.Bucket, id []byte) error {
	number := ids.Get(id)
	if number == nil {
		return nil
	}
	if err := rows.Delete(append([]byte(nil), number...)); err != nil {
		return err
	}
	return ids.Delete(id)
}

// Load implements coop.Store.
func (s *Store) Load(ctx context.Context) (out []coop.Row, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(rowsBucket).ForEach(func(k, v []byte) error {
			var r coop.Row
			if err := json.Unmarshal(v, &r); err != nil {
				return fmt.Errorf("row %x: %w", k, err)
			}
			out = append(out, r)
			return ctx.Err()
		})
	})
	return out, err
}

// Clear implements coop.Store.
func (s *Store) Clear(ctx context.Context, keep ...string) error {
	kept := make(map[string]bool, len(keep))
	for _, id := range keep {
		kept[id] = true
	}
	return s.do(ctx, func(rows, ids *bbolt.Bucket) error {
		var gone [][]byte
		if err := ids.ForEach(func(id, _ []byte) error {
			if !kept[string(id)] {
				gone = append(gone, append([]byte(nil), id...))
			}
			return nil
		}); err != nil {
			return err
		}
		for _, id := range gone {
			if err := remove(rows, ids, id); err != nil {
				return err
			}
		}
		return nil
	})
}

// do has a change committed: by another call that commits just now, or by this
// one for all that wait.
func (s *Store) do(ctx context.Context, change func(rows, ids *bbolt.Bucket) error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	c := &call{change: change, done: make(chan error, 1), lead: make(chan struct{}, 1)}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return errClosed
	}
	s.waiting = append(s.waiting, c)
	if !s.leading {
		s.leading = true
		c.lead <- struct{}{}
	}
	s.mu.Unlock()
	select {
	case err := <-c.done:
		return err
	case <-c.lead:
	}
	s.commit()
	return <-c.done
}

// commit commits what waits, and has the first of those that came meanwhile
// commit the next.
func (s *Store) commit() {
	for range gatherings {
		runtime.Gosched() // callers just answered come back with their next call
	}
	s.mu.Lock()
	n := min(len(s.waiting), most)
	wave := s.waiting[:n:n]
	s.waiting = append([]*call(nil), s.waiting[n:]...)
	s.mu.Unlock()
	s.serve(wave)
	s.mu.Lock()
	if len(s.waiting) > 0 {
		s.waiting[0].lead <- struct{}{}
	} else {
		s.leading = false
	}
	s.mu.Unlock()
	for _, c := range wave {
		c.done <- c.err
	}
}

// serve commits a wave's changes together. One that fails is left out, and the
// others are made again without it.
func (s *Store) serve(wave []*call) {
	for {
		var broke *call
		err := s.db.Update(func(tx *bbolt.Tx) error {
			rows, ids := tx.Bucket(rowsBucket), tx.Bucket(idsBucket)
			for _, c := range wave {
				if c.err != nil {
					continue
				}
				if err := c.change(rows, ids); err != nil {
					broke = c
					return err
				}
			}
			return nil
		})
		if err == nil {
			return
		}
		if broke != nil {
			broke.err = err
			continue
		}
		for _, c := range wave {
			if c.err == nil {
				c.err = err
			}
		}
		return
	}
}
