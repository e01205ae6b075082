package cli_test

import (
	"strings"
	"testing"
	"time"

	"signalbox/cli"
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

// The zone of times in a job's file is that of who asks, and not the engine's.
func TestAnImportJobReadsTimesAsItsAskerWould(t *testing.T) {
	r := newRig(t)
	tokyo, err := time.LoadLocation("Asia/Tokyo")
	if err != nil {
		t.Fatal(err)
	}
	r.ok("queue", "add", "q")
	file := r.file("a.csv", "Deadline,a\n2030-01-02 09:30,1\n")
	r.serve()
	from := func(zone *time.Location) (int, string) {
		var out, errs strings.Builder
		world := r.world(&out, &errs)
		world.Zone = zone
		return cli.Run(t.Context(), world, []string{"job", "start", "import", file, "--queue", "q", "--watch"}), errs.String()
	}
	if code, errs := from(tokyo); code != 0 {
		t.Fatalf("exit %d\n%s", code, errs)
	}
	if out := r.ok("item", "show", "q/1", "-o", "json"); !strings.Contains(out, "2030-01-02T00:30:00.000Z") {
		t.Errorf("the item is %s", out)
	}
	if code, errs := from(time.FixedZone("Local", 9*3600)); code != 2 || !strings.Contains(errs, "say it with --tz Europe/Berlin") {
		t.Errorf("from a zone without a name: exit %d, %s", code, errs)
	}
}

// A bulk job of which something was not done ends as such, for who watches it and for
// who looks at it later.
func TestWatchOfABulkJobThatWasNotAllDone(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q")
	for range 3 {
		r.ok("item", "add", "--queue", "q", "--payload", "{}")
	}
	for _, rec := range r.claimed("--queue", "q", "--robot", "r", "--n", "2") {
		r.ok("fail", rec.ID, "--fence", "1", "--kind", "business", "--reason", "no")
	}
	r.serve()
	r.fails(1, "1 failed; see `signalbox job log signalbox.bulk-", "job", "start", "bulk", "retry", "--queue", "q", "--yes", "--watch")
	jobs := parse[[]jobState](t, r.ok("job", "list", "-o", "json"))
	if len(jobs) != 1 || jobs[0].Done != 2 || jobs[0].Failed != 1 {
		t.Errorf("it ended as %+v", jobs)
	}
	if log := r.ok("job", "log", jobs[0].ID); !strings.Contains(log, "2 done, 0 changed since, 0 gone, 1 not allowed") || !strings.Contains(log, "q/3") {
		t.Errorf("its log is %s", log)
	}
}
