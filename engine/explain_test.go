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
		want(ids[2], "line: 2 items are ahead of it | robots: no robot has asked for work since the engine started")
		rec := r.claim("q", "r-1", 1)[0]
		want(ids[0], "held: held by r-1 since 2000-01-01T00:00:00.000Z")
		want(ids[2], "line: 1 item is ahead of it | robots: robots pull from this queue; the next claim may take it")
		copied := r.settle(rec, engine.System, "no answer").Next
		want(ids[0], "final: retried; q/4 goes on in its place")
		want(copied, "retry: its retry waits another 24h | robots: robots pull from this queue; the next claim may take it")
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
