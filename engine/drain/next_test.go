package drain_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"signalbox/engine"
	"signalbox/engine/drain"
	"signalbox/store"
	"signalbox/store/memory"
)

func oneDrain(q *store.Queue) { q.MaxDrains = 1 }

func TestAnItemsEndAndTheNextClaimAreOneCommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := &commits{Store: memory.New()}
		r := newRigOn(t, mem)
		r.queue("orders", oneDrain)
		const n = 1000
		r.addN("orders", n)
		before := mem.n.Load()
		r.handle(succeed, "orders")
		after(500 * time.Millisecond)
		if c := r.counts("orders"); c[store.Completed] != n {
			t.Fatalf("%v", c)
		}
		if got := mem.n.Load() - before; got > n+10 { // a settle and a claim each would be 2n
			t.Errorf("%d commits for %d items", got, n)
		}
		r.close()
	})
}

// A program that is given a batch at once costs one commit a batch.
func TestABatchsEndAndTheNextClaimAreOneCommit(t *testing.T) {
	r := newRig(t)
	defer r.close()
	r.queue("orders", func(q *store.Queue) {
		q.MaxDrains, q.BatchSize = 1, 10
		q.Consumer = store.Consumer{Kind: engine.Command, Argv: []string{"true"}}
	})
	r.addN("orders", 50)
	var alone atomic.Int64
	r.settle = func(ctx context.Context, ss []engine.Settlement) ([]engine.Outcome, error) {
		alone.Add(1)
		return r.Engine.Settle(ctx, ss)
	}
	r.next = r.Engine.Next
	r.start(drain.Options{})
	r.done("orders", store.Completed, 50)
	if n := alone.Load(); n > 1 { // the last, where nothing more is wanted
		t.Errorf("%d batches of 5 were settled alone", n)
	}
}

// The next batch is claimed only by a drain that will work it: each of these
// ends the drain, or its right to the queue, while it works its first item.
func TestADrainThatEndsSettlesOnly(t *testing.T) {
	tests := map[string]struct {
		options drain.Options
		change  func(*rig)
		left    int64 // drains afterwards
	}{
		"its time is up":        {drain.Options{Bound: time.Second}, func(*rig) {}, 1},
		"the queue is paused":   {drain.Options{}, func(r *rig) { r.pause("orders") }, 0},
		"another lane":          {drain.Options{}, func(r *rig) { r.set("orders", `{"lane":"slow"}`) }, 1},
		"a manual queue":        {drain.Options{}, func(r *rig) { r.set("orders", `{"consumer":{"kind":"manual"}}`) }, 0},
		"the engine stops":      {drain.Options{}, func(r *rig) { go r.Stop(r.ctx) }, 0},
		"its slot is to close":  {drain.Options{}, func(r *rig) { r.resize(3) }, 1},
		"fewer drains are left": {drain.Options{}, func(r *rig) { r.set("orders", `{"max_drains":1}`) }, 1},
	}
	for name, tt := range tests {
		virtual(t, func(r *rig) {
			r.queue("orders", func(q *store.Queue) { q.MaxDrains = 2 })
			tt.options.Handlers = map[string]drain.Handler{"orders": takes(10 * time.Second)}
			r.start(tt.options)
			ids := r.addN("orders", 8)
			after(5 * time.Second)
			joined := r.joined.Load()
			tt.change(r)
			after(8 * time.Second)
			r.want(ids[0], store.Completed, "")
			r.want(ids[1], store.Completed, "")
			if n := int64(len(holders(r.Slots().State()))); n < tt.left || tt.left == 0 && n > 0 {
				t.Errorf("%s: %d drains go on, want %d", name, n, tt.left)
			}
			c := r.counts("orders")
			if c.InFlight() != int64(len(holders(r.Slots().State()))) {
				t.Errorf("%s: %v: items are held that no drain works", name, c)
			}
			if n := r.joined.Load() - joined; name == "its time is up" && n != 0 {
				t.Errorf("%s: %d claims with the settle", name, n)
			}
			after(time.Hour)
			for _, id := range ids {
				if rec := r.item(id); rec.Attempts > 1 || rec.Reclaims > 0 {
					t.Errorf("%s: item %s has %d attempts, %d reclaims", name, id, rec.Attempts, rec.Reclaims)
				}
			}
		})
	}
}

func (r *rig) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) pause(queue string) {
	r.t.Helper()
	_, err := r.PauseQueue(r.ctx, queue, true)
	r.must(err)
}

func (r *rig) resize(n int) {
	r.t.Helper()
	_, err := r.SetPool(r.ctx, engine.SplitRequest{Size: n, Auto: true})
	r.must(err)
}

// What a claim brings while the engine is told to stop is given back at no cost.
func TestWhatIsClaimedWhileTheEngineStopsIsGivenBack(t *testing.T) {
	virtual(t, func(r *rig) {
		r.queue("orders", oneDrain)
		ids := r.addN("orders", 2)
		begun, stopped := make(chan struct{}), make(chan drain.Left, 1)
		r.next = func(ctx context.Context, ss []engine.Settlement, c engine.ClaimRequest) ([]engine.Outcome, []engine.Record, error) {
			outcomes, records, err := r.Engine.Next(ctx, ss, c)
			go func() {
				<-begun // the drain may be ahead of the test
				stopped <- r.Stop(r.ctx)
			}()
			time.Sleep(time.Second)
			return outcomes, records, err
		}
		r.handle(succeed, "orders")
		close(begun)
		after(2 * time.Second)
		if left := <-stopped; left != (drain.Left{Finished: 1, GivenBack: 1}) {
			t.Errorf("left %+v", left)
		}
		r.want(ids[0], store.Completed, "")
		if rec := r.want(ids[1], store.Queued, ""); rec.Failures != 0 || rec.Reclaims != 0 {
			t.Errorf("given back at the cost of %d failures, %d reclaims", rec.Failures, rec.Reclaims)
		}
	})
}

