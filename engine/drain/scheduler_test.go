package drain_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"signalbox/engine"
	"signalbox/engine/drain"
	"signalbox/engine/lane"
	"signalbox/store"
)

func TestAnItemThatComesIsWorkedAtOnce(t *testing.T) {
	virtual(t, func(r *rig) {
		r.queue("orders", nil)
		var robot atomic.Value
		r.handle(func(_ context.Context, rec engine.Record) (json.RawMessage, error) {
			robot.Store(rec.ClaimedBy)
			return json.RawMessage(`{"got":` + string(rec.Payload) + `}`), nil
		}, "orders")
		after(time.Hour)
		id := r.add("orders", `{"n":1}`)[0]
		after(10 * time.Millisecond)
		if rec := r.want(id, store.Completed, ""); string(rec.Output) != `{"got":{"n":1}}` {
			t.Errorf("output %s", rec.Output)
		}
		if want := "engine/" + r.Incarnation() + "/orders/1"; robot.Load() != want {
			t.Errorf("robot %q, want %q", robot.Load(), want)
		}
	})
}

// A look that waited for the store, as for one with much to write, says nothing of
// what looks cost: the next one follows it as ever.
func TestALookThatWaitedPutsTheNextOffByNothing(t *testing.T) {
	virtual(t, func(r *rig) {
		const wait = 90 * time.Millisecond
		r.queue("orders", nil)
		r.queue("others", nil)
		began := make(chan time.Time, 2)
		looked := make(chan bool, 100)
		r.available = func(ctx context.Context) ([]store.Queue, error) {
			time.Sleep(wait)
			defer func() { looked <- true }()
			return r.Engine.Available(ctx)
		}
		r.handle(func(context.Context, engine.Record) (json.RawMessage, error) {
			began <- time.Now()
			return nil, nil
		}, "orders", "others")
		r.add("orders", `1`)
		<-looked
		<-began
		came := time.Now()
		r.add("others", `1`)
		if waited := (<-began).Sub(came); waited < wait || waited > wait+5*time.Millisecond {
			t.Errorf("the item was begun after %v, want the %v of a look and little more", waited, wait)
		}
	})
}

// What thousands of queues cost is spread out: looks follow one another the slower
// the more of them they find.
func TestLooksAtManyQueuesKeepApart(t *testing.T) {
	virtual(t, func(r *rig) {
		var queues []string
		for i := range 2000 {
			q := fmt.Sprintf("q%d", i)
			r.queue(q, nil)
			r.add(q, `1`, `2`)
			queues = append(queues, q)
		}
		r.handle(takes(time.Hour), queues...)
		after(time.Second)
		looks := r.looks.Load()
		const span = time.Second
		for range 1000 {
			r.add("q1", `1`)
			after(span / 1000)
		}
		if n := r.looks.Load() - looks; n < 15 || n > 21 {
			t.Errorf("%d looks at 2,000 queues in %v, want one in 50 ms", n, span)
		}
	})
}

func TestIdleCostsNothing(t *testing.T) {
	virtual(t, func(r *rig) {
		r.queue("orders", nil)
		r.handle(succeed, "orders")
		r.addN("orders", 5)
		after(time.Minute)
		looks, claims := r.looks.Load(), r.claims.Load()
		after(24 * time.Hour)
		if r.looks.Load() != looks || r.claims.Load() != claims {
			t.Errorf("%d looks and %d claims in an idle day", r.looks.Load()-looks, r.claims.Load()-claims)
		}
	})
}

func TestOneItemTakesOneDrain(t *testing.T) {
	virtual(t, func(r *rig) {
		r.queue("orders", nil)
		r.handle(takes(time.Hour), "orders")
		r.add("orders", `1`)
		after(time.Minute)
		if s := r.Slots().State(); s.Busy != 1 || len(s.Waiting) != 0 || r.claims.Load() != 1 {
			t.Errorf("%d busy, %d waiting, %d claims", s.Busy, len(s.Waiting), r.claims.Load())
		}
	})
}

func TestABusyQueueFillsItsLaneAndStandsInLineOnce(t *testing.T) {
	virtual(t, func(r *rig) {
		r.queue("orders", nil)
		r.handle(takes(time.Hour), "orders")
		r.addN("orders", 100)
		after(time.Second)
		s := r.Slots().State()
		if s.Busy != 19 || len(s.Waiting) != 1 || s.Waiting[0].Queue != "orders" {
			t.Errorf("%d busy, waiting %+v", s.Busy, s.Waiting)
		}
		robots := map[string]bool{}
		for _, slot := range s.Slots {
			if slot.Holder != nil {
				robots[slot.Holder.Robot] = true
				if slot.Holder.Item == "" {
					t.Errorf("slot %d doesn't say on what it works", slot.Number)
				}
			}
		}
		if len(robots) != 19 {
			t.Errorf("%d names for 19 drains", len(robots))
		}
	})
}

