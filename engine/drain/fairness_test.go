package drain_test

import (
	"fmt"
	"testing"
	"time"

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
