package engine_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/store/memory"
)

func object() []byte { return []byte(`{"a":1}`) }

func TestClaimOrder(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, nil)
		now := store.At(time.Now())
		soon, late := now.Add(time.Hour), now.Add(2*time.Hour)
		ids := r.add("q",
			engine.NewItem{Payload: object(), Reference: "plain"},
			engine.NewItem{Payload: object(), Reference: "low-due", Priority: store.Low, DueAt: soon},
			engine.NewItem{Payload: object(), Reference: "late", DueAt: late},
			engine.NewItem{Payload: object(), Reference: "soon", DueAt: soon},
			engine.NewItem{Payload: object(), Reference: "high", Priority: store.High},
			engine.NewItem{Payload: object(), Reference: "deferred", DeferUntil: soon},
			engine.NewItem{Payload: object(), Reference: "plain2"},
		)
		want := []string{"soon", "late", "low-due", "high", "plain", "plain2"}
		for n, rec := range r.claim("q", "r", len(ids)) {
			if rec.Reference != want[n] {
				t.Errorf("claim %d is %s, want %s", n, rec.Reference, want[n])
			}
		}
		_, err := r.Claim(r.ctx, engine.ClaimRequest{Queue: "q", Robot: "r"})
		r.wantCode(err, store.CodeEmpty)
		time.Sleep(time.Hour)
		if got := r.claim("q", "r", 1)[0].Reference; got != "deferred" {
			t.Errorf("after its time %s is claimed, want deferred", got)
		}
	})
}

func TestClaimStampsTheHold(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, nil)
		r.addN("q", 3)
		one := r.claim("q", "r-1", 1)[0]
		if one.Status != store.Processing || one.Fence != 1 || one.Attempts != 1 || one.ClaimedBy != "r-1" {
			t.Errorf("one item claimed is started at once: %+v", one.Item)
		}
		if one.LeaseUntil.Sub(one.ClaimedAt) != 5*time.Minute {
			t.Errorf("lease is %s, want the queue's 5m", one.LeaseUntil.Sub(one.ClaimedAt))
		}
		for _, rec := range r.claim("q", "r-1", 2) {
			if rec.Status != store.Claimed {
				t.Errorf("a wave's item is %s, want claimed until it is started", rec.Status)
			}
			started, err := r.Start(r.ctx, engine.Holding{Item: rec.ID(), Fence: rec.Fence})
			if err != nil || started.Status != store.Processing || started.StartedAt == 0 {
				t.Errorf("start: %v, %s", err, started.Status)
			}
		}
	})
}

func TestClaimRefusals(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, nil)
		ids := r.add("q", engine.NewItem{Payload: object(), Reference: "INV-1"}, engine.NewItem{Payload: object(), Reference: "INV-2"})
		for name, c := range map[string]struct {
			req  engine.ClaimRequest
			want store.Code
		}{
			"no robot":        {engine.ClaimRequest{Queue: "q"}, store.CodeInvalid},
			"no queue":        {engine.ClaimRequest{Robot: "r"}, store.CodeInvalid},
			"ESC in its name": {engine.ClaimRequest{Queue: "q", Robot: "r\x1b[2J"}, store.CodeInvalid},
			"too many":        {engine.ClaimRequest{Queue: "q", Robot: "r", N: 1001}, store.CodeInvalid},
			"missing queue":   {engine.ClaimRequest{Queue: "none", Robot: "r"}, store.CodeNotFound},
			"other prefix":    {engine.ClaimRequest{Queue: "q", Robot: "r", Reference: "X"}, store.CodeEmpty},
			"inexact":         {engine.ClaimRequest{Queue: "q", Robot: "r", Reference: "INV", Exact: true}, store.CodeEmpty},
			"missing item":    {engine.ClaimRequest{Item: store.ID{Queue: "q", Number: 9}, Robot: "r"}, store.CodeNotFound},
			"another's item":  {engine.ClaimRequest{Queue: "q", Item: store.ID{Queue: "p", Number: 1}, Robot: "r"}, store.CodeInvalid},
		} {
			if _, err := r.Claim(r.ctx, c.req); store.CodeOf(err) != c.want {
				t.Errorf("%s: %v, want code %d", name, err, c.want)
			}
		}
		if got, err := r.Claim(r.ctx, engine.ClaimRequest{Item: ids[1], Robot: "r"}); err != nil || got[0].ID() != ids[1] {
			t.Errorf("claim by id: %v %v", got, err)
		}
		_, err := r.Claim(r.ctx, engine.ClaimRequest{Item: ids[1], Robot: "s"})
		r.wantCode(err, store.CodeConflict)
		if _, err := r.PauseQueue(r.ctx, "q", true); err != nil {
			t.Fatal(err)
		}
		_, err = r.Claim(r.ctx, engine.ClaimRequest{Queue: "q", Robot: "r"})
		r.wantCode(err, store.CodeConflict)
	})
}

