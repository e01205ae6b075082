package drain_test

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"testing"
	"time"

	"signalbox/engine"
	"signalbox/engine/drain"
	"signalbox/store"
)

// takings are the ways in which others take away what a drain works.
var takings = map[string]func(*rig, engine.Holding) error{
	"settled": func(r *rig, h engine.Holding) error {
		_, err := r.Engine.Settle(r.ctx, []engine.Settlement{{Item: h.Item, Fence: h.Fence, Status: engine.System, Reason: "it hangs"}})
		return err
	},
	"given back": func(r *rig, h engine.Holding) error {
		_, err := r.Engine.Release(r.ctx, []engine.Holding{h})
		return err
	},
	"postponed": func(r *rig, h engine.Holding) error {
		return r.Postpone(r.ctx, h, store.At(time.Now().Add(time.Hour)))
	},
	"cancelled with its job": func(r *rig, h engine.Holding) error {
		i := r.item(h.Item)
		_, err := r.CancelJob(r.ctx, i.Job, "wrong file")
		return err
	},
	"deleted with its queue": func(r *rig, h engine.Holding) error {
		return r.DeleteQueue(r.ctx, h.Item.Queue, true)
	},
}

// Work on an item that others take away is stopped at once, and not when the lease is
// next renewed; alone and side by side, where another item keeps the drain.
func TestWhatIsTakenAwayIsStoppedAtOnce(t *testing.T) {
	for name, take := range takings {
		for _, abreast := range []int{1, 2} {
			virtual(t, func(r *rig) {
				r.queue("orders", func(q *store.Queue) { q.BatchSize, q.MaxDrains = 2, 1 })
				results, err := r.Add(r.ctx, engine.AddRequest{Queue: "orders", Items: []engine.NewItem{
					{Payload: json.RawMessage(`1`), Job: "j"}, {Payload: json.RawMessage(`2`)},
				}})
				if err != nil {
					t.Fatal(err)
				}
				id := results[0].Item.ID()
				var stopped atomic.Bool
				r.abreast(abreast, func(ctx context.Context, rec engine.Record) (json.RawMessage, error) {
					if rec.ID() == id && rec.Attempts == 1 {
						defer func() { stopped.Store(ctx.Err() != nil) }()
					}
					return takes(time.Minute)(ctx, rec)
				})
				after(time.Second)
				if err := take(r, engine.Holding{Item: id, Fence: r.item(id).Fence}); err != nil {
					t.Fatal(err)
				}
				after(time.Millisecond)
				if !stopped.Load() || r.renewals.Load() > 0 {
					t.Errorf("%s, %d at once: stopped %t after %d renewals", name, abreast, stopped.Load(), r.renewals.Load())
				}
			})
		}
	}
}

// An item that was taken away, and comes again with what a drain claims to fill its
// places, is the new claim's alone: the work of the old one is stopped, and what that says
// changes nothing. Here the drain is told of nothing but by what it claims.
func TestWhatComesAgainIsTheNewClaimsAlone(t *testing.T) {
	for _, howTaken := range []string{"given back", "settled"} {
		virtual(t, func(r *rig) {
			r.deaf = true
			r.queue("orders", func(q *store.Queue) {
				oneBatch(4)(q)
				q.Retries, q.RetryWindow, q.RetryFloor = 1, 0, 0
			})
			ids := r.addN("orders", 2)
			var cut atomic.Int64
			r.abreast(4, func(ctx context.Context, rec engine.Record) (json.RawMessage, error) {
				if rec.ID() != ids[0] {
					return takes(time.Hour)(ctx, rec)
				}
				if rec.Attempts == 1 {
					<-ctx.Done()
					cut.Add(1)
					return nil, &drain.Business{Reason: "the old one's word"}
				}
				return takes(time.Minute)(ctx, rec)
			})
			after(time.Second)
			if err := takings[howTaken](r, engine.Holding{Item: ids[0], Fence: r.item(ids[0]).Fence}); err != nil {
				t.Fatal(err)
			}
			after(2 * time.Second)
			if i := r.item(ids[0]); i.Attempts != 2 || cut.Load() != 1 || r.renewals.Load() > 0 {
				t.Errorf("%s: attempt %d, %d stopped, %d renewals", howTaken, i.Attempts, cut.Load(), r.renewals.Load())
			}
			after(2 * time.Minute)
			r.want(ids[0], store.Completed, "")
		})
	}
}
