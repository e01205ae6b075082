package bolt

import (
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"signalbox/store"
)

// atStep has fn called at a step, once it is armed.
func atStep(t *testing.T, name string, fn func()) (armed *atomic.Bool) {
	t.Helper()
	armed = &atomic.Bool{}
	was := step
	step = func(s string) {
		if s == name && armed.Load() {
			fn()
		}
	}
	t.Cleanup(func() { step = was })
	return armed
}

// What was told to have failed stays away after a crash, however the checkpoint
// broke that was to stand in for the log.
func TestFailedRecordStaysAway(t *testing.T) {
	var writes, syncs atomic.Bool
	made := openDisk
	openDisk = func(f *os.File, noSync bool) disk { return unreliable{made(f, noSync), &writes, &syncs} }
	t.Cleanup(func() { openDisk = made })
	breaks := atStep(t, "checkpoint", func() { panic("the disk went away") })
	s := logging(t)
	grow(t, s, 1, 3, 10)
	syncs.Store(true)
	breaks.Store(true)
	if err := s.Update(t.Context(), addNumbered(99, 10)); err == nil {
		t.Fatal("no error")
	}
	breaks.Store(false)
	image := crashed(t, s)
	syncs.Store(false)
	wantKeys(t, "after a crash", contents(t, image, Options{NoSync: true}), numbered(1, 3))
}

// A commit that reached the file though it was told to have failed is not done a
// second time: the queue that it deleted is not there to be deleted again.
func TestCommitThatFailedIsNotDoneTwice(t *testing.T) {
	breaks := atStep(t, "checkpointed", func() { panic("no word from the disk") })
	s := logging(t)
	grow(t, s, 1, 3, 10)
	look := func() { _ = s.View(t.Context(), func(store.Reader) error { return nil }) } // makes a checkpoint
	look()
	if err := s.Update(t.Context(), func(tx store.Tx) error { return tx.DeleteQueue("a") }); err != nil {
		t.Fatal(err)
	}
	breaks.Store(true)
	look()
	breaks.Store(false)
	if err := s.Update(t.Context(), func(tx store.Tx) error {
		return tx.PutQueue(&store.Queue{Name: "b", Family: store.Jobs})
	}); err != nil {
		t.Errorf("after it: %v", err)
	}
}

// A store that was kept with its log, as it was left by a crash, comes back with
// what is in the log; it stays as it is.
func TestRestoreOfAStoreWithItsLog(t *testing.T) {
	s := logging(t)
	grow(t, s, 1, 5, 10)
	old, path := crashed(t, s), filepath.Join(t.TempDir(), "new.db")
	before := whole(t, logPath(old))
	if err := Restore(path, old); err != nil {
		t.Fatal(err)
	}
	wantKeys(t, "restored", contents(t, path, Options{NoSync: true}), numbered(1, 5))
	if string(whole(t, logPath(old))) != string(before) {
		t.Error("the log of what was restored has changed")
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	if err != nil || len(left) != 1 {
		t.Errorf("beside it are %v, %v", left, err)
	}
}

// A restore that fails at its last step leaves a log where it was.
func TestFailedRestoreKeepsTheLogInPlace(t *testing.T) {
	s := logging(t)
	grow(t, s, 1, 5, 10)
	backup, path := crashed(t, s), crashed(t, s)
	if err := os.WriteFile(path, make([]byte, 8192), 0o600); err != nil {
		t.Fatal(err)
	}
	was := rename
	rename = func(from, to string) error {
		if to == path {
			return errors.New("no")
		}
		return was(from, to)
	}
	t.Cleanup(func() { rename = was })
	if err := Restore(path, backup); err == nil {
		t.Fatal("no error")
	}
	if !exists(logPath(path)) || exists(logPath(path+".old")) || exists(path+".old") {
		t.Error("the log was moved away from its store")
	}
}

// What a compaction that was killed has left does not keep the next from its
// work.
func TestCompactAfterOneThatWasKilled(t *testing.T) {
	s := logging(t)
	grow(t, s, 1, 5, 10)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := copyFile(s.path+".compact", s.path); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Compact(s.path, Options{NoSync: true}); err != nil {
		t.Fatal(err)
	}
	wantKeys(t, "compacted", contents(t, s.path, Options{NoSync: true}), numbered(1, 5))
}