func TestParkedClaimIsServed(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, nil)
		type answer struct {
			recs []engine.Record
			err  error
			took time.Duration
		}
		park := func(ctx context.Context, wait time.Duration, ref string) chan answer {
			c := make(chan answer, 1)
			go func() {
				begun := time.Now()
				recs, err := r.Claim(ctx, engine.ClaimRequest{Queue: "q", Robot: "r", N: 2, Wait: store.Duration(wait), Reference: ref})
				c <- answer{recs, err, time.Since(begun)}
			}()
			synctest.Wait()
			return c
		}

		first, second := park(r.ctx, time.Minute, ""), park(r.ctx, time.Minute, "")
		r.addN("q", 3)
		if a, b := <-first, <-second; len(a.recs) != 2 || len(b.recs) != 1 || a.err != nil || b.err != nil {
			t.Fatalf("first come first served: %d and %d items (%v, %v)", len(a.recs), len(b.recs), a.err, b.err)
		}

		empty := <-park(r.ctx, time.Minute, "")
		if store.CodeOf(empty.err) != store.CodeEmpty || empty.took != time.Minute {
			t.Errorf("nothing came: %v after %s", empty.err, empty.took)
		}

		ctx, cancel := context.WithCancel(r.ctx)
		gone := park(ctx, time.Minute, "")
		cancel()
		if a := <-gone; a.err != context.Canceled {
			t.Errorf("cancelled wait: %v", a.err)
		}

		picky, any := park(r.ctx, time.Minute, "INV-"), park(r.ctx, time.Minute, "")
		r.add("q", engine.NewItem{Payload: object(), Reference: "ORD-1"})
		if a := <-any; len(a.recs) != 1 {
			t.Errorf("an item another reference was waited for: %v", a.err)
		}
		r.add("q", engine.NewItem{Payload: object(), Reference: "INV-1"})
		if a := <-picky; len(a.recs) != 1 || a.recs[0].Reference != "INV-1" {
			t.Errorf("the reference waited for: %+v", a)
		}

		filtered := make(chan answer, 1)
		go func() {
			recs, err := r.Claim(r.ctx, engine.ClaimRequest{Queue: "q", Robot: "r", Wait: store.Duration(time.Minute), Filter: "jq:.wanted"})
			filtered <- answer{recs: recs, err: err}
		}()
		synctest.Wait()
		r.add("q", engine.NewItem{Payload: []byte(`{"wanted":false}`)})
		wanted := r.add("q", engine.NewItem{Payload: []byte(`{"wanted":true}`)})[0]
		if a := <-filtered; len(a.recs) != 1 || a.recs[0].ID() != wanted {
			t.Errorf("the payload waited for: %+v", a)
		}
		r.claim("q", "r", 1)

		delayed := park(r.ctx, time.Hour, "")
		r.add("q", engine.NewItem{Payload: object(), DeferUntil: store.At(time.Now().Add(30 * time.Minute))})
		if a := <-delayed; len(a.recs) != 1 || a.took.Round(time.Second) != 30*time.Minute {
			t.Errorf("deferred item came after %s: %v", a.took, a.err)
		}
	})
}

func TestCloseEndsWhoWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, memory.New())
		r.queue("q", store.Jobs, nil)
		s, err := r.Watch(r.ctx, 0)
		if err != nil {
			t.Fatal(err)
		}
		ends := make(chan error, 2)
		go func() {
			_, err := r.Claim(r.ctx, engine.ClaimRequest{Queue: "q", Robot: "r", Wait: store.Duration(time.Hour)})
			ends <- err
		}()
		go func() {
			_, err := r.Watch(r.ctx, s.Revision)
			ends <- err
		}()
		synctest.Wait()
		begun := time.Now()
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := <-ends; store.CodeOf(err) != store.CodeUnavailable || time.Since(begun) > 0 {
				t.Errorf("after %s: %v", time.Since(begun), err)
			}
		}
	})
}

