package engine

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"signalbox/store"
)

var update = flag.Bool("update", false, "rewrite generated files")

var events = []Event{EventClaim, EventClaimStart, EventStart, EventComplete, EventBusiness, EventSystem, EventExpire, EventRelease, EventPostpone, EventRetry, EventDelete, EventUndo}

// TestTableKeepsItsPromises walks random lives through the table and holds the
// contract's sentences about states against each step.
func TestTableKeepsItsPromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		family := rapid.SampledFrom([]store.Family{store.Jobs, store.Transactions}).Draw(t, "family")
		q := DefaultQueue("q", family)
		q.Retries = rapid.IntRange(0, 3).Draw(t, "retries")
		q.OnExpiry = rapid.SampledFrom([]string{Reclaim, Abandon}).Draw(t, "on_expiry")
		q.RetryAbandoned = rapid.Bool().Draw(t, "retry_abandoned")
		i := store.Item{Queue: "q", Number: 1, Family: family, Status: waiting(family)[0], Retryable: true}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			event := rapid.SampledFrom(events).Draw(t, "event")
			row, err := next(&q, &i, event)
			checkStep(t, &q, &i, event, row, err)
			if err == nil {
				live(&i, row)
			}
		}
	})
}

func checkStep(t *rapid.T, q *store.Queue, i *store.Item, event Event, row transition, err error) {
	settle := event == EventComplete || event == EventBusiness || event == EventSystem
	byRobot := settle || event == EventStart && i.Status == store.Claimed || event == EventExpire || event == EventRelease || event == EventPostpone
	switch {
	case err == nil && settle && !i.Status.InFlight():
		t.Fatalf("%s settles an item nobody holds (%s)", event, i.Status)
	case err != nil && byRobot && i.Status.InFlight():
		t.Fatalf("%s is refused while the item is held (%s): %v", event, i.Status, err)
	case err == nil && Final(i.Status) && event != EventRetry && event != EventDelete && event != EventUndo:
		t.Fatalf("%s leaves final %s", event, i.Status)
	case err == nil && event == EventRetry && i.Review.Status == store.Verified:
		t.Fatalf("a verified item is retried")
	case err == nil && event == EventSystem && (row.guard == retryLeft) != (i.Spent < q.Retries):
		t.Fatalf("%d of %d retries spent, yet %q", i.Spent, q.Retries, row.guard)
	case event == EventUndo && (err == nil) != undoable(i):
		t.Fatalf("undo of %s, undoable %v: %v", i.Status, undoable(i), err)
	case err == nil && event == EventUndo && row.to != i.Undo.Status:
		t.Fatalf("undo leads to %s, it was %s", row.to, i.Undo.Status)
	case err == nil && i.Status == store.Deleted && event != EventUndo:
		t.Fatalf("%s leaves deleted", event)
	case err != nil && store.CodeOf(err) != store.CodeConflict:
		t.Fatalf("%s from %s: %v is no conflict", event, i.Status, err)
	}
}

// live gives the item what a step spends; a copy goes on for a retried one.
func live(i *store.Item, row transition) {
	switch row.event {
	case EventRetry, EventDelete:
		i.Undo = remember(i, row.event)
	default:
		i.Undo = nil
	}
	i.Revision++
	i.Status = row.to
	switch row.guard {
	case retryLeft, expiryPays:
		i.Spent++
	case reclaim:
		i.Reclaims++
	case unverified:
		i.Spent, i.Reclaims = 0, 0
	}
	if row.to == store.Retried && row.event != EventRetry && row.event != EventUndo {
		i.Status = store.Pending
	}
}

// TestTableHasNoDeadRows finds rows that an earlier one always answers for.
func TestTableHasNoDeadRows(t *testing.T) {
	for n, row := range transitions {
		for _, earlier := range transitions[:n] {
			if earlier.family != row.family || earlier.event != row.event || earlier.guard != always {
				continue
			}
			for _, from := range row.from {
				if slices.Contains(earlier.from, from) {
					t.Errorf("%s %s from %s is never reached", row.family, row.event, from)
				}
			}
		}
	}
}

// TestStatesDocument keeps docs/states.md equal to the table.
func TestStatesDocument(t *testing.T) {
	const path = "../docs/states.md"
	want := statesDocument()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("docs/states.md differs from the table (%v); run `go test ./engine -run StatesDocument -update`", err)
	}
}

func statesDocument() string {
	var b strings.Builder
	b.WriteString("# States\n\nMade from the table in `engine/transition.go`; rows are tried from the top.\n")
	for _, f := range []store.Family{store.Jobs, store.Transactions} {
		fmt.Fprintf(&b, "\n## %s\n\n| from | event | if | to |\n| --- | --- | --- | --- |\n", f)
		for _, row := range transitions {
			if row.family != f {
				continue
			}
			var from []string
			for _, s := range row.from {
				from = append(from, s.String())
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", strings.Join(from, ", "), row.event, row.guard, row.to)
		}
	}
	b.WriteString("\nA transaction that becomes `retried` goes on as a linked copy, which is `pending`.\n")
	return b.String()
}
