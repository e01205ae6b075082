package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

type pruned struct {
	Queue             string
	DryRun            bool `json:"dry_run"`
	Settled, Excepted struct {
		OlderThan string `json:"older_than"`
		Then      string
		Items     int
		File      string
	}
}

func TestQueuePrune(t *testing.T) {
	both(t, func(t *testing.T, r *rig) {
		show := r.ok("queue", "show", "q")
		if !strings.Contains(show, `"retain_settled":"30d","retain_settled_then":"keep","retain_excepted":"180d","retain_excepted_then":"keep"`) {
			t.Errorf("a new queue has %s", show)
		}
		r.fails(2, `what follows a retention is not "burn"; use keep, delete or archive`, "queue", "set", "q", "--retain-settled-then", "burn")
		r.fails(2, "30 days", "queue", "set", "q", "--retain-settled", "30 days")
		r.fails(3, "not found", "queue", "prune", "none")
		r.fails(2, "this command prints one object", "queue", "prune", "q", "-o", "csv")

		first := r.claimed("--queue", "q", "--robot", "a")[0]
		r.ok("complete", first.ID, "--fence", "1", "--output", `{"total": 3}`)
		r.ok("queue", "set", "q", "--retain-settled", "0")
		if p := parse[pruned](t, r.ok("queue", "prune", "q", "--dry-run")); !p.DryRun || p.Settled.Items != 1 || p.Settled.Then != "keep" || p.Excepted.OlderThan != "180d" {
			t.Errorf("a dry run says %+v", p)
		}
		if p := parse[pruned](t, r.ok("queue", "prune", "q")); p.Settled.Items != 0 {
			t.Errorf("what is kept went: %+v", p)
		}
		r.ok("queue", "set", "q", "--retain-settled-then", "archive")
		r.ok("queue", "prune", "q")
		r.fails(3, "it was removed by its queue's retention; look for it in the archive", "item", "show", first.ID)
		files, err := filepath.Glob(filepath.Join(r.dir, "s.db.archive", "q", "*.jsonl.zst"))
		if err != nil || len(files) != 1 {
			t.Fatalf("archives: %v, %v", files, err)
		}
		if info, err := os.Stat(files[0]); err != nil || info.Mode().Perm() != 0o600 || !strings.Contains(files[0], time.Now().UTC().Format("2006-01-")) {
			t.Errorf("%v %v", info, err)
		}
		if out := r.ok("check"); out != "checked 1 queue, 0 items: nothing wrong\n" {
			t.Errorf("it says %q", out)
		}
	})
}
