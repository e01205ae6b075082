package bolt_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"

	"signalbox/store"
	"signalbox/store/bolt"
	"signalbox/store/storetest"
)

// filled makes a closed store with some thousand items and gives its path.
func filled(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "signalbox.db")
	s := open(t, path)
	err := s.Update(context.Background(), func(tx store.Tx) error {
		if err := tx.PutQueue(&store.Queue{Name: "a", Family: store.Jobs}); err != nil {
			return err
		}
		for n := range 3000 {
			i := store.Item{Queue: "a", Status: store.Queued, Reference: strconv.Itoa(n)}
			if err := tx.Add(&i, make([]byte, 200), store.Change{Event: "add"}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// refused wants an error on opening that says something.
func refused(t *testing.T, path string, o bolt.Options, says string) error {
	t.Helper()
	s, err := bolt.Open(path, o)
	if err == nil {
		_ = s.Close()
	}
	if store.CodeOf(err) != store.CodeUnavailable || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "runtime error") {
		t.Errorf("got %v, want an error of code 7 with %q", err, says)
	}
	return err
}

func TestOpenMakesPrivateFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	path := filepath.Join(dir, "signalbox.db")
	s := open(t, path)
	for name, want := range map[string]os.FileMode{dir: 0o700, path: 0o600, path + ".pid": 0o600} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", name, got, want)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path + ".pid"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("pid file after closing: %v", err)
	}
}

func TestHeldFileNamesItsHolder(t *testing.T) {
	path := filled(t)
	s := open(t, path)
	for _, o := range []bolt.Options{{Timeout: time.Millisecond}, {Timeout: time.Millisecond, ReadOnly: true}} {
		err := refused(t, path, o, "process "+strconv.Itoa(os.Getpid()))
		if !errors.Is(err, bolt.ErrHeld) {
			t.Errorf("got %v, want ErrHeld", err)
		}
	}
	storetest.Recount(t, s)
}

func TestHeldByReaderAfterCrash(t *testing.T) {
	path := filled(t)
	ended := exec.Command(os.Args[0], "-test.run=^$")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+".pid", []byte(strconv.Itoa(ended.Process.Pid)), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := bolt.Open(path, bolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	refused(t, path, bolt.Options{Timeout: time.Millisecond}, "held by another process")
}

func TestReadOnly(t *testing.T) {
	path := filled(t)
	one, err := bolt.Open(path, bolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer one.Close()
	two, err := bolt.Open(path, bolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatalf("beside another reader: %v", err)
	}
	defer two.Close()
	storetest.Recount(t, one)
	storetest.Recount(t, two)
	err = one.Update(context.Background(), func(store.Tx) error { return nil })
	if store.CodeOf(err) != store.CodeForbidden {
		t.Errorf("Update: got %v, want code 6", err)
	}
	refused(t, filepath.Join(t.TempDir(), "missing.db"), bolt.Options{ReadOnly: true}, "no such file")
}

func TestDamagedFilesAreRefused(t *testing.T) {
	whole, err := os.ReadFile(filled(t))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"text":           []byte(strings.Repeat("not a store\n", 1000)),
		"short text":     []byte("x"),
		"zeros":          make([]byte, 1<<20),
		"half":           whole[:len(whole)/2],
		"two pages":      whole[:8192],
		"one page":       whole[:4096],
		"lost its metas": append(make([]byte, 8192), whole[8192:]...),
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "signalbox.db")
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			for range 2 { // it must not stay locked either
				refused(t, path, bolt.Options{Timeout: time.Second}, "put a backup in its place")
			}
			refused(t, path, bolt.Options{Timeout: time.Second, ReadOnly: true}, "put a backup in its place")
		})
	}
}

