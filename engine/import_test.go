package engine_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"signalbox/engine"
	"signalbox/store"
)

const (
	longAgo = store.Time(1_700_000_000_000)
	since   = longAgo + 60_000
)

// gone is a past with everything in it.
func gone(state string) *engine.Past {
	return &engine.Past{
		ID: "old/7", State: state, Attempts: 3, Failures: 2, Reclaims: 1, RetryNo: 1, NoRetry: true, Fence: 9, Progress: "half way",
		ClaimedBy: "r-1", ClaimedAt: longAgo + 1, StartedAt: longAgo + 2, EndedAt: since, CreatedAt: longAgo, CreatedBy: "old",
		Error:  &store.Failure{Kind: engine.System, Reason: "no answer", Details: "at line 3", At: since},
		Review: store.Review{Status: store.InReview, Reviewer: "kim", Note: "asked", At: since},
		Output: []byte("{ \"a\" : 1 }"), Analytics: []byte(`{"b":2}`),
	}
}

// Whatever state an item was in, it is kept with all that belongs to it, and
// the store's own checks find nothing to say about it.
func TestItemsKeepTheirPast(t *testing.T) {
	for _, family := range []store.Family{store.Jobs, store.Transactions} {
		eachStore(t, func(r *rig) {
			r.queue("q", family, nil)
			for state, want := range map[string][2]store.Status{
				"completed": {store.Completed, store.Successful}, "successful": {store.Completed, store.Successful}, "complete": {store.Completed, store.Successful},
				"failed": {store.Failed, store.SystemException}, "system-exception": {store.Failed, store.SystemException}, "business_exception": {store.Failed, store.BusinessException},
				"Abandoned": {store.Abandoned, store.Abandoned}, "cancelled": {store.Cancelled, store.Cancelled}, "Deleted": {store.Deleted, store.Deleted},
				"available": {store.Queued, store.Pending}, "New": {store.Queued, store.Pending},
			} {
				id := r.addFrom("q", engine.NewItem{Payload: object(), Reference: "R", Past: gone(state)})
				got := r.wantStatus(id, want[family-1])
				p := gone(state)
				if got.Attempts != 3 || got.Failures != 2 || got.Reclaims != 1 || got.RetryNo != 1 || got.Retryable || got.Fence != 9 || got.Progress != p.Progress ||
					got.ClaimedBy != "r-1" || got.ClaimedAt != p.ClaimedAt || got.StartedAt != p.StartedAt || got.CreatedAt != longAgo || got.CreatedBy != "old" ||
					got.Review != p.Review || string(got.Output) != string(p.Output) || string(got.Analytics) != string(p.Analytics) ||
					got.Error.Reason != "no answer" || got.Error.Details != "at line 3" || got.Error.At != since {
					t.Errorf("%s: %+v", state, got)
				}
				if ended := got.EndedAt == since; ended == got.Status.Waiting() {
					t.Errorf("%s ended at %v", state, got.EndedAt)
				}
				if engine.Reviewable(got.Status) != (got.Group == "no answer") {
					t.Errorf("%s waits under %q", state, got.Group)
				}
				history, err := r.History(r.ctx, id, 0)
				if err != nil || len(history) != 1 || history[0].Event != "import" || history[0].Actor != "anna" || history[0].Why != "from a.json, was old/7 ("+state+")" {
					t.Errorf("%s: history is %+v, %v", state, history, err)
				}
			}
			r.sound()
		})
	}
}

// addFrom adds one item of a file called a.json.
func (r *rig) addFrom(queue string, item engine.NewItem) store.ID {
	r.t.Helper()
	results, err := r.Add(r.ctx, engine.AddRequest{Queue: queue, From: "a.json", Items: []engine.NewItem{item}})
	if err != nil {
		r.t.Fatal(err)
	}
	return results[0].Item.ID()
}

func (r *rig) sound() {
	r.t.Helper()
	if problems, err := r.Check(r.ctx); err != nil || len(problems) > 0 {
		r.t.Errorf("check found %q, %v", problems, err)
	}
}

