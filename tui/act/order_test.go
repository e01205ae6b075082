package act

import (
	"strings"
	"testing"

	"signalbox/engine"
	"signalbox/store"
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
		tally := Count(test.outcomes)
		got := tally.Report(&Order{Verb: Retry}, test.outcomes, 0)
		if string(got) != test.want || len(tally.Trouble) != test.trouble {
			t.Errorf("%q with %d troubles, want %q with %d", got, len(tally.Trouble), test.want, test.trouble)
		}
	}
}

func TestTroubleIsBounded(t *testing.T) {
	var many []engine.Outcome
	for i := range 1000 {
		many = append(many, outcome(uint64(i+1), engine.Refused))
	}
	if tally := Count(many); tally.Refused != 1000 || len(tally.Trouble) != sample {
		t.Fatalf("%+v", tally)
	}
}

func TestVerbsFollowTheState(t *testing.T) {
	for s := store.Queued; int(s) < store.Statuses; s++ {
		for _, v := range Verbs() {
			why := v.Refusal(&store.Item{Status: s}, false)
			able := Decidable(s) && v != Clear // there is no review yet
			if v == Delete {
				able = !s.InFlight() && s != store.Deleted
			}
			if (why == "") != able {
				t.Errorf("%s on %s: %q", v.Name(), s, why)
			}
			if v.Refusal(&store.Item{Status: s}, true) == "" {
				t.Errorf("%s works read-only", v.Name())
			}
		}
	}
	verified := store.Item{Status: store.Failed, Review: store.Review{Status: store.Verified}}
	if why := Retry.Refusal(&verified, false); !strings.Contains(why, "no longer be retried") {
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
