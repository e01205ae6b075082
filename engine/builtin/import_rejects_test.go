package builtin_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"signalbox/engine"
	"signalbox/store"
)

// The rejects of an import of all or nothing are those of its last attempt, whatever
// became of its file since an earlier one.
func TestRejectsOfAMendedFile(t *testing.T) {
	bad := "{\"broken\": \"" + strings.Repeat("x", 400_000) + "\n"
	for name, test := range map[string]struct {
		mended string
		lines  int // of the rejects
		stored int64
	}{
		"all rows are good": {rows(3), 0, 3},
		"one is left":       {rows(3) + "{broken\n", 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			e := running(t)
			unique(t, e)
			j := over(t, e, imports(t, e, "", rows(3)+strings.Repeat(bad, 9)).ID)
			if got := rejectsOf(t, e, j.ID); got != 9 {
				t.Fatalf("%d lines of rejects", got)
			}
			id := store.ID{Queue: engine.ImportQueue, Number: 1}
			item, err := e.Item(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			var job engine.ImportJob
			if err := json.Unmarshal(item.Payload, &job); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(job.Path, []byte(test.mended), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := e.Retry(t.Context(), engine.RetryRequest{Targets: []engine.Target{{Item: id}}}); err != nil {
				t.Fatal(err)
			}
			over(t, e, j.ID)
			if got := rejectsOf(t, e, j.ID); got != test.lines || counted(t, e) != test.stored {
				t.Errorf("%d lines of rejects, %d rows stored", got, counted(t, e))
			}
		})
	}
}

// rejectsOf counts the lines of a job's rejects.
func rejectsOf(t *testing.T, e *engine.Engine, job string) int {
	t.Helper()
	var text strings.Builder
	err := e.ReadAttachment(t.Context(), job, engine.RejectsName, &text)
	if err != nil && store.CodeOf(err) != store.CodeNotFound {
		t.Fatal(err)
	}
	return strings.Count(text.String(), "\n")
}