func TestAWaitingDrainIsCalledBackWhenItsQueueIsEmptied(t *testing.T) {
	virtual(t, func(r *rig) {
		r.queue("orders", nil)
		r.queue("mails", nil)
		r.handle(takes(time.Minute), "orders", "mails")
		r.addN("orders", 20) // 19 are worked, for the last one waits
		after(time.Second)
		if n := len(r.Slots().State().Waiting); n != 1 {
			t.Fatalf("%d waiting", n)
		}
		if _, err := r.PauseQueue(r.ctx, "orders", true); err != nil {
			t.Fatal(err)
		}
		r.add("mails", `1`) // a pause alone makes nobody look
		after(time.Second)
		if n := len(r.Slots().State().Waiting); n != 1 || r.Slots().State().Waiting[0].Queue != "mails" {
			t.Errorf("%+v wait though the queue is paused", r.Slots().State().Waiting)
		}
		after(time.Hour)
		if c := r.counts("orders"); c[store.Completed] != 19 || c[store.Queued] != 1 {
			t.Errorf("a paused queue was worked on: %v", c)
		}
		if _, err := r.PauseQueue(r.ctx, "orders", false); err != nil {
			t.Fatal(err)
		}
		after(2 * time.Minute)
		if c := r.counts("orders"); c[store.Completed] != 20 {
			t.Errorf("after resuming: %v", c)
		}
	})
}

func TestMaxDrains(t *testing.T) {
	virtual(t, func(r *rig) {
		r.queue("orders", func(q *store.Queue) { q.MaxDrains = 2 })
		var now, most atomic.Int64
		r.handle(func(ctx context.Context, rec engine.Record) (json.RawMessage, error) {
			most.Store(max(most.Load(), now.Add(1)))
			defer now.Add(-1)
			return takes(10*time.Second)(ctx, rec)
		}, "orders")
		r.addN("orders", 30)
		after(149 * time.Second)
		if most.Load() != 2 || r.counts("orders")[store.Completed] != 28 {
			t.Errorf("at most %d at once, %v", most.Load(), r.counts("orders"))
		}
	})
}

func TestChangedSettingsHoldForTheNextBatch(t *testing.T) {
	virtual(t, func(r *rig) {
		r.queue("orders", func(q *store.Queue) { q.MaxDrains = 1 })
		r.handle(takes(time.Second), "orders")
		r.addN("orders", 1000)
		after(1500 * time.Millisecond)
		r.set("orders", `{"lane":"slow"}`)
		after(time.Second)
		if h := holders(r.Slots().State()); len(h) != 1 || h[0].Lane != lane.Slow {
			t.Errorf("after the lane changed: %+v", h)
		}
		r.set("orders", `{"max_drains":4}`)
		after(2 * time.Second)
		if h := holders(r.Slots().State()); len(h) != 4 {
			t.Errorf("%d drains of 4", len(h))
		}
		r.set("orders", `{"consumer":{"kind":"manual"}}`)
		after(2 * time.Second)
		if h := holders(r.Slots().State()); len(h) != 0 {
			t.Errorf("a manual queue is worked: %+v", h)
		}
	})
}

func holders(s *lane.State) (hs []lane.Holder) {
	for _, slot := range s.Slots {
		if slot.Holder != nil {
			hs = append(hs, *slot.Holder)
		}
	}
	return hs
}

func TestABatchIsClaimedAtOnceAndSettledAsItGoes(t *testing.T) {
	virtual(t, func(r *rig) {
		r.queue("orders", func(q *store.Queue) { q.BatchSize = 100; q.MaxDrains = 1 })
		r.addN("orders", 300)
		r.handle(takes(time.Second), "orders")
		after(10*time.Second + 500*time.Millisecond)
		if c := r.counts("orders"); c[store.Completed] != 10 || c.InFlight() != 90 || r.claims.Load() != 1 {
			t.Errorf("after ten seconds: %v, %d claims", c, r.claims.Load())
		}
		after(5 * time.Minute)
		if c := r.counts("orders"); c[store.Completed] != 300 || r.claims.Load() != 3 {
			t.Errorf("at the end: %v, %d claims", c, r.claims.Load())
		}
	})
}

