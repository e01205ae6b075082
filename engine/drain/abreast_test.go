package drain_test

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"signalbox/engine"
	"signalbox/engine/drain"
	"signalbox/store"
)

// abreast starts drains with a handler that works n items of orders side by side.
func (r *rig) abreast(n int, h drain.Handler) {
	r.start(drain.Options{Handlers: map[string]drain.Handler{"orders": h}, Abreast: map[string]int{"orders": n}})
}

// oneBatch has a queue worked by one drain that claims so many.
func oneBatch(n int) func(*store.Queue) {
	return func(q *store.Queue) { q.BatchSize, q.MaxDrains = n, 1 }
}

// slowOn gives a handler that takes so long for one item and a second for others.
func slowOn(slow store.ID, d time.Duration) drain.Handler {
	return func(ctx context.Context, rec engine.Record) (json.RawMessage, error) {
		if rec.ID() == slow {
			return takes(d)(ctx, rec)
		}
		return takes(time.Second)(ctx, rec)
	}
}

func TestASlowItemHoldsUpNoneBesideIt(t *testing.T) {
	for slow := range 16 {
		virtual(t, func(r *rig) {
			r.queue("orders", oneBatch(16))
			ids := r.addN("orders", 16)
			r.abreast(16, slowOn(ids[slow], time.Hour))
			after(1100 * time.Millisecond)
			if c := r.counts("orders"); c[store.Completed] != 15 || c.InFlight() != 1 {
				t.Errorf("item %d is slow: %v after the time of one", slow, c)
			}
			after(time.Hour)
			r.want(ids[slow], store.Completed, "")
		})
	}
}

// What comes one after the other is not held up either, though each of the queue's
// drains would have a slow one.
func TestSlowItemsHoldUpNoneThatComesLater(t *testing.T) {
	virtual(t, func(r *rig) {
		r.queue("orders", func(q *store.Queue) { q.BatchSize, q.MaxDrains = 8, 2 })
		var now, most atomic.Int64
		r.abreast(8, func(ctx context.Context, rec engine.Record) (json.RawMessage, error) {
			most.Store(max(most.Load(), now.Add(1)))
			defer now.Add(-1)
			if rec.Number%4 == 1 {
				return takes(20*time.Second)(ctx, rec)
			}
			return takes(time.Second)(ctx, rec)
		})
		for range 25 { // a slow one and three quick ones each
			ids := r.addN("orders", 4)
			after(4 * time.Second)
			for _, id := range ids[1:] {
				r.want(id, store.Completed, "")
			}
		}
		after(time.Minute)
		if c := r.counts("orders"); c[store.Completed] != 100 || most.Load() > 16 {
			t.Errorf("%v, %d at once", c, most.Load())
		}
	})
}

func TestNoMoreThanSoManyAreWorkedSideBySide(t *testing.T) {
	for n, want := range map[int]int64{0: 1, 1: 1, 3: 3, 100: 10} {
		virtual(t, func(r *rig) {
			r.queue("orders", oneBatch(10))
			r.addN("orders", 10)
			var now, most atomic.Int64
			r.abreast(n, func(ctx context.Context, rec engine.Record) (json.RawMessage, error) {
				if k := now.Add(1); k > most.Load() {
					most.Store(k)
				}
				defer now.Add(-1)
				return takes(time.Second)(ctx, rec)
			})
			after(11 * time.Second)
			if c := r.counts("orders"); most.Load() != want || c[store.Completed] != 10 {
				t.Errorf("%d may be worked: %d were, %v", n, most.Load(), c)
			}
		})
	}
}

func TestEachSideBySideHasItsOwnTime(t *testing.T) {
	virtual(t, func(r *rig) {
		r.queue("orders", func(q *store.Queue) {
			oneBatch(4)(q)
			q.AttemptTimeout = store.Duration(30 * time.Second)
		})
		ids := r.addN("orders", 4)
		var begun atomic.Int64
		r.abreast(2, func(ctx context.Context, rec engine.Record) (json.RawMessage, error) {
			begun.Add(1)
			if rec.ID() == ids[3] {
				return takes(20*time.Second)(ctx, rec)
			}
			return takes(time.Hour)(ctx, rec)
		})
		after(29 * time.Second)
		if begun.Load() != 2 {
			t.Errorf("%d were begun", begun.Load())
		}
		after(2 * time.Second)
		r.want(ids[0], store.Failed, "timed out after 30s")
		r.want(ids[1], store.Failed, "timed out after 30s")
		after(20 * time.Second) // 50 s after the claim, 20 s after it was begun
		r.want(ids[3], store.Completed, "")
		after(10 * time.Second)
		r.want(ids[2], store.Failed, "timed out after 30s")
	})
}

func TestWhatBreaksSideBySideBreaksAlone(t *testing.T) {
	virtual(t, func(r *rig) {
		r.queue("orders", oneBatch(5))
		ids := r.addN("orders", 5)
		r.abreast(5, func(_ context.Context, rec engine.Record) (json.RawMessage, error) {
			switch rec.ID() {
			case ids[0]:
				panic("oh no")
			case ids[1]:
				runtime.Goexit()
			case ids[2]:
				return nil, errors.New("no answer")
			case ids[3]:
				return nil, &drain.Business{Reason: "no such customer"}
			}
			return json.RawMessage(`{"ok":true}`), nil
		})
		after(time.Minute)
		r.want(ids[0], store.Failed, "panic: oh no")
		r.want(ids[1], store.Failed, "the handler ended its goroutine")
		r.want(ids[2], store.Failed, "no answer")
		r.want(ids[3], store.Failed, "no such customer")
		r.want(ids[4], store.Completed, "")
	})
}

