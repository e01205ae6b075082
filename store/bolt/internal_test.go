package bolt

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/store"
	"signalbox/store/storetest"
)

// TestFullDisk lets checkpoints fail while many call, and then succeed again.
// Nothing that was stored may be out of sight meanwhile.
func TestFullDisk(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "signalbox.db"), Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const size = 8 << 10
	ctx := context.Background()
	add := func(size int) error {
		return s.Update(ctx, func(tx store.Tx) error {
			i := store.Item{Queue: "a", Status: store.Pending}
			return tx.Add(&i, make([]byte, size), store.Change{Event: "add"})
		})
	}
	sees := func(want int) {
		t.Helper()
		storetest.Recount(t, s)
		if err := s.View(ctx, func(r store.Reader) error {
			stats, err := r.Stats("a", 1)
			if got := stats.Counts[store.Pending]; got != int64(want) {
				t.Errorf("%d items, want %d", got, want)
			}
			return err
		}); err != nil {
			t.Error(err)
		}
	}
	if err := s.Update(ctx, func(tx store.Tx) error {
		return tx.PutQueue(&store.Queue{Name: "a", Family: store.Jobs})
	}); err != nil {
		t.Fatal(err)
	}
	s.db.MaxSize = 1 << 20
	var stored, refused int
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 80 {
				err := add(size)
				mu.Lock()
				switch store.CodeOf(err) {
				case 0:
					stored++
				case store.CodeUnavailable:
					refused++
				default:
					t.Errorf("got %v, want code 7", err)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if stored == 0 || refused == 0 {
		t.Errorf("%d stored, %d refused: want some of both", stored, refused)
	}
	sees(stored)
	s.db.MaxSize = 0
	if err := add(size); err != nil {
		t.Errorf("with room again: %v", err)
	}
	sees(stored + 1)
}

// TestRipenInPortions ripens more than one call takes on.
func TestRipenInPortions(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "signalbox.db"), Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx := context.Background()
	if err := s.Update(ctx, func(tx store.Tx) error {
		if err := tx.PutQueue(&store.Queue{Name: "a", Family: store.Jobs}); err != nil {
			return err
		}
		for n := range maxRipe * 3 / 2 {
			i := store.Item{Queue: "a", Status: store.Queued, DeferUntil: 50, DueAt: store.Time(n % 2 * 70), DueTold: true}
			if err := tx.Add(&i, nil, store.Change{Event: "add"}); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for call, want := range []struct {
		names   int
		nextDue store.Time
	}{{1, 50}, {1, 0}, {0, 0}} {
		var names []string
		var next store.Time
		if err := s.Update(ctx, func(tx store.Tx) (err error) {
			if names, err = tx.Ripen(60); err == nil {
				next, err = tx.NextDue()
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if len(names) != want.names || next != want.nextDue {
			t.Errorf("call %d names %q, then %d is due; want %d names, then %d", call, names, next, want.names, want.nextDue)
		}
	}
	storetest.Recount(t, s)
}

// named makes a closed store with one queue.
func named(t *testing.T, path, queue string) {
	t.Helper()
	s, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Update(t.Context(), func(tx store.Tx) error {
		return tx.PutQueue(&store.Queue{Name: queue, Family: store.Jobs})
	}), s.Close()); err != nil {
		t.Fatal(err)
	}
}

// has wants a store with just that queue.
func has(t *testing.T, path, queue string) {
	t.Helper()
	s, err := Open(path, Options{ReadOnly: true})
	if err != nil {
		t.Error(err)
		return
	}
	defer s.Close()
	if err := s.View(t.Context(), func(r store.Reader) error {
		list, err := r.Queues()
		if len(list) != 1 || list[0].Name != queue {
			t.Errorf("%s has %+v, want queue %s", path, list, queue)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
}

// A store that took the name between making a new file and locking it is the
// one that is opened.
func TestOpenFollowsTheNameOfANewFile(t *testing.T) {
	dir := t.TempDir()
	path, other := filepath.Join(dir, "s.db"), filepath.Join(dir, "other.db")
	named(t, other, "restored")
	openOS = func(name string, flag int, mode os.FileMode) (*os.File, error) {
		openOS = os.OpenFile
		f, err := os.OpenFile(name, flag, mode)
		return f, errors.Join(err, os.Rename(other, path))
	}
	t.Cleanup(func() { openOS = os.OpenFile })
	s, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	has(t, path, "restored")
}

// With links and without, a second restore never writes over what the first
// kept, and the name always has a store.
func TestRestoreKeepsTheFirstStore(t *testing.T) {
	for name, linking := range map[string]func(string, string) error{
		"links":    os.Link,
		"no links": func(string, string) error { return &os.LinkError{Op: "link", Err: syscall.EPERM} },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path, wrong, right := filepath.Join(dir, "s.db"), filepath.Join(dir, "wrong.db"), filepath.Join(dir, "right.db")
			named(t, path, "live")
			named(t, wrong, "wrong")
			named(t, right, "right")
			link = linking
			t.Cleanup(func() { link = os.Link })
			if err := Restore(path, wrong); err != nil {
				t.Fatal(err)
			}
			if err := Restore(path, right); store.CodeOf(err) != store.CodeConflict {
				t.Errorf("the second: %v", err)
			}
			has(t, path, "wrong")
			has(t, path+".old", "live")
			if err := errors.Join(os.Remove(path), Restore(path, right)); err != nil { // nothing is there to keep
				t.Error(err)
			}
			has(t, path, "right")
			has(t, path+".old", "live")
		})
	}
}

// A restore cut off after it gave the old store its second name left the store
// in place, and can be done again.
func TestRestoreCutOff(t *testing.T) {
	dir := t.TempDir()
	path, backup := filepath.Join(dir, "s.db"), filepath.Join(dir, "backup.db")
	named(t, path, "live")
	named(t, backup, "backup")
	cut := errors.New("cut off")
	link = func(from, to string) error { return errors.Join(os.Link(from, to), cut) }
	t.Cleanup(func() { link = os.Link })
	if err := Restore(path, backup); !errors.Is(err, cut) {
		t.Fatal(err)
	}
	has(t, path, "live")
	link = os.Link
	if err := Restore(path, backup); err != nil {
		t.Fatal(err)
	}
	has(t, path, "backup")
	has(t, path+".old", "live")
}

func TestBlocksKeepChanges(t *testing.T) {
	var p packer
	var want []store.Change
	for n := range uint64(50) {
		c := store.Change{Seq: 100 + n, At: store.Time(n * n), Actor: []string{"", "a"}[n%2], Queue: "q", Number: n / 2, Event: "add", To: store.Status(n % 3), Fence: n % 4, Prev: n % 5}
		want = append(want, c)
		p.add(&c)
	}
	b, err := openBlock(100, p.take(nil))
	if err != nil {
		t.Fatal(err)
	}
	var got []store.Change
	for b.next() {
		got = append(got, b.at)
	}
	if diff := cmp.Diff(want, got); diff != "" || b.bad {
		t.Errorf("bad: %v (-want +got):\n%s", b.bad, diff)
	}
}

// FuzzDecode feeds records of all kinds to their readers: they must end, and
// what they accept must survive being written and read again.
func FuzzDecode(f *testing.F) {
	i := store.Item{Queue: "q", Number: 1, Reference: "r", Progress: "half", Error: &store.Failure{Reason: "x"}, Chain: store.ID{Queue: "o", Number: 3}}
	var p packer
	p.add(&store.Change{Seq: 1, Actor: "a", Why: "w", Prev: 1})
	f.Add(appendHead(nil, &i), appendState(nil, &i))
	f.Add(encode(nil, result, &store.Result{Output: []byte("{}")}), p.take(nil))
	f.Add(encode(nil, settings, &store.Queue{Mask: []string{"a"}, Consumer: store.Consumer{Argv: []string{"x"}}}), encode(nil, pool, &store.Pool{Size: 1}))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		item := store.Item{Queue: "q", Number: 1}
		if decodeItem(&item, a, b) == nil {
			again := store.Item{Queue: "q", Number: 1}
			if err := decodeItem(&again, appendHead(nil, &item), appendState(nil, &item)); err != nil {
				t.Errorf("%+v cannot be read again: %v", item, err)
			}
			if diff := cmp.Diff(item, again); diff != "" {
				t.Error(diff)
			}
		}
		_ = decode(a, result, &store.Result{})
		_ = decode(a, settings, &store.Queue{})
		_ = decode(a, pool, &store.Pool{})
		_ = decode(a, counted, &store.Group{})
		_ = decode(a, func(c *coder, n *counters) { n.code(c) }, &counters{})
		blk, err := openBlock(1, b)
		for err == nil && blk.next() {
		}
	})
}
