package engine_test

import (
	"context"
	"fmt"
	"iter"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/store/memory"
)

// lookCounter counts the items that changes read from a store's lists.
type lookCounter struct {
	store.Store
	read atomic.Int64
}

type lookCounterTx struct {
	store.Tx
	c *lookCounter
}

func (c *lookCounter) Update(ctx context.Context, fn func(store.Tx) error) error {
	return c.Store.Update(ctx, func(t store.Tx) error { return fn(lookCounterTx{t, c}) })
}

func (t lookCounterTx) Ready(queue string, now store.Time) iter.Seq2[store.Item, error] {
	return t.count(t.Tx.Ready(queue, now))
}

func (t lookCounterTx) Items(q store.Query) iter.Seq2[store.Item, error] {
	return t.count(t.Tx.Items(q))
}

func (t lookCounterTx) count(items iter.Seq2[store.Item, error]) iter.Seq2[store.Item, error] {
	return func(yield func(store.Item, error) bool) {
		for i, err := range items {
			t.c.read.Add(1)
			if !yield(i, err) {
				return
			}
		}
	}
}

// Claims that wait for something in particular look only at what has just come,
// however much else waits.
func TestParkedFiltersLookOnlyAtWhatCame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &lookCounter{Store: memory.New()}
		r := start(t, c)
		defer r.Close()
		r.queue("q", store.Transactions, nil)
		r.addN("q", 3000)
		got := make([]chan []engine.Record, 100)
		for n := range got {
			got[n] = make(chan []engine.Record, 1)
			ask := engine.ClaimRequest{Queue: "q", Robot: fmt.Sprintf("r-%d", n), Wait: store.Duration(time.Minute), Filter: fmt.Sprintf("reference:R-%d-", n)}
			switch n % 3 {
			case 1:
				ask.Filter = fmt.Sprintf("jq:'.n == %d' priority:high", n)
			case 2:
				ask.Filter, ask.Reference = "", fmt.Sprintf("R-%d-", n)
			}
			go func() {
				recs, _ := r.Claim(r.ctx, ask)
				got[n] <- recs
			}()
		}
		synctest.Wait()
		c.read.Store(0)
		for n := range got {
			payload := fmt.Sprintf(`{"n":%d}`, n)
			ids := r.add("q", engine.NewItem{Payload: object()},
				engine.NewItem{Payload: []byte(payload), Priority: store.High, Reference: fmt.Sprintf("R-%d-1", n)})
			if recs := <-got[n]; len(recs) != 1 || recs[0].ID() != ids[1] {
				t.Fatalf("claim %d got %v, want %v", n, recs, ids[1])
			}
		}
		if n := c.read.Load(); n > 0 {
			t.Errorf("the adds looked through %d items", n)
		}
	})
}

// A filter by the clock sees also what was there before.
func TestParkedFilterByTheClock(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, nil)
		old := r.addN("q", 1)
		got := make(chan []engine.Record, 1)
		go func() {
			recs, _ := r.Claim(r.ctx, engine.ClaimRequest{Queue: "q", Robot: "r", Filter: "age:>1h", Wait: store.Duration(5 * time.Hour)})
			got <- recs
		}()
		time.Sleep(2 * time.Hour)
		r.addN("q", 1)
		if recs := <-got; len(recs) != 1 || recs[0].ID() != old[0] {
			t.Errorf("got %v", recs)
		}
	})
}

func TestClaimFilterGoesByIndexes(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, func(q *store.Queue) { q.Folder = "/a" })
		for range 11 {
			r.addN("q", 1000)
		}
		ids := r.add("q", engine.NewItem{Payload: object(), Reference: "INV-7", Key: "k"}, engine.NewItem{Payload: object(), Reference: "INV-8"},
			engine.NewItem{Payload: object(), Reference: "INV-9"}, engine.NewItem{Payload: object()})
		for filter, want := range map[string]store.ID{
			"reference:INV-8": ids[1], "reference:=INV-9 folder:/": ids[2], "key:k queue:q,other": ids[0],
			"id:" + ids[3].String() + "," + ids[3].String(): ids[3],
		} {
			recs, err := r.Claim(r.ctx, engine.ClaimRequest{Queue: "q", Robot: "r", Filter: filter, N: 5})
			if err != nil || len(recs) != 1 || recs[0].ID() != want {
				t.Errorf("%s: %v %v, want %s", filter, recs, err, want)
			}
		}
		_, err := r.Claim(r.ctx, engine.ClaimRequest{Queue: "q", Robot: "r", Filter: "folder:/b"})
		r.wantCode(err, store.CodeEmpty)
		for _, filter := range []string{"queue:other", "!queue:q", "status:failed", "number:0"} {
			_, err := r.Claim(r.ctx, engine.ClaimRequest{Queue: "q", Robot: "r", Filter: filter})
			r.wantCode(err, store.CodeInvalid)
		}
	})
}