// An item that is taken away is cancelled alone, waiting or under way.
func TestALostLeaseCancelsOneSideBySide(t *testing.T) {
	virtual(t, func(r *rig) {
		r.queue("orders", oneBatch(3))
		ids := r.addN("orders", 3)
		r.renew = func(_ context.Context, hs []engine.Holding) ([]engine.Outcome, error) {
			out := make([]engine.Outcome, len(hs))
			for i, h := range hs {
				out[i] = engine.Outcome{Item: h.Item, Result: engine.Stale}
				if h.Item == ids[1] {
					out[i].Result = engine.OK
				}
			}
			return out, nil
		}
		var cancelled, begun atomic.Int64
		r.abreast(2, func(ctx context.Context, rec engine.Record) (json.RawMessage, error) {
			begun.Add(1)
			out, err := takes(20*time.Second)(ctx, rec)
			if err != nil {
				cancelled.Add(1)
			}
			return out, err
		})
		after(16 * time.Second) // one renewal
		if cancelled.Load() != 1 {
			t.Errorf("%d were cancelled", cancelled.Load())
		}
		after(time.Minute)
		r.want(ids[1], store.Completed, "")
		if begun.Load() != 2 {
			t.Errorf("%d were begun: one was lost in line", begun.Load())
		}
	})
}

func TestALeaseThatCantBeRenewedCancelsAllSideBySide(t *testing.T) {
	virtual(t, func(r *rig) {
		r.queue("orders", func(q *store.Queue) {
			oneBatch(3)(q)
			q.Lease = store.Duration(time.Minute)
		})
		r.addN("orders", 3)
		r.renew = func(context.Context, []engine.Holding) ([]engine.Outcome, error) {
			return nil, errors.New("unreachable")
		}
		var cancelled atomic.Int64
		r.abreast(2, func(ctx context.Context, _ engine.Record) (json.RawMessage, error) {
			<-ctx.Done()
			cancelled.Add(1)
			return nil, nil
		})
		after(59 * time.Second)
		if cancelled.Load() != 2 || r.settles.Load() != 0 {
			t.Errorf("%d cancelled, %d settled", cancelled.Load(), r.settles.Load())
		}
	})
}

func TestStopGivesBackWhatIsWorkedSideBySide(t *testing.T) {
	for name, stop := range map[string]struct {
		how  func(*rig) drain.Left
		took time.Duration
		left drain.Left
	}{
		"stop":  {func(r *rig) drain.Left { return r.Stop(r.ctx) }, 25 * time.Second, drain.Left{Finished: 1, GivenBack: 3}},
		"abort": {func(r *rig) drain.Left { return r.Abort() }, 0, drain.Left{GivenBack: 4}},
	} {
		virtual(t, func(r *rig) {
			r.queue("orders", oneBatch(4))
			ids := r.addN("orders", 4)
			r.abreast(2, func(ctx context.Context, rec engine.Record) (json.RawMessage, error) {
				if rec.ID() == ids[0] {
					return takes(10*time.Second)(ctx, rec)
				}
				return takes(time.Hour)(ctx, rec)
			})
			after(time.Second)
			began := time.Now()
			if left := stop.how(r); left != stop.left || time.Since(began) != stop.took {
				t.Errorf("%s: left %+v after %s", name, left, time.Since(began))
			}
			for _, id := range ids[1:] {
				if rec := r.want(id, store.Queued, ""); rec.Failures != 0 || rec.Reclaims != 0 {
					t.Errorf("%s: giving back cost %d failures, %d reclaims", name, rec.Failures, rec.Reclaims)
				}
			}
		})
	}
}

// Consumers that do not stop keep the slot, each is counted, and what has not begun
// is given back.
func TestHandlersThatDoNotStopSideBySide(t *testing.T) {
	virtual(t, func(r *rig) {
		r.queue("orders", func(q *store.Queue) {
			oneBatch(5)(q)
			q.AttemptTimeout = store.Duration(30 * time.Second)
		})
		ids := r.addN("orders", 5)
		r.abreast(2, func(_ context.Context, rec engine.Record) (json.RawMessage, error) {
			if rec.ID() == ids[0] || rec.ID() == ids[1] {
				time.Sleep(time.Hour)
			}
			return nil, nil
		})
		after(36 * time.Second)
		r.want(ids[0], store.Failed, "timed out")
		r.want(ids[1], store.Failed, "timed out")
		if c := r.counts("orders"); c[store.Queued] != 3 || len(holders(r.Slots().State())) != 1 {
			t.Errorf("%v", c)
		}
		if left := r.Stop(r.ctx); left != (drain.Left{GivenBack: 3, Stuck: 2}) {
			t.Errorf("left %+v", left)
		}
		after(time.Hour)
		if n := len(holders(r.Slots().State())); n != 0 {
			t.Errorf("%d slots held", n)
		}
	})
}

// The slot shows what it is held for, not what has long been done.
func TestTheSlotShowsWhatIsStillWorked(t *testing.T) {
	virtual(t, func(r *rig) {
		r.queue("orders", oneBatch(3))
		ids := r.addN("orders", 3)
		r.abreast(3, slowOn(ids[1], 10*time.Second))
		after(2 * time.Second)
		if hs := holders(r.Slots().State()); len(hs) != 1 || hs[0].Item != ids[1].String() {
			t.Errorf("held by %+v, which works %s", hs, ids[1])
		}
	})
}
