package coop_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"signalbox/engine/coop"
)

func TestBadOptionsAreErrors(t *testing.T) {
	for name, o := range map[string]coop.Options{
		"concurrency": {Concurrency: -1},
		"retries":     {Retries: -1},
		"timeout":     {Timeout: -1},
		"observer":    {Observers: []func(coop.Event){nil}},
	} {
		if _, err := coop.New(echo, o); !errors.Is(err, coop.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := coop.New[string, string](nil, coop.Options{}); !errors.Is(err, coop.ErrInvalid) {
		t.Errorf("no handler: %v", err)
	}
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, coop.Options{}, echo)
		for name, o := range map[string]coop.EntryOption{"id": coop.ID(""), "retries": coop.Retries(-1), "timeout": coop.Timeout(-time.Second)} {
			if _, err := r.Enqueue(t.Context(), "x", o); !errors.Is(err, coop.ErrInvalid) {
				t.Errorf("%s: %v", name, err)
			}
		}
		var e *coop.Error
		if _, err := r.Enqueue(t.Context(), "x", coop.ID("a"), coop.Retries(-1)); !errors.As(err, &e) || e.ID != "a" {
			t.Errorf("the error doesn't name its entry: %v", err)
		}
		r.ran()
	})
}

func TestAValueThatIsNoJSONIsInvalidWithAStore(t *testing.T) {
	q, err := coop.New(func(context.Context, coop.Task[func()]) (int, error) { return 0, nil }, coop.Options{Store: &coop.Memory{}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := q.Enqueue(t.Context(), func() {}); !errors.Is(err, coop.ErrInvalid) {
		t.Errorf("got %v", err)
	}
}

func TestFirstInFirstOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, coop.Options{}, takes(time.Second))
		r.add("a")
		r.ran("a")
		fs := r.addAll("b", "c")
		if err := r.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.ran("a", "b", "c")
		r.works(fs[1], "c")
		if r.most != 1 {
			t.Errorf("%d ran at once", r.most)
		}
		r.told("enqueue a", "start a", "enqueue b", "enqueue c", "success a", "start b", "success b", "start c", "success c", "drain")
	})
}

func TestNeverMoreThanTheConcurrencyRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, coop.Options{Concurrency: 3}, takes(time.Second))
		began := time.Now()
		for i := range 30 {
			r.add(fmt.Sprint(i))
		}
		if s := r.Stats(); s != (coop.Stats{Waiting: 30 - s.Running, Running: s.Running, Entries: 30}) {
			t.Errorf("stats are %+v", s)
		}
		_ = r.Wait(t.Context())
		if r.most != 3 || time.Since(began) != 10*time.Second {
			t.Errorf("%d ran at once, for %s", r.most, time.Since(began))
		}
	})
}

func TestAHandlerThatDoesNotListenKeepsItsPlaceButNotItsFuture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, coop.Options{Concurrency: 2, Timeout: time.Second}, deaf(time.Minute))
		fs := r.addAll("a")
		synctest.Wait() // two workers that begin at once may come to their handlers in any order
		fs = append(fs, r.addAll("b", "c")...)
		time.Sleep(time.Second)
		r.fails(fs[0], coop.ErrTimeout, context.DeadlineExceeded)
		r.fails(fs[1], coop.ErrTimeout)
		r.ran("a", "b")
		if s := r.Stats(); s != (coop.Stats{Waiting: 1, Running: 2, Entries: 1}) {
			t.Errorf("stats are %+v", s)
		}
		time.Sleep(59 * time.Second)
		r.ran("a", "b", "c")
		if r.most != 2 {
			t.Errorf("%d ran at once", r.most)
		}
	})
}

