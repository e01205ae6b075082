package builtin_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"signalbox/engine"
	"signalbox/engine/builtin"
	"signalbox/store"
	"signalbox/store/memory"
)

// finish completes all that waits in the queue q.
func finish(t *testing.T, e *engine.Engine) {
	t.Helper()
	for {
		recs, err := e.Claim(t.Context(), engine.ClaimRequest{Queue: "q", Robot: "r", N: 500})
		if store.CodeOf(err) == store.CodeEmpty {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		done := make([]engine.Settlement, len(recs))
		for n, rec := range recs {
			done[n] = engine.Settlement{Item: rec.ID(), Fence: rec.Fence, Status: engine.Success}
		}
		if _, err := e.Settle(t.Context(), done); err != nil {
			t.Fatal(err)
		}
	}
}

// A job that an import adds to batch by batch ends once, with the import, also where
// robots are faster than that, it was done before, and engines are killed on the way.
func TestJobThatAnImportFeedsEndsOnce(t *testing.T) {
	for _, mode := range []string{engine.Independent, engine.StopOnFirstFailure} {
		for _, before := range []string{"new", "open", "done"} {
			t.Run(mode+"/"+before, func(t *testing.T) { feeding(t, mode, before) })
		}
	}
}

func feeding(t *testing.T, mode, before string) {
	s := lasting{memory.New()}
	var job engine.JobState
	var e *engine.Engine
	open := func() {
		var err error
		if e, err = engine.Open(t.Context(), s, engine.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	isOpen := func(when string) {
		finish(t, e)
		if j, err := e.Job(t.Context(), "may"); err != nil || j.EndedAt != 0 || !j.Filling {
			t.Errorf("%s it is %+v, %v", when, j, err)
		}
	}
	open()
	unique(t, e)
	if before != "new" {
		if _, err := e.Add(t.Context(), engine.AddRequest{Queue: "q", Items: []engine.NewItem{{Payload: []byte(`{}`), Job: "may"}}}); err != nil {
			t.Fatal(err)
		}
	}
	if before == "done" {
		finish(t, e)
	}
	if _, err := e.AddWebhook(t.Context(), store.Webhook{Name: "ops", URL: "http://127.0.0.1:1/", Events: []string{engine.JobEvent}}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "rows.jsonl")
	if err := os.WriteFile(path, []byte(rows(3500)), 0o600); err != nil {
		t.Fatal(err)
	}
	job, err := e.StartBuiltin(t.Context(), engine.BuiltinRequest{
		Kind: engine.ImportKind, Request: fmt.Appendf(nil, `{"queue":"q","path":%q,"mode":%q,"job":"may"}`, path, mode),
	})
	if err != nil {
		t.Fatal(err)
	}
	isOpen("before the first row")
	for attempt := range 3 {
		got, err := e.Claim(t.Context(), engine.ClaimRequest{Queue: engine.ImportQueue, Robot: engine.DrainPrefix + e.Incarnation() + "/x"})
		if err != nil {
			t.Fatal(err)
		}
		ctx := context.Context(&ending{t.Context(), 1100 * (attempt + 1)})
		if attempt == 2 {
			ctx = t.Context()
		}
		out, err := builtin.Handlers(e)[engine.ImportQueue](ctx, got[0])
		if attempt < 2 && !errors.Is(err, context.Canceled) || attempt == 2 && err != nil {
			t.Fatalf("attempt %d gives %s, %v", attempt, out, err)
		}
		isOpen("in the midst of the import")
		if attempt < 2 {
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}
			open()
			isOpen("behind a kill")
			continue
		}
		if _, err := e.Settle(t.Context(), []engine.Settlement{{Item: got[0].ID(), Fence: got[0].Fence, Status: engine.Success}}); err != nil {
			t.Fatal(err)
		}
	}
	isOpen("before the import's hook")
	stop, err := e.RunHooks(e.BuiltinHooks())
	if err != nil {
		t.Fatal(err)
	}
	over(t, e, job.ID)
	stop()
	if j := over(t, e, "may"); j.Status != store.JobDone || j.Filling || j.Failed > 0 || j.Done < 3500 {
		t.Errorf("it ended as %+v", j)
	}
	if q, err := e.Queue(t.Context(), engine.NotifyQueue); err != nil || q.Counts.Total() != 2 {
		t.Errorf("webhooks were told %d times, of the import and of its job; %v", q.Counts.Total(), err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
}

// A job that is fed can be cancelled; the import's rows are refused from then on.
func TestCancelOfAJobThatAnImportFeeds(t *testing.T) {
	e, err := engine.Open(t.Context(), memory.New(), engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	unique(t, e)
	path := filepath.Join(t.TempDir(), "rows.jsonl")
	if err := os.WriteFile(path, []byte(rows(10)), 0o600); err != nil {
		t.Fatal(err)
	}
	start := func() (engine.JobState, error) {
		return e.StartBuiltin(t.Context(), engine.BuiltinRequest{
			Kind: engine.ImportKind, Request: fmt.Appendf(nil, `{"queue":"q","path":%q,"mode":"independent","job":"may"}`, path),
		})
	}
	job, err := start()
	if err != nil {
		t.Fatal(err)
	}
	if j, err := e.CancelJob(t.Context(), "may", ""); err != nil || j.EndedAt == 0 {
		t.Fatalf("%+v, %v", j, err)
	}
	if j, err := e.CancelJob(t.Context(), job.ID, ""); err != nil || j.EndedAt == 0 {
		t.Errorf("the import is %+v, %v", j, err)
	}
	if _, err := start(); store.CodeOf(err) != store.CodeConflict {
		t.Errorf("another import starts: %v", err)
	}
}

// An import that stopped at a bad row, and is retried once the file is mended, keeps the
// job that it feeds open again, until it has ended itself again.
func TestARetriedImportKeepsItsJobOpen(t *testing.T) {
	s := lasting{memory.New()}
	e, err := engine.Open(t.Context(), s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	unique(t, e)
	path := filepath.Join(t.TempDir(), "rows.jsonl")
	good := rows(3500)
	bad := good[:len(rows(1500))] + "{\n" + good[len(rows(1501)):]
	if err := os.WriteFile(path, []byte(bad), 0o600); err != nil {
		t.Fatal(err)
	}
	job, err := e.StartBuiltin(t.Context(), engine.BuiltinRequest{
		Kind: engine.ImportKind, Request: fmt.Appendf(nil, `{"queue":"q","path":%q,"mode":%q,"job":"may"}`, path, engine.StopOnFirstFailure),
	})
	if err != nil {
		t.Fatal(err)
	}
	hooks := func() {
		stop, err := e.RunHooks(e.BuiltinHooks())
		if err != nil {
			t.Fatal(err)
		}
		over(t, e, job.ID)
		stop()
	}
	attempt := func(ctx context.Context) (engine.Record, error) {
		got, err := e.Claim(t.Context(), engine.ClaimRequest{Queue: engine.ImportQueue, Robot: engine.DrainPrefix + e.Incarnation() + "/x"})
		if err != nil {
			t.Fatal(err)
		}
		_, err = builtin.Handlers(e)[engine.ImportQueue](ctx, got[0])
		return got[0], err
	}
	settle := func(r engine.Record, status, reason string) {
		if out, err := e.Settle(t.Context(), []engine.Settlement{{Item: r.ID(), Fence: r.Fence, Status: status, Reason: reason}}); err != nil || out[0].Err != nil {
			t.Fatal(out, err)
		}
	}
	reopen := func() {
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
		if e, err = engine.Open(t.Context(), s, engine.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	var first engine.Record
	for range 2 { // the first time the engine dies before it has said so
		reopen()
		if first, err = attempt(t.Context()); err == nil || counted(t, e) != 1500 {
			t.Fatalf("with the bad row in it there are %d, %v", counted(t, e), err)
		}
	}
	settle(first, engine.Business, err.Error())
	hooks()
	finish(t, e)
	if j := over(t, e, "may"); j.Done != 1500 || j.Filling {
		t.Errorf("behind the bad row it is %+v", j)
	}

	if err := os.WriteFile(path, []byte(good), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := e.Retry(t.Context(), engine.RetryRequest{Targets: []engine.Target{{Item: first.ID()}}}); err != nil || out[0].Err != nil {
		t.Fatal(out, err)
	}
	isOpen := func(when string) {
		finish(t, e)
		if j, err := e.Job(t.Context(), "may"); err != nil || j.EndedAt != 0 || !j.Filling {
			t.Errorf("%s it is %+v, %v", when, j, err)
		}
	}
	isOpen("with the import retried")
	if _, err := attempt(&ending{t.Context(), 2600}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	isOpen("in the midst of it")
	reopen()
	defer func() { _ = e.Close() }()
	isOpen("behind a kill")
	again, err := attempt(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	settle(again, engine.Success, "")
	isOpen("before the hook")
	hooks()
	if j := over(t, e, "may"); j.Status != store.JobDone || j.Filling || j.Failed > 0 || j.Done != 3500 {
		t.Errorf("it ended as %+v", j)
	}
}
