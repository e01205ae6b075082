package act

import (
	"strings"
	"testing"
	"time"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/env"
	"signalbox/tui/text"
)

func outcome(n uint64, result string) engine.Outcome {
	return engine.Outcome{Item: store.ID{Queue: "q", Number: n}, Result: result, Status: store.Pending}
}

func TestReports(t *testing.T) {
	for _, test := range []struct {
		outcomes []engine.Outcome
		want     string
		trouble  int
	}{
		{[]engine.Outcome{outcome(1, engine.OK)}, "Retried q/1: pending again", 0},
		{[]engine.Outcome{outcome(1, engine.OK), outcome(2, engine.OK)}, "Retried 2", 0},
		{[]engine.Outcome{outcome(1, engine.OK), outcome(2, engine.Stale), outcome(3, engine.Gone), outcome(4, engine.Refused)},
			"Retried 1 of 4, 1 changed since you looked, 1 gone, 1 not allowed", 3},
		{[]engine.Outcome{outcome(1, engine.Stale)}, "Retried 0 of 1, 1 changed since you looked", 1},
	} {
		tally := Count(test.outcomes, nil)
		done := Done{Order: Order{Verb: Retry}, Outcomes: test.outcomes}
		got := done.report()
		if string(got) != test.want || len(tally.Trouble) != test.trouble {
			t.Errorf("%q with %d troubles, want %q with %d", got, len(tally.Trouble), test.want, test.trouble)
		}
	}
}

func TestReportsOfBulkActs(t *testing.T) {
	all := engine.BulkState{By: "ada", State: engine.BulkDone, Selected: 1200, Of: 1200, Done: 1200}
	for _, test := range []struct {
		change func(*engine.BulkState)
		want   string
	}{
		{func(*engine.BulkState) {}, "Retried 1,200"},
		{func(b *engine.BulkState) { b.Done, b.Stale, b.Arrived = 1190, 10, 3 }, "Retried 1,190 of 1,200, 10 changed since you looked; 3 arrived since and are untouched"},
		{func(b *engine.BulkState) { b.Of, b.Done = 100, 100 }, "Retried 100"},
		{func(b *engine.BulkState) { b.Done, b.State, b.EndedBy = 412, engine.BulkCancelled, "grace" }, "Retried 412 of 1,200; stopped by grace with 788 left as they were"},
		{func(b *engine.BulkState) { b.Done, b.State = 412, engine.BulkCancelled }, "Retried 412 of 1,200; stopped by the end of the engine with 788 left as they were"},
		{func(b *engine.BulkState) { b.Done, b.State, b.Error = 412, engine.BulkFailed, "disk full" }, "Retried 412 of 1,200; broke off with 788 left: disk full"},
	} {
		b := all
		test.change(&b)
		done := Done{Order: Order{Verb: Retry, Scope: Matching}, Bulk: &b}
		if got := done.report(); string(got) != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

// The second of two is told what the first did, and when.
func TestTheSecondIsToldWhoWasFirst(t *testing.T) {
	at := store.At(time.Date(2026, 3, 2, 14, 3, 9, 0, time.UTC))
	for _, test := range []struct {
		outcome engine.Outcome
		want    string
	}{
		{engine.Outcome{Result: engine.Stale, LastEvent: "review-verify", LastBy: "grace", LastAt: at}, "q/1: changed since you looked: verified by grace at 15:03:09"},
		{engine.Outcome{Result: engine.Refused, Err: store.Conflict("item q/1", "already verified by grace at 14:03", ""), LastEvent: "review-verify", LastBy: "grace", LastAt: at}, "q/1: already verified by grace at 14:03"},
		{engine.Outcome{Result: engine.Refused, Err: store.Conflict("item q/1", "it is queued, and retry is not possible from there", ""), LastEvent: "retry", LastBy: "grace", LastAt: at},
			"q/1: it is queued, and retry is not possible from there; retried by grace at 15:03:09"},
		{engine.Outcome{Result: engine.Stale}, "q/1: changed since you looked"},
	} {
		test.outcome.Item = store.ID{Queue: "q", Number: 1}
		tally := Count([]engine.Outcome{test.outcome}, time.FixedZone("CET", 3600))
		if got := tally.Trouble[0]; string(got) != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

func TestTroubleIsBounded(t *testing.T) {
	var many []engine.Outcome
	for i := range 1000 {
		many = append(many, outcome(uint64(i+1), engine.Refused))
	}
	if tally := Count(many, nil); tally.Refused != 1000 || len(tally.Trouble) != sample {
		t.Fatalf("%+v", tally)
	}
}

func TestVerbsFollowTheState(t *testing.T) {
	for s := store.Queued; int(s) < store.Statuses; s++ {
		for _, v := range Verbs() {
			why := v.Refusal(env.Env{}, &store.Item{Status: s})
			able := Decidable(s) && v != Clear // there is no review yet
			if v == Delete {
				able = !s.InFlight() && s != store.Deleted
			}
			if (why == "") != able {
				t.Errorf("%s on %s: %q", v.Name(), s, why)
			}
			if v.Refusal(env.Env{ReadOnly: true}, &store.Item{Status: s}) == "" {
				t.Errorf("%s works read-only", v.Name())
			}
		}
	}
	verified := store.Item{Status: store.Failed, Review: store.Review{Status: store.Verified}}
	if why := Retry.Refusal(env.Env{}, &verified); !strings.Contains(why, "no longer be retried") {
		t.Errorf("verified: %q", why)
	}
}

func TestOrdersNameTheirScope(t *testing.T) {
	two := []engine.Target{{Item: store.ID{Queue: "q", Number: 1}}, {Item: store.ID{Queue: "q", Number: 2}}}
	for _, test := range []struct {
		order Order
		want  string
	}{
		{Order{Verb: Retry, Targets: two[:1]}, "Retry q/1"},
		{Order{Verb: Verify, Scope: Marked, Targets: two}, "Verify 2 marked items"},
		{Order{Verb: Retry, Scope: Matching, Targets: two, Where: []text.Safe{"status:abandoned"}}, "Retry 2 matching items"},
	} {
		if got := test.order.Title(); string(got) != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}
