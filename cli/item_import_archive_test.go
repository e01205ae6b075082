package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// archived gives the one archive of queue q.
func (r *rig) archived() string {
	r.t.Helper()
	files, err := filepath.Glob(filepath.Join(r.dir, "s.db.archive", "q", "*.jsonl.zst"))
	if err != nil || len(files) != 1 {
		r.t.Fatalf("archives: %v, %v", files, err)
	}
	return files[0]
}

// What was archived comes back as it was, under new numbers.
func TestImportAnArchive(t *testing.T) {
	both(t, func(t *testing.T, r *rig) {
		exact := "{\"a\":  1,\r\n \"b\": \"<&>\"}"
		r.ok("queue", "set", "q", "--retain-settled", "0", "--retain-excepted", "0")
		r.ok("item", "add", "--queue", "q", "--payload", exact, "--reference", "R-1", "--key", "k1", "--priority", "high")
		for _, i := range r.claimed("--queue", "q", "--robot", "a", "--n", "2") {
			if i.Reference == "R-1" {
				r.ok("fail", i.ID, "--fence", "1", "--kind", "business", "--reason", "no zip", "--details", "line 3", "--output", `{ "x": 1 }`)
			} else {
				r.ok("complete", i.ID, "--fence", "1")
			}
		}
		before := parse[map[string]any](t, r.ok("item", "show", "q/2"))
		r.ok("queue", "set", "q", "--retain-settled-then", "archive", "--retain-excepted-then", "archive")
		r.ok("queue", "prune", "q")
		if out := r.ok("check"); !strings.Contains(out, "0 items") {
			t.Fatalf("%s", out)
		}
		r.ok("queue", "set", "q", "--retain-settled-then", "keep", "--retain-excepted-then", "keep")
		if out := r.ok("item", "import", "--queue", "q", r.archived()); !strings.Contains(out, `"stored":2,"rejected":0`) {
			t.Errorf("imported: %s", out)
		}
		back := r.ok("item", "list", "--queue", "q", "--filter", "reference:R-1", "-o", "json")
		id := parse[[]item](t, back)[0].ID
		after := parse[map[string]any](t, r.ok("item", "show", id))
		for field, was := range before {
			switch field {
			case "id", "number", "chain", "revision":
				continue
			}
			if got := after[field]; jsonOf(got) != jsonOf(was) {
				t.Errorf("%s was %v and is %v", field, was, got)
			}
		}
		if history := r.ok("item", "history", id); !strings.Contains(history, "was q/2 (failed)") {
			t.Errorf("its history: %s", history)
		}
		r.ok("check")

		if out := r.ok("item", "import", "--queue", "q", "--states", "new", "--mode", "independent", r.archived()); !strings.Contains(out, `"stored":1,"existing":1`) {
			t.Errorf("as new work, beside the item with the key: %s", out)
		}
		if out := r.ok("item", "list", "--queue", "q", "--status", "queued", "-o", "json"); len(parse[[]item](t, out)) != 1 {
			t.Errorf("as new work: %s", out)
		}
	})
}

// Lines that stand twice, and of items that are still there, are not added again.
func TestImportAnArchiveAfterACrash(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q", "--retain-settled", "0", "--retain-settled-then", "archive")
	r.ok("item", "add", "--queue", "q", "--payload", `{"n":1}`)
	i := r.claimed("--queue", "q", "--robot", "a")[0]
	r.ok("backup", filepath.Join(r.dir, "b.db"))
	r.ok("complete", i.ID, "--fence", "1")
	r.ok("queue", "prune", "q")
	file := r.archived()
	text := r.read(file)
	if err := os.WriteFile(file, []byte(text+text), 0o600); err != nil {
		t.Fatal(err)
	}
	r.ok("queue", "set", "q", "--retain-settled-then", "keep")
	if out := r.ok("item", "import", "--queue", "q", file); !strings.Contains(out, `"stored":1,`) {
		t.Errorf("lines that stand twice: %s", out)
	}
	r.ok("restore", filepath.Join(r.dir, "b.db"), "--yes") // in which the item is still there
	if out := r.ok("item", "import", "--queue", "q", file); !strings.Contains(out, `"stored":0,"existing":1`) {
		t.Errorf("of an item that is still there: %s", out)
	}
	plain := r.file("plain.jsonl", `{"payload":{"a":1}}`)
	if out := r.ok("item", "import", "--queue", "q", plain); !strings.Contains(out, `"stored":1`) {
		t.Errorf("%s", out)
	}
	r.fails(2, "it is no line of an archive", "item", "import", "--queue", "q", r.file("bad.jsonl", `{"archived_at":"x","history":[],"payload":1}`))
}

func jsonOf(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}
