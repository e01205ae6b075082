package drain_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"signalbox/engine"
	"signalbox/engine/drain"
	"signalbox/store"
)

func lease(d time.Duration) func(*store.Queue) {
	return func(q *store.Queue) { q.Lease = store.Duration(d) }
}

func TestALongRunKeepsItsLease(t *testing.T) {
	tests := []struct {
		lease time.Duration
		every time.Duration
	}{
		{time.Second, 500 * time.Millisecond},
		{2 * time.Second, time.Second},
		{9 * time.Second, 3 * time.Second},
		{10 * time.Minute, 15 * time.Second},
		{0, 15 * time.Second},
	}
	for _, tt := range tests {
		virtual(t, func(r *rig) {
			r.queue("orders", lease(tt.lease))
			r.handle(takes(time.Hour+tt.every/2), "orders")
			id := r.add("orders", `1`)[0]
			after(2 * time.Hour)
			if rec := r.want(id, store.Completed, ""); rec.Attempts != 1 {
				t.Errorf("lease %s: %d attempts", tt.lease, rec.Attempts)
			}
			if n, want := r.renewals.Load(), int64(time.Hour/tt.every); n != want {
				t.Errorf("lease %s: %d renewals in an hour, want %d", tt.lease, n, want)
			}
		})
	}
}

// interrupted gives a handler that works until it is told to stop, and when
// and why it was.
func interrupted() (h drain.Handler, at *atomic.Int64) {
	at = new(atomic.Int64)
	return func(ctx context.Context, _ engine.Record) (json.RawMessage, error) {
		<-ctx.Done()
		at.Store(time.Now().UnixMilli())
		return json.RawMessage(`{"late":true}`), nil
	}, at
}

func TestWorkStopsBeforeALeaseThatCantBeRenewed(t *testing.T) {
	for name, renew := range map[string]func(context.Context) error{
		"fails": func(context.Context) error { return errors.New("unreachable") },
		"hangs": func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
	} {
		virtual(t, func(r *rig) {
			r.queue("orders", lease(time.Minute))
			r.renew = func(ctx context.Context, _ []engine.Holding) ([]engine.Outcome, error) { return nil, renew(ctx) }
			h, at := interrupted()
			r.handle(h, "orders")
			id := r.add("orders", `1`)[0]
			after(time.Second)
			until := r.item(id).LeaseUntil
			after(58 * time.Second)
			if got := store.Time(at.Load()); got == 0 || got > until-5000 || got < until-10000 {
				t.Errorf("%s: told to stop at %s, lease until %s", name, got, until)
			}
			if n := r.settles.Load(); n != 0 {
				t.Errorf("%s: settled %d times without a lease", name, n)
			}
			after(10 * time.Second)
			if rec := r.item(id); rec.Attempts != 2 || rec.Reclaims != 1 {
				t.Errorf("%s: %d attempts, %d reclaims", name, rec.Attempts, rec.Reclaims)
			}
		})
	}
}

func TestAStaleRenewalCancelsOnlyItsItem(t *testing.T) {
	virtual(t, func(r *rig) {
		r.queue("orders", func(q *store.Queue) { q.BatchSize = 3; q.MaxDrains = 1 })
		ids := r.addN("orders", 3)
		r.renew = func(_ context.Context, hs []engine.Holding) ([]engine.Outcome, error) {
			out := make([]engine.Outcome, len(hs))
			for i, h := range hs {
				out[i] = engine.Outcome{Item: h.Item, Result: engine.OK}
				if h.Item != ids[2] {
					out[i].Result = engine.Stale
				}
			}
			return out, nil
		}
		var worked atomic.Int64
		r.handle(func(ctx context.Context, rec engine.Record) (json.RawMessage, error) {
			worked.Add(1)
			return takes(20*time.Second)(ctx, rec)
		}, "orders")
		after(14 * time.Second)
		if worked.Load() != 1 {
			t.Fatalf("%d worked before the renewal", worked.Load())
		}
		after(time.Minute)
		if worked.Load() != 2 {
			t.Errorf("%d worked: the second was lost before it was begun", worked.Load())
		}
		if c := r.counts("orders"); c[store.Completed] != 1 || c.InFlight() != 2 {
			t.Errorf("%v", c)
		}
		r.want(ids[2], store.Completed, "")
	})
}

func TestAttemptTimeout(t *testing.T) {
	virtual(t, func(r *rig) {
		r.queue("orders", func(q *store.Queue) { q.AttemptTimeout = store.Duration(30 * time.Second) })
		h, at := interrupted()
		r.handle(h, "orders")
		began := time.Now()
		id := r.add("orders", `1`)[0]
		after(time.Minute)
		r.want(id, store.Failed, "timed out after 30s")
		if d := time.UnixMilli(at.Load()).Sub(began).Round(time.Second); d != 30*time.Second {
			t.Errorf("told to stop after %s", d)
		}
	})
}

func TestAHandlerThatDoesNotStopKeepsItsSlotNotItsItem(t *testing.T) {
	virtual(t, func(r *rig) {
		r.queue("orders", func(q *store.Queue) {
			q.AttemptTimeout = store.Duration(30 * time.Second)
			q.MaxDrains, q.BatchSize = 1, 2
		})
		ids := r.addN("orders", 2)
		r.handle(func(ctx context.Context, rec engine.Record) (json.RawMessage, error) {
			if rec.ID() == ids[0] {
				time.Sleep(time.Hour)
			}
			return nil, nil
		}, "orders")
		after(40 * time.Second)
		r.want(ids[0], store.Failed, "timed out")
		r.want(ids[1], store.Queued, "") // given back: the drain works no more
		if n := len(holders(r.Slots().State())); n != 1 {
			t.Errorf("%d slots held by a handler that runs on", n)
		}
		after(time.Hour)
		r.want(ids[1], store.Completed, "")
		if n := len(holders(r.Slots().State())); n != 0 {
			t.Errorf("%d slots held", n)
		}
	})
}

// An engine that opens the store of one that died ends what its drains held,
// which it tells by their names; should they live after all, they stop.
func TestTheNextEngineEndsWhatDrainsHeld(t *testing.T) {
	virtual(t, func(r *rig) {
		r.queue("orders", nil)
		h, at := interrupted()
		r.handle(h, "orders")
		id := r.add("orders", `1`)[0]
		after(time.Second)
		next, err := engine.Open(r.ctx, r.mem, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer next.Close()
		if rec := r.item(id); rec.Status != store.Queued {
			t.Errorf("after the next engine opened: %s", rec.Status)
		}
		if _, err := next.Claim(r.ctx, engine.ClaimRequest{Queue: "orders", Robot: "other"}); err != nil {
			t.Fatal(err)
		}
		after(15 * time.Second)
		if at.Load() == 0 || r.settles.Load() != 0 {
			t.Errorf("told to stop: %v, settled %d times", at.Load() != 0, r.settles.Load())
		}
	})
}
