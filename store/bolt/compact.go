package bolt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"

	"signalbox/store"
)

// compactPatience is how long Compact waits for readers, such as backups, that
// keep the store from being replaced. Replaced in tests.
var compactPatience = 5 * time.Second

// Compact rewrites the store's file without its free pages while it is open, and
// gives its size before and after. Calls made meanwhile wait. The file is
// replaced only by a whole and synced copy, in one step: a crash leaves the one
// or the other. CodeConflict when somebody reads for too long.
func (s *Store) Compact(ctx context.Context) (before, after int64, err error) {
	if s.writer == nil {
		return 0, 0, &store.Error{Code: store.CodeForbidden, Thing: "store", Rule: "is open read-only", Mend: "open it without --read-only"}
	}
	if err := s.lockAlone(ctx); err != nil {
		return 0, 0, err
	}
	defer s.mu.Unlock()
	if s.closed {
		return 0, 0, errClosed
	}
	if err := s.settle(); err != nil { // while there is a writer to go on
		return 0, 0, err
	}
	close(s.writer.calls)
	<-s.writer.stopped
	err = s.writer.closed
	if err == nil {
		before, after, err = s.replace()
	}
	return before, after, errors.Join(err, s.restart())
}

// lockAlone waits until no call runs. It does not stand in line, where it would
// keep others waiting behind one that takes long.
func (s *Store) lockAlone(ctx context.Context) error {
	for end := time.Now().Add(compactPatience); !s.mu.TryLock(); time.Sleep(time.Millisecond) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if time.Now().After(end) {
			return store.Conflict("store "+s.path, "somebody reads it for long, as a backup does", "try again when that has ended")
		}
	}
	return nil
}

// replace puts a compact copy in the place of the file. The copy is locked
// before it gets the name, so that nobody comes in between.
func (s *Store) replace() (before, after int64, err error) {
	fresh := s.path + ".compact"
	_ = os.Remove(fresh)
	placed := false
	defer func() {
		if !placed {
			_ = os.Remove(fresh)
		}
	}()
	if err := compactInto(fresh, s.db); err != nil {
		return 0, 0, store.Unavailable("store "+s.path, fmt.Errorf("its copy without free space: %w", cause(err)), "make room beside it for the whole of it")
	}
	if before, err = size(s.path); err != nil {
		return 0, 0, err
	}
	if after, err = size(fresh); err != nil {
		return 0, 0, err
	}
	db, _, err := openFile(fresh, Options{NoSync: s.writer.noSync, Timeout: time.Second, name: s.path})
	if err != nil {
		return 0, 0, err
	}
	if err := os.Rename(fresh, s.path); err != nil {
		return 0, 0, errors.Join(unreachable(s.path, err), db.Close())
	}
	placed = true
	old := s.db
	s.db = db
	return before, after, errors.Join(syncDir(filepath.Dir(s.path)), old.Close())
}

// restart gives the store a writer again, on the file that it has now.
func (s *Store) restart() error {
	var m meta
	err := s.db.View(func(b *bbolt.Tx) (err error) {
		m, err = s.check(b)
		return err
	})
	if err == nil {
		s.db.NoFreelistSync = true // which closing has turned off
		s.writer = newWriter(s.db, s.path, m, s.writer.noSync, &s.relief)
		err = s.writer.recover(m, false) // should the last writer have left a log
	}
	if err != nil { // nobody may write on what can't be read
		s.closed = true
		return errors.Join(err, s.db.Close())
	}
	go s.writer.loop()
	return nil
}