// TestDamagedPages overwrites each stretch of a file in turn. Every call must
// end, with an error or without.
func TestDamagedPages(t *testing.T) {
	path := filled(t)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for at := 2 * 4096; at < len(whole); at += 7 * 4096 {
		spoilt := append([]byte(nil), whole...)
		for n := range 4096 {
			spoilt[at+n] ^= byte(n*7 + at>>12)
		}
		if err := os.WriteFile(path, spoilt, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := bolt.Open(path, bolt.Options{NoSync: true})
		if err != nil {
			if store.CodeOf(err) != store.CodeUnavailable {
				t.Errorf("Open: %v", err)
			}
			continue
		}
		readAll(s)
		_ = s.Update(context.Background(), func(tx store.Tx) error {
			for i, err := range tx.Ready("a", 1) {
				if err != nil {
					return err
				}
				i.Status = store.Claimed
				return tx.Put(&i, &store.Change{Event: "claim"})
			}
			return nil
		})
		_ = s.Close()
	}
}

func readAll(s *bolt.Store) {
	_ = s.View(context.Background(), func(r store.Reader) error {
		for _, q := range []store.Query{{}, {Reference: "1"}, {Desc: true}} {
			for i, err := range r.Items(q) {
				if err == nil {
					_, _ = r.History(i.ID(), 3)
				}
			}
		}
		_, err := r.Changes(0, 1<<20)
		return err
	})
}

func TestNewerFormatIsRefused(t *testing.T) {
	path := filled(t)
	rewrite(t, path, func(b *bbolt.Tx) error { return b.Bucket([]byte("meta")).Put([]byte("format"), []byte("4")) })
	refused(t, path, bolt.Options{}, "has format 4, this version of signalbox reads up to 3")
}

// TestOldFormatIsBroughtForward opens a file that was written before there was
// a log: two queues with 24 items each in all kinds of states, and a third that
// was deleted.
func TestOldFormatIsBroughtForward(t *testing.T) {
	content, err := os.ReadFile("testdata/format1.db")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "signalbox.db")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	reader, err := bolt.Open(path, bolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	before := everything(t, reader)
	if err := reader.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := bolt.Open(path, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	storetest.Recount(t, s)
	if diff := cmp.Diff(before, everything(t, s)); diff != "" {
		t.Errorf("read-only and brought forward differ:\n%s", diff)
	}
	if got := before.Counts["invoices"]; got.Total() != 24 || got.InFlight() != 4 {
		t.Errorf("counts of invoices: %v", got)
	}
	if got := before.Counts["nightly"]; got.Total() != 24 || got.InFlight() != 4 {
		t.Errorf("counts of nightly: %v", got)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	rewrite(t, path, func(b *bbolt.Tx) error {
		if got := string(b.Bucket([]byte("meta")).Get([]byte("format"))); got != "3" {
			t.Errorf("format %q after closing", got)
		}
		return nil
	})
}

// stored is all that a store gives to read.
type stored struct {
	Queues  []store.Queue
	Counts  map[string]store.Counts
	Items   []store.Item
	Texts   []string
	Changes []store.Change
	Groups  []store.Group
	Pool    store.Pool
	Due     store.Time
}

func everything(t *testing.T, s *bolt.Store) (all stored) {
	t.Helper()
	all.Counts = map[string]store.Counts{}
	if err := s.View(t.Context(), func(r store.Reader) error {
		for i, err := range r.Items(store.Query{}) {
			if err != nil {
				return err
			}
			payload, err := r.Payload(i.ID())
			if err != nil {
				return err
			}
			result, err := r.Result(i.ID())
			if err != nil {
				return err
			}
			all.Items, all.Texts = append(all.Items, i), append(all.Texts, string(payload), string(result.Output), result.Details)
		}
		var errs [5]error
		all.Queues, errs[0] = r.Queues()
		all.Changes, errs[1] = r.Changes(0, 1<<20)
		all.Groups, errs[2] = r.Groups("")
		all.Pool, errs[3] = r.Pool()
		all.Due, errs[4] = r.NextDue()
		for _, q := range all.Queues {
			stats, err := r.Stats(q.Name, 0)
			if err != nil {
				return err
			}
			all.Counts[q.Name] = stats.Counts
		}
		return errors.Join(errs[:]...)
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestForeignFileIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "other.db")
	rewrite(t, path, func(b *bbolt.Tx) error {
		_, err := b.CreateBucket([]byte("theirs"))
		return err
	})
	refused(t, path, bolt.Options{}, "another program")
}

func rewrite(t *testing.T, path string, fn func(*bbolt.Tx) error) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Update(fn); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
