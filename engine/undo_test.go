package engine_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"signalbox/engine"
	"signalbox/store"
)

// takeBack undoes the last act on an item and gives the answer.
func (r *rig) takeBack(id store.ID) engine.Outcome {
	r.t.Helper()
	out, err := r.Undo(r.ctx, engine.UndoRequest{Targets: []engine.Target{{Item: id}}})
	if err != nil {
		r.t.Fatal(err)
	}
	return out[0]
}

func (r *rig) wantResult(o engine.Outcome, want, words string) {
	r.t.Helper()
	if o.Result != want || !strings.Contains(o.Error, words) {
		r.t.Fatalf("answered %+v, want %s with %q", o, want, words)
	}
}

// failed is an item that ended as a business exception.
func (r *rig) failed(queue string) store.ID {
	r.t.Helper()
	rec := r.claim(queue, "robot", 1)[0]
	if o := r.settle(rec, engine.Business, "no postal code"); o.Result != engine.OK {
		r.t.Fatalf("%+v", o)
	}
	return rec.ID()
}

func (r *rig) judge(id store.ID, action, reviewer string) {
	r.t.Helper()
	out, err := r.Review(r.ctx, engine.ReviewRequest{Targets: []engine.Target{{Item: id}}, Action: action, Reviewer: reviewer, Note: "hm"})
	if err != nil || out[0].Result != engine.OK {
		r.t.Fatalf("%+v %v", out, err)
	}
}

func (r *rig) retryOne(id store.ID, payload string) engine.Outcome {
	r.t.Helper()
	req := engine.RetryRequest{Targets: []engine.Target{{Item: id}}}
	if payload != "" {
		req.Payload = json.RawMessage(payload)
	}
	out, err := r.Retry(r.ctx, req)
	if err != nil {
		r.t.Fatal(err)
	}
	return out[0]
}

// same compares what an undo restores; revisions and history go on.
func (r *rig) same(before, after engine.Record) {
	r.t.Helper()
	after.Revision, after.LastChange = before.Revision, before.LastChange
	after.Undo, before.Undo = nil, nil
	a, errA := json.Marshal(before)
	b, errB := json.Marshal(after)
	if errA != nil || errB != nil || string(a) != string(b) || before.Spent != after.Spent {
		r.t.Fatalf("before\n%s\nafter\n%s", a, b)
	}
}

func TestUndoOfARetryInPlace(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, func(q *store.Queue) { q.Retries = 3 })
		r.add("q", engine.NewItem{Payload: json.RawMessage(`{"zip": null}`)})
		id := r.failed("q")
		r.judge(id, engine.Assign, "kim")
		before := r.item(id)
		r.retryOne(id, `{"zip":"1010"}`)
		r.wantStatus(id, store.Queued)
		r.wantResult(r.takeBack(id), engine.OK, "")
		r.same(before, r.item(id))
		r.wantResult(r.takeBack(id), engine.Refused, "what came last is no operator's act: undo by anna 1s ago")

		h, err := r.History(r.ctx, id, 10)
		if err != nil || h[0].Event != "undo" || h[0].Why != "took back: retry" || h[1].Event != "retry" || len(h) != 6 {
			t.Errorf("history %+v %v", h, err)
		}
		r.retryOne(id, "")
		r.claim("q", "r7", 1)
		r.wantResult(r.takeBack(id), engine.Refused, "claim by r7 1s ago")
	})
}

func TestUndoOfARetryByCopy(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, func(q *store.Queue) { q.UniqueReferences = true })
		r.add("q", engine.NewItem{Payload: object(), Reference: "A"})
		id := r.failed("q")
		before := r.item(id)
		copied := r.retryOne(id, `{"a":2}`).Next
		r.wantResult(r.takeBack(copied), engine.Refused, "signalbox item undo q/1")
		r.wantResult(r.takeBack(id), engine.OK, "")
		r.same(before, r.item(id))
		r.wantStatus(copied, store.Deleted)
		r.sound()
		if groups, err := r.Groups(r.ctx, "q"); err != nil || len(groups) != 1 || groups[0].Count != 1 {
			t.Errorf("groups %+v %v", groups, err)
		}
		again := r.retryOne(id, "").Next
		r.claim("q", "r7", 1)
		r.wantResult(r.takeBack(id), engine.Refused, "it has gone on as "+again.String()+": claim by r7")
		r.wantStatus(id, store.Retried)
	})
}

