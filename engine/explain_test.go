package engine_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"signalbox/engine"
	"signalbox/store"
)

func TestExplain(t *testing.T) {
	eachStore(t, func(r *rig) {
		why := func(id store.ID) string {
			t.Helper()
			x, err := r.Explain(r.ctx, id)
			if err != nil {
				t.Fatal(err)
			}
			var texts []string
			for _, reason := range x.Reasons {
				texts = append(texts, reason.Code+": "+reason.Text)
			}
			return strings.Join(texts, " | ")
		}
		want := func(id store.ID, want string) {
			t.Helper()
			if got := why(id); got != want {
				t.Errorf("%s\n got %s\nwant %s", id, got, want)
			}
		}
		r.queue("q", store.Transactions, func(q *store.Queue) { q.Retries = 1 })
		ids := r.addN("q", 3)
		want(ids[0], "robots: no robot has asked for work since the engine started")
		want(ids[2], "line: 2 items are ahead of it: 2 added before | robots: no robot has asked for work since the engine started")
		rec := r.claim("q", "r-1", 1)[0]
		want(ids[0], "held: held by r-1 for 1s, attempt 1; its lease runs out in 5m unless it is renewed, and then it is abandoned")
		want(ids[2], "line: 1 item is ahead of it: 1 added before | robots: robots pull from this queue; the next claim may take it")
		copied := r.settle(rec, engine.System, "no answer").Next
		want(ids[0], "final: retried 1s ago; q/4 goes on in its place")
		want(copied, "retry: retry 1 of 1 waits another 24h | robots: robots pull from this queue; the next claim may take it")
		late := r.add("q", engine.NewItem{Payload: object(), DeferUntil: store.At(time.Now().Add(90 * time.Minute))})[0]
		if _, err := r.PauseQueue(r.ctx, "q", true); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Minute)
		want(late, "paused: queue q is paused by anna | deferred: deferred for another 1h20m | robots: no robot has asked for work for 10m")
		_, err := r.Explain(r.ctx, store.ID{Queue: "q", Number: 99})
		r.wantCode(err, store.CodeNotFound)
	})
}

