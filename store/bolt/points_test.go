package bolt_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"signalbox/store"
	"signalbox/store/bolt"
	"signalbox/store/storetest"
)

// An ending is where and how a victim dies: "point", the how-manieth time, what
// becomes of what was written to the log and not synced (lost, torn or kept),
// and what is wrong with the store (nothing; "unsynced": its log forgets to
// sync).
type ending struct {
	point string
	times int
	fate  string
	wrong string
	bytes int // of payload
}

func (e ending) String() string {
	return fmt.Sprintf("%s,%d,%s,%s,%d", strings.ReplaceAll(e.point, " ", "-"), e.times, e.fate, e.wrong, e.bytes)
}

// plan makes this process end itself as said.
func plan(text string) {
	if text == "" {
		return
	}
	f := strings.Split(text, ",")
	e := ending{point: strings.ReplaceAll(f[0], "-", " "), fate: f[2], wrong: f[3]}
	e.times, _ = strconv.Atoi(f[1])
	e.bytes, _ = strconv.Atoi(f[4])
	payloadBytes = e.bytes
	p := &planned{ending: e}
	bolt.LogAll()
	bolt.OnStep(p.reach)
	bolt.OnDisk(func(d bolt.Disk) bolt.Disk {
		p.Disk = d
		return p
	})
}

var payloadBytes int

func padded(key string) []byte { return append([]byte(key), make([]byte, payloadBytes)...) }

// planned is a disk that forgets what was not synced when the process ends.
type planned struct {
	bolt.Disk
	ending
	mu      sync.Mutex
	pending []pending // in order of writing
	headed  bool      // the log's head was synced
}

// pending is what stood on the disk before a write that is not synced.
type pending struct {
	at     int64
	before []byte
}

func (p *planned) WriteAt(b []byte, at int64) (int, error) {
	p.reach("before write")
	before := make([]byte, len(b))
	if _, err := p.ReadAt(before, at); err != nil {
		return 0, err
	}
	p.mu.Lock()
	p.pending = append(p.pending, pending{at, before})
	p.mu.Unlock()
	n, err := p.Disk.WriteAt(b, at)
	p.reach("written")
	return n, err
}

func (p *planned) Sync() error {
	if p.wrong == "unsynced" && p.headed {
		return nil
	}
	p.headed = true
	if err := p.Disk.Sync(); err != nil {
		return err
	}
	p.mu.Lock()
	p.pending = nil
	p.mu.Unlock()
	p.reach("synced")
	return nil
}

// reach ends the process if this is the point for it.
func (p *planned) reach(point string) {
	if point != p.point {
		return
	}
	if p.times--; p.times > 0 {
		return
	}
	for n := len(p.pending) - 1; n >= 0 && p.fate != "kept"; n-- {
		w := p.pending[n]
		if keep := min(24, len(w.before)); p.fate == "torn" { // a record's head and a little of its body
			w.at, w.before = w.at+int64(keep), w.before[keep:]
		}
		_, _ = p.Disk.WriteAt(w.before, w.at)
	}
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

// die has a victim end as planned and gives what it had told.
func die(t *testing.T, path string, e ending) []string {
	t.Helper()
	return victim(t, path, e.String(), func(*exec.Cmd, int) {})
}

// missing opens a store and gives what was told and is not in it, after a look
// at all of it.
func missing(t *testing.T, path string, told []string) (list []string) {
	t.Helper()
	s, err := bolt.Open(path, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	storetest.Recount(t, s)
	if err := s.View(context.Background(), func(r store.Reader) error {
		for _, key := range told {
			if id, err := r.ByKey("a", key); err != nil || id.IsZero() {
				list = append(list, key)
			}
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	return list
}

// TestKilledAtEveryStep stops a process in load at each step that makes changes
// durable. Whatever it said was stored must be there.
func TestKilledAtEveryStep(t *testing.T) {
	for _, e := range []ending{
		{point: "before write", times: 40},
		{point: "written", times: 40, fate: "lost"},
		{point: "written", times: 41, fate: "torn"},
		{point: "written", times: 42, fate: "kept"},
		{point: "written", times: 1, fate: "kept"}, // the log's head
		{point: "written", times: 1, fate: "torn"},
		{point: "synced", times: 40},
		{point: "checkpoint", times: 3},
		{point: "checkpointed", times: 3},
		{point: "checkpoint", times: 9, bytes: 30 << 10}, // the log is full
		{point: "checkpointed", times: 9, bytes: 30 << 10},
		{point: "before write", times: 60, bytes: 30 << 10}, // and begun again
		{point: "written", times: 61, bytes: 30 << 10, fate: "torn"},
	} {
		t.Run(e.String(), func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "signalbox.db")
			told := die(t, path, e)
			if list := missing(t, path, told); list != nil {
				t.Errorf("of %d said to be stored are missing: %v", len(told), list)
			}
			if _, err := os.Stat(path + ".wal"); !os.IsNotExist(err) {
				t.Errorf("a log after closing: %v", err)
			}
		})
	}
}

// TestKilledWhileRecovering stops the process that takes over from one that was
// stopped.
func TestKilledWhileRecovering(t *testing.T) {
	for _, second := range []ending{
		{point: "checkpoint", times: 1},
		{point: "checkpointed", times: 1},
		{point: "recovered", times: 1},
	} {
		t.Run(second.String(), func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "signalbox.db")
			told := die(t, path, ending{point: "synced", times: 90})
			for range 3 {
				told = append(told, die(t, path, second)...)
			}
			if list := missing(t, path, told); list != nil {
				t.Errorf("of %d said to be stored are missing: %v", len(told), list)
			}
		})
	}
}

// TestCutBetweenTheSyncsOfACheckpoint takes from a file the meta page that a
// checkpoint wrote last, as if the machine had stopped before it got to the
// disk. The log still has what that checkpoint brought.
func TestCutBetweenTheSyncsOfACheckpoint(t *testing.T) {
	for _, how := range []string{"lost", "torn"} {
		path := filepath.Join(t.TempDir(), "signalbox.db")
		told := die(t, path, ending{point: "checkpointed", times: 4})
		spoilNewestMeta(t, path, how)
		if list := missing(t, path, told); list != nil {
			t.Errorf("of %d said to be stored are missing: %v", len(told), list)
		}
	}
}

// spoilNewestMeta damages the one of bbolt's two meta pages with the higher
// transaction.
func spoilNewestMeta(t *testing.T, path, how string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const page, txid = 4096, 16 + 48 // a page's head, and what stands before the number in a meta
	var number [2]uint64
	for n := range number {
		var b [8]byte
		if _, err := f.ReadAt(b[:], int64(n*page+txid)); err != nil {
			t.Fatal(err)
		}
		number[n] = binary.NativeEndian.Uint64(b[:])
	}
	newest := 0
	if number[1] > number[0] {
		newest = 1
	}
	spoilt := make([]byte, page)
	if how == "torn" {
		spoilt = spoilt[:txid]
	}
	if _, err := f.WriteAt(spoilt, int64(newest*page)); err != nil {
		t.Fatal(err)
	}
}

// TestAStoreThatForgetsToSyncIsCaught holds the test above against a store that
// answers before its log is synced: it must find what is lost.
func TestAStoreThatForgetsToSyncIsCaught(t *testing.T) {
	path := filepath.Join(t.TempDir(), "signalbox.db")
	told := die(t, path, ending{point: "before write", times: 40, fate: "lost", wrong: "unsynced"})
	if list := missing(t, path, told); list == nil {
		t.Errorf("nothing of %d is missing", len(told))
	}
}
