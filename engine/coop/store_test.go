package coop_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"signalbox/engine/coop"
	"signalbox/engine/coop/bolt"
)

// stores makes each kind of store.
var stores = map[string]func(testing.TB) coop.Store{
	"memory": func(testing.TB) coop.Store { return &coop.Memory{} },
	"bolt": func(t testing.TB) coop.Store {
		s, err := bolt.Open(filepath.Join(t.TempDir(), "coop.db"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	},
}

func TestStores(t *testing.T) {
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			s, ctx := open(t), t.Context()
			ok := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			holds(t, s)
			for i := range 12 {
				ok(s.Save(ctx, coop.Row{ID: fmt.Sprint("r", i), Payload: []byte("1")}))
			}
			whole := coop.Row{ID: "r0", Payload: []byte(`{"a": "\u0000"}`), Retries: 3, Timeout: time.Second, Attempts: 2}
			ok(s.Save(ctx, whole)) // in its place
			ok(s.Remove(ctx, "r1", "r3", "not there"))
			ok(s.Remove(ctx))
			holds(t, s, "r0", "r2", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11")
			all, err := s.Load(ctx)
			ok(err)
			if !reflect.DeepEqual(all[0], whole) {
				t.Errorf("loaded %+v", all[0])
			}
			all[0].Payload[0] = 'x'
			if again, _ := s.Load(ctx); string(again[0].Payload) != string(whole.Payload) {
				t.Error("what was loaded is the store's own")
			}
			ok(s.Save(ctx, coop.Row{ID: "r1", Payload: []byte("1")})) // new again: at the end
			ok(s.Clear(ctx, "r1", "r4", "not there"))
			holds(t, s, "r4", "r1")
			ok(s.Clear(ctx))
			holds(t, s)
		})
	}
}

func TestStoresAtOnce(t *testing.T) {
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			var all sync.WaitGroup
			for i := range 64 {
				all.Go(func() {
					for j := range 5 {
						id := fmt.Sprint(i, "-", j)
						if err := s.Save(t.Context(), coop.Row{ID: id, Payload: []byte("1")}); err != nil {
							t.Error(err)
						}
						if j > 0 {
							if err := s.Remove(t.Context(), id); err != nil {
								t.Error(err)
							}
						}
					}
				})
			}
			all.Wait()
			if n := len(rows(t, s)); n != 64 {
				t.Errorf("%d rows are left", n)
			}
		})
	}
}

func TestSavedBeforeRunnableAndRemovedBeforeSettled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &coop.Memory{}
		r := newRig(t, coop.Options{Store: s}, func(_ context.Context, task coop.Task[string]) (string, error) {
			holds(t, s, task.ID)
			return task.Value, nil
		})
		f := r.add("a")
		<-f.Done()
		holds(t, s)
	})
}

func TestAnEntryIsNotRunnableWhileItsRowIsSaved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		s := &faulty{saving: func() { <-hold }}
		r := newRig(t, coop.Options{Store: s}, echo)
		go r.add("a")
		synctest.Wait()
		if _, err := r.Enqueue(t.Context(), "x", coop.ID("a")); !errors.Is(err, coop.ErrDuplicate) {
			t.Errorf("its id is not taken: %v", err)
		}
		r.ran()
		r.told()
		close(hold)
		r.ran("a")
	})
}

func TestAFailedFirstSaveFailsTheEnqueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &faulty{save: errBroken}
		r := newRig(t, coop.Options{Store: s}, echo)
		if _, err := r.Enqueue(t.Context(), "x", coop.ID("a")); !errors.Is(err, coop.ErrStore) || !errors.Is(err, errBroken) {
			t.Errorf("got %v", err)
		}
		r.told()
		s.set(func(f *faulty) { f.save = nil })
		r.works(r.add("a"), "a") // the id is free
	})
}

func TestAttemptCountsAreSavedAsFarAsTheyCan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &faulty{}
		r := newRig(t, coop.Options{Store: s, Retries: 2}, func(_ context.Context, task coop.Task[string]) (string, error) {
			all, _ := s.Load(t.Context())
			if want := task.Attempt - 1; task.ID == "a" && all[0].Attempts != want {
				t.Errorf("attempt %d: %d are saved", task.Attempt, all[0].Attempts)
			}
			return failing(2)(t.Context(), task)
		})
		r.works(r.add("a"), "a")
		_ = r.Pause()
		b := r.add("b")
		s.set(func(f *faulty) { f.save = errBroken })
		_ = r.Resume()
		r.works(b, "b")
		if len(r.reports) != 2 || !errors.Is(r.reports[0], coop.ErrStore) {
			t.Errorf("reports are %v", r.reports)
		}
	})
}

func TestAFailedCleanupIsToldWithTheResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &faulty{remove: errBroken}
		r := newRig(t, coop.Options{Store: s}, func(_ context.Context, task coop.Task[string]) (string, error) {
			if task.ID == "bad" {
				return "", context.DeadlineExceeded
			}
			return task.Value, nil
		})
		f := r.add("a")
		if v, err := r.settled(f); v != "a" || !errors.Is(err, coop.ErrCleanup) || !errors.Is(err, errBroken) {
			t.Errorf("got %q and %v", v, err)
		}
		r.fails(r.add("bad"), coop.ErrCleanup, context.DeadlineExceeded)
		_ = r.Pause()
		w := r.add("w")
		if err := r.Abort(); !errors.Is(err, coop.ErrCleanup) {
			t.Errorf("abort: %v", err)
		}
		r.fails(w, coop.ErrCleanup, coop.ErrAborted)
		s.set(func(f *faulty) { f.clear = errBroken })
		w = r.add("v")
		if err := r.Clear(); !errors.Is(err, coop.ErrCleanup) {
			t.Errorf("clear: %v", err)
		}
		r.fails(w, coop.ErrCleanup, coop.ErrCleared)
	})
}

func TestDestroyWhileARowIsSavedTakesItBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		s := &faulty{saving: func() { <-hold }}
		r := newRig(t, coop.Options{Store: s}, echo)
		failed := make(chan error, 1)
		go func() {
			_, err := r.Enqueue(t.Context(), "x")
			failed <- err
		}()
		synctest.Wait()
		_ = r.Destroy(t.Context())
		close(hold)
		if err := <-failed; !errors.Is(err, coop.ErrDestroyed) {
			t.Errorf("got %v", err)
		}
		holds(t, s)
	})
}

