package builtin_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"signalbox/engine"
	"signalbox/engine/builtin"
	"signalbox/store"
	"signalbox/store/memory"
)

// imports starts the import of a text, in the mode, into the queue q.
func imports(t *testing.T, e *engine.Engine, mode, text string) engine.JobState {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rows.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	j, err := e.StartBuiltin(t.Context(), engine.BuiltinRequest{
		Kind: engine.ImportKind, Request: fmt.Appendf(nil, `{"queue":"q","path":%q,"mode":%q}`, path, mode),
	})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func unique(t *testing.T, e *engine.Engine) {
	t.Helper()
	q := engine.DefaultQueue("q", store.Transactions)
	q.UniqueReferences = true
	if _, err := e.AddQueue(t.Context(), q); err != nil {
		t.Fatal(err)
	}
}

// over waits for a job's end.
func over(t *testing.T, e *engine.Engine, id string) engine.JobState {
	t.Helper()
	var j engine.JobState
	until(t, e, func() bool {
		var err error
		j, err = e.Job(t.Context(), id)
		return err != nil || j.EndedAt != 0
	})
	return j
}

func counted(t *testing.T, e *engine.Engine) int64 {
	t.Helper()
	q, err := e.Queue(t.Context(), "q")
	if err != nil {
		t.Fatal(err)
	}
	return q.Counts.Total()
}

func rows(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "{\"payload\":{\"n\":%d},\"reference\":\"R-%d\"}\n", i, i)
	}
	return b.String()
}

// An import job has the modes of `item import`, and its default.
func TestModesOfImportJobs(t *testing.T) {
	twice := rows(2500) + `{"payload":{},"reference":"R-7"}` + "\n"
	for name, test := range map[string]struct {
		mode, text    string
		stored        int64
		status        store.Status
		said, rejects string
	}{
		"all rows are good":        {"", rows(4100), 4100, store.Completed, "4100 rows stored, 0 known, 0 rejected", ""},
		"no rows":                  {"", "[]", 0, store.Completed, "0 rows stored", ""},
		"one row can't be read":    {"", rows(4100) + "{broken\n{\"a\":}\n" + rows(1), 0, store.Failed, "line 4101", "{broken"},
		"it is told how many":      {"", rows(10) + "{broken\n{broken\n", 0, store.Failed, "0 rows stored, 0 known, 2 rejected", "\"rejected_line\":12"},
		"the engine refuses a row": {"", twice, 0, store.Failed, "rows.jsonl line 2501: reference \"R-7\": it stands twice in this file", "R-7"},
		"others are stored":        {engine.Independent, rows(1500) + "{broken\n" + rows(0), 1500, store.Completed, "1500 rows stored, 0 known, 1 rejected", "{broken"},
		"up to the first":          {engine.StopOnFirstFailure, rows(10) + "{broken\n{\"payload\":{}}\n", 10, store.Failed, "stopped at its first bad row", "{broken"},
	} {
		t.Run(name, func(t *testing.T) {
			e := running(t)
			unique(t, e)
			j := over(t, e, imports(t, e, test.mode, test.text).ID)
			item, err := e.Item(t.Context(), store.ID{Queue: engine.ImportQueue, Number: 1})
			if err != nil || item.Status != test.status || j.Status != store.JobDone || counted(t, e) != test.stored {
				t.Errorf("%d stored, the item is %s (%+v), the job %+v, %v", counted(t, e), item.Status, item.Error, j, err)
			}
			lines, err := e.JobLog(t.Context(), j.ID, 0, 10)
			if err != nil || len(lines) == 0 || !strings.Contains(lines[0].Text, test.said) {
				t.Errorf("its log is %+v, %v", lines, err)
			}
			var rejects strings.Builder
			err = e.ReadAttachment(t.Context(), j.ID, engine.RejectsName, &rejects)
			if (err == nil) != (test.rejects != "") || !strings.Contains(rejects.String(), test.rejects) {
				t.Errorf("rejects are %q, %v", rejects.String(), err)
			}
		})
	}
}

// A refused import tells each kind of fault in its log and keeps every bad row,
// however many.
func TestRefusedImportJobTellsAllFaults(t *testing.T) {
	e := running(t)
	unique(t, e)
	var text strings.Builder
	text.WriteString("Reference,Priority,n\n")
	for n := range 30_000 {
		fmt.Fprintf(&text, "R%d,urgent,1\nS%d,low\n", n, n)
	}
	j := over(t, e, imports(t, e, "", text.String()).ID)
	lines, err := e.JobLog(t.Context(), j.ID, 0, 10)
	if err != nil || len(lines) != 3 || !strings.Contains(lines[1].Text, "line 2: ") || !strings.Contains(lines[2].Text, "line 3: 2 fields, the header has 3 (30000 rows)") {
		t.Errorf("its log is %+v, %v", lines, err)
	}
	var rejects strings.Builder
	if err := e.ReadAttachment(t.Context(), j.ID, engine.RejectsName, &rejects); err != nil || strings.Count(rejects.String(), "\n") != 60_001 {
		t.Errorf("%d lines of rejects, %v", strings.Count(rejects.String(), "\n"), err)
	}
	if counted(t, e) != 0 {
		t.Errorf("%d are stored", counted(t, e))
	}
}

