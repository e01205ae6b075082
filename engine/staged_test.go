package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"signalbox/engine"
	"signalbox/store"
)

// What an open import brings can be seen, but nothing is built on it as long as the
// import may still be refused: no copy by a retry, no answer to a key.
func TestNothingIsBuiltOnAnOpenImport(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, nil)
		broken := errors.New("broken")
		failed := func(i int) engine.NewItem {
			n := engine.NewItem{Payload: object(), Past: &engine.Past{State: "failed"}}
			if i == 0 {
				n.Key = "k"
			}
			return n
		}
		first := store.ID{Queue: "q", Number: 1}
		_, err := r.Import(r.ctx, engine.ImportRequest{Queue: "q"}, func(yield func(engine.NewItem, error) bool) {
			for i := range 2000 { // a chunk
				if !yield(failed(i), nil) {
					return
				}
			}
			target := []engine.Target{{Item: first}}
			for what, act := range map[string]func() ([]engine.Outcome, error){
				"retry":  func() ([]engine.Outcome, error) { return r.Retry(r.ctx, engine.RetryRequest{Targets: target}) },
				"delete": func() ([]engine.Outcome, error) { return r.Delete(r.ctx, engine.DeleteRequest{Targets: target}) },
				"verify": func() ([]engine.Outcome, error) {
					return r.Review(r.ctx, engine.ReviewRequest{Targets: target, Action: engine.Verify})
				},
			} {
				if out, err := act(); err != nil || out[0].Result != engine.Refused {
					r.t.Errorf("%s: %+v (%v)", what, out, err)
				}
			}
			_, err := r.Add(r.ctx, engine.AddRequest{Queue: "q", Items: []engine.NewItem{{Payload: object(), Key: "k"}}})
			r.wantCode(err, store.CodeConflict)
			yield(engine.NewItem{}, broken)
		})
		if !errors.Is(err, broken) {
			r.t.Errorf("it ended with %v", err)
		}
		if c := r.counts("q"); c.Total() != 0 {
			r.t.Errorf("%v are left", c)
		}
		if results, err := r.Add(r.ctx, engine.AddRequest{Queue: "q", Items: []engine.NewItem{{Payload: object(), Key: "k"}}}); err != nil || results[0].Existing {
			r.t.Errorf("the key is still taken: %+v (%v)", results, err)
		}
		r.sound()
	})
}

// unpurged is a store in which nothing can be removed for a while.
type unpurged struct {
	store.Store
	fails atomic.Bool
}

type unpurgedTx struct{ store.Tx }

var errNoRoom = errors.New("no room")

func (unpurgedTx) Purge([]store.ID) error { return errNoRoom }

func (u *unpurged) Update(ctx context.Context, fn func(store.Tx) error) error {
	return u.Store.Update(ctx, func(t store.Tx) error {
		if u.fails.Load() {
			t = unpurgedTx{t}
		}
		return fn(t)
	})
}

// A refused import whose items could not be taken out keeps none after it from the
// queue, neither a person's nor a job's: each first takes them out.
func TestImportAfterOneThatCouldNotBeTakenOut(t *testing.T) {
	for name, open := range opens {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &unpurged{Store: open(t)}
				r := start(t, s)
				r.queue("q", store.Jobs, nil)
				r.queue("work", store.Jobs, nil)
				r.add("work", engine.NewItem{Payload: object(), Job: "load"})
				rec := r.claim("work", "r", 1)[0]
				next := map[string]func() (engine.ImportResult, error){
					"a person's": func() (engine.ImportResult, error) { return r.imports(3, calmly) },
					"a job's": func() (engine.ImportResult, error) {
						ctx, cancel := context.WithTimeout(r.ctx, time.Minute)
						defer cancel()
						return r.ImportHeld(ctx, &rec, engine.ImportRequest{Queue: "q"}, many(3, calmly), func(engine.ImportResult) (p engine.ImportProgress) { return p })
					},
				}
				total := int64(0)
				for what, more := range next {
					s.fails.Store(true)
					broken := errors.New("broken")
					_, err := r.imports(2500, func(i int) error {
						if i == 2400 {
							return broken
						}
						return nil
					})
					if !errors.Is(err, broken) || !errors.Is(err, errNoRoom) {
						t.Fatalf("it ended with %v", err)
					}
					if strings.Contains(err.Error(), "\n") {
						t.Errorf("two lines: %v", err)
					}
					s.fails.Store(false)
					if _, err := more(); err != nil {
						t.Fatal(err)
					}
					total += 3
					s.fails.Store(true)
					_, err = r.imports(2500, func(i int) error {
						if i == 2400 {
							return errNoRoom
						}
						return nil
					})
					if words := fmt.Sprint(err); strings.Count(words, "no room") != 1 || !strings.Contains(words, "; what it had stored is hidden") {
						t.Errorf("of one fault twice it says %q", words)
					}
					if _, err := more(); !errors.Is(err, errNoRoom) {
						t.Errorf("%s import beside what can't be taken out: %v", what, err)
					}
					s.fails.Store(false)
					if done, err := more(); err != nil || done.Stored != 3 {
						t.Errorf("%s import after it: %+v (%v)", what, done, err)
					}
					left := r.counts("q")
					if total += 3; left.Total() != total {
						t.Errorf("%d items are left, want %d", left.Total(), total)
					}
				}
				r.sound()
				if err := r.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}
