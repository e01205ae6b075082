package cli_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/store/bolt"
)

func TestJobsOnTheCommandLine(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "work")
	path := r.file("rows.jsonl", "{\"payload\":{}}\n{\"payload\":{}}\n{\"payload\":{}}\n")
	if got := parse[struct{ Job string }](t, r.ok("item", "import", "--queue", "work", "--job", "may", "--singleton-key", "k", path)); got.Job != "may" {
		t.Errorf("imported into %q", got.Job)
	}
	again := r.run("item", "import", "--queue", "work", "--singleton-key", "k", path)
	if again.code != 0 || !strings.Contains(again.stderr, "job may with this key is open") || !strings.Contains(again.stdout, `"existing":true`) {
		t.Errorf("a second import gave %+v", again)
	}
	r.ok("item", "add", "--queue", "work", "--job", "may", "--weight", "5", "--payload", "{}")
	if j := parse[jobState](t, r.ok("job", "show", "may")); j.Status != "running" || j.Done != 0 {
		t.Errorf("the job is %+v", j)
	}
	if out := r.ok("job", "list"); !strings.Contains(out, "may") || !strings.Contains(out, "8") {
		t.Errorf("listed\n%s", out)
	}
	r.ok("job", "pause", "may")
	r.fails(5, "paused by kim", "claim", "--queue", "work", "--job", "may", "--robot", "r")
	r.fails(4, "nothing to claim", "claim", "--queue", "work", "--robot", "r")
	if out := r.ok("item", "explain", "work/1"); !strings.Contains(out, "its job may is paused by kim") {
		t.Errorf("explained\n%s", out)
	}
	r.ok("job", "resume", "may")
	i := r.claimed("--queue", "work", "--job", "may", "--robot", "r")[0]
	r.ok("complete", i.ID, "--fence", "1")

	r.ok("job", "log", "may", "half", "way", "--level", "warn")
	if out := r.ok("job", "log", "may", "-o", "csv"); !strings.Contains(out, "warn,half way") {
		t.Errorf("the log is\n%s", out)
	}
	r.ok("job", "attachment", "may", "--add", path)
	if out := r.ok("job", "attachment", "may", "rows.jsonl"); out != r.read(path) {
		t.Errorf("the attachment is\n%s", out)
	}
	out := filepath.Join(r.dir, "out")
	r.ok("job", "attachment", "may", "rows.jsonl", "-f", out)
	if r.read(out) != r.read(path) {
		t.Error("the file differs")
	}
	r.fails(3, "none.csv", "job", "attachment", "may", "none.csv", "-f", out+"2")
	r.fails(5, "has not ended", "job", "delete", "may", "--yes")
	r.fails(2, "--yes", "job", "cancel", "may")
	r.ok("job", "cancel", "may", "--yes", "--note", "wrong file")
	watched := r.run("job", "watch", "may")
	if watched.code != 1 || !strings.Contains(watched.stdout, "may cancelled: 1 of 8 done, 7 cancelled") {
		t.Errorf("watched %+v", watched)
	}
	r.fails(5, "cancelled", "item", "add", "--queue", "work", "--job", "may", "--payload", "{}")
	r.ok("job", "delete", "may", "--yes")
	r.fails(3, "may", "job", "show", "may")
	r.ok("check")
}

// An import that stores nothing leaves no job: its name is free for the file
// once that is mended.
func TestRefusedImportLeavesNoJob(t *testing.T) {
	t.Run("alone", func(t *testing.T) { refusedImport(t, newRig(t)) })
	t.Run("through an engine", func(t *testing.T) {
		r := newRig(t)
		r.serve()
		refusedImport(t, r)
	})
}

func refusedImport(t *testing.T, r *rig) {
	r.ok("queue", "add", "work", "--unique-references")
	r.ok("item", "add", "--queue", "work", "--reference", "R1", "--payload", "{}")
	bad := r.file("bad.csv", "Reference,a\nR2,1\nR3,1,2\n")
	taken := r.file("taken.csv", "Reference,a\nR2,1\nR1,2\n")
	var many strings.Builder
	for n := range 10_100 {
		fmt.Fprintf(&many, "M%d,1\n", n)
	}
	large := r.file("large.csv", "Reference,a\n"+many.String()+"R1,2\n")
	good := r.file("good.csv", "Reference,a\nR2,1\nR3,2\n")
	for _, key := range [][]string{nil, {"--singleton-key", "monthly"}} {
		r.fails(2, "nothing was stored", append([]string{"item", "import", "--queue", "work", "--job", "may", bad}, key...)...)
		r.fails(3, "may", "job", "show", "may")
	}
	for _, key := range [][]string{{"--job", "may"}, {"--job", "may", "--singleton-key", "monthly"}, {"--singleton-key", "monthly"}} {
		r.fails(5, "nothing was stored", append([]string{"item", "import", "--queue", "work", taken}, key...)...)
		r.fails(5, "nothing was stored", append([]string{"item", "import", "--queue", "work", large}, key...)...)
		if jobs := parse[[]jobState](t, r.ok("job", "list", "-o", "json")); len(jobs) > 0 {
			t.Errorf("%v leaves %+v", key, jobs)
		}
	}
	if got := r.ok("item", "import", "--queue", "work", "--job", "may", "--singleton-key", "monthly", good); !strings.Contains(got, `"stored":2`) {
		t.Errorf("imported %s", got)
	}
	if j := parse[jobState](t, r.ok("job", "show", "may")); j.Status != "running" {
		t.Errorf("the job is %+v", j)
	}
	r.ok("item", "import", "--queue", "work", "--job", "june", r.file("june.csv", "Reference,a\nR8,1\n"))
	largest := r.file("largest.csv", "Reference,a\n"+many.String())
	if got := r.ok("item", "import", "--queue", "work", "--singleton-key", "yearly", largest); !strings.Contains(got, `"stored":10100`) || !strings.Contains(got, `"job":"work`) {
		t.Errorf("imported %s", got)
	}
	if got := r.run("item", "import", "--queue", "work", "--singleton-key", "yearly", largest); got.code != 0 || !strings.Contains(got.stdout, `"existing":true`) {
		t.Errorf("while it is open: %+v", got)
	}
	i := r.claimed("--queue", "work", "--job", "june", "--robot", "r")[0]
	r.ok("complete", i.ID, "--fence", "1")
	if j := parse[jobState](t, r.ok("job", "show", "june")); j.Status != "done" {
		t.Errorf("the job is %+v", j)
	}
}