// An item that a robot held elsewhere has no lease here: the queue's on_expiry
// says what becomes of it.
func TestHeldItemsOfElsewhere(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("jobs", store.Jobs, nil)
		r.queue("tx", store.Transactions, nil)
		r.queue("again", store.Transactions, func(q *store.Queue) { q.RetryAbandoned, q.Retries = true, 5 })
		held := engine.NewItem{Payload: object(), Past: &engine.Past{State: "in_flight", Attempts: 2, ClaimedBy: "r-9"}}
		got := r.wantStatus(r.addFrom("jobs", held), store.Queued)
		if got.Attempts != 2 || got.Reclaims != 1 || got.ClaimedBy != "r-9" || got.Fence != 2 || !got.Retryable {
			t.Errorf("reclaimed: %+v", got)
		}
		if got := r.claim("jobs", "r", 1)[0]; got.Attempts != 3 || got.Fence != 3 {
			t.Errorf("claimed: %+v", got)
		}
		got = r.wantStatus(r.addFrom("tx", held), store.Abandoned)
		if got.Group == "" || !strings.Contains(got.Error.Reason, `held by robot "r-9"`) {
			t.Errorf("abandoned: %+v", got)
		}
		if got = r.wantStatus(r.addFrom("again", held), store.Pending); got.Next != (store.ID{}) {
			t.Errorf("waiting again: %+v", got)
		}
		r.sound()
	})
}

// Retried and deleted items keep nobody from using their reference.
func TestUniqueReferencesOfPastItems(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, func(q *store.Queue) { q.UniqueReferences = true })
		item := func(state string) engine.NewItem {
			return engine.NewItem{Payload: object(), Reference: "R", Past: &engine.Past{State: state}}
		}
		if _, err := r.Add(r.ctx, engine.AddRequest{Queue: "q", Items: []engine.NewItem{item("retried"), item("retried"), item("successful"), item("deleted")}}); err != nil {
			t.Fatal(err)
		}
		_, err := r.Add(r.ctx, engine.AddRequest{Queue: "q", Items: []engine.NewItem{item("failed")}})
		r.wantCode(err, store.CodeConflict)
		r.addFrom("q", item("retried"))
		r.sound()
	})
}

func TestBadPasts(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, nil)
		for want, p := range map[string]engine.Past{
			"no item has this state": {State: "lost"}, "jobs are retried in place": {State: "retried"}, "attempts: -1": {State: "new", Attempts: -1},
			"an error is business or system":          {State: "failed", Error: &store.Failure{Kind: "odd"}},
			"reason: 102401 characters, the limit is": {State: "failed", Error: &store.Failure{Reason: strings.Repeat("x", 102_401)}},
			"output: it is no JSON object":            {State: "complete", Output: []byte("[1]")},
			"output: 51201 characters":                {State: "complete", Output: fmt.Appendf(nil, "{%51199s}", "")},
			"analytics: 5121 characters":              {State: "complete", Analytics: fmt.Appendf(nil, "{%5119s}", "")},
			"progress: 104858 characters":             {State: "complete", Progress: strings.Repeat("€", 104_858)},
		} {
			_, err := r.Add(r.ctx, engine.AddRequest{Queue: "q", Items: []engine.NewItem{{Payload: json.RawMessage("1"), Past: &p}}})
			if store.CodeOf(err) != store.CodeInvalid || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		}
		if c := r.counts("q"); c.Total() != 0 {
			t.Errorf("stored in spite of it: %v", c)
		}
	})
}

// What is still to be worked is held against the schema, what is done is not.
func TestSchemasAndPastItems(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, func(q *store.Queue) { q.Schemas.Payload = `{"required":["n"]}` })
		bad := func(state string) engine.NewItem {
			return engine.NewItem{Payload: json.RawMessage("{}"), Past: &engine.Past{State: state}}
		}
		r.wantStatus(r.addFrom("q", bad("successful")), store.Successful)
		r.wantStatus(r.addFrom("q", bad("new")), store.BusinessException)
		_, err := r.Add(r.ctx, engine.AddRequest{Queue: "q", Strict: true, Items: []engine.NewItem{bad("new")}})
		r.wantCode(err, store.CodeInvalid)
		r.sound()
	})
}

// What was said not to be retried any more is not, either when its robot dies.
func TestNoRetryOfWhatIsNotToBe(t *testing.T) {
	for _, family := range []store.Family{store.Jobs, store.Transactions} {
		eachStore(t, func(r *rig) {
			r.queue("q", family, func(q *store.Queue) {
				q.OnExpiry, q.RetryAbandoned, q.Retries, q.Lease = engine.Abandon, true, 3, store.Duration(time.Minute)
			})
			ids := r.add("q", engine.NewItem{Payload: object(), Past: &engine.Past{State: "new", NoRetry: true}})
			r.claim("q", "r", 1)
			time.Sleep(2 * time.Minute)
			synctest.Wait()
			if i := r.wantStatus(ids[0], store.Abandoned); i.Retryable {
				r.t.Error("it may be retried again")
			}
		})
	}
}