func TestClearSparesWhatIsSavedMeanwhile(t *testing.T) {
	s := &coop.Memory{}
	q, err := coop.New(coop.Handler[string, string](takes(time.Hour)), coop.Options{Store: s})
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Pause(); err != nil {
		t.Fatal(err)
	}
	for range 500 {
		var both sync.WaitGroup
		both.Go(func() {
			if _, err := q.Enqueue(t.Context(), "x"); err != nil {
				t.Error(err)
			}
		})
		both.Go(func() {
			if err := q.Clear(); err != nil {
				t.Error(err)
			}
		})
		both.Wait()
		if live, saved := q.Stats().Entries, len(rows(t, s)); live != saved {
			t.Fatalf("%d entries are live, %d are saved", live, saved)
		}
	}
	if err := q.Destroy(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestRestoreGoesOnWhereAProcessEnded(t *testing.T) {
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			first, err := coop.New(func(ctx context.Context, task coop.Task[string]) (string, error) {
				if task.Attempt == 1 {
					return "", errBroken
				}
				<-ctx.Done()
				return "", ctx.Err()
			}, coop.Options{Store: s})
			if err != nil {
				t.Fatal(err)
			}
			for _, id := range []string{"a", "b", "c"} {
				if _, err := first.Enqueue(t.Context(), id, coop.ID(id), coop.Retries(4), coop.Timeout(time.Hour)); err != nil {
					t.Fatal(err)
				}
			}
			for first.Stats().Waiting != 2 {
				time.Sleep(time.Millisecond)
			}
			if err := first.Destroy(t.Context()); err != nil {
				t.Fatal(err)
			}
			holds(t, s, "a", "b", "c")
			got := make(chan coop.Task[string], 3)
			second, err := coop.New(func(_ context.Context, task coop.Task[string]) (string, error) {
				got <- task
				return task.Value, nil
			}, coop.Options{Store: s})
			if err != nil {
				t.Fatal(err)
			}
			futures, err := second.Restore(t.Context())
			if err != nil || len(futures) != 3 {
				t.Fatal(futures, err)
			}
			for i, want := range []coop.Task[string]{{ID: "a", Value: "a", Attempt: 2}, {ID: "b", Value: "b", Attempt: 1}, {ID: "c", Value: "c", Attempt: 1}} {
				if v, err := futures[i].Wait(t.Context()); v != want.Value || err != nil {
					t.Errorf("%s ended with %q and %v", want.ID, v, err)
				}
				if task := <-got; task.ID != want.ID || i > 0 && task.Attempt != want.Attempt {
					t.Errorf("restored %+v, want %+v", task, want)
				}
			}
			holds(t, s)
			if err := second.Destroy(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestRestoreOnALiveQueueBringsNothingTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &coop.Memory{}
		_ = s.Save(t.Context(), coop.Row{ID: "old", Payload: []byte(`"old"`)})
		r := newRig(t, coop.Options{Store: s, Concurrency: 2}, takes(time.Second))
		r.addAll("a", "b", "c")
		r.ran("a", "b")
		for i := range 2 {
			if fs, err := r.Restore(t.Context()); err != nil || len(fs) != 1-i {
				t.Errorf("restore %d: %d, %v", i, len(fs), err)
			}
		}
		_ = r.Wait(t.Context())
		r.ran("a", "b", "c", "old")
		if fs, err := r.Restore(t.Context()); err != nil || len(fs) != 0 {
			t.Errorf("of nothing: %d, %v", len(fs), err)
		}
	})
}

// slow loads what there is, and hands it out later.
type slow struct {
	coop.Memory
	loaded, hold chan struct{}
}

func (s *slow) Load(ctx context.Context) ([]coop.Row, error) {
	rows, err := s.Memory.Load(ctx)
	s.loaded <- struct{}{}
	<-s.hold
	return rows, err
}

func TestRestoreBringsNothingBackThatSettlesMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slow{loaded: make(chan struct{}), hold: make(chan struct{})}
		r := newRig(t, coop.Options{Store: s}, takes(time.Second))
		a := r.add("a")
		go func() {
			if fs, err := r.Restore(t.Context()); err != nil || len(fs) != 0 {
				t.Errorf("restored %d, %v", len(fs), err)
			}
		}()
		<-s.loaded // with a's row
		time.Sleep(2 * time.Second)
		r.works(a, "a")
		close(s.hold)
		time.Sleep(2 * time.Second)
		r.ran("a")
	})
}

func TestOneBadRowRefusesTheWholeLoad(t *testing.T) {
	good := coop.Row{ID: "good", Payload: []byte(`"x"`)}
	for name, bad := range map[string]coop.Row{
		"no id":       {Payload: []byte(`"x"`)},
		"payload":     {ID: "bad", Payload: []byte(`{"no":"text"}`)},
		"no payload":  {ID: "bad"},
		"retries":     {ID: "bad", Payload: []byte(`"x"`), Retries: -1},
		"timeout":     {ID: "bad", Payload: []byte(`"x"`), Timeout: -1},
		"attempts":    {ID: "bad", Payload: []byte(`"x"`), Attempts: -1},
		"a duplicate": good,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := given{good, bad}
				r := newRig(t, coop.Options{Store: s}, echo)
				if fs, err := r.Restore(t.Context()); !errors.Is(err, coop.ErrInvalid) || fs != nil {
					t.Errorf("got %v, %v", fs, err)
				}
				r.ran()
				r.told()
				_, err := r.Restore(t.Context()) // the one before left nothing held
				if e, ok := errors.AsType[*coop.Error](err); !ok || e.ID != bad.ID {
					t.Errorf("got %v", err)
				}
			})
		})
	}
}

// given is a store that holds what it holds.
type given []coop.Row

func (g given) Save(context.Context, coop.Row) error     { return nil }
func (g given) Remove(context.Context, ...string) error  { return nil }
func (g given) Load(context.Context) ([]coop.Row, error) { return g, nil }
func (g given) Clear(context.Context, ...string) error   { return nil }

func TestRestoreNeedsAStoreThatCanBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, coop.Options{}, echo)
		if _, err := r.Restore(t.Context()); !errors.Is(err, coop.ErrInvalid) {
			t.Errorf("without a store: %v", err)
		}
		r = newRig(t, coop.Options{Store: &faulty{load: errBroken}}, echo)
		if _, err := r.Restore(t.Context()); !errors.Is(err, coop.ErrStore) || !errors.Is(err, errBroken) {
			t.Errorf("got %v", err)
		}
	})
}
