package cli_test

import (
	"strconv"
	"strings"
	"testing"
)

// exceptions fills a queue with n items that ended in two kinds of exception.
func exceptions(r *rig, n int) {
	r.t.Helper()
	r.ok("queue", "add", "q", "--family", "transactions")
	r.stdin = strings.Repeat("{}\n", n)
	r.ok("item", "import", "--queue", "q", "-")
	var settle strings.Builder
	var all []item
	for len(all) < n { // one claim may hand out fewer than it was asked for
		all = append(all, r.claimed("--queue", "q", "--robot", "r", "--n", strconv.Itoa(min(n-len(all), 1000)))...)
	}
	for i, held := range all {
		reason := "no postal code"
		if i%2 == 1 {
			reason = "not shipped"
		}
		settle.WriteString(`{"item":"` + held.ID + `","fence":` + strconv.FormatUint(held.Fence, 10) + `,"status":"business","reason":"` + reason + `"}` + "\n")
	}
	r.stdin = settle.String()
	r.ok("settle")
	r.stdin = ""
}

func TestReview(t *testing.T) {
	r := newRig(t)
	exceptions(r, 6)
	r.ok("item", "review", "q/1", "q/2", "--assign", "ada", "--note", "looking")
	if got := parse[item](t, r.ok("item", "show", "q/1")); got.Review.Status != "in-review" || got.Review.Reviewer != "ada" || got.Review.Note != "looking" {
		t.Errorf("reviewed %+v", got.Review)
	}
	r.ok("item", "review", "q/1", "--clear")
	r.ok("item", "review", "q/1", "--note", "only a note")

	out := parse[[]outcome](t, r.ok("item", "review", "--queue", "q", "--group", "no postal code", "--all", "--verify", "--yes"))
	if len(out) != 3 || out[2].Item != "q/5" || out[2].Result != "ok" {
		t.Errorf("verified %+v", out)
	}
	r.fails(5, "q/1", "item", "retry", "q/1")
	got := r.run("item", "retry", "q/1", "q/2", "q/99")
	if got.code != 5 || !strings.Contains(got.stderr, "2 of 3 items refused") {
		t.Errorf("exit %d, %s", got.code, got.stderr)
	}
	if out := parse[[]outcome](t, got.stdout); out[0].Result != "refused" || out[1].Next != "q/7" || out[2].Result != "gone" {
		t.Errorf("retried %+v", out)
	}
	if out := r.ok("item", "review", "--queue", "q", "--status", "system-exception", "--all", "--verify"); out != "[]\n" {
		t.Errorf("none selected prints %q", out)
	}
}

func TestRetryWithAnotherPayload(t *testing.T) {
	r := newRig(t)
	exceptions(r, 1)
	r.ok("item", "retry", "q/1", "--payload", `{"zip":"1010"}`, "--note", "asked the customer")
	if got := parse[item](t, r.ok("item", "show", "q/2")); got.Payload["zip"] != "1010" || got.Previous != "q/1" {
		t.Errorf("the copy is %+v", got)
	}
}

func TestManyAreConfirmed(t *testing.T) {
	r := newRig(t)
	exceptions(r, 4)
	retry := []string{"item", "retry", "--queue", "q", "--filter", "postal", "--all"}
	r.fails(2, "add --yes", retry...)
	r.terminal = true
	for _, no := range []string{"", "\n", "n\n", "maybe\n"} {
		r.stdin = no
		if got := r.run(retry...); got.code != 1 || !strings.Contains(got.stderr, "Retry 2 items, the first q/1? [y/N]") || !strings.Contains(got.stderr, "nothing was changed") {
			t.Errorf("%q: exit %d, %s", no, got.code, got.stderr)
		}
	}
	r.stdin = "yes\n"
	if out := r.ok(append(retry, "-o", "jsonl")...); strings.Count(out, `"result":"ok"`) != 2 {
		t.Errorf("retried\n%s", out)
	}
}

func TestVeryManyAreCounted(t *testing.T) {
	r := newRig(t)
	exceptions(r, 1001)
	r.terminal = true
	r.stdin = "y\n"
	retry := []string{"item", "retry", "--queue", "q", "--status", "business-exception", "--all", "-o", "jsonl"}
	if got := r.run(retry...); got.code != 1 || !strings.Contains(got.stderr, "Type 1001 to go on") {
		t.Errorf("exit %d, %s", got.code, got.stderr)
	}
	r.stdin = "1001\n"
	if out := r.ok(retry...); strings.Count(out, `"result":"ok"`) != 1001 {
		t.Errorf("%d retried", strings.Count(out, `"result":"ok"`))
	}
}

