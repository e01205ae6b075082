package engine_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"signalbox/engine"
	"signalbox/store"
)

// Stretches put together, in either direction, are the whole history once.
func TestStreamGoesBothWays(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("orders", store.Jobs, nil)
		r.addN("orders", 30)
		for _, rec := range r.claim("orders", "ro", 20) {
			r.settle(rec, engine.Success, "")
		}
		all, err := r.Changes(r.ctx, 0, 1000)
		if err != nil {
			t.Fatal(err)
		}
		var back []store.Change
		for from := uint64(0); ; {
			s, err := r.Stream(r.ctx, engine.StreamRequest{From: from, Limit: 7})
			if err != nil {
				r.t.Fatal(err)
			}
			back = append(back, s.Changes...)
			if from = s.Next; !s.More {
				break
			}
		}
		slices.Reverse(back)
		if !slices.Equal(all, back) {
			r.t.Fatalf("backwards there are %d changes of %d", len(back), len(all))
		}
		var front []store.Change
		for from := all[4].Seq; ; {
			s, err := r.Stream(r.ctx, engine.StreamRequest{From: from, Newer: true, Limit: 7})
			if err != nil {
				r.t.Fatal(err)
			}
			part := slices.Clone(s.Changes)
			slices.Reverse(part)
			front = append(front, part...)
			if from = s.Next; !s.More {
				break
			}
		}
		if !slices.Equal(all[5:], front) {
			r.t.Fatalf("forwards there are %d changes of %d", len(front), len(all)-5)
		}
	})
}

func TestStreamFilter(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("orders", store.Jobs, nil)
		r.queue("other", store.Jobs, nil)
		r.addN("orders", 3)
		r.addN("other", 1)
		r.settle(r.claim("orders", "ro-1", 1)[0], engine.Business, "no postal code")
		for filter, want := range map[string]int{
			"": 8, "event:claim": 1, "queue:other": 2, "queue:oth": 0, "item:orders/1": 3, "actor:ro-": 2, "status:failed": 1,
			"!queue:orders event:add": 2, "postal": 1, `"no postal"`: 1, "why:code": 1, "orders event:add !item:orders/2": 3,
		} {
			s, err := r.Stream(r.ctx, engine.StreamRequest{Filter: filter})
			if err != nil || len(s.Changes) != want {
				r.t.Errorf("%q finds %d changes, want %d: %v", filter, len(s.Changes), want, err)
			}
		}
		for _, filter := range []string{"colour:red", "event:", "!", `"x`, "status:great"} {
			_, err := r.Stream(r.ctx, engine.StreamRequest{Filter: filter})
			r.wantCode(err, store.CodeInvalid)
		}
	})
}

func TestRobots(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("orders", store.Transactions, func(q *store.Queue) { q.Lease = store.Duration(time.Minute) })
		r.queue("other", store.Jobs, nil)
		r.addN("orders", 10)
		r.addN("other", 2)
		held := r.claim("orders", "ro-1", 4)
		time.Sleep(10 * time.Second)
		r.settle(held[0], engine.Success, "")
		r.settle(held[1], engine.Business, "bad")
		r.claim("other", "ro-2", 1)
		time.Sleep(10 * time.Second)
		if _, err := r.Renew(r.ctx, []engine.Holding{{Item: held[2].ID(), Fence: held[2].Fence}}); err != nil {
			r.t.Fatal(err)
		}
		list, err := r.Robots(r.ctx)
		if err != nil || len(list) != 2 {
			r.t.Fatalf("%d robots, %v", len(list), err)
		}
		one := list[0]
		got := fmt.Sprint(one.Name, one.Queues, one.Held, one.Oldest, one.Claims, one.Done, one.Failed)
		if want := "ro-1[orders] 2 orders/3 4 1 1"; got != want {
			r.t.Errorf("got %s, want %s", got, want)
		}
		now := store.At(time.Now())
		if one.SeenAt != now {
			r.t.Errorf("a renewal is no sign of life: seen at %v, now %v", one.SeenAt, now)
		}
		if list[1].Name != "ro-2" || list[1].Held != 1 {
			r.t.Errorf("%+v", list[1])
		}
	})
}

func TestRevealIsRecordedAndKeepsTheUndo(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("orders", store.Transactions, nil)
		r.addN("orders", 2)
		rec := r.claim("orders", "ro", 1)[0]
		if err := r.Reveal(engine.WithActor(r.ctx, "ada"), rec.ID()); err != nil {
			r.t.Fatal(err)
		}
		history, err := r.History(r.ctx, rec.ID(), 1)
		if err != nil || history[0].Event != "reveal" || history[0].Actor != "ada" {
			r.t.Fatalf("%+v, %v", history, err)
		}
		out, err := r.Delete(r.ctx, engine.DeleteRequest{Targets: []engine.Target{{Item: rec.ID(), Revision: rec.Revision + 99}}})
		if err != nil || out[0].Result != engine.Stale {
			r.t.Fatalf("%+v, %v", out, err)
		}
		r.settle(rec, engine.System, "broke")
		r.wantStatus(rec.ID(), store.SystemException)
		seen := engine.Target{Item: rec.ID(), Revision: r.item(rec.ID()).Revision}
		for range 2 { // a look is no change that an act must heed
			if err := r.Reveal(r.ctx, rec.ID()); err != nil {
				r.t.Fatal(err)
			}
		}
		note := engine.ReviewRequest{Targets: []engine.Target{seen}, Action: engine.Note, Note: "seen"}
		if out, err := r.Review(r.ctx, note); err != nil || out[0].Result != engine.OK {
			r.t.Fatalf("after a look: %+v, %v", out, err)
		}
		if err := r.Reveal(r.ctx, rec.ID()); err != nil {
			r.t.Fatal(err)
		}
		if out, err := r.Review(r.ctx, note); err != nil || out[0].Result != engine.Stale {
			r.t.Fatalf("after a note and a look: %+v, %v", out, err)
		}
		r.wantCode(r.Reveal(r.ctx, store.ID{Queue: "orders", Number: 99}), store.CodeNotFound)
	})
}
