package drain_test

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"signalbox/engine"
	"signalbox/engine/drain"
	"signalbox/store"
)

func TestStopLetsDrainsFinishAndGivesBackTheRest(t *testing.T) {
	virtual(t, func(r *rig) {
		r.queue("quick", func(q *store.Queue) { q.BatchSize, q.MaxDrains = 10, 1 })
		r.queue("long", nil)
		r.start(drain.Options{Handlers: map[string]drain.Handler{"quick": takes(10 * time.Second), "long": takes(time.Hour)}})
		quick := r.addN("quick", 10)
		long := r.add("long", `1`)[0]
		after(time.Second)
		began := time.Now()
		left := r.Stop(r.ctx)
		if want := (drain.Left{Finished: 1, GivenBack: 10}); left != want {
			t.Errorf("left %+v, want %+v", left, want)
		}
		if d := time.Since(began); d != 25*time.Second {
			t.Errorf("stopped after %s", d)
		}
		r.want(quick[0], store.Completed, "")
		r.want(quick[1], store.Queued, "")
		if rec := r.want(long, store.Queued, ""); rec.Failures != 0 || rec.Reclaims != 0 {
			t.Errorf("giving back cost %d failures, %d reclaims", rec.Failures, rec.Reclaims)
		}
		if again := r.Stop(r.ctx); again != left {
			t.Errorf("a second stop says %+v", again)
		}
	})
}

func TestStopReturnsAsSoonAsAllIsDone(t *testing.T) {
	virtual(t, func(r *rig) {
		r.queue("orders", nil)
		r.handle(takes(3*time.Second), "orders")
		r.addN("orders", 100)
		after(time.Second)
		began := time.Now()
		left := r.Stop(r.ctx)
		if want := (drain.Left{Finished: 19}); left != want || time.Since(began).Round(time.Second) != 2*time.Second {
			t.Errorf("left %+v after %s", left, time.Since(began))
		}
		if c := r.counts("orders"); c[store.Queued] != 81 {
			t.Errorf("%v", c)
		}
		if s := r.Slots().State(); s.Busy != 0 || len(s.Waiting) != 0 {
			t.Errorf("%d busy, %d waiting after the stop", s.Busy, len(s.Waiting))
		}
	})
}

func TestASecondSignalGivesBackAtOnce(t *testing.T) {
	for name, signal := range map[string]func(*rig, context.CancelFunc){
		"context": func(_ *rig, cancel context.CancelFunc) { cancel() },
		"abort":   func(r *rig, _ context.CancelFunc) { r.Abort() },
	} {
		virtual(t, func(r *rig) {
			r.queue("orders", nil)
			r.handle(takes(time.Hour), "orders")
			id := r.add("orders", `1`)[0]
			after(time.Second)
			ctx, cancel := context.WithCancel(r.ctx)
			defer cancel()
			stopped := make(chan drain.Left)
			go func() { stopped <- r.Stop(ctx) }()
			after(5 * time.Second)
			began := time.Now()
			signal(r, cancel)
			if left := <-stopped; left != (drain.Left{GivenBack: 1}) || time.Since(began) != 0 {
				t.Errorf("%s: left %+v after %s", name, left, time.Since(began))
			}
			r.want(id, store.Queued, "")
		})
	}
}

func TestTheEndOfTheStartingContextStopsToo(t *testing.T) {
	virtual(t, func(r *rig) {
		r.queue("orders", nil)
		id := r.add("orders", `1`)[0]
		ctx, cancel := context.WithCancel(r.ctx)
		r.Scheduler = drain.Start(ctx, r, drain.Options{Handlers: map[string]drain.Handler{"orders": takes(time.Hour)}})
		after(time.Second)
		cancel()
		synctest.Wait()
		r.want(id, store.Queued, "")
		if left := r.Stop(r.ctx); left != (drain.Left{GivenBack: 1}) {
			t.Errorf("left %+v", left)
		}
	})
}

func TestStopDoesNotWaitForAHandlerThatWont(t *testing.T) {
	virtual(t, func(r *rig) {
		r.queue("orders", nil)
		id := r.add("orders", `1`)[0]
		r.handle(func(context.Context, engine.Record) (json.RawMessage, error) {
			time.Sleep(24 * time.Hour)
			return nil, nil
		}, "orders")
		after(time.Second)
		began := time.Now()
		left := r.Stop(r.ctx)
		if want := (drain.Left{GivenBack: 1, Stuck: 1}); left != want || time.Since(began) != 30*time.Second {
			t.Errorf("left %+v after %s", left, time.Since(began))
		}
		r.want(id, store.Queued, "")
		after(48 * time.Hour)
	})
}

func TestWhatCantBeGivenBackIsSaid(t *testing.T) {
	virtual(t, func(r *rig) {
		r.queue("orders", nil)
		id := r.add("orders", `1`)[0]
		r.settle = func(context.Context, []engine.Settlement) ([]engine.Outcome, error) {
			return nil, store.Unavailable("the store", nil, "wait")
		}
		r.handle(takes(10*time.Second), "orders")
		after(time.Second)
		if left := r.Stop(r.ctx); left != (drain.Left{Lost: 1}) {
			t.Errorf("left %+v", left)
		}
		r.want(id, store.Claimed, "")
	})
}