func TestUndoOfADelete(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, func(q *store.Queue) { q.UniqueReferences = true })
		ids := r.add("q", engine.NewItem{Payload: object(), Reference: "A"}, engine.NewItem{Payload: object(), Reference: "B"})
		excepted := r.failed("q")
		r.judge(excepted, engine.Verify, "kim")
		before := []engine.Record{r.item(ids[0]), r.item(ids[1])}
		targets := []engine.Target{{Item: ids[0]}, {Item: ids[1]}}
		if _, err := r.Delete(r.ctx, engine.DeleteRequest{Targets: targets}); err != nil {
			t.Fatal(err)
		}
		r.add("q", engine.NewItem{Payload: object(), Reference: "B"})
		out, err := r.Undo(r.ctx, engine.UndoRequest{Targets: targets, Note: "a slip"})
		if err != nil {
			t.Fatal(err)
		}
		r.wantResult(out[0], engine.OK, "")
		r.wantResult(out[1], engine.Refused, `reference "B": it is already in queue q`)
		r.same(before[0], r.item(ids[0]))
		r.wantStatus(ids[1], store.Deleted)
	})
}

func TestUndoOfJudgementsAndDeferrals(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, nil)
		r.add("q", engine.NewItem{Payload: object()}, engine.NewItem{Payload: object()})
		id := r.failed("q")
		r.judge(id, engine.Assign, "kim")
		assigned := r.item(id)
		for _, action := range []string{engine.Verify, engine.Note, engine.Clear, engine.Assign} {
			r.judge(id, action, "lee")
			r.wantResult(r.takeBack(id), engine.OK, "")
			r.same(assigned, r.item(id))
		}
		waits := store.ID{Queue: "q", Number: 2}
		before := r.item(waits)
		until := store.At(time.Now().Add(time.Hour))
		if _, err := r.Edit(r.ctx, engine.EditRequest{Target: engine.Target{Item: waits}, DeferUntil: &until}); err != nil {
			t.Fatal(err)
		}
		r.wantResult(r.takeBack(waits), engine.OK, "")
		r.same(before, r.item(waits))
		r.claim("q", "robot", 1)
	})
}

func TestTheSecondReviewerIsTold(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, nil)
		r.add("q", engine.NewItem{Payload: object()})
		id := r.failed("q")
		seen := engine.Target{Item: id, Revision: r.item(id).Revision}
		grace, ada := engine.WithActor(r.ctx, "grace"), engine.WithActor(r.ctx, "ada")
		verify := engine.ReviewRequest{Targets: []engine.Target{seen}, Action: engine.Verify}
		if out, err := r.Review(grace, verify); err != nil || out[0].Result != engine.OK {
			t.Fatalf("%+v %v", out, err)
		}
		at := store.At(time.Now())
		out, err := r.Review(ada, verify)
		if err != nil {
			t.Fatal(err)
		}
		r.wantResult(out[0], engine.Stale, "changed since it was seen: review-verify by grace 1s ago; it is now")
		if o := out[0]; o.LastBy != "grace" || o.LastEvent != "review-verify" || o.LastAt != at {
			t.Errorf("told %+v", o)
		}
		verify.Targets[0].Revision = 0
		out, err = r.Review(ada, verify)
		if err != nil {
			t.Fatal(err)
		}
		r.wantResult(out[0], engine.Refused, "already verified by grace 1s ago")
		if got := r.item(id); got.Review.Reviewer != "grace" {
			t.Errorf("decided twice: %+v", got.Review)
		}
	})
}
