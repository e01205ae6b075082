package bolt

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"signalbox/store"
)

// fullFile lets no checkpoint of a store grow its file until it is called again.
func fullFile(s *Store) (room func()) {
	s.db.MaxSize = 1
	return func() { s.db.MaxSize = 0 }
}

// While only the file fails, waves go on in the log until that is full, whoever
// looks meanwhile sees them, and the calls after it are refused with the cause.
// With room again the store goes on by itself. Nothing acknowledged is ever lost.
func TestWavesGoOnInTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := logging(t)
		grow(t, s, 1, 3, 10)
		room := fullFile(s)
		stored := 3
		var refused error
		for refused == nil {
			if refused = s.Update(t.Context(), addNumbered(stored+1, 20<<10)); refused == nil {
				stored++
				seen(t, s, stored)
			}
			time.Sleep(retryAfter / 3)
		}
		if want := int(logSize / (20 << 10)); stored < want-3 {
			t.Errorf("%d waves of 20 KiB went into a log of %d KiB", stored, logSize>>10)
		}
		if store.CodeOf(refused) != store.CodeUnavailable {
			t.Errorf("a full log: %v", refused)
		}
		seen(t, s, stored)
		wantKeys(t, "crashed when full", contents(t, crashed(t, s), Options{NoSync: true}), numbered(1, stored))
		room()
		time.Sleep(retryAfter)
		grow(t, s, stored+1, stored+3, 10)
		checkpointed(t, s)
		if s.writer.kept.Load() != s.writer.acked.Load() || s.writer.stuck != nil {
			t.Error("with room again there is no checkpoint")
		}
		wantKeys(t, "crashed with room again", contents(t, crashed(t, s), Options{NoSync: true}), numbered(1, stored+3))
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		wantKeys(t, "closed", contents(t, s.path, Options{NoSync: true}), numbered(1, stored+3))
	})
}

func seen(t *testing.T, s *Store, want int) {
	t.Helper()
	if err := s.View(t.Context(), func(r store.Reader) error {
		stats, err := r.Stats("a", 1)
		if got := stats.Counts.Total(); int(got) != want {
			t.Errorf("%d items are seen, want %d", got, want)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
}

// However a checkpoint breaks, the log goes on taking waves when the file has
// nothing of it, and takes none when that is in doubt; what was acknowledged is
// there after a crash at any moment.
func TestCheckpointsThatBreak(t *testing.T) {
	for _, at := range []string{"checkpoint", "checkpointed"} {
		t.Run(at, func(t *testing.T) {
			broken := atStep(t, at, func() { panic("the disk went away") })
			s := logging(t)
			grow(t, s, 1, 3, 10)
			broken.Store(true)
			stored := numbered(1, 3)
			for n := 4; n <= 8; n++ {
				err := s.View(t.Context(), func(store.Reader) error { return nil })
				if at == "checkpoint" && err != nil {
					t.Errorf("a look, which the log makes up for: %v", err)
				}
				if s.Update(t.Context(), addNumbered(n, 10)) == nil {
					stored = append(stored, numbered(n, n)...)
				}
				broken.Store(false)
				got := contents(t, crashed(t, s), Options{NoSync: true})
				broken.Store(true)
				for _, key := range stored {
					if !slices.Contains(got, key) {
						t.Fatalf("after %d: %v is left of %v", n, got, stored)
					}
				}
			}
			if at == "checkpoint" && len(stored) != 8 {
				t.Errorf("stored %v: the log had room for all", stored)
			}
			broken.Store(false)
			grow(t, s, 9, 10, 10)
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A backup of a store whose file can't take what the log has is refused, not
// made without it.
func TestBackupOfAFullStore(t *testing.T) {
	s := logging(t)
	grow(t, s, 1, 3, 10)
	room := fullFile(s)
	grow(t, s, 4, 4, 64<<10)
	if err := s.Backup(t.Context(), io.Discard); store.CodeOf(err) != store.CodeUnavailable {
		t.Errorf("full: %v", err)
	}
	room()
	grow(t, s, 5, 5, 10)
	retryNow(s)
	if err := s.Backup(t.Context(), io.Discard); err != nil {
		t.Error(err)
	}
}

// retryNow lets a store's next checkpoint be tried at once.
func retryNow(s *Store) {
	_ = s.Update(context.Background(), func(store.Tx) error { s.writer.retryAt = time.Time{}; return errors.New("no") })
}

// A store that can't be closed in order, or opened, for want of room says why in
// one line, once.
func TestFullAtTheEnds(t *testing.T) {
	s := logging(t)
	grow(t, s, 1, 3, 10)
	fullFile(s)
	grow(t, s, 4, 4, 64<<10)
	err := s.Close()
	if store.CodeOf(err) != store.CodeUnavailable || strings.Count(err.Error(), "store") != 1+strings.Count(s.path, "store") {
		t.Errorf("closing: %v", err)
	}
	broken := atStep(t, "checkpoint", func() { panic("no room") })
	broken.Store(true)
	_, err = Open(s.path, Options{NoSync: true})
	if store.CodeOf(err) != store.CodeUnavailable || strings.Count(err.Error(), ";") != 1 {
		t.Errorf("opening: %v", err)
	}
	broken.Store(false)
	wantKeys(t, "opened", contents(t, s.path, Options{NoSync: true}), numbered(1, 4))
}