func TestNoGoroutineBeforeWorkAndParkedOnesAfter(t *testing.T) {
	before := runtime.NumGoroutine()
	synctest.Test(t, func(t *testing.T) {
		inside := runtime.NumGoroutine()
		q, err := coop.New(echo, coop.Options{Concurrency: 8})
		if err != nil {
			t.Fatal(err)
		}
		if n := runtime.NumGoroutine() - inside; n != 0 {
			t.Errorf("%d goroutines before work", n)
		}
		for range 3 {
			f, err := q.Enqueue(t.Context(), "x")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			synctest.Wait() // all that is left is parked: nothing polls, no timer runs
		}
		if n := runtime.NumGoroutine() - inside; n != 1 {
			t.Errorf("%d goroutines for one entry at a time", n)
		}
		began := time.Now()
		time.Sleep(24 * time.Hour)
		if time.Since(began) != 24*time.Hour {
			t.Error("something held the clock")
		}
		if err := q.Destroy(t.Context()); err != nil {
			t.Error(err)
		}
	})
	if n := runtime.NumGoroutine(); n > before {
		t.Errorf("%d goroutines are left", n-before)
	}
}

func TestAnIDIsTakenUntilItsEntryHasSettled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, coop.Options{}, takes(time.Second))
		r.addAll("a", "b")
		for _, id := range []string{"a", "b"} {
			if _, err := r.Enqueue(t.Context(), "x", coop.ID(id)); !errors.Is(err, coop.ErrDuplicate) {
				t.Errorf("%s again: %v", id, err)
			}
		}
		_ = r.Wait(t.Context())
		f := r.add("a")
		time.Sleep(time.Second)
		r.works(f, "a")
	})
}

func TestIDsAreMadeUpAndStayTheSameOverAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, coop.Options{Retries: 2}, failing(2))
		f, err := r.Enqueue(t.Context(), "x")
		if err != nil {
			t.Fatal(err)
		}
		g, _ := r.Enqueue(t.Context(), "y")
		r.works(f, "x")
		r.works(g, "y")
		if f.ID() == "" || f.ID() == g.ID() {
			t.Errorf("ids are %q and %q", f.ID(), g.ID())
		}
		r.ran(f.ID(), f.ID(), f.ID(), g.ID(), g.ID(), g.ID())
	})
}

func TestRetriesComeAtOnceAndCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, coop.Options{Retries: 1}, failing(2))
		a, b := r.add("a"), r.add("b", coop.Retries(2))
		r.fails(a, errBroken)
		r.works(b, "b")
		r.ran("a", "a", "b", "b", "b")
		r.fails(r.add("c", coop.Retries(0)), errBroken)
	})
}

func TestEventsFollowTransitions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r *rig
		seen := func(e coop.Event) {
			if s := r.Stats(); e.Kind == coop.Drained && s.Entries != 0 {
				t.Errorf("drain with %+v", s)
			}
			if e.Kind == coop.Retried && (!errors.Is(e.Err, errBroken) || e.Attempt != 1) {
				t.Errorf("the retry is %+v", e)
			}
		}
		r = newRig(t, coop.Options{Retries: 1, Observers: []func(coop.Event){seen}}, failing(1))
		r.works(r.add("a"), "a")
		r.fails(r.add("b", coop.Retries(0)), errBroken)
		r.told("enqueue a", "start a", "retry a", "start a", "success a", "drain", "enqueue b", "start b", "failure b", "drain")
	})
}

func TestTimeouts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, coop.Options{Timeout: time.Second, Retries: 1}, takes(2*time.Second))
		began := time.Now()
		a, b := r.add("a"), r.add("b", coop.Timeout(3*time.Second))
		c := r.add("c", coop.Timeout(0))
		_ = r.Wait(t.Context())
		r.fails(a, coop.ErrTimeout, context.DeadlineExceeded)
		r.works(b, "b")
		r.works(c, "c")
		r.ran("a", "a", "b", "c")
		if d := time.Since(began); d != 6*time.Second {
			t.Errorf("took %s", d)
		}
	})
}

func TestAHandlerSeesItsDeadlineAndTheEntrysValues(t *testing.T) {
	type key struct{}
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, coop.Options{Timeout: time.Second}, func(ctx context.Context, _ coop.Task[string]) (string, error) {
			end, ok := ctx.Deadline()
			if !ok || time.Until(end) != time.Second {
				t.Errorf("the deadline is %s, %v", end, ok)
			}
			return ctx.Value(key{}).(string), nil
		})
		f, err := r.Enqueue(context.WithValue(t.Context(), key{}, "mine"), "x")
		if err != nil {
			t.Fatal(err)
		}
		r.works(f, "mine")
	})
}

func TestAnEntrysContextAbortsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, coop.Options{Retries: 3}, takes(time.Hour))
		mine, cancel := context.WithCancelCause(t.Context())
		add := func(name string) *coop.Future[string] {
			f, err := r.Enqueue(mine, name, coop.ID(name))
			if err != nil {
				t.Fatal(err)
			}
			return f
		}
		runs, waits, other := add("a"), add("b"), r.add("c")
		r.ran("a")
		why := errors.New("no longer wanted")
		cancel(why)
		r.fails(runs, coop.ErrAborted, why)
		r.fails(waits, coop.ErrAborted, why)
		r.ran("a", "c")
		r.open(other)
		if _, err := r.Enqueue(mine, "d"); !errors.Is(err, coop.ErrAborted) {
			t.Errorf("with an ended context: %v", err)
		}
	})
}

func TestWhatAHandlerReturnsAfterItsContextEndedDoesNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, coop.Options{Retries: 3}, deaf(time.Second))
		mine, cancel := context.WithCancel(t.Context())
		f, err := r.Enqueue(mine, "a", coop.ID("a"))
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
		cancel()
		r.fails(f, coop.ErrAborted, context.Canceled)
		time.Sleep(time.Second)
		r.ran("a")
		r.told("enqueue a", "start a", "abort a", "drain")
	})
}

func TestAPanicIsAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, coop.Options{}, func(_ context.Context, task coop.Task[string]) (string, error) {
			if task.ID == "a" {
				panic(errBroken)
			}
			return task.Value, nil
		})
		a, b := r.add("a"), r.add("b")
		r.fails(a, errBroken)
		_, err := r.settled(a)
		if p, ok := errors.AsType[*coop.Panic](err); !ok || len(p.Stack) == 0 {
			t.Errorf("the failure is %v", err)
		}
		r.works(b, "b")
	})
}

func TestAHandlerMayEndItsGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, coop.Options{Concurrency: 2}, func(_ context.Context, task coop.Task[string]) (string, error) {
			if task.ID != "last" {
				runtime.Goexit()
			}
			return task.Value, nil
		})
		fs := r.addAll("a", "b", "c", "last")
		for _, f := range fs[:3] {
			if _, err := r.settled(f); err == nil {
				t.Error("it counts as done")
			}
		}
		r.works(fs[3], "last")
	})
}

func TestAnObserverThatPanicsOrEndsDisturbsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, coop.Options{Observers: []func(coop.Event){func(e coop.Event) {
			switch e.Kind {
			case coop.Started:
				panic("no")
			case coop.Succeeded:
				runtime.Goexit()
			}
		}}}, echo)
		r.works(r.add("a"), "a")
		r.works(r.add("b"), "b")
		// The observer behind it misses only what the goroutine ended in.
		r.told("enqueue a", "start a", "drain", "enqueue b", "start b", "drain")
		if len(r.reports) != 2 {
			t.Errorf("reports are %v", r.reports)
		}
	})
}

func TestAReportThatPanicsDisturbsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, coop.Options{
			Observers: []func(coop.Event){func(coop.Event) { panic("no") }},
			Report:    func(error) { panic("neither") },
		}, echo)
		r.works(r.add("a"), "a")
	})
}

func TestAnObserverMayUseTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r *rig
		r = newRig(t, coop.Options{Observers: []func(coop.Event){func(e coop.Event) {
			if e.Kind == coop.Succeeded && e.ID == "a" {
				r.add("b")
			}
		}}}, echo)
		r.add("a")
		r.ran("a", "b")
	})
}

func TestASlowObserverHoldsUpNoWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, coop.Options{Observers: []func(coop.Event){func(coop.Event) { time.Sleep(time.Hour) }}}, echo)
		for _, f := range r.addAll("a", "b", "c") {
			r.works(f, f.ID())
		}
	})
}

func TestWaitEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, coop.Options{}, takes(time.Hour))
		f := r.add("a")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := r.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the queue's: %v", err)
		}
		if _, err := f.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the future's: %v", err)
		}
		r.open(f)
	})
}
