package engine_test

import (
	"context"
	"iter"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/store/memory"
)

// looking counts the items that are looked at in changes.
type looking struct {
	store.Store
	looked atomic.Int64
}

func (c *looking) Update(ctx context.Context, fn func(store.Tx) error) error {
	return c.Store.Update(ctx, func(t store.Tx) error { return fn(lookedTx{t, c}) })
}

type lookedTx struct {
	store.Tx
	c *looking
}

func (t lookedTx) Items(q store.Query) iter.Seq2[store.Item, error] {
	return t.count(t.Tx.Items(q))
}

func (t lookedTx) Ready(queue string, now store.Time) iter.Seq2[store.Item, error] {
	return t.count(t.Tx.Ready(queue, now))
}

func (t lookedTx) count(items iter.Seq2[store.Item, error]) iter.Seq2[store.Item, error] {
	return func(yield func(store.Item, error) bool) {
		for i, err := range items {
			t.c.looked.Add(1)
			if !yield(i, err) {
				return
			}
		}
	}
}

func TestAClaimOfAJobLooksAtWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &looking{Store: memory.New()}
		r := start(t, s)
		defer r.Close()
		r.queue("q", store.Jobs, nil)
		r.addTo("q", "large", 2000)
		for range 10 {
			for _, rec := range r.claim("q", "r", 199) {
				r.settle(rec, engine.Success, "")
			}
		}
		r.addTo("q", "small", 5) // behind the ten that are left of the large one
		for _, tt := range []struct {
			claim  engine.ClaimRequest
			job    string
			looked int64
		}{
			{engine.ClaimRequest{Job: "large"}, "large", 1},
			{engine.ClaimRequest{Filter: "job:large"}, "large", 1},
			{engine.ClaimRequest{Job: "small"}, "small", 20},
			{engine.ClaimRequest{Job: "large", N: 100}, "large", 20},
			{engine.ClaimRequest{Job: "large"}, "", 0}, // nothing of it waits
		} {
			tt.claim.Queue, tt.claim.Robot = "q", "r"
			before := s.looked.Load()
			got, err := r.Claim(r.ctx, tt.claim)
			if tt.job == "" != (store.CodeOf(err) == store.CodeEmpty) {
				t.Fatalf("%+v: %v", tt.claim, err)
			}
			for _, rec := range got {
				if rec.Job != tt.job {
					t.Errorf("%+v gave an item of %q", tt.claim, rec.Job)
				}
			}
			if n := s.looked.Load() - before; n > tt.looked {
				t.Errorf("%+v looked at %d items, at most %d", tt.claim, n, tt.looked)
			}
		}
	})
}

// A small job far behind others is found.
func TestAClaimOfAJobBehindManyOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &looking{Store: memory.New()}
		r := start(t, s)
		defer r.Close()
		r.queue("q", store.Jobs, nil)
		for range 11 {
			r.addN("q", 1000)
		}
		ids := r.addTo("q", "small", 3)
		before := s.looked.Load()
		for n := range ids {
			got, err := r.Claim(r.ctx, engine.ClaimRequest{Queue: "q", Job: "small", Robot: "r"})
			if err != nil || got[0].ID() != ids[n] {
				t.Fatalf("%v, %v, want %s", got, err, ids[n])
			}
		}
		if n := s.looked.Load() - before; n > 9 {
			t.Errorf("three claims looked at %d items", n)
		}
	})
}
