package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/store/bolt"
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

// importChild names the store into which a child process of the test imports,
// and importKill the row before which it kills itself.
const (
	importChild = "SIGNALBOX_IMPORT_CHILD"
	importKill  = "SIGNALBOX_IMPORT_KILL"
)

const importRows = 8500

func importUntilKilled(path string) {
	s, err := bolt.Open(path, bolt.Options{})
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	e, err := engine.Open(ctx, s, engine.Options{})
	if err != nil {
		panic(err)
	}
	row, err := strconv.Atoi(os.Getenv(importKill))
	if err != nil {
		panic(err)
	}
	add := func(n int) {
		items := slices.Repeat([]engine.NewItem{{Payload: object()}}, n)
		if _, err := e.Add(ctx, engine.AddRequest{Queue: "q", Items: items}); err != nil {
			panic(err)
		}
	}
	done, err := e.Import(ctx, engine.ImportRequest{Queue: "q", Start: &engine.JobRequest{ID: "may", SingletonKey: "k"}}, many(importRows, func(i int) error {
		if i == row {
			die()
		}
		if i == 4500 { // the import's numbers have a gap from here
			add(3)
		}
		return nil
	}))
	if err != nil || done.Stored != importRows {
		panic(err)
	}
	die()
}

// die ends the process as kill -9 does.
func die() {
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	if err != nil {
		panic(err)
	}
	select {}
}

// An engine that is killed in the midst of an import leaves nothing of it, and
// all that others added; one that is killed after it leaves all.
func TestImportOfAKilledEngine(t *testing.T) {
	for _, test := range []struct {
		row  int
		left int64
	}{{0, 1}, {1999, 1}, {2000, 1}, {4000, 1}, {4501, 4}, {6000, 4}, {8499, 4}, {importRows, 4 + importRows}} {
		path := filepath.Join(t.TempDir(), "s.db")
		r := start(t, openBolt(t, path))
		r.queue("q", store.Transactions, nil)
		r.addN("q", 1)
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), self)
		cmd.Env = append(os.Environ(), importChild+"="+path, fmt.Sprintf("%s=%d", importKill, test.row))
		if out, err := cmd.CombinedOutput(); err == nil || len(out) > 0 {
			t.Fatalf("killed at row %d it said %s, %v", test.row, out, err)
		}
		again := start(t, openBolt(t, path))
		if c := again.counts("q"); c.Total() != test.left {
			t.Errorf("killed at row %d it left %d items, want %d", test.row, c.Total(), test.left)
		}
		jobs, err := again.Jobs(again.ctx, engine.JobList{})
		if whole := test.row == importRows; err != nil || whole != (len(jobs) == 1) || whole && (jobs[0].Filling || jobs[0].Available != importRows) {
			t.Errorf("killed at row %d it left the jobs %+v, %v", test.row, jobs, err)
		}
		again.sound()
		if done, err := again.imports(3, calmly); err != nil || done.Stored != 3 {
			t.Errorf("the next import: %+v, %v", done, err)
		}
		if err := again.Close(); err != nil {
			t.Fatal(err)
		}
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
