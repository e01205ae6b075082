package engine_test

import (
	"testing"
	"time"

	"signalbox/engine"
	"signalbox/store"
)

// A robot may say twice that it starts, as one does that claimed a single item, or
// that has lost the answer: the first time counts.
func TestStartTwice(t *testing.T) {
	for _, family := range []store.Family{store.Jobs, store.Transactions} {
		eachStore(t, func(r *rig) {
			r.queue("q", family, nil)
			r.addN("q", 3)
			for _, recs := range [][]engine.Record{r.claim("q", "r", 1), r.claim("q", "r", 2)} {
				h := engine.Holding{Item: recs[0].ID(), Fence: recs[0].Fence}
				first, err := r.Start(r.ctx, h)
				if err != nil {
					r.t.Fatal(err)
				}
				time.Sleep(time.Second)
				again, err := r.Start(r.ctx, h)
				if err != nil || again.StartedAt != first.StartedAt || again.Revision != first.Revision {
					r.t.Errorf("started again: %+v (%v), first %+v", again.Item, err, first.Item)
				}
			}
		})
	}
}

func TestKeysAreText(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, nil)
		for _, key := range []string{"a\xff", "a\x00b"} {
			_, err := r.Add(r.ctx, engine.AddRequest{Queue: "q", Items: []engine.NewItem{{Payload: object(), Key: key}}})
			r.wantCode(err, store.CodeInvalid)
		}
	})
}
