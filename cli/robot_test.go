package cli_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

func TestARobotsLife(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q", "--family", "transactions", "--retries", "1", "--retry-floor", "0s", "--retry-window", "0s")
	r.fails(4, "nothing to claim", "claim", "--queue", "q", "--robot", "r1")
	r.fails(4, "nothing to claim came in 10ms; claim again", "claim", "--queue", "q", "--robot", "r1", "--wait", "10ms")
	r.fails(3, `queue "none"`, "claim", "--queue", "none", "--robot", "r1")
	for range 4 {
		r.ok("item", "add", "--queue", "q", "--payload", `{"n":1}`, "--reference", "INV-7")
	}
	held := r.claimed("--queue", "q", "--robot", "r1", "--n", "3", "--reference", "INV-")
	if len(held) != 3 || held[0].Status != "claimed" || held[0].ClaimedBy != "r1" || held[0].Payload["n"] != 1.0 {
		t.Fatalf("claimed %+v", held)
	}
	fence := func(n int) string { return strconv.FormatUint(held[n].Fence, 10) }
	if got := parse[item](t, r.ok("start", held[0].ID, "--fence", fence(0))); got.Status != "processing" {
		t.Errorf("started %+v", got)
	}
	if got := parse[outcome](t, r.ok("renew", held[0].ID, "--fence", fence(0))); got.Result != "ok" {
		t.Errorf("renewed %+v", got)
	}
	if got := parse[outcome](t, r.ok("progress", held[0].ID, "half", "way", "--fence", fence(0))); got.Item != held[0].ID || got.Result != "ok" {
		t.Errorf("progress %+v", got)
	}
	if got := parse[outcome](t, r.ok("complete", held[0].ID, "--fence", fence(0), "--output", `{"total":3}`, "--analytics", `{"ms":5}`)); got.Status != "successful" {
		t.Errorf("completed %+v", got)
	}
	if got := parse[item](t, r.ok("item", "show", held[0].ID)); got.Output["total"] != 3.0 || got.Progress != "half way" {
		t.Errorf("shown %+v", got)
	}
	if got := parse[outcome](t, r.ok("fail", held[1].ID, "--fence", fence(1), "--reason", "printer on fire", "--details", "trace")); got.Status != "retried" || got.Next != "q/5" {
		t.Errorf("failed %+v", got)
	}
	if got := parse[outcome](t, r.ok("fail", held[2].ID, "--fence", fence(2), "--kind", "business", "--reason", "no postal code")); got.Status != "business-exception" {
		t.Errorf("failed %+v", got)
	}
	for _, verb := range [][]string{
		{"start", held[0].ID}, {"renew", held[0].ID}, {"complete", held[0].ID}, {"progress", held[0].ID, "x"},
		{"fail", held[0].ID, "--reason", "x"}, {"postpone", held[0].ID, "--until", "+1h"},
	} {
		r.fails(5, "already final", append(verb, "--fence", fence(0))...)
	}
	r.fails(3, "not found", "complete", "q/99", "--fence", "1")

	one := r.claimed("--item", "q/4", "--robot", "r2")[0]
	if one.Status != "processing" {
		t.Errorf("a single claim is %s", one.Status)
	}
	r.fails(5, "q/4", "claim", "--item", "q/4", "--robot", "r3")
	r.ok("postpone", "q/4", "--fence", strconv.FormatUint(one.Fence, 10), "--until", "+1h")
	if one = parse[item](t, r.ok("item", "show", "q/4")); one.Status != "pending" || one.Defer == "" {
		t.Errorf("postponed %+v", one)
	}
	r.ok("queue", "pause", "q")
	r.fails(5, "paused by kim", "claim", "--queue", "q", "--robot", "r1")
}

// A claim that waits gets what another's lease lets go of, and from then on
// the first robot's word counts for nothing.
func TestLeaseLost(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ok("queue", "add", "q", "--lease", "1s", "--on-expiry", "reclaim")
	r.ok("item", "add", "--queue", "q", "--payload", "{}")
	old := r.claimed("--queue", "q", "--robot", "r1")[0]
	again := r.claimed("--queue", "q", "--robot", "r2", "--wait", "1m")[0]
	if again.ID != old.ID || again.Fence <= old.Fence {
		t.Errorf("claimed %+v after %+v", again, old)
	}
	r.fails(5, "now held by r2", "complete", old.ID, "--fence", strconv.FormatUint(old.Fence, 10))
	r.ok("complete", old.ID, "--fence", strconv.FormatUint(again.Fence, 10))
}

func TestSettle(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q", "--family", "transactions")
	r.stdin = strings.Repeat("{}\n", 3)
	r.ok("item", "import", "--queue", "q", "-")
	held := r.claimed("--queue", "q", "--robot", "r", "--n", "3")
	line := func(n int, more string) string {
		return fmt.Sprintf(`{"item":%q,"fence":%d,%s}`, held[n].ID, held[n].Fence, more) + "\n"
	}
	r.stdin = line(0, `"status":"success","output":{"a":1}`) + "\n" + line(1, `"status":"business","reason":"torn"`)
	out := strings.Split(r.ok("settle"), "\n")
	if a, b := parse[outcome](t, out[0]), parse[outcome](t, out[1]); a.Result != "ok" || a.Item != held[0].ID || b.Status != "business-exception" {
		t.Errorf("settled %+v, %+v", a, b)
	}
	r.stdin = line(0, `"status":"success"`) + line(2, `"status":"success"`) + `{"item":"q/9","fence":1,"status":"success"}`
	got := r.run("settle")
	results := strings.Split(strings.TrimSpace(got.stdout), "\n")
	if got.code != 5 || len(results) != 3 || !strings.Contains(got.stderr, "signalbox: settle: 2 of 3 items refused") {
		t.Fatalf("exit %d, %s%s", got.code, got.stdout, got.stderr)
	}
	if a, b, c := parse[outcome](t, results[0]), parse[outcome](t, results[1]), parse[outcome](t, results[2]); a.Result == "ok" || a.Error == nil || b.Result != "ok" || c.Result != "gone" {
		t.Errorf("settled %+v, %+v, %+v", a, b, c)
	}
	for _, bad := range []string{"{", `{"item":"q/1","fence":1,"status":"success","outptu":1}`, `{"fence":1}`, `{"item":"x"}`, `{"item":"q/1"} {}`} {
		r.stdin = "\n" + bad
		r.fails(2, "line 2 of stdin", "settle")
	}
	r.stdin = "\n"
	r.fails(2, "nothing to settle", "settle")
}
