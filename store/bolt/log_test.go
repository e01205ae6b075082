package bolt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.etcd.io/bbolt"

	"signalbox/store"
	"signalbox/store/storetest"
)

// logging opens a store with a queue "a" that has a log.
func logging(t *testing.T) *Store {
	t.Helper()
	s, err := Open(filepath.Join(t.TempDir(), "signalbox.db"), Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if err := s.Update(t.Context(), func(tx store.Tx) error {
		return tx.PutQueue(&store.Queue{Name: "a", Family: store.Jobs})
	}); err != nil {
		t.Fatal(err)
	}
	return s
}

// grow adds items in a wave each, with their numbers as keys.
func grow(t *testing.T, s *Store, from, to, size int) {
	t.Helper()
	for n := from; n <= to; n++ {
		if err := s.Update(t.Context(), addNumbered(n, size)); err != nil {
			t.Fatal(err)
		}
	}
}

func addNumbered(n, size int) func(store.Tx) error {
	return func(tx store.Tx) error {
		i := store.Item{Queue: "a", Status: store.Queued, Key: strconv.Itoa(n), Reference: "r"}
		return tx.Add(&i, make([]byte, size), store.Change{Event: "add"})
	}
}

// crashed copies a store's files as a process that is killed now would leave
// them.
func crashed(t *testing.T, s *Store) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "crashed.db")
	for from, to := range map[string]string{s.path: path, logPath(s.path): logPath(path)} {
		content, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(to, content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// contents opens a store, looks at all of it and gives the keys of its items.
func contents(t *testing.T, path string, o Options) (keys []string) {
	t.Helper()
	s, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	storetest.Recount(t, s)
	if err := s.View(t.Context(), func(r store.Reader) error {
		for i, err := range r.Items(store.Query{Queue: "a"}) {
			if err != nil {
				return err
			}
			keys = append(keys, i.Key)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return keys
}

// numbered gives the keys that grow uses.
func numbered(from, to int) (keys []string) {
	for n := from; n <= to; n++ {
		keys = append(keys, strconv.Itoa(n))
	}
	return keys
}

func wantKeys(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got items %v, want %v", what, got, want)
	}
}

// records gives where each record of a log begins, and where the last one ends.
func records(t *testing.T, path string) (at []int64) {
	t.Helper()
	l, err := openLog(logPath(path), true)
	if err != nil || l == nil {
		t.Fatalf("no log: %v", err)
	}
	defer l.disk.Close()
	for next := int64(logStart); ; {
		at = append(at, next)
		var whole bool
		if _, _, next, whole = l.read(next); !whole {
			return at
		}
	}
}

// change writes to a log what fn makes of its content.
func change(t *testing.T, path string, fn func([]byte)) {
	t.Helper()
	content, err := os.ReadFile(logPath(path))
	if err != nil {
		t.Fatal(err)
	}
	fn(content)
	if err := os.WriteFile(logPath(path), content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// A record that was cut off or damaged at the log's end was not acknowledged,
// and takes nothing with it.
func TestTornTail(t *testing.T) {
	s := logging(t)
	grow(t, s, 1, 5, 10)
	image := crashed(t, s)
	at := records(t, image)
	last, end := at[len(at)-2], at[len(at)-1]
	try := func(what string, fn func([]byte)) {
		path := crashed(t, &Store{path: image})
		change(t, path, fn)
		wantKeys(t, what, contents(t, path, Options{NoSync: true}), numbered(1, 4))
	}
	for cut := last; cut < end; cut += 7 {
		try(fmt.Sprint("cut at ", cut-last), func(b []byte) { clear(b[cut:end]) })
		try(fmt.Sprint("flipped at ", cut-last), func(b []byte) { b[cut] ^= 1 << (cut % 8) })
	}
	try("too long", func(b []byte) { copy(b[last:], []byte{0xff, 0xff, 0xff, 0xff}) })
	wantKeys(t, "whole", contents(t, image, Options{NoSync: true}), numbered(1, 5))
}

// Damage before the log's end takes away what was acknowledged, and must be
// told.
func TestDamagedLogIsRefused(t *testing.T) {
	s := logging(t)
	grow(t, s, 1, 5, 10)
	image := crashed(t, s)
	at := records(t, image)
	for byteNo := at[1]; byteNo < at[2]; byteNo += 5 {
		path := crashed(t, &Store{path: image})
		change(t, path, func(b []byte) { b[byteNo] ^= 4 })
		for _, o := range []Options{{NoSync: true}, {NoSync: true, ReadOnly: true}} {
			if _, err := Open(path, o); !errors.Is(err, errDamagedLog) || store.CodeOf(err) != store.CodeUnavailable {
				t.Errorf("byte %d flipped: %v", byteNo-at[1], err)
			}
		}
	}
}

// A log is read again only over what it follows.
func TestForeignLogIsRefused(t *testing.T) {
	s, other := logging(t), logging(t)
	checkpoint := func() {
		if err := s.View(t.Context(), func(store.Reader) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	checkpoint()
	early := filepath.Join(t.TempDir(), "early.db")
	if err := os.WriteFile(early, whole(t, s.path), 0o600); err != nil {
		t.Fatal(err)
	}
	grow(t, s, 1, 3, 10)
	checkpoint()
	grow(t, s, 4, 6, 10)
	later := whole(t, logPath(s.path))
	grow(t, other, 1, 3, 10)
	for name, c := range map[string]struct{ file, log []byte }{
		"of another store": {whole(t, s.path), whole(t, logPath(other.path))},
		"of later":         {whole(t, early), later},
	} {
		path := filepath.Join(t.TempDir(), "signalbox.db")
		if err := errors.Join(os.WriteFile(path, c.file, 0o600), os.WriteFile(logPath(path), c.log, 0o600)); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path, Options{NoSync: true}); !errors.Is(err, errForeignLog) {
			t.Errorf("a log %s: %v", name, err)
		}
		if err := os.Rename(logPath(path), path+".aside"); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path, Options{NoSync: true}); !errors.Is(err, errLostLog) {
			t.Errorf("without the log: %v", err)
		}
		goOnWithoutLog(t, path)
	}
}

// goOnWithoutLog has a repair give up the log that a store lacks.
func goOnWithoutLog(t *testing.T, path string) {
	t.Helper()
	done, err := Repair(t.Context(), path, RepairOptions{Options: Options{NoSync: true}})
	if err != nil || len(done.Mended) != 1 || !exists(done.Backup) {
		t.Errorf("a repair without the log: %+v, %v", done, err)
	}
	s, err := Open(path, Options{NoSync: true})
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		t.Errorf("after the repair: %v", err)
	}
}

func whole(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// What the store's file has already must not be done again: a wave that was
// committed without a record lies between.
func TestRecordsAreNotDoneTwice(t *testing.T) {
	s := logging(t)
	grow(t, s, 1, 4, 10)
	if err := s.Update(t.Context(), func(tx store.Tx) error { // too much for a record
		for n := 5; n <= 6; n++ {
			if err := addNumbered(n, maxRecord)(tx); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	image := crashed(t, s)
	if n := len(records(t, image)); n < 4 {
		t.Fatalf("%d records in the log: the test shows nothing", n)
	}
	wrong := crashed(t, &Store{path: image})
	wantKeys(t, "after the crash", contents(t, image, Options{NoSync: true}), numbered(1, 6))

	replayAll(t, wrong)
	w, err := Open(wrong, Options{NoSync: true, lostLog: true})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.View(t.Context(), func(r store.Reader) error {
		problems, err := store.Check(r)
		if len(problems) == 0 {
			t.Error("doing records again is not found out")
		}
		return err
	}); err != nil {
		t.Error(err)
	}
}

// replayAll brings a log into a store without a look at the waves' numbers.
func replayAll(t *testing.T, path string) {
	t.Helper()
	l, err := openLog(logPath(path), true)
	if err != nil || l == nil {
		t.Fatalf("no log: %v", err)
	}
	l.end = slices.Max(records(t, path))
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Update(func(b *bbolt.Tx) error {
		return l.each(0, (&replay{bolt: b, touched: map[string]bool{}}).do)
	}), db.Close(), l.remove()); err != nil {
		t.Fatal(err)
	}
}

// A log that is full is begun again after a checkpoint.
func TestFullLog(t *testing.T) {
	s := logging(t)
	const size = 100 << 10
	items := int(2*logSize/size + 10)
	grow(t, s, 1, items, size)
	if kept := s.writer.kept.Load(); kept < uint64(items/2) {
		t.Errorf("the file has %d waves of %d", kept, items)
	}
	wantKeys(t, "after a crash", contents(t, crashed(t, s), Options{NoSync: true}), numbered(1, items))
}

// A reader of a store that was not closed in order sees all of it.
func TestReadOnlyAfterACrash(t *testing.T) {
	s := logging(t)
	grow(t, s, 1, 5, 10)
	path := crashed(t, s)
	wantKeys(t, "read-only", contents(t, path, Options{NoSync: true, ReadOnly: true}), numbered(1, 5))
	if exists(logPath(path)) {
		t.Error("the log is still there")
	}
}

// A restore leaves no log beside the store it puts in place, whether the old one
// could be read or not.
func TestRestoreTakesTheLogAway(t *testing.T) {
	for name, spoil := range map[string]bool{"whole": false, "damaged": true, "gone": false} {
		t.Run(name, func(t *testing.T) {
			s := logging(t)
			grow(t, s, 1, 3, 10)
			backup := filepath.Join(t.TempDir(), "backup.db")
			f, err := os.Create(backup)
			if err == nil {
				err = errors.Join(s.Backup(t.Context(), f), f.Close())
			}
			if err != nil {
				t.Fatal(err)
			}
			grow(t, s, 4, 5, 10)
			path := crashed(t, s)
			switch {
			case spoil:
				err = os.WriteFile(path, make([]byte, 8192), 0o600)
			case name == "gone":
				err = os.Remove(path)
			}
			if err := errors.Join(err, Restore(path, backup)); err != nil {
				t.Fatal(err)
			}
			wantKeys(t, "restored", contents(t, path, Options{NoSync: true}), numbered(1, 3))
			if name == "whole" {
				wantKeys(t, "kept", contents(t, path+".old", Options{NoSync: true}), numbered(1, 5))
			} else if !exists(logPath(path + ".old")) {
				t.Error("the log was not kept")
			}
		})
	}
}

// Compact takes over a log first.
func TestCompactAfterACrash(t *testing.T) {
	s := logging(t)
	grow(t, s, 1, 5, 10)
	path := crashed(t, s)
	if _, _, err := Compact(path, Options{}); err != nil {
		t.Fatal(err)
	}
	wantKeys(t, "compacted", contents(t, path, Options{NoSync: true}), numbered(1, 5))
}

// unreliable is a disk that can be told to fail.
type unreliable struct {
	disk
	writes, syncs *atomic.Bool // fail
}

func (u unreliable) WriteAt(b []byte, at int64) (int, error) {
	if u.writes.Load() {
		return 0, errors.New("write failed")
	}
	return u.disk.WriteAt(b, at)
}

func (u unreliable) Sync() error {
	if u.syncs.Load() {
		return errors.New("sync failed")
	}
	return u.disk.Sync()
}

// A log that fails makes the store's file take over, and when that fails too
// the call fails, and what it did is nowhere: not for those who read, not for
// the next call, and not after a crash, though its record is on the disk.
func TestFailingLog(t *testing.T) {
	var writes, syncs atomic.Bool
	made := openDisk
	openDisk = func(f *os.File, noSync bool) disk { return unreliable{made(f, noSync), &writes, &syncs} }
	t.Cleanup(func() { openDisk = made })
	s := logging(t)
	grow(t, s, 1, 3, 10)
	writes.Store(true)
	grow(t, s, 4, 5, 10)
	writes.Store(false)
	grow(t, s, 6, 6, 10)
	syncs.Store(true)
	grow(t, s, 7, 8, 10)
	wantKeys(t, "crashed with a failing log", contents(t, crashed(t, s), Options{NoSync: true}), numbered(1, 8))
	syncs.Store(false)
	grow(t, s, 9, 10, 10)

	syncs.Store(true)
	s.db.MaxSize = 1
	for range 3 {
		if err := s.Update(t.Context(), addNumbered(99, 64<<10)); store.CodeOf(err) != store.CodeUnavailable {
			t.Errorf("log and file fail: %v", err)
		}
	}
	if err := s.View(t.Context(), func(r store.Reader) error {
		id, err := r.ByKey("a", "99")
		if !id.IsZero() {
			t.Error("a failed call's item is seen")
		}
		return err
	}); err != nil {
		t.Error(err)
	}
	wantKeys(t, "crashed after the failure", contents(t, crashed(t, s), Options{NoSync: true}), numbered(1, 10))
	s.db.MaxSize = 0
	syncs.Store(false)
	grow(t, s, 11, 12, 10)
	wantKeys(t, "crashed when all is well again", contents(t, crashed(t, s), Options{NoSync: true}), numbered(1, 12))
}

// A call that fails after it has written takes nothing of those before it along.
func TestFailedCallAmongLoggedOnes(t *testing.T) {
	s := logging(t)
	grow(t, s, 1, 3, 10)
	for round, fail := range []func(){func() {}, func() { panic("no") }} {
		err := s.Update(context.Background(), func(tx store.Tx) error {
			if err := addNumbered(99, 10)(tx); err != nil {
				return err
			}
			fail()
			return errors.New("no")
		})
		if err == nil {
			t.Error("no error")
		}
		grow(t, s, 4+round, 4+round, 10)
	}
	wantKeys(t, "after a crash", contents(t, crashed(t, s), Options{NoSync: true}), numbered(1, 5))
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	wantKeys(t, "closed", contents(t, s.path, Options{NoSync: true}), numbered(1, 5))
}

// A store that nobody changes any more leaves nothing in its log.
func TestIdle(t *testing.T) {
	idle = 50 * time.Millisecond
	t.Cleanup(func() { idle = time.Hour })
	synctest.Test(t, func(t *testing.T) {
		s := logging(t)
		grow(t, s, 1, 3, 10)
		if s.writer.kept.Load() == s.writer.acked.Load() {
			t.Error("nothing waits for a checkpoint")
		}
		time.Sleep(idle)
		synctest.Wait()
		if kept, acked := s.writer.kept.Load(), s.writer.acked.Load(); kept != acked {
			t.Errorf("the file has wave %d of %d", kept, acked)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

// Who changes little makes no log.
func TestFewWavesMakeNoLog(t *testing.T) {
	logAfter = 16
	t.Cleanup(func() { logAfter = 0 })
	s := logging(t)
	grow(t, s, 1, 10, 10)
	if exists(logPath(s.path)) {
		t.Error("ten waves made a log")
	}
	grow(t, s, 11, 20, 10)
	if !exists(logPath(s.path)) {
		t.Error("twenty waves made none")
	}
}