func TestWatchInATerminal(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "work")
	r.ok("item", "add", "--queue", "work", "--job", "j", "--payload", "{}")
	r.claimed("--queue", "work", "--robot", "r")
	r.ok("complete", "work/1", "--fence", "1")
	r.terminal = true
	got := r.run("job", "watch", "j")
	if got.code != 0 || !strings.Contains(got.stdout, strings.Repeat("█", 30)+" j done: 1 of 1 done") || !strings.Contains(got.stdout, "\x1b]9;4;1;100\x07") || !strings.HasSuffix(got.stdout, "\x1b]9;4;0;\x07") {
		t.Errorf("watched %q, exit %d", got.stdout, got.code)
	}
}

func TestBuiltinJobsThatAreRefused(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "work")
	r.fails(6, "is built in", "item", "add", "--queue", "signalbox.export", "--payload", "{}")
	r.fails(2, "kept for built-in queues", "queue", "add", "signalbox.mine")
	r.fails(3, "none", "job", "start", "export", "--queue", "none")
	r.fails(2, "a job exports csv, jsonl or xml", "job", "start", "export", "--queue", "work", "--as", "orchestrator")
	r.fails(2, "there is none of this name", "job", "start", "bulk", "burn", "--queue", "work", "--yes")
	r.fails(2, "nothing says which items", "job", "start", "bulk", "retry", "--yes")
	if out := r.ok("job", "list", "-o", "json"); out != "[]\n" {
		t.Errorf("there are jobs: %s", out)
	}
	started := r.run("job", "start", "export", "--queue", "work")
	if started.code != 0 || !strings.Contains(started.stderr, "no engine runs") {
		t.Errorf("without an engine: %+v", started)
	}
}

func TestWebhooksOnTheCommandLine(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "work")
	added := r.ok("notify", "add", "ops", "https://example.org/hook", "--on", "job", "--secret", "@"+r.file("key", "s3cret\n"))
	if list := r.ok("notify", "list", "-o", "json"); strings.Contains(added+list, "s3cret") || !strings.Contains(list, "https://example.org/hook") {
		t.Errorf("added %s, listed %s", added, list)
	}
	r.fails(2, "http:// or https://", "notify", "add", "ops", "file:///etc/passwd")
	r.fails(2, "a name or password", "notify", "add", "ops", "https://me:pw@example.org/")
	r.fails(2, "there is none of this name", "notify", "add", "ops", "https://example.org/", "--on", "lunch")
	r.ok("item", "add", "--queue", "work", "--job", "j", "--payload", "{}")
	r.ok("job", "cancel", "j", "--yes")
	if i := parse[[]item](t, r.ok("item", "list", "--queue", "signalbox.notify", "-o", "json")); len(i) != 1 || i[0].Status != "queued" {
		t.Errorf("told %+v", i)
	}
	r.ok("notify", "remove", "ops")
	r.fails(3, "ops", "notify", "remove", "ops")
}

// An import in batches keeps the job that it adds to open until its end; what a killed
// one left open is sealed by hand.
func TestImportInBatchesIntoAJob(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "work")
	r.ok("item", "add", "--queue", "work", "--job", "may", "--payload", "{}")
	r.claimed("--queue", "work", "--robot", "r")
	r.ok("complete", "work/1", "--fence", "1")
	rows := r.file("rows.jsonl", strings.Repeat("{\"a\":1}\n", 2500))
	r.ok("item", "import", "--queue", "work", "--mode", "independent", "--job", "may", rows)
	j := parse[engine.JobState](t, r.ok("job", "show", "may"))
	if j.Status != store.JobRunning || j.Filling || j.Available != 2500 {
		t.Errorf("the job is %+v", j)
	}

	s, err := bolt.Open(filepath.Join(r.dir, "s.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.Open(t.Context(), s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = e.Add(t.Context(), engine.AddRequest{Queue: "work", Filling: true, Items: []engine.NewItem{{Payload: []byte("{}"), Job: "june"}}})
	if err := errors.Join(err, e.Close()); err != nil {
		t.Fatal(err)
	}
	r.claimed("--queue", "work", "--robot", "r", "--job", "june")
	r.ok("complete", "work/2502", "--fence", "1")
	if list := r.ok("job", "list"); !strings.Contains(list, "more items are to come") {
		t.Errorf("listed as\n%s", list)
	}
	if j := parse[jobState](t, r.ok("job", "seal", "june")); j.Status != "done" {
		t.Errorf("sealed it is %+v", j)
	}
}
