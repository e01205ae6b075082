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
	all := r.claimed("--queue", "q", "--robot", "r", "--n", strconv.Itoa(min(n, 1000)))
	if n > 1000 { // more than one claim hands out
		all = append(all, r.claimed("--queue", "q", "--robot", "r", "--n", strconv.Itoa(n-1000))...)
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