func TestAnEngineThatFailsIsAskedAgain(t *testing.T) {
	virtual(t, func(r *rig) {
		r.queue("orders", nil)
		down := store.Unavailable("the store", nil, "wait")
		healthy := time.Now().Add(10 * time.Second)
		r.claim = func(ctx context.Context, c engine.ClaimRequest) ([]engine.Record, error) {
			if time.Now().Before(healthy) {
				return nil, down
			}
			return r.Engine.Claim(ctx, c)
		}
		r.settle = func(ctx context.Context, ss []engine.Settlement) ([]engine.Outcome, error) {
			if time.Now().Before(healthy.Add(time.Minute)) {
				return nil, down
			}
			return r.Engine.Settle(ctx, ss)
		}
		id := r.add("orders", `1`)[0]
		r.handle(succeed, "orders")
		after(9 * time.Second)
		if n := r.claims.Load(); n < 8 || n > 12 {
			t.Errorf("%d claims of a broken store in 9 seconds", n)
		}
		after(2 * time.Minute)
		r.want(id, store.Completed, "")
		if rec := r.item(id); rec.Attempts != 1 {
			t.Errorf("%d attempts: the result was not kept until it could be reported", rec.Attempts)
		}
	})
}

// A queue that is said to have items of which none can be claimed is looked at
// again only when something changes.
func TestNothingSpinsOnAnEmptyPromise(t *testing.T) {
	virtual(t, func(r *rig) {
		r.queue("orders", nil)
		r.claim = func(context.Context, engine.ClaimRequest) ([]engine.Record, error) {
			return nil, &store.Error{Code: store.CodeEmpty, Thing: "queue orders"}
		}
		r.add("orders", `1`)
		r.handle(succeed, "orders")
		after(time.Second)
		before := r.claims.Load()
		after(time.Hour)
		if n := r.claims.Load() - before; n != 0 {
			t.Errorf("%d claims when nothing had changed", n)
		}
		r.addN("orders", 1)
		after(time.Hour)
		if n := r.claims.Load() - before; n != 1 {
			t.Errorf("%d claims after another item", n)
		}
	})
}

func TestItemsAddedWhileADrainEndsAreNotForgotten(t *testing.T) {
	virtual(t, func(r *rig) {
		r.queue("orders", func(q *store.Queue) { q.MaxDrains = 1 })
		r.handle(succeed, "orders")
		var adders sync.WaitGroup
		for range 8 {
			adders.Go(func() {
				for i := range 50 {
					r.add("orders", `1`)
					time.Sleep(time.Duration(i%7) * time.Millisecond / 3)
				}
			})
		}
		adders.Wait()
		after(time.Second)
		if c := r.counts("orders"); c[store.Completed] != 400 {
			t.Errorf("%v", c)
		}
	})
}

func TestRobotNamesFitTheEngine(t *testing.T) {
	name := drain.Robot("0123abcd", strings.Repeat("q", 128), 2000)
	if len(name) > 256 || !strings.HasPrefix(name, engine.DrainPrefix) {
		t.Errorf("%q", name)
	}
}

// A scheduler that can't look at the queues says so, and that it can again.
func TestASchedulerThatCannotLookIsTold(t *testing.T) {
	virtual(t, func(r *rig) {
		r.queue("orders", nil)
		var down atomic.Bool
		r.available = func(ctx context.Context) ([]store.Queue, error) {
			if down.Load() {
				return nil, errors.New("no space left on device")
			}
			return r.Engine.Available(ctx)
		}
		drains := func() (u engine.Upkeep) {
			for _, l := range r.Upkeep() {
				if l.Loop == engine.DrainLoop {
					u = l
				}
			}
			return u
		}
		r.handle(succeed, "orders")
		after(time.Second)
		if u := drains(); u.Failing() || u.RanAt == 0 {
			t.Fatalf("%+v", u)
		}
		down.Store(true)
		id := r.add("orders", `1`)[0]
		after(10 * time.Second)
		if u := drains(); !u.Failing() || u.Error != "no space left on device" || u.Undone() != "no drain is started" {
			t.Errorf("%+v", u)
		}
		x, err := r.Explain(r.ctx, id)
		if err != nil || len(x.Reasons) == 0 || x.Reasons[0].Code != "engine" || !strings.HasPrefix(x.Reasons[0].Text, "no drain is started, for 10s: ") {
			t.Errorf("explained: %+v, %v", x, err)
		}
		down.Store(false)
		after(10 * time.Second)
		r.want(id, store.Completed, "")
		if u := drains(); u.Failing() {
			t.Errorf("%+v", u)
		}
	})
}