// What does not wait says how it came there, and what a person can do.
func TestExplainWhatDoesNotWait(t *testing.T) {
	eachStore(t, func(r *rig) {
		told := func(id store.ID, code, text, mend string) {
			t.Helper()
			x, err := r.Explain(r.ctx, id)
			if err != nil || len(x.Reasons) != 1 {
				t.Fatalf("%s: %+v (%v)", id, x, err)
			}
			if got := x.Reasons[0]; got.Code != code || got.Text != text || !strings.Contains(got.Mend, mend) || mend == "" && got.Mend != "" {
				t.Errorf("%s: %+v, want %s: %s; %s", id, got, code, text, mend)
			}
		}
		r.queue("q", store.Jobs, func(q *store.Queue) { q.Retries, q.RetryWindow, q.RetryFloor, q.MaxReclaims = 1, 0, 0, 2 })
		ids := r.addN("q", 5)
		for _, id := range ids {
			if _, err := r.Claim(r.ctx, engine.ClaimRequest{Item: id, Robot: "r-1"}); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(3 * time.Second)
		settle := func(n int, s engine.Settlement) {
			t.Helper()
			s.Item, s.Fence = ids[n], r.item(ids[n]).Fence
			if out, err := r.Settle(r.ctx, []engine.Settlement{s}); err != nil || out[0].Err != nil {
				t.Fatal(err, out)
			}
		}
		settle(0, engine.Settlement{Status: engine.Success})
		settle(1, engine.Settlement{Status: engine.Business, Reason: "no zip"})
		settle(2, engine.Settlement{Status: engine.System, Reason: "broken", Final: true})
		settle(3, engine.Settlement{Status: engine.System, Reason: "down"})
		r.claim("q", "r-2", 1)
		settle(3, engine.Settlement{Status: engine.System, Reason: "still down"})
		told(ids[4], "held", "held by r-1 for 3s, attempt 1; its lease runs out in 9m57s unless it is renewed, and then it waits again, for time 1 of 2", "")
		time.Sleep(time.Minute)
		told(ids[0], "final", "completed 1m ago, on attempt 1 by r-1, 3s after it was claimed; nothing is left to do", "")
		told(ids[1], "review", "failed 1m ago: its data broke a rule, so a person must decide (no zip)", "signalbox item retry q/2 --payload")
		told(ids[2], "review", "failed 1m ago: it was reported as not to be retried (broken)", "item review q/3 --verify")
		told(ids[3], "review", "failed 1m ago: its one retry is used up (still down)", "signalbox item retry q/4")
		if _, err := r.Review(r.ctx, engine.ReviewRequest{Targets: []engine.Target{{Item: ids[1]}}, Action: engine.Verify}); err != nil {
			t.Fatal(err)
		}
		told(ids[1], "verified", "failed 1m ago: its data broke a rule, so a person must decide (no zip); verified by anna, so it is not to be retried any more", "--clear")
		for range 3 {
			time.Sleep(10 * time.Minute)
			_, _ = r.Claim(r.ctx, engine.ClaimRequest{Item: ids[4], Robot: "r-3"})
		}
		time.Sleep(11 * time.Minute)
		told(ids[4], "review", "abandoned 1m ago: the lease of r-3 ran out, after 2 of 2 reclaims", "signalbox item retry q/5")
		if _, err := r.Delete(r.ctx, engine.DeleteRequest{Targets: []engine.Target{{Item: ids[0]}}}); err != nil {
			t.Fatal(err)
		}
		told(ids[0], "final", "deleted 1s ago; no robot gets it", "signalbox item undo q/1")
	})
}

// What waits tells the line before it by why it is there, and its dates.
func TestExplainLineAndDates(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, nil)
		due := store.At(time.Now().Add(time.Hour))
		ids := r.add("q", engine.NewItem{Payload: object()}, engine.NewItem{Payload: object(), RiskAt: due - 1000, Priority: store.Low}, engine.NewItem{Payload: object(), DueAt: due},
			engine.NewItem{Payload: object(), Priority: store.High})
		time.Sleep(2 * time.Hour)
		x, err := r.Explain(r.ctx, ids[1])
		if err != nil || len(x.Reasons) != 3 {
			t.Fatal(err, x)
		}
		if got := x.Reasons[0]; got.Text != "3 items are ahead of it: 1 due sooner, 2 of higher priority" || got.Ahead != 3 || got.Mend != "signalbox item edit q/2 --priority high" {
			t.Errorf("%+v", got)
		}
		if got := x.Reasons[2]; got.Code != "sla" || got.Text != "at risk for 1h0m1s" {
			t.Errorf("%+v", got)
		}
		if x, err = r.Explain(r.ctx, ids[2]); err != nil || x.Reasons[1].Text != "overdue by 1h" {
			t.Error(err, x)
		}
	})
}

func TestExplainAFullLane(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("slow.turns", store.Jobs, func(q *store.Queue) { q.Lane, q.Consumer.Kind = "slow", engine.Handler })
		id := r.addN("slow.turns", 1)[0]
		if x, err := r.Explain(r.ctx, id); err != nil || x.Reasons[0].Code != "next" {
			t.Errorf("%v %+v", err, x)
		}
		for range 19 {
			if _, err := r.Slots().TryTake(lane("slow", "slow.others")); err != nil {
				t.Fatal(err)
			}
		}
		x, err := r.Explain(r.ctx, id)
		if err != nil || x.Reasons[0].Text != "the slow lane is full: 19 of 25 slots are busy, 19 of them with slow.others" {
			t.Errorf("%v %+v", err, x)
		}
		for _, queue := range []string{"slow.others", "slow.turns"} {
			go r.Slots().Take(r.t.Context(), lane("slow", queue))
			synctest.Wait()
		}
		x, err = r.Explain(r.ctx, id)
		if err != nil || x.Reasons[0].Ahead != 1 || !strings.HasSuffix(x.Reasons[0].Text, "; place 2 in line, 1 turn ahead") {
			r.t.Errorf("%v %+v", err, x)
		}
		if err := r.ConsumerFailed(r.ctx, "slow.turns", "no such program"); err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(func() any { x, _ := r.Explain(r.ctx, id); return x }())
		if err != nil || !strings.Contains(string(b), `"code":"consumer","text":"its consumer broke: no such program"`) {
			t.Errorf("%v %s", err, b)
		}
	})
}