func TestParkedClaimWakesOnResumeRetryAndRelease(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, nil)
		r.addN("q", 1)
		held := r.claim("q", "holder", 1)[0]
		got := make(chan []engine.Record, 1)
		park := func() {
			go func() {
				recs, _ := r.Claim(r.ctx, engine.ClaimRequest{Queue: "q", Robot: "r", Wait: store.Duration(time.Minute)})
				got <- recs
			}()
			synctest.Wait()
		}
		park()
		if _, err := r.Release(r.ctx, []engine.Holding{{Item: held.ID(), Fence: held.Fence}}); err != nil {
			t.Fatal(err)
		}
		recs := <-got
		if len(recs) != 1 || recs[0].Fence != 2 {
			t.Fatalf("given back: %+v", recs)
		}
		r.settle(recs[0], engine.System, "broken")
		park()
		if _, err := r.Retry(r.ctx, engine.RetryRequest{Targets: []engine.Target{{Item: recs[0].ID()}}}); err != nil {
			t.Fatal(err)
		}
		if recs := <-got; len(recs) != 1 || recs[0].Previous != held.ID() {
			t.Fatalf("retried: %+v", recs)
		}
		park()
		for _, paused := range []bool{true, false} {
			if _, err := r.PauseQueue(r.ctx, "q", paused); err != nil {
				t.Fatal(err)
			}
			if paused {
				r.addN("q", 1)
			}
		}
		if recs := <-got; len(recs) != 1 {
			t.Fatal("resumed: nothing came")
		}
	})
}

func TestManyClaimantsNeverShareAnItem(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, nil)
		const items, robots = 500, 32
		var mu sync.Mutex
		seen := map[store.ID]int{}
		var wg sync.WaitGroup
		for n := range robots {
			wg.Go(func() {
				for {
					recs, err := r.Claim(r.ctx, engine.ClaimRequest{Queue: "q", Robot: "r", N: 1 + n%3, Wait: store.Duration(time.Minute)})
					if err != nil {
						return
					}
					mu.Lock()
					for _, rec := range recs {
						seen[rec.ID()]++
					}
					mu.Unlock()
					for _, rec := range recs {
						r.settle(rec, engine.Success, "")
					}
				}
			})
		}
		for range items / 5 {
			r.addN("q", 5)
		}
		wg.Wait()
		for id, n := range seen {
			if n != 1 {
				t.Errorf("%s was claimed %d times", id, n)
			}
		}
		if c := r.counts("q"); c[store.Completed] != items || len(seen) != items {
			t.Errorf("%d completed, %d seen, want %d", c[store.Completed], len(seen), items)
		}
	})
}

func TestNextSettlesAndClaimsInOne(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, nil)
		ids := r.addN("q", 3)
		request := engine.ClaimRequest{Queue: "q", Robot: "r"}
		next := func(rec engine.Record, fence uint64) ([]engine.Outcome, []engine.Record, error) {
			return r.Next(r.ctx, []engine.Settlement{{Item: rec.ID(), Fence: fence, Status: engine.Success}}, request)
		}
		first := r.claim("q", "r", 1)[0]
		out, recs, err := next(first, first.Fence)
		if err != nil || out[0].Result != engine.OK || recs[0].ID() != ids[1] {
			t.Fatalf("%v %+v %+v", err, out, recs)
		}
		out, recs, err = next(recs[0], recs[0].Fence+1)
		if err != nil || out[0].Result != engine.Stale || recs[0].ID() != ids[2] {
			t.Fatalf("a stale settle does not keep the robot from working on: %v %+v", err, out)
		}
		out, none, err := next(recs[0], recs[0].Fence)
		if store.CodeOf(err) != store.CodeEmpty || out[0].Result != engine.OK || len(none) != 0 {
			t.Fatalf("%v %+v", err, out)
		}
		r.wantStatus(ids[2], store.Successful)

		second := r.item(ids[1])
		if _, err := r.PauseQueue(r.ctx, "q", true); err != nil {
			t.Fatal(err)
		}
		out, _, err = next(second, second.Fence)
		if store.CodeOf(err) != store.CodeConflict || out[0].Result != engine.OK {
			t.Errorf("settling goes on in a paused queue: %v %+v", err, out)
		}
		if _, err := r.PauseQueue(r.ctx, "q", false); err != nil {
			t.Fatal(err)
		}
		last := r.add("q", engine.NewItem{Payload: object()})[0]
		rec := r.claim("q", "r", 1)[0]
		_, _, err = r.Next(r.ctx, []engine.Settlement{{Item: last, Fence: rec.Fence, Status: engine.Success}}, engine.ClaimRequest{Queue: "q"})
		r.wantCode(err, store.CodeInvalid)
		r.wantStatus(last, store.Processing)
	})
}
