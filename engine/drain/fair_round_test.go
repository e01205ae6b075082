package drain_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"signalbox/engine"
	"signalbox/engine/drain"
	"signalbox/engine/lane"
	"signalbox/store"
	"signalbox/store/memory"
)

// No queue with available items waits longer than one round of the others, each
// of which has its slot for the bound at most: 2,000 queues of one item, among
// ten that have more than can be worked.
func TestNoQueueWaitsLongerThanARound(t *testing.T) {
	virtual(t, func(r *rig) {
		const n, hogs = 2000, 10
		o := drain.Options{Handlers: map[string]drain.Handler{}}
		for i := range hogs {
			q := fmt.Sprintf("hog%d", i)
			r.queue(q, nil)
			r.addN(q, 1000)
			o.Handlers[q] = takes(time.Second)
		}
		var last atomic.Int64 // when the last single item was begun
		begun := time.Now()
		for i := range n {
			q := fmt.Sprintf("q%d", i)
			r.queue(q, nil)
			o.Handlers[q] = func(ctx context.Context, rec engine.Record) (json.RawMessage, error) {
				last.Store(int64(time.Since(begun)))
				return takes(time.Second)(ctx, rec)
			}
		}
		r.start(o)
		after(time.Minute) // the hogs have all slots
		if s := r.Slots().State(); s.Busy != 19 {
			t.Fatalf("%d busy", s.Busy)
		}
		begun = time.Now()
		for i := range n {
			r.add(fmt.Sprintf("q%d", i), `1`)
		}
		const bound = 25 * time.Second
		round := bound + (n/19+1)*time.Second + (hogs/19+1)*bound
		after(round + 3*time.Second)
		for i := range n {
			if c := r.counts(fmt.Sprintf("q%d", i)); c[store.Completed] != 1 {
				t.Fatalf("queue q%d after a round of %s: %v", i, round, c)
			}
		}
		if d := time.Duration(last.Load()); d > round {
			t.Errorf("the last was begun after %s, a round is %s", d, round)
		}
		for i := range hogs {
			if c := r.counts(fmt.Sprintf("hog%d", i)); c[store.Completed] == 0 {
				t.Errorf("hog%d had no turn", i)
			}
		}
	})
}

// waking counts every timer that fires.
type waking struct {
	engine.SystemClock
	fired *atomic.Int64
}

func (w waking) AfterFunc(d time.Duration, f func()) engine.Timer {
	return w.SystemClock.AfterFunc(d, func() {
		w.fired.Add(1)
		f()
	})
}

// Two thousand queues that have worked and are empty wake nobody: neither the
// engine's timers, nor the scheduler, nor the store.
func TestTwoThousandIdleQueuesWakeNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 2000
		var fired atomic.Int64
		mem := &commits{Store: memory.New()}
		e, err := engine.Open(t.Context(), mem, engine.Options{Clock: waking{fired: &fired}})
		if err != nil {
			t.Fatal(err)
		}
		r := &rig{Engine: e, t: t, ctx: t.Context()}
		o := drain.Options{Handlers: map[string]drain.Handler{}}
		for i := range n {
			q := fmt.Sprintf("q%d", i)
			r.queue(q, nil)
			o.Handlers[q] = succeed
			r.add(q, `1`)
		}
		r.start(o)
		after(time.Minute)
		woken := [...]int64{fired.Load(), r.looks.Load(), r.claims.Load(), mem.n.Load()}
		after(10 * time.Second)
		if now := [...]int64{fired.Load(), r.looks.Load(), r.claims.Load(), mem.n.Load()}; now != woken {
			t.Errorf("timers, looks, claims, commits: %v then %v", woken, now)
		}
		r.close()
	})
}

type commits struct {
	store.Store
	n atomic.Int64
}

func (c *commits) Update(ctx context.Context, fn func(store.Tx) error) error {
	c.n.Add(1)
	return c.Store.Update(ctx, fn)
}

// A pool resized under load kills nothing, gives no slot twice, and uses what
// it then has.
func TestResizeUnderLoad(t *testing.T) {
	virtual(t, func(r *rig) {
		r.queue("turns", func(q *store.Queue) { q.Lane = string(lane.Slow) })
		r.queue("orders", nil)
		var cut atomic.Int64
		work := func(ctx context.Context, rec engine.Record) (json.RawMessage, error) {
			out, err := takes(10*time.Second)(ctx, rec)
			if err != nil {
				cut.Add(1)
			}
			return out, err
		}
		r.handle(work, "turns", "orders")
		r.addN("turns", 1000)
		r.addN("orders", 1000)
		after(57 * time.Second) // not when turns end, which are then handed over
		resize := func(n int) *lane.State {
			if _, err := r.SetPool(r.ctx, engine.SplitRequest{Size: n, Auto: true}); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			return r.Slots().State()
		}
		closing := func(s *lane.State) (n int) {
			for _, slot := range s.Slots {
				if slot.State == lane.Closing {
					n++
				}
			}
			return n
		}
		if s := resize(4); s.Busy+closing(s) != 25 || closing(s) != 21 {
			t.Errorf("shrunk: %d busy, %d closing", s.Busy, closing(s))
		}
		after(35 * time.Second) // every drain's slot has had its time
		if s := r.Slots().State(); s.Busy != 4 || closing(s) != 0 {
			t.Errorf("then: %d busy, %d closing", s.Busy, closing(s))
		}
		if s := resize(60); s.Busy < 4 {
			t.Errorf("grown: %d busy", s.Busy)
		}
		after(57 * time.Second)
		if s := r.Slots().State(); s.Busy != 60 || closing(s) != 0 {
			t.Errorf("then: %d busy, %d closing", s.Busy, closing(s))
		}
		after(time.Hour)
		for _, q := range []string{"turns", "orders"} {
			if c := r.counts(q); c[store.Completed] != 1000 {
				t.Errorf("%s: %v", q, c)
			}
		}
		if cut.Load() != 0 {
			t.Errorf("%d were cut short", cut.Load())
		}
	})
}
