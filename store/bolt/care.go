package bolt

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"go.etcd.io/bbolt"

	"signalbox/store"
)

// Backup writes a whole copy of the store as of now, while others go on using
// it. What is written is a store file; w may have got a part when it fails.
func (s *Store) Backup(ctx context.Context, w io.Writer) (err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return errClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	b, err := s.whole(ctx)
	if err != nil {
		return err
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = recovered(p)
		}
		err = errors.Join(err, b.Rollback())
	}()
	_, err = b.WriteTo(w)
	return err
}

// compactTx is how many bytes a compaction copies in one transaction.
const compactTx = 16 << 20

// Compact rewrites the store at path without its free pages and gives its size
// before and after. Nobody may hold it; it is replaced only by a whole and
// synced copy.
func Compact(path string, o Options) (before, after int64, err error) {
	s, err := Open(path, o)
	if err != nil {
		return 0, 0, err
	}
	defer s.Close()
	fresh := path + ".compact"
	_ = os.Remove(fresh) // of one that was killed
	placed := false
	defer func() {
		if !placed { // afterwards the name may be somebody else's already
			_ = os.Remove(fresh)
		}
	}()
	if err := compactInto(fresh, s.db); err != nil {
		return 0, 0, unreachable(fresh, err)
	}
	if before, err = size(path); err != nil {
		return 0, 0, err
	}
	if after, err = size(fresh); err != nil {
		return 0, 0, err
	}
	if err := os.Rename(fresh, path); err != nil {
		return 0, 0, unreachable(path, err)
	}
	placed = true
	return before, after, syncDir(filepath.Dir(path))
}

func compactInto(path string, from *bbolt.DB) error {
	to, err := bbolt.Open(path, 0o600, &bbolt.Options{NoSync: true, NoFreelistSync: false})
	if err != nil {
		return err
	}
	if err := bbolt.Compact(to, from, compactTx); err != nil {
		_ = to.Close()
		return err
	}
	if err := to.Sync(); err != nil {
		_ = to.Close()
		return err
	}
	return to.Close()
}

func size(path string) (int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, unreachable(path, err)
	}
	return info.Size(), nil
}

// Restore puts a backup in the place of the store at path, after having checked
// all of it; one that has a log beside it, as a crash leaves it, comes with what
// is in that. A store that is there already is kept beside it as path.old, over
// no other, and so is its log if it had to be left unread. At every moment the
// name has one of the two. A store that somebody holds is refused.
func Restore(path, backup string) error {
	if _, err := os.Stat(path); err == nil {
		old, err := Open(path, Options{})
		if errors.Is(err, ErrHeld) {
			return err
		}
		if err == nil { // held until it has lost its name, so that nobody works on
			defer old.Close()
		}
	}
	fresh := path + ".restore"
	defer os.Remove(fresh)
	defer os.Remove(logPath(fresh))
	if err := copyWhole(fresh, backup); err != nil {
		return err
	}
	if err := verify(fresh, backup); err != nil {
		return err
	}
	if err := markRestored(fresh); err != nil {
		return err
	}
	if err := keepOld(path, path+".old"); err != nil {
		return err
	}
	moved, err := keepLog(path)
	if err != nil {
		return err
	}
	if err := rename(fresh, path); err != nil {
		if moved {
			_ = os.Rename(logPath(path+".old"), logPath(path))
		}
		if sameFile(path, path+".old") {
			_ = os.Remove(path + ".old")
		}
		return unreachable(path, err)
	}
	return syncDir(filepath.Dir(path))
}

var link, rename = os.Link, os.Rename // replaced in tests

// keepOld gives the store at path, if there is one, a second name. Where the
// disk knows no links it is renamed.
func keepOld(path, old string) error {
	err := link(path, old)
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission) {
		if _, err = os.Lstat(old); err == nil {
			err = fs.ErrExist
		} else if err = os.Rename(path, old); err == nil {
			return nil
		}
	}
	switch {
	case err == nil:
		return syncDir(filepath.Dir(path))
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case !errors.Is(err, fs.ErrExist):
		return unreachable(path, err)
	case sameFile(path, old): // by a restore that was cut off before it put the backup in place
		return nil
	case !exists(path):
		return nil
	}
	return store.Conflict("file "+old, "an earlier restore kept a store there", "move it away first")
}

// keepLog puts the log of a store that could not be opened, or that is gone,
// beside where that is kept: it is not the new one's.
func keepLog(path string) (moved bool, err error) {
	from, to := logPath(path), logPath(path+".old")
	switch {
	case !exists(from):
		return false, nil
	case exists(to):
		return false, store.Conflict("file "+to, "an earlier restore kept a log there", "move it away first")
	}
	if err := os.Rename(from, to); err != nil {
		return false, unreachable(from, err)
	}
	return true, nil
}

func sameFile(a, b string) bool {
	one, err := os.Lstat(a)
	if err != nil {
		return false
	}
	other, err := os.Lstat(b)
	return err == nil && os.SameFile(one, other)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// copyWhole copies a store, and its log if it has one.
func copyWhole(to, from string) error {
	_ = os.Remove(logPath(to)) // of a restore that was killed
	if exists(logPath(from)) {
		if err := copyFile(logPath(to), logPath(from)); err != nil {
			return err
		}
	}
	return copyFile(to, from)
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return unreachable(from, err)
	}
	defer in.Close()
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return unreachable(to, err)
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return unreachable(to, err)
	}
	_, err = io.Copy(out, in)
	if err == nil {
		err = out.Sync()
	}
	if closed := out.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return unreachable(to, err)
	}
	return nil
}

// verify checks a copy of a backup, and names the backup in what it finds.
func verify(path, backup string) error {
	s, err := Open(path, Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer s.Close()
	return s.View(context.Background(), func(r store.Reader) error {
		problems, err := store.Check(r)
		if err != nil {
			return err
		}
		return store.Problems("backup "+backup, problems)
	})
}

func markRestored(path string) error {
	s, err := Open(path, Options{})
	if err != nil {
		return err
	}
	err = s.Update(context.Background(), func(t store.Tx) error {
		return t.PutMark("", store.RestoredMark, uint64(store.At(time.Now())))
	})
	return errors.Join(err, s.Close())
}
