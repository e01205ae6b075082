package cli_test

import (
	"strings"
	"testing"
)

type queue struct {
	Name       string
	Family     string
	Lane       string
	Lease      string
	Retries    int
	Paused     bool
	Mask       []string
	RetryFloor string `json:"retry_floor"`
	OnExpiry   string `json:"on_expiry"`
	Consumer   struct {
		Kind, Dir, Timeout string
		Argv, Env          []string
		Shell              bool
	}
	Counts  map[string]int
	Delayed int
}

func TestQueues(t *testing.T) {
	r := newRig(t)
	q := parse[queue](t, r.ok("queue", "add", "ap.invoices", "--family", "transactions", "--lane", "slow", "--retries", "3", "--retry-floor", "2s", "--mask", "iban", "--mask", "name"))
	if q.Family != "transactions" || q.Lane != "slow" || q.Lease != "5m" || q.Retries != 3 || q.RetryFloor != "2s" || len(q.Mask) != 2 || q.Consumer.Kind != "manual" {
		t.Errorf("added %+v", q)
	}
	q = parse[queue](t, r.ok("queues", "add", "runs", "--env", "A=1", "--dir", "/tmp", "--timeout", "1m", "--", "sh", "-c", "exit 0"))
	if q.Family != "jobs" || q.Consumer.Kind != "command" || strings.Join(q.Consumer.Argv, "|") != "sh|-c|exit 0" || q.Consumer.Env[0] != "A=1" || q.Consumer.Timeout != "1m" {
		t.Errorf("added %+v", q)
	}
	q = parse[queue](t, r.ok("queue", "set", "runs", "--shell", "--lease", "1h", "--", "exit 1"))
	if !q.Consumer.Shell || q.Lease != "1h" || q.Consumer.Argv[0] != "exit 1" || len(q.Consumer.Argv) != 1 || q.Consumer.Env[0] != "A=1" {
		t.Errorf("set %+v", q)
	}
	if q = parse[queue](t, r.ok("queue", "pause", "runs")); !q.Paused {
		t.Error("not paused")
	}
	if out := r.ok("queue", "list"); !strings.Contains(out, "NAME") || !strings.Contains(out, "paused by kim") {
		t.Errorf("list is\n%s", out)
	}
	if q = parse[queue](t, r.ok("queue", "resume", "runs")); q.Paused {
		t.Error("still paused")
	}
	r.ok("item", "add", "--queue", "runs", "--payload", "1", "--defer", "+1h")
	if q = parse[queue](t, r.ok("queue", "show", "runs")); q.Counts["queued"] != 1 || q.Delayed != 1 {
		t.Errorf("shown %+v", q)
	}
	r.fails(5, "force", "queue", "delete", "runs")
	r.ok("queue", "delete", "runs", "--force")
	r.fails(3, `queue "runs": not found`, "queue", "show", "runs")
}

func TestQueueListFormats(t *testing.T) {
	r := newRig(t)
	r.ok("slot", "auto")
	if out := r.ok("queue", "list", "-o", "json"); out != "[]\n" {
		t.Errorf("no queues are %q", out)
	}
	for _, name := range []string{"a", "b", "c"} {
		r.ok("queue", "add", name, "--family", "transactions")
	}
	r.ok("queue", "pause", "b")
	names := func(args ...string) string {
		var names []string
		for _, q := range parse[[]queue](t, r.ok(append([]string{"queue", "list", "-o", "json"}, args...)...)) {
			names = append(names, q.Name)
		}
		return strings.Join(names, " ")
	}
	for want, args := range map[string][]string{
		"a b c": nil,
		"a b":   {"--limit", "2"},
		"c":     {"--after", "b"},
		"b":     {"--filter", "paused:true"},
		"a c":   {"--filter", "!paused:true transactions"},
	} {
		if got := names(args...); got != want {
			t.Errorf("queue list %v gave %q, want %q", args, got, want)
		}
	}
	if out := r.ok("queue", "list", "-o", "jsonl"); strings.Count(out, "\n") != 3 || parse[queue](t, strings.Split(out, "\n")[0]).Name != "a" {
		t.Errorf("jsonl is\n%s", out)
	}
	if out := r.ok("queue", "list", "-o", "csv"); !strings.HasPrefix(out, "name,family,lane,") || strings.Count(out, "\n") != 4 {
		t.Errorf("csv is\n%s", out)
	}
	r.fails(2, "use table, json, jsonl or csv", "queue", "list", "-o", "xml")
	r.fails(2, "this command prints one object", "queue", "show", "a", "-o", "csv")
}

func TestDeletingAsksAPerson(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q")
	r.terminal = true
	r.stdin = "\n"
	if got := r.run("queue", "delete", "q"); got.code != 1 || !strings.Contains(got.stderr, "Delete queue q and 0 items in it?") {
		t.Errorf("exit %d, %s", got.code, got.stderr)
	}
	r.stdin = "y\n"
	if got := r.run("queue", "delete", "q"); got.code != 0 {
		t.Errorf("exit %d, %s", got.code, got.stderr)
	}
	r.ok("queue", "add", "q")
	r.stdin = ""
	if got := r.run("queue", "delete", "q", "--yes"); got.code != 0 || got.stderr != "" {
		t.Errorf("exit %d, %s", got.code, got.stderr)
	}
}
