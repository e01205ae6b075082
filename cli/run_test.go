package cli_test

import (
	"io"
	"strings"
	"testing"
)

func TestRunReportsWhatBecameOfItsItem(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "reports")
	r.ok("queue", "add", "bills", "--family", "transactions", "--", "sh", "-c", `cat >/dev/null; echo '{"sent":true}'`)
	for _, c := range []struct {
		def, status, words string
		code               int
	}{
		{`{"queue":"bills","payload":{"n":1},"reference":"B-1"}`, "successful", "", 0},
		{`{"queue":"reports","payload":{},"command":["sh","-c","echo no such day >&2; exit 65"]}`, "failed", "no such day", 1},
		{`{"queue":"bills","payload":{},"max_attempts":2,"command":["false"]}`, "retried", "it is retried", 1},
		{`{"queue":"bills","payload":{},"max_attempts":2,"retryable":false,"command":["false"]}`, "system-exception", "exit status 1", 1},
		{`{"queue":"reports","payload":{},"timeout":"50ms","command":["sleep","60"]}`, "failed", "timed out after 50ms", 1},
	} {
		got := r.run("run", r.file("def.json", c.def))
		if got.code != c.code || !strings.Contains(got.stderr, c.words) {
			t.Errorf("%s: exit %d, %q", c.def, got.code, got.stderr)
			continue
		}
		if i := parse[item](t, got.stdout); i.Status != c.status {
			t.Errorf("%s: it is %s, want %s", c.def, i.Status, c.status)
		}
	}
	if i := parse[[]item](t, r.ok("item", "list", "--filter", "reference:B-1", "-o", "json")); len(i) != 1 || i[0].ClaimedBy == "" {
		t.Errorf("found %+v", i)
	}
	r.ok("check")
}

func TestRunsThatAreRefused(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "reports")
	for def, words := range map[string]string{
		`{"queue":"reports"}`:                                                  "no payload",
		`{"payload":1,"command":["true"]}`:                                     "names no queue",
		`{"queue":"reports","payload":1}`:                                      "its consumer is manual",
		`{"queue":"reports","paylod":1}`:                                       `unknown field "paylod"`,
		`{"queue":"reports","payload":1,"timeout":"-1s"}`:                      "duration",
		`{"queue":"reports","payload":1,"timeout":1}`:                          `its "timeout" can't be a number`,
		`{"queue":"reports","payload":1,"max_attempts":99,"command":["true"]}`: "max_attempts",
	} {
		r.fails(2, words, "run", r.file("def.json", def))
	}
	r.stdin = "{}"
	r.fails(2, "stdin: it names no queue", "run", "-")
	r.fails(3, "none", "run", r.file("def.json", `{"queue":"none","payload":1,"command":["true"]}`))
	r.ok("queue", "pause", "reports")
	r.fails(5, "paused", "run", r.file("def.json", `{"queue":"reports","payload":1,"command":["true"]}`))
	r.ok("queue", "resume", "reports")
	r.ok("item", "add", "--queue", "reports", "--payload", "{}", "--singleton-key", "k")
	r.fails(5, "the open job reports-1 has it", "run", r.file("def.json", `{"queue":"reports","payload":1,"command":["true"],"singleton_key":"k"}`))
	if n := len(parse[[]item](t, r.ok("item", "list", "-o", "json"))); n != 1 {
		t.Errorf("%d items are there, want the one that was added", n)
	}
}

// endless is a text without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for n := range p {
		p[n] = 'x'
	}
	return len(p), nil
}

// What is read as a whole is not read for ever.
func TestTextsWithoutEndAreRefused(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q")
	for _, args := range [][]string{
		{"run", "-"}, {"queue", "apply", "-f", "-"}, {"item", "add", "--queue", "q", "--payload", "-"},
		{"run", "/dev/zero"}, {"queue", "apply", "-f", "/dev/zero"}, {"item", "add", "--queue", "q", "--payload", "@/dev/zero"},
	} {
		r.input = endless{}
		r.fails(2, "it is larger than 16,777,216 bytes", args...)
	}
}

// A line that is too long is answered in its place, and is not kept.
func TestSettleRefusesALongLine(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q")
	r.input = io.MultiReader(io.LimitReader(endless{}, 40<<20), strings.NewReader("\n[]\n"))
	got := r.run("settle")
	if lines := strings.Split(got.stdout, "\n"); got.code != 2 || len(lines) != 3 || !strings.Contains(lines[0], "line 1 of stdin: it is longer than 16,777,216 bytes") || !strings.Contains(lines[1], "line 2 of stdin: an array is not an object") {
		t.Errorf("exit %d, %s%s", got.code, got.stdout, got.stderr)
	}
}
