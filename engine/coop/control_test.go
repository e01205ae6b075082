package coop_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"signalbox/engine/coop"
)

func TestPauseStartsNothingMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, coop.Options{Concurrency: 2, Retries: 1}, func(ctx context.Context, task coop.Task[string]) (string, error) {
			time.Sleep(time.Second)
			return failing(1)(ctx, task)
		})
		a := r.add("a")
		r.ran("a")
		_ = r.Pause()
		b := r.add("b")
		time.Sleep(time.Minute)
		r.open(a) // its retry waits too
		r.open(b)
		r.ran("a")
		_ = r.Resume()
		time.Sleep(2 * time.Second)
		r.works(a, "a")
		r.works(b, "b")
		r.ran("a", "a", "b", "b")
	})
}

func TestResumeBringsAllPlacesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, coop.Options{Concurrency: 3}, takes(time.Second))
		r.addAll("a", "b") // leaves two parked workers
		_ = r.Wait(t.Context())
		_ = r.Pause()
		r.addAll("c", "d", "e", "f")
		_ = r.Resume()
		synctest.Wait()
		if s := r.Stats(); s.Running != 3 || s.Waiting != 1 {
			t.Errorf("stats are %+v", s)
		}
	})
}

func TestStopTakesNoMoreAndFinishesWhatItHas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, coop.Options{Store: &coop.Memory{}}, takes(time.Second))
		fs := r.addAll("a", "b")
		_ = r.Stop()
		if _, err := r.Enqueue(t.Context(), "c"); !errors.Is(err, coop.ErrStopped) {
			t.Errorf("enqueue: %v", err)
		}
		if _, err := r.Restore(t.Context()); !errors.Is(err, coop.ErrStopped) {
			t.Errorf("restore: %v", err)
		}
		_ = r.Wait(t.Context())
		r.works(fs[0], "a")
		r.works(fs[1], "b")
		_ = r.Start()
		c := r.add("c")
		time.Sleep(time.Second)
		r.works(c, "c")
	})
}

func TestClearEndsWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &coop.Memory{}
		r := newRig(t, coop.Options{Store: s}, takes(time.Second))
		_ = s.Save(t.Context(), coop.Row{ID: "never restored", Payload: []byte(`"x"`)})
		a := r.add("a")
		r.ran("a")
		b := r.add("b")
		if err := r.Clear(); err != nil {
			t.Fatal(err)
		}
		r.fails(b, coop.ErrCleared)
		holds(t, s, "a")
		time.Sleep(time.Second)
		r.works(a, "a")
		r.ran("a")
		r.told("enqueue a", "start a", "enqueue b", "abort b", "success a", "drain")
	})
}

func TestAbortEndsAllWithoutRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &coop.Memory{}
		r := newRig(t, coop.Options{Store: s, Retries: 5}, takes(time.Hour))
		a := r.add("a")
		r.ran("a")
		b := r.add("b")
		if err := r.Abort(); err != nil {
			t.Fatal(err)
		}
		for _, f := range []*coop.Future[string]{a, b} {
			r.fails(f, coop.ErrAborted)
		}
		holds(t, s)
		r.ran("a")
		r.told("enqueue a", "start a", "enqueue b", "abort a", "abort b", "drain")
		r.add("c") // the queue goes on
		r.ran("a", "c")
	})
}

func TestAbortIsRacedAgainstAHandlerThatDoesNotListen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, coop.Options{Retries: 5}, deaf(time.Hour))
		a := r.add("a")
		r.ran("a")
		_ = r.Abort()
		r.fails(a, coop.ErrAborted)
		b := r.add("b")
		time.Sleep(time.Minute)
		r.ran("a") // its place is taken while it runs
		time.Sleep(2 * time.Hour)
		r.works(b, "b")
		r.ran("a", "b")
	})
}

func TestAHandlerSeesTheAbortAsItsCause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen := make(chan error, 1)
		r := newRig(t, coop.Options{}, func(ctx context.Context, _ coop.Task[string]) (string, error) {
			<-ctx.Done()
			seen <- context.Cause(ctx)
			return "", nil
		})
		r.add("a")
		r.ran("a")
		_ = r.Abort()
		if err := <-seen; !errors.Is(err, coop.ErrAborted) {
			t.Errorf("the cause is %v", err)
		}
	})
}

func TestAbortOfWhatIsAboutToBeRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &faulty{}
		hold := make(chan struct{})
		r := newRig(t, coop.Options{Store: s, Retries: 5}, failing(9))
		_ = r.Pause()
		a := r.add("a")
		s.set(func(f *faulty) { f.saving = func() { <-hold } })
		_ = r.Resume()
		r.ran("a") // its count is being saved
		_ = r.Abort()
		r.open(a)
		close(hold)
		r.fails(a, coop.ErrAborted)
		holds(t, s)
		r.ran("a")
	})
}

func TestDestroyEndsAllAndKeepsTheRows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &coop.Memory{}
		r := newRig(t, coop.Options{Store: s, Concurrency: 2}, takes(time.Hour))
		fs := r.addAll("a", "b", "c")
		r.ran("a", "b")
		if err := r.Destroy(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, f := range fs {
			r.fails(f, coop.ErrDestroyed)
		}
		holds(t, s, "a", "b", "c")
		if err := r.Destroy(t.Context()); err != nil {
			t.Errorf("again: %v", err)
		}
		_, enqueue := r.Enqueue(t.Context(), "x")
		_, restore := r.Restore(t.Context())
		for name, err := range map[string]error{
			"enqueue": enqueue, "restore": restore, "pause": r.Pause(), "resume": r.Resume(),
			"stop": r.Stop(), "start": r.Start(), "clear": r.Clear(), "abort": r.Abort(),
		} {
			if !errors.Is(err, coop.ErrDestroyed) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

func TestDestroyWaitsForHandlersAsLongAsItIsToldTo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, coop.Options{}, deaf(time.Hour))
		f := r.add("a")
		r.ran("a")
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := r.Destroy(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		r.fails(f, coop.ErrDestroyed)
		began := time.Now()
		if err := r.Destroy(t.Context()); err != nil || time.Since(began) != time.Hour-time.Minute {
			t.Errorf("got %v after %s", err, time.Since(began))
		}
	})
}

func TestDestroyOfAQueueThatNeverWorked(t *testing.T) {
	q, err := coop.New(echo, coop.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Destroy(t.Context()); err != nil {
		t.Error(err)
	}
}