func TestEdit(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q", "--unique-references")
	r.ok("item", "add", "--queue", "q", "--payload", "1", "--reference", "A", "--due", "+1h")
	r.ok("item", "add", "--queue", "q", "--payload", "{}", "--reference", "B")
	r.ok("item", "edit", "q/1", "--payload", `{"a":1}`, "--reference", "C", "--priority", "high", "--due", "none", "--defer", "+1h")
	got := parse[item](t, r.ok("item", "show", "q/1"))
	if got.Payload["a"] != 1.0 || got.Reference != "C" || got.Priority != "high" || got.DueAt != "" || got.Defer == "" {
		t.Errorf("edited %+v", got)
	}
	r.fails(5, "another reference", "item", "edit", "q/2", "--reference", "C")
	r.ok("item", "edit", "q/1", "q/2", "--defer", "none")
	r.claimed("--item", "q/1", "--robot", "r")
	many := r.run("item", "edit", "q/1", "q/2", "q/9", "--priority", "low")
	rows := parse[[]outcome](t, many.stdout)
	if many.code != 5 || len(rows) != 3 || rows[0].Result != "refused" || rows[1].Result != "ok" || rows[2].Result != "gone" || !strings.Contains(many.stderr, "edit: 2 of 3 items refused") {
		t.Errorf("exit %d, %+v, %s", many.code, rows, many.stderr)
	}
	r.ok("item", "defer", "q/2", "--until", "+1h")
	r.fails(4, "nothing to claim", "claim", "--queue", "q", "--robot", "r")
	r.ok("item", "defer", "q/2", "--until", "none")
	r.claimed("--queue", "q", "--robot", "r")
}

func TestDelete(t *testing.T) {
	r := newRig(t)
	exceptions(r, 3)
	r.fails(2, "add --yes", "item", "delete", "q/1")
	r.terminal, r.stdin = true, "n\n"
	if got := r.run("item", "delete", "q/1"); got.code != 1 || !strings.Contains(got.stderr, "Delete 1 item, the first q/1? [y/N]") {
		t.Errorf("exit %d, %s", got.code, got.stderr)
	}
	r.stdin = "y\n"
	r.ok("item", "delete", "q/1", "--note", "a test")
	r.terminal = false
	got := r.run("item", "delete", "q/1", "q/9", "--yes")
	if got.code != 5 && got.code != 3 {
		t.Errorf("exit %d, %s", got.code, got.stderr)
	}
	if out := parse[[]outcome](t, r.ok("item", "delete", "--queue", "q", "--status", "business-exception", "--all", "--yes")); len(out) != 2 {
		t.Errorf("deleted %+v", out)
	}
	if q := parse[queue](t, r.ok("queue", "show", "q")); q.Counts["deleted"] != 3 {
		t.Errorf("the counts are %v", q.Counts)
	}
}

func TestExplain(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q")
	r.ok("item", "add", "--queue", "q", "--payload", "1")
	r.ok("item", "add", "--queue", "q", "--payload", "1", "--defer", "2030-01-01")
	r.ok("queue", "pause", "q")
	want := "q/2 is queued.\n1. queue q is paused by kim; "
	if out := r.ok("item", "explain", "q/2"); !strings.HasPrefix(out, want) || !strings.Contains(out, "\n2. deferred for another ") || !strings.Contains(out, "until 2030-01-01") {
		t.Errorf("explained as\n%s", out)
	}
	x := parse[struct {
		Item    string
		Reasons []struct{ Code, Text string }
	}](t, r.ok("item", "explain", "q/1", "-o", "json"))
	if x.Item != "q/1" || len(x.Reasons) == 0 || x.Reasons[0].Code != "paused" {
		t.Errorf("explained as %+v", x)
	}
	r.fails(3, "not found", "item", "explain", "q/9")

	// Without an engine nothing takes what a consumer would work.
	r.ok("queue", "add", "runs", "--", "true")
	r.ok("item", "add", "--queue", "runs", "--payload", "1")
	if out := r.ok("item", "explain", "runs/1"); !strings.HasPrefix(out, "runs/1 is queued.\n1. no engine runs on this store; start one") {
		t.Errorf("explained as\n%s", out)
	}
	r.ok("queue", "resume", "q")
	if out := r.ok("item", "explain", "q/1"); strings.Contains(out, "since the engine started") {
		t.Errorf("explained as\n%s", out)
	}
}
