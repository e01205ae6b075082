package drain_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"signalbox/engine"
	"signalbox/engine/drain"
	"signalbox/engine/lane"
	"signalbox/store"
)

func TestAFloodOfSlowWorkLeavesTheFastLaneAlone(t *testing.T) {
	virtual(t, func(r *rig) {
		r.queue("turns", func(q *store.Queue) { q.Lane = string(lane.Slow) })
		r.queue("orders", nil)
		r.start(drain.Options{Handlers: map[string]drain.Handler{"turns": takes(time.Hour), "orders": takes(time.Second)}})
		r.addN("turns", 10_000)
		after(time.Minute)
		if s := r.Slots().State(); s.Busy != 19 {
			t.Fatalf("%d slow turns in the lane's 19 slots", s.Busy)
		}
		r.addN("orders", 60)
		after(11 * time.Second)
		if c := r.counts("orders"); c[store.Completed] != 60 {
			t.Errorf("six reserved slots, ten seconds: %v", c)
		}
	})
}

func TestEachQueueGetsItsTurn(t *testing.T) {
	virtual(t, func(r *rig) {
		queues := []string{"a", "b", "c", "d"}
		if err := r.Slots().Resize(lane.Split{Size: 3, Fast: 1, Slow: 1}, false); err != nil {
			t.Fatal(err)
		}
		for _, q := range queues {
			r.queue(q, nil)
		}
		r.handle(takes(5*time.Second), queues...)
		for _, q := range queues {
			r.addN(q, 1000)
		}
		after(10 * time.Minute) // two slots: 240 items
		for _, q := range queues {
			if n := r.counts(q)[store.Completed]; n < 50 || n > 70 {
				t.Errorf("queue %s got %d of about 60", q, n)
			}
		}
	})
}

func TestTwoThousandQueuesWithAnItemEach(t *testing.T) {
	virtual(t, func(r *rig) {
		const n = 2000
		o := drain.Options{Handlers: map[string]drain.Handler{}}
		for i := range n {
			q := fmt.Sprintf("q%d", i)
			r.queue(q, nil)
			r.add(q, `1`)
			o.Handlers[q] = takes(time.Second)
		}
		r.start(o)
		after(n/19*time.Second + 3*time.Second)
		states, err := r.Queues(r.ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range states {
			if q.Counts[store.Completed] != 1 {
				t.Fatalf("queue %s: %v", q.Name, q.Counts)
			}
		}
		if claims, looks := r.claims.Load(), r.looks.Load(); claims != n || looks > n {
			t.Errorf("%d claims and %d looks for %d items", claims, looks, n)
		}
	})
}

// Whoever looks at work that is ready but for a slot is told so: at the item, at its
// job, and why, whatever holds the slots.
func TestWorkThatWaitsForASlotSaysSo(t *testing.T) {
	virtual(t, func(r *rig) {
		if err := r.Slots().Resize(lane.Split{Size: 4, Fast: 1, Slow: 1}, false); err != nil {
			t.Fatal(err)
		}
		slow := func(q *store.Queue) { q.Lane = string(lane.Slow) }
		r.queue("others", func(q *store.Queue) { slow(q); q.MaxDrains = 1 })
		r.queue("turns", slow)
		r.handle(takes(time.Hour), "others", "turns")
		ctx, letGo := context.WithCancel(r.ctx)
		var programs sync.WaitGroup
		for range 2 {
			programs.Go(func() {
				_ = r.HoldSlot(ctx, engine.SlotRequest{Lane: lane.Slow, Robot: "anna/model"}, func(engine.SlotNotice) error { return nil })
			})
		}
		r.add("others", `1`)
		after(time.Minute)
		added, err := r.Add(r.ctx, engine.AddRequest{Queue: "turns", Items: []engine.NewItem{
			{Payload: json.RawMessage(`1`), Job: "j"},
			{Payload: json.RawMessage(`2`), Job: "j", DeferUntil: store.At(time.Now().Add(time.Hour))},
		}})
		if err != nil {
			t.Fatal(err)
		}
		after(5 * time.Second)
		ready, deferred := added[0].Item.ID(), added[1].Item.ID()
		want := engine.SlotWait{Lane: lane.Slow, Busy: 3, Pool: 4, Place: 1}
		same := func(w *engine.SlotWait) bool {
			return w != nil && w.Since != 0 && *w == engine.SlotWait{Lane: want.Lane, Busy: want.Busy, Pool: want.Pool, Place: want.Place, Since: w.Since}
		}
		rec := r.item(ready)
		if !same(rec.SlotWait) {
			t.Errorf("the item says %+v, want %+v", rec.SlotWait, want)
		}
		var read engine.Record
		if b, err := json.Marshal(rec); err != nil || json.Unmarshal(b, &read) != nil || !same(read.SlotWait) {
			t.Errorf("read again it says %+v of %s, %v", read.SlotWait, b, err)
		}
		if rec := r.item(deferred); rec.SlotWait != nil {
			t.Errorf("the deferred item says %+v", rec.SlotWait)
		}
		j, err := r.Job(r.ctx, "j")
		if err != nil || !same(j.SlotWait) {
			t.Errorf("the job says %+v, %v", j.SlotWait, err)
		}
		x, err := r.Explain(r.ctx, ready)
		const text = "the slow lane is full: 3 of 4 slots are busy, 2 of them with anna/model; place 1 in line, 0 turns ahead"
		if err != nil || len(x.Reasons) != 1 || x.Reasons[0].Text != text {
			t.Errorf("explained %+v, %v", x.Reasons, err)
		}
		letGo()
		programs.Wait()
		after(time.Second)
		if rec := r.item(ready); rec.SlotWait != nil || rec.Status != store.Processing && rec.Status != store.Claimed {
			t.Errorf("then it is %s and says %+v", rec.Status, rec.SlotWait)
		}
		if j, err := r.Job(r.ctx, "j"); err != nil || j.SlotWait != nil {
			t.Errorf("then the job says %+v, %v", j.SlotWait, err)
		}
	})
}