// An import of all rows or none that is tried again keeps the bad rows of its last
// try alone, also when these are fewer, or none.
func TestRejectsAreThoseOfTheLastTry(t *testing.T) {
	e := running(t)
	unique(t, e)
	bad := "{\"payload\":{},\"no\":\"" + strings.Repeat("x", 1000) + "\n"
	j := over(t, e, imports(t, e, "", rows(1)+strings.Repeat(bad, 2500)).ID)
	var request engine.ImportJob
	if err := json.Unmarshal([]byte(j.Metadata), &request); err != nil {
		t.Fatal(err)
	}
	rejected := func() int {
		var text strings.Builder
		if err := e.ReadAttachment(t.Context(), j.ID, engine.RejectsName, &text); err != nil && store.CodeOf(err) != store.CodeNotFound {
			t.Fatal(err)
		}
		return strings.Count(text.String(), "\n")
	}
	if n := rejected(); n != 2500 {
		t.Fatalf("%d rows are rejected", n)
	}
	for _, left := range []int{3, 0} {
		if err := os.WriteFile(request.Path, []byte(rows(2)+strings.Repeat(bad, left)), 0o600); err != nil {
			t.Fatal(err)
		}
		item, err := e.Item(t.Context(), store.ID{Queue: engine.ImportQueue, Number: 1})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Retry(t.Context(), engine.RetryRequest{Targets: []engine.Target{{Item: item.ID(), Revision: item.Revision}}}); err != nil {
			t.Fatal(err)
		}
		if j = over(t, e, j.ID); j.Failed != int64(min(left, 1)) {
			t.Errorf("%+v", j)
		}
		if n := rejected(); n != left {
			t.Errorf("%d rows are rejected, %d are bad", n, left)
		}
	}
}

// An engine that dies between an import's last change and the report on it has the
// next one find that all is in.
func TestImportThatWasNotReported(t *testing.T) {
	s := lasting{memory.New()}
	var stored []int64
	var job engine.JobState
	for n := range 3 {
		e, err := engine.Open(t.Context(), s, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			unique(t, e)
			job = imports(t, e, "", rows(4100))
		}
		got, err := e.Claim(t.Context(), engine.ClaimRequest{Queue: engine.ImportQueue, Robot: engine.DrainPrefix + e.Incarnation() + "/x"})
		if err != nil {
			t.Fatal(err)
		}
		if out, err := builtin.Handlers(e)[engine.ImportQueue](context.Background(), got[0]); err != nil || !strings.Contains(string(out), `"stored":4100`) {
			t.Errorf("it gives %s, %v", out, err)
		}
		stored = append(stored, counted(t, e))
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if stored[0] != 4100 || stored[2] != 4100 {
		t.Errorf("of job %s %v are in", job.ID, stored)
	}
}

// lasting is a store that outlives its engines.
type lasting struct{ store.Store }

func (lasting) Close() error { return nil }

// One import waits for the other, and one that is cancelled leaves nothing.
func TestImportsOneAfterTheOther(t *testing.T) {
	e := running(t)
	unique(t, e)
	inside, goOn := make(chan struct{}), make(chan struct{})
	done := make(chan error, 1)
	go func() {
		_, err := e.Import(t.Context(), engine.ImportRequest{Queue: "q"}, func(yield func(engine.NewItem, error) bool) {
			close(inside)
			<-goOn
			yield(engine.NewItem{Payload: []byte(`{}`)}, nil)
		})
		done <- err
	}()
	<-inside
	first, second := imports(t, e, "", rows(10)), imports(t, e, "", rows(5000))
	if _, err := e.CancelJob(t.Context(), second.ID, ""); err != nil {
		t.Error(err)
	}
	close(goOn)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if j := over(t, e, first.ID); j.Done != 10 || j.Failed != 0 {
		t.Errorf("it is %+v", j)
	}
	over(t, e, second.ID)
	if n := counted(t, e); n != 11 {
		t.Errorf("%d are in", n)
	}
}

// An attempt that goes on behind what an earlier one brought in links its rows to
// those.
func TestImportJobsKeepChainsAcrossAttempts(t *testing.T) {
	var text strings.Builder
	for n := range 1500 {
		state, link := "retried", ""
		if n > 0 {
			link = fmt.Sprintf(`,"previous":"old/%d"`, n)
		}
		if n < 1499 {
			link += fmt.Sprintf(`,"next":"old/%d"`, n+2)
		} else {
			state = "failed"
		}
		fmt.Fprintf(&text, `{"id":"old/%d","state":%q,"chain":"old/1"%s,"payload":{"n":%d}}`+"\n", n+1, state, link, n)
	}
	s := lasting{memory.New()}
	for attempt := range 2 {
		e, err := engine.Open(t.Context(), s, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if attempt == 0 {
			unique(t, e)
			imports(t, e, engine.Independent, text.String())
		}
		got, err := e.Claim(t.Context(), engine.ClaimRequest{Queue: engine.ImportQueue, Robot: engine.DrainPrefix + e.Incarnation() + "/x"})
		if err != nil {
			t.Fatal(err)
		}
		ctx := context.Context(&ending{t.Context(), 1100})
		if attempt == 1 {
			ctx = t.Context()
		}
		out, err := builtin.Handlers(e)[engine.ImportQueue](ctx, got[0])
		if n := counted(t, e); attempt == 0 && (!errors.Is(err, context.Canceled) || n < 1000 || n > 1200) {
			t.Fatalf("%d rows are in, %v", n, err)
		}
		if attempt == 1 && (err != nil || strings.Contains(string(out), "links_dropped")) {
			t.Errorf("it gives %s, %v", out, err)
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// ending is a context that ends when it has been asked whether it has.
type ending struct {
	context.Context
	asked int
}

func (c *ending) Err() error {
	if c.asked--; c.asked < 0 {
		return context.Canceled
	}
	return nil
}
