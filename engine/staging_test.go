package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"signalbox/engine"
	"signalbox/store"
)

// many yields n items, and calls at before each.
func many(n int, at func(i int) error) iter.Seq2[engine.NewItem, error] {
	return func(yield func(engine.NewItem, error) bool) {
		for i := range n {
			err := at(i)
			if !yield(engine.NewItem{Payload: json.RawMessage(fmt.Sprintf(`{"n":%d}`, i)), Reference: fmt.Sprintf("R%d", i)}, err) || err != nil {
				return
			}
		}
	}
}

func calmly(int) error { return nil }

func (r *rig) imports(n int, at func(i int) error) (engine.ImportResult, error) {
	return r.Import(r.ctx, engine.ImportRequest{Queue: "q", From: "big.csv"}, many(n, at))
}

// An import of many chunks is there as a whole when it returns, and until then
// nobody can claim of it, however they ask.
func TestImportWorksAllAtOnce(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, nil)
		parked := make(chan []engine.Record, 1)
		go func() {
			got, _ := r.Claim(r.ctx, engine.ClaimRequest{Queue: "q", Robot: "parked", Wait: store.Duration(1 << 40)})
			parked <- got
		}()
		synctest.Wait()
		done, err := r.imports(9000, func(i int) error {
			if i == 5000 { // two chunks are stored
				if c := r.counts("q"); c.Waiting() != 4000 {
					t.Errorf("%d are to be seen", c.Waiting())
				}
				_, err := r.Claim(r.ctx, engine.ClaimRequest{Queue: "q", Robot: "eager"})
				r.wantCode(err, store.CodeEmpty)
				_, err = r.Claim(r.ctx, engine.ClaimRequest{Queue: "q", Robot: "eager", Reference: "R7", Exact: true})
				r.wantCode(err, store.CodeEmpty)
				_, err = r.Claim(r.ctx, engine.ClaimRequest{Robot: "eager", Item: store.ID{Queue: "q", Number: 7}})
				r.wantCode(err, store.CodeConflict)
				_, err = r.imports(1, calmly)
				r.wantCode(err, store.CodeConflict)
				r.add("q", engine.NewItem{Payload: object(), Reference: "mine", Priority: store.High})
			}
			return nil
		})
		if err != nil || done.Stored != 9000 {
			t.Fatalf("%+v, %v", done, err)
		}
		if got := <-parked; len(got) != 1 || got[0].Reference != "mine" {
			t.Errorf("the parked claim got %+v", got)
		}
		if got := r.claim("q", "eager", 1000); len(got) != 1000 || got[0].Reference != "R0" {
			t.Errorf("claimed %d", len(got))
		}
		r.sound()
	})
}

// Whatever ends an import early, nothing of it is left, and what others did
// meanwhile is untouched.
func TestBrokenImportsLeaveNothing(t *testing.T) {
	broken := errors.New("broken")
	for name, test := range map[string]struct {
		at   func(*rig, context.CancelFunc, int) error
		want func(error) bool
	}{
		"the rows end with an error": {func(_ *rig, _ context.CancelFunc, i int) error {
			if i == 7000 {
				return broken
			}
			return nil
		}, func(err error) bool { return errors.Is(err, broken) }},
		"the caller gives up": {func(_ *rig, cancel context.CancelFunc, i int) error {
			if i == 7000 {
				cancel()
			}
			return nil
		}, func(err error) bool { return errors.Is(err, context.Canceled) }},
		"a reference is taken": {func(r *rig, _ context.CancelFunc, i int) error {
			if i == 3000 {
				r.add("q", engine.NewItem{Payload: object(), Reference: "R6543"})
			}
			return nil
		}, func(err error) bool {
			row, ok := errors.AsType[*engine.RowError](err)
			return ok && row.Row == 6543 && store.CodeOf(err) == store.CodeConflict
		}},
		"the queue is deleted": {func(r *rig, _ context.CancelFunc, i int) error {
			if i == 7000 {
				if err := r.DeleteQueue(r.ctx, "q", true); err != nil {
					r.t.Error(err)
				}
			}
			return nil
		}, func(err error) bool { return store.CodeOf(err) == store.CodeNotFound }},
	} {
		t.Run(name, func(t *testing.T) {
			eachStore(t, func(r *rig) {
				r.queue("q", store.Jobs, func(q *store.Queue) { q.UniqueReferences = true })
				before := r.addN("q", 3)
				others := 0
				ctx, cancel := context.WithCancel(r.ctx)
				defer cancel()
				_, err := r.Import(ctx, engine.ImportRequest{Queue: "q"}, many(9000, func(i int) error {
					if i == 2500 {
						others = len(r.addN("q", 2))
					}
					return test.at(r, cancel, i)
				}))
				if !test.want(err) {
					t.Fatalf("it ended with %v", err)
				}
				if _, err := r.Queue(r.ctx, "q"); err == nil {
					if n := r.counts("q"); n.Total() != int64(len(before)+others) && !(name == "a reference is taken" && n.Total() == 6) {
						t.Errorf("%d items are left", n.Total())
					}
					if done, err := r.imports(2, calmly); err != nil || done.Stored != 2 {
						t.Errorf("the next import: %+v, %v", done, err)
					}
				}
				r.sound()
			})
		})
	}
}

// Files copied after each chunk are what a kill there would leave: an engine
// that opens one finds none of the import, and after the last one all of it.
func TestImportOfAKilledEngine(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "s.db")
	r := start(t, openBolt(t, path))
	r.queue("q", store.Transactions, nil)
	r.addN("q", 1)
	copies := 0
	if _, err := r.imports(8500, func(i int) error {
		if i%2000 == 0 {
			copies++
			copyFile(t, path, filepath.Join(dir, fmt.Sprint(copies)))
		}
		if i == 4500 { // the import's numbers have a gap from here
			r.addN("q", 3)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	copyFile(t, path, filepath.Join(dir, "whole"))
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	look := func(name string, want int64) {
		again := start(t, openBolt(t, filepath.Join(dir, name)))
		if c := again.counts("q"); c.Total() != want {
			t.Errorf("copy %s holds %d items, want %d", name, c.Total(), want)
		}
		again.sound()
		if err := again.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for n, want := range []int64{1, 1, 1, 4, 4} {
		look(fmt.Sprint(n+1), want)
	}
	look("whole", 8504)
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

// Known keys are not stored again, and an import of only such leaves no trace.
func TestImportOfKnownKeys(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, nil)
		keyed := func(yield func(engine.NewItem, error) bool) {
			for i := range 5000 {
				if !yield(engine.NewItem{Payload: object(), Key: fmt.Sprint(i % 4000)}, nil) {
					return
				}
			}
		}
		for _, want := range []engine.ImportResult{{Stored: 4000, Existing: 1000}, {Existing: 5000}} {
			if done, err := r.Import(r.ctx, engine.ImportRequest{Queue: "q"}, keyed); err != nil || done != want {
				t.Errorf("%+v, %v; want %+v", done, err, want)
			}
		}
		changes, err := r.Changes(r.ctx, 0, 10_000)
		if err != nil {
			t.Fatal(err)
		}
		imports := 0
		for _, c := range changes {
			if c.Event == "import" && strings.Contains(c.Why, "4000 items") {
				imports++
			}
		}
		if imports != 1 {
			t.Errorf("%d imports are recorded", imports)
		}
		r.sound()
	})
}