func TestAPausedJobIsSettledNotClaimed(t *testing.T) {
	virtual(t, func(r *rig) {
		r.queue("orders", oneDrain)
		_, err := r.StartJob(r.ctx, engine.JobRequest{ID: "j", Queue: "orders"})
		r.must(err)
		results, err := r.Add(r.ctx, engine.AddRequest{Queue: "orders", Items: []engine.NewItem{{Job: "j", Payload: []byte("1")}, {Job: "j", Payload: []byte("2")}}})
		r.must(err)
		r.handle(takes(10*time.Second), "orders")
		after(5 * time.Second)
		_, err = r.PauseJob(r.ctx, "j", true)
		r.must(err)
		after(time.Hour)
		r.want(results[0].Item.ID(), store.Completed, "")
		if rec := r.want(results[1].Item.ID(), store.Queued, ""); rec.Attempts != 0 {
			t.Errorf("%d attempts at an item of a paused job", rec.Attempts)
		}
		_, err = r.PauseJob(r.ctx, "j", false)
		r.must(err)
		after(time.Minute)
		r.want(results[1].Item.ID(), store.Completed, "")
	})
}

// A result that is refused does not keep what was claimed with it waiting, and
// is settled as what it is.
func TestARefusedResultGoesWithTheNextBatch(t *testing.T) {
	virtual(t, func(r *rig) {
		r.queue("orders", oneDrain)
		ids := r.addN("orders", 3)
		r.handle(func(ctx context.Context, rec engine.Record) (json.RawMessage, error) {
			if rec.ID() == ids[1] {
				return takes(10*time.Second)(ctx, rec)
			}
			return json.RawMessage(`{"much":"` + strings.Repeat("x", engine.MaxOutput) + `"}`), nil
		}, "orders")
		after(5 * time.Second)
		r.want(ids[0], store.Failed, "result refused")
		r.want(ids[1], store.Claimed, "")
		after(10 * time.Second)
		r.want(ids[1], store.Completed, "")
		r.want(ids[2], store.Failed, "result refused") // the last: nothing comes after it
		if left := r.Stop(r.ctx); left != (drain.Left{}) {
			t.Errorf("left %+v", left)
		}
	})
}

// Where the change fails nothing was claimed, and the result is kept until it
// can be settled.
func TestAFailedNextLosesNothing(t *testing.T) {
	virtual(t, func(r *rig) {
		r.queue("orders", oneDrain)
		ids := r.addN("orders", 3)
		down := time.Now().Add(10 * time.Second)
		r.next = func(ctx context.Context, ss []engine.Settlement, c engine.ClaimRequest) ([]engine.Outcome, []engine.Record, error) {
			if time.Now().Before(down) {
				return nil, nil, store.Unavailable("the store", errors.New("no space"), "wait")
			}
			return r.Engine.Next(ctx, ss, c)
		}
		r.settle = func(ctx context.Context, ss []engine.Settlement) ([]engine.Outcome, error) {
			if time.Now().Before(down) {
				return nil, store.Unavailable("the store", errors.New("no space"), "wait")
			}
			return r.Engine.Settle(ctx, ss)
		}
		r.handle(succeed, "orders")
		after(time.Minute)
		for _, id := range ids {
			if rec := r.want(id, store.Completed, ""); rec.Attempts != 1 {
				t.Errorf("item %s: %d attempts", id, rec.Attempts)
			}
		}
	})
}

// An item whose lease was lost is not settled; the drain goes on to the next.
func TestAfterALostLeaseTheNextIsClaimed(t *testing.T) {
	virtual(t, func(r *rig) {
		r.queue("orders", oneDrain)
		ids := r.addN("orders", 2)
		r.renew = func(ctx context.Context, hs []engine.Holding) ([]engine.Outcome, error) {
			if hs[0].Item == ids[0] {
				return []engine.Outcome{{Item: ids[0], Result: engine.Stale}}, nil
			}
			return r.Engine.Renew(ctx, hs)
		}
		r.handle(takes(20*time.Second), "orders")
		after(time.Minute)
		r.want(ids[0], store.Claimed, "")
		r.want(ids[1], store.Completed, "")
		if n := r.settles.Load(); n != 1 {
			t.Errorf("%d settles", n)
		}
	})
}

// The lease of a batch that came with a settle is renewed like any other.
func TestEveryBatchKeepsItsLease(t *testing.T) {
	virtual(t, func(r *rig) {
		r.queue("orders", func(q *store.Queue) { q.MaxDrains, q.Lease = 1, store.Duration(2*time.Second) })
		ids := r.addN("orders", 3)
		r.handle(takes(time.Minute), "orders")
		after(4 * time.Minute)
		for _, id := range ids {
			if rec := r.want(id, store.Completed, ""); rec.Attempts != 1 || rec.Reclaims != 0 {
				t.Errorf("item %s: %d attempts", id, rec.Attempts)
			}
		}
	})
}
