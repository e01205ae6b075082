package plain

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"signalbox/engine"
	"signalbox/keymap"
	"signalbox/store"
	"signalbox/store/memory"
	"signalbox/tui/internal/fake"
)

// Whatever the keys of the screens do to the engine or tell of it can be typed
// here.
func TestEveryVerbHasACommand(t *testing.T) {
	verbs := map[keymap.Action]string{
		keymap.Retry: "retry", keymap.Verify: "verify", keymap.Assign: "assign", keymap.Note: "note", keymap.ClearReview: "clear",
		keymap.EditRetry: "edit", keymap.Pause: "pause", keymap.New: "add-queue", keymap.QueueSet: "set", keymap.Import: "import",
		keymap.Explain: "why", keymap.Undo: "undo", keymap.Stop: "stop", keymap.Export: "export", keymap.Reveal: "unmask",
		keymap.Delete: "delete", keymap.Cancel: "cancel-job", keymap.Split: "split", keymap.Folders: "folders", keymap.Help: "help", keymap.Quit: "quit",
		keymap.Screen1: "slots", keymap.Screen2: "queues", keymap.Screen3: "jobs", keymap.Screen4: "groups", keymap.Screen5: "groups",
		keymap.Screen7: "events", keymap.Screen8: "robots", keymap.Filter: "items", keymap.MarkAll: "retry-all", keymap.Verbs: "help", keymap.Open: "show",
		keymap.CopyJSON: "show", keymap.CopyIDs: "items",
	}
	var typed []string
	for _, c := range commands() {
		if slices.Contains(typed, c.name) {
			t.Errorf("%s stands for two commands", c.name)
		}
		typed = append(typed, c.name)
	}
	// What is of a screen's picture alone needs no words.
	picture := []string{"Move", "View", "Split", "Dialogs and fields", "Program"}
	of := []keymap.Action{keymap.Sort, keymap.Columns, keymap.Mark, keymap.MarkRange, keymap.Unmark, keymap.NextMatch, keymap.PrevMatch, keymap.Palette}
	keys, err := keymap.Load("", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, scope := range keymap.Scopes() {
		for _, group := range keys.Help(scope) {
			for _, b := range group.Bindings {
				name, ok := verbs[b.Action]
				switch {
				case ok && !slices.Contains(typed, name):
					t.Errorf("%s would be %q, which is no command", b.Action, name)
				case !ok && !b.Later && !slices.Contains(picture, b.Group) && !slices.Contains(of, b.Action):
					t.Errorf("%s can't be typed", b.Action)
				}
			}
		}
	}
}

func TestJobsByWord(t *testing.T) {
	e := fake.Lifelike()
	says(t, tell(t, e, nil, "jobs", "job triage-0302", "watch triage-0302", "pause-job triage-0302", "why-job triage-0302", "job nope", "help cancel"),
		"Job triage-0302 of agents.triage, running: 42%", "Log ", "in flight", "Job triage-0302 is paused", "nope", "cancel-job JOB [NOTE]: cancel")
	got := tell(t, e, nil, "cancel-job triage-0302", "yes 1", "cancel-job triage-0302", "status", "yes 232", "cancel-job triage-0302 enough", "yes 232", "yes 232")
	says(t, got, "Type yes 232", "the word was 232", "Nothing was asked.", "Cancelled job triage-0302")
	if n := strings.Count(strings.Join(e.Steered, "|"), "cancel"); n != 1 {
		t.Fatalf("steered %q", e.Steered)
	}
}

// lastBulk waits for the end of the act on many that was begun last.
func lastBulk(t *testing.T, e *engine.Engine) engine.BulkState {
	t.Helper()
	bulks, err := e.Bulks(t.Context())
	if err != nil || len(bulks) == 0 {
		t.Fatalf("%d acts on many, %v", len(bulks), err)
	}
	last := bulks[len(bulks)-1]
	for last.Running() {
		if last, err = e.WatchBulk(t.Context(), last.ID, last.Revision); err != nil {
			t.Fatal(err)
		}
	}
	return last
}

// On a real engine: set up, fill, decide on many, take back.
func TestAllByWordOnARealEngine(t *testing.T) {
	e, err := engine.Open(context.Background(), memory.New(), engine.Options{Name: "memory:"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	dir := t.TempDir()
	file := filepath.Join(dir, "rows.jsonl")
	if err := os.WriteFile(file, []byte("{\"a\":1}\n{\"a\":2,\"iban\":\"DE1\"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(lines ...string) string {
		var out bytes.Buffer
		err := Run(t.Context(), Options{Engine: e, Actor: "ada", Place: time.UTC, Clock: time.Now, Input: strings.NewReader(strings.Join(lines, "\n") + "\n"), Output: &out})
		if err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	says(t, run("add-queue orders", "add-queue Orders", "set orders mask iban", "set orders folder /finance/ap", "set orders retries 99", "set orders colour red", "set orders unique_references true", "set nope retries 1"),
		"Added queue orders of transactions", "a name is at most", "Changed mask of queue orders", "from 0 to 16", `setting "colour"`, `unique_references "true": it is yes or no`, "There is no queue nope")
	says(t, run("folders", "import "+file+" orders", "import "+file+" nope", "import /none orders"), "Folder /finance/ap: 0 waiting", "2 rows of rows.jsonl in orders", "add-queue adds it", "can't be read")
	says(t, run("show orders/2", "unmask orders/2", "history orders/2"), "••••", "DE1", "reveal, by ada")
	says(t, run("delete orders/1", "yes 1", "undo", "show orders/1"), "This deletes item orders/1", "Done: orders/1 is deleted", "Taken back", "orders/1, pending")
	says(t, run("pause orders", "pause orders", "undo", "undo", "split auto", "split 5 4 20", "split 9 9 3", "split x"), "stood so already", "There is nothing to take back", "5 for fast work alone, 4 for slow", "no number of slots")
	held, err := e.Claim(t.Context(), engine.ClaimRequest{Queue: "orders", Robot: "r", N: 2})
	if err != nil {
		t.Fatal(err)
	}
	var settled []engine.Settlement
	for _, r := range held {
		settled = append(settled, engine.Settlement{Item: r.ID(), Fence: r.Fence, Status: engine.Business, Reason: "no zip"})
	}
	if _, err := e.Settle(t.Context(), settled); err != nil {
		t.Fatal(err)
	}
	says(t, run("verify-all status:business-exception", "yes 2", "retry-all status:nonsense", "retry-all queue:none"), "To verify 2 items that match", "Begun with 2 items", "nonsense", "not found")
	lastBulk(t, e)
	says(t, run("assign orders/1,orders/2,orders/1 grace", "no", "assign orders/1,orders/9 grace", "assign orders/1, grace", "assign-all grace", "assign-all grace queue:none"),
		"To assign 2 items to grace: orders/1, orders/2. Type yes 2", "orders/9", "an item's id is its queue", "assign-all needs WHO FILTER", "not found")
	for _, line := range []string{"clear orders/1,orders/2", "assign orders/1,orders/2 grace", "assign-all grace queue:orders", "clear-all queue:orders", "note orders/1,orders/2 call back"} {
		says(t, run(line, "yes 2"), "Begun with 2 items")
		if bulk := lastBulk(t, e); bulk.Done != 2 {
			t.Fatalf("%s: %+v", line, bulk)
		}
	}
	out := filepath.Join(dir, "out.csv")
	says(t, run("export "+out+" queue:orders", "export "+out, "events event:review-verify"), "2 rows written to "+out, "exists", "review-verify")
	says(t, run(`edit orders/1 {"a":`, "stop", "edit orders/1"), "no JSON object", "No act on many", "edit needs ID JSON")
	q, err := e.Queue(t.Context(), "orders")
	if err != nil || q.Paused || q.Folder != "/finance/ap" || len(q.Mask) != 1 {
		t.Fatalf("%+v %v", q.Queue, err)
	}
	if b, _ := json.Marshal(q.Counts); q.Counts[store.BusinessException] != 2 {
		t.Fatalf("%s", b)
	}
}

// Each mode of an import keeps what it says, by the word typed.
func TestImportModesByWord(t *testing.T) {
	for mode, stored := range map[string]int64{"": 0, " all-or-nothing": 0, " stop-on-first-failure": 1, " Independent": 2, " some": 0, " independent now": 0} {
		e, err := engine.Open(t.Context(), memory.New(), engine.Options{Name: "memory:"})
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "rows.jsonl")
		if err := os.WriteFile(file, []byte("{\"a\":1}\n[]\n{\"a\":2}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		lines := strings.NewReader("add-queue orders\nimport " + file + " orders" + mode + "\n")
		if err := Run(t.Context(), Options{Engine: e, Actor: "ada", Place: time.UTC, Clock: time.Now, Input: lines, Output: &out}); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(mode, "now") {
			says(t, out.String(), "Not done: import takes FILE QUEUE [MODE]")
		} else if strings.Contains(mode, " some") {
			says(t, out.String(), "Not done: a mode is all-or-nothing, stop-on-first-failure, independent.")
		} else {
			says(t, out.String(), "not a JSON object", file+".rejects")
		}
		q, err := e.Queue(t.Context(), "orders")
		if n := q.Counts[store.Pending]; err != nil || n != stored {
			t.Errorf("%q: %d items stored, want %d, %v\n%s", mode, n, stored, err, out.String())
		}
		_ = e.Close()
	}
}
