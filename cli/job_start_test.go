package cli_test

import (
	"strings"
	"testing"

	"signalbox/engine"
)

// What can't be done is refused as the job is asked for.
func TestJobsThatCantBeDoneAreNotStarted(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q")
	bulk := func(args ...string) []string {
		return append([]string{"job", "start", "bulk", "--queue", "q", "--yes"}, args...)
	}
	r.fails(2, "it can't be read: no such file", "job", "start", "import", r.dir+"/none.csv", "--queue", "q")
	r.fails(2, "not a folder", "job", "start", "import", r.dir, "--queue", "q")
	r.fails(2, "use requeue for now", bulk("defer")...)
	r.fails(2, "retry, verify, assign, note, clear, delete, defer, undo or requeue", bulk("explode")...)
	r.ok(bulk("defer", "--until", "+2h")...)
	help := r.ok("job", "start", "bulk", "--help")
	docs := r.read("../docs/jobs.md")
	for _, verb := range engine.BulkJobVerbs {
		if !strings.Contains(help, verb) || !strings.Contains(docs, verb) {
			t.Errorf("%s stands not in the help and docs", verb)
		}
		if verb != engine.BulkDefer {
			r.ok(bulk(verb, "--reviewer", "ada", "--note", "n")...)
		}
	}
}
