package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/store/memory"
)

// builtin starts a built-in job.
func (r *rig) builtin(kind, request string) engine.JobState {
	r.t.Helper()
	j, err := r.StartBuiltin(r.ctx, engine.BuiltinRequest{Kind: kind, Request: json.RawMessage(request)})
	if err != nil {
		r.t.Fatal(err)
	}
	return j
}

// What an import job can't do is refused as it is asked for, in the words in which it
// would fail, and leaves nothing.
func TestImportJobsThatCantBeDoneAreNotStarted(t *testing.T) {
	r := start(t, memory.New())
	defer func() { _ = r.Close() }()
	r.queue("q", store.Jobs, nil)
	r.queue("other", store.Jobs, nil)
	r.add("other", engine.NewItem{Payload: json.RawMessage(`1`), Job: "theirs"})
	r.add("q", engine.NewItem{Payload: json.RawMessage(`1`), Job: "ended"})
	if _, err := r.CancelJob(r.ctx, "ended", ""); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(path, []byte("a\n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	before, err := r.Jobs(r.ctx, engine.JobList{})
	if err != nil {
		t.Fatal(err)
	}
	for field, words := range map[string]string{
		`"mode":"all"`:          `mode "all": there is none of this name`,
		`"states":"lost"`:       `states "lost": states are kept or new`,
		`"dates":"ymd"`:         `dates "ymd": dates begin with the day or the month`,
		`"encoding":"runes"`:    `encoding "runes": a file is utf-8, utf-16`,
		`"from_line":-3`:        `line -3 to read from: a line's number is 1 or more`,
		`"zone":"Mars/Olympus"`: `zone "Mars/Olympus": there is none of this name`,
		`"job":".."`:            `job "..": an id is no lone dot`,
		`"job":"theirs"`:        `job "theirs": it is of queue other`,
		`"job":"ended"`:         `job "ended": it was cancelled`,
		`"path":"","of":"ended","attachment":"b.csv"`: `attachment "b.csv" of job "ended": not found`,
	} {
		for _, mode := range []string{engine.AllOrNothing, engine.Independent} {
			request := fmt.Sprintf(`{"queue":"q","path":%q,"mode":%q,%s}`, path, mode, field)
			if _, err := r.StartBuiltin(r.ctx, engine.BuiltinRequest{Kind: engine.ImportKind, Request: json.RawMessage(request)}); err == nil || !strings.Contains(err.Error(), words) {
				t.Errorf("with %s: %v; want %q", field, err, words)
			}
		}
	}
	if after, err := r.Jobs(r.ctx, engine.JobList{}); err != nil || len(after) != len(before) {
		t.Errorf("there are jobs %+v, %v", after, err)
	}
}

// Only signalbox itself fills and works the built-in queues, by whatever door.
func TestBuiltinQueuesAreNobodyElses(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, nil)
		r.addN("q", 3)
		j := r.builtin(engine.BulkKind, `{"verb":"delete","select":[{"queue":"q"}]}`)
		work := store.ID{Queue: engine.BulkQueue, Number: 1}

		_, err := r.Import(r.ctx, engine.ImportRequest{Queue: engine.BulkQueue}, many(1, calmly))
		r.wantCode(err, store.CodeForbidden)
		_, err = r.Claim(r.ctx, engine.ClaimRequest{Queue: engine.BulkQueue, Robot: "mine"})
		r.wantCode(err, store.CodeForbidden)
		_, err = r.Claim(r.ctx, engine.ClaimRequest{Item: work, Robot: "mine"})
		r.wantCode(err, store.CodeForbidden)
		_, err = r.Edit(r.ctx, engine.EditRequest{Target: engine.Target{Item: work}, Payload: json.RawMessage(`{"verb":"retry"}`)})
		r.wantCode(err, store.CodeForbidden)
		_, err = r.Retry(r.ctx, engine.RetryRequest{Targets: []engine.Target{{Item: work}}, Payload: json.RawMessage(`{"verb":"retry"}`)})
		r.wantCode(err, store.CodeForbidden)
		for _, name := range []string{".set", "mine.csv"} {
			_, err = r.Attach(r.ctx, j.ID, name, "", strings.NewReader("x"))
			r.wantCode(err, store.CodeForbidden)
		}
		_, err = r.StartJob(r.ctx, engine.JobRequest{Queue: engine.BulkQueue})
		r.wantCode(err, store.CodeForbidden)
	})
}

// A file that two write at once under one name is that of the first.
func TestTwoWritersOfOneAttachment(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, nil)
		r.addTo("q", "j", 1)
		slow, in := io.Pipe()
		first := make(chan error, 1)
		go func() {
			_, err := r.Attach(r.ctx, "j", "out.csv", "", slow)
			first <- err
		}()
		synctest.Wait()
		_, err := r.Attach(r.ctx, "j", "out.csv", "", strings.NewReader("second"))
		r.wantCode(err, store.CodeConflict)
		if _, err := r.Attach(r.ctx, "j", "other.csv", "", strings.NewReader("other")); err != nil {
			t.Error(err)
		}
		_, _ = io.WriteString(in, "first")
		_ = in.Close()
		if err := <-first; err != nil {
			t.Error(err)
		}
		var got strings.Builder
		if err := r.ReadAttachment(r.ctx, "j", "out.csv", &got); err != nil || got.String() != "first" {
			t.Errorf("read %q, %v", got.String(), err)
		}
	})
}

// A built-in job's record does not hold the items that it is about, and its texts
// are held against the limits of every job's.
func TestRequestsOfBuiltinJobs(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, nil)
		var targets []engine.Target
		for _, id := range r.addN("q", 3000) {
			targets = append(targets, engine.Target{Item: id})
		}
		request, err := json.Marshal(engine.BulkRequest{Verb: engine.BulkDelete, Targets: targets})
		if err != nil {
			t.Fatal(err)
		}
		if j := r.builtin(engine.BulkKind, string(request)); len(j.Metadata) > 1000 || j.Available != 3000 {
			t.Errorf("%d bytes of metadata, %d items", len(j.Metadata), j.Available)
		}
		for _, bad := range []engine.BuiltinRequest{
			{Kind: engine.ReindexKind, SingletonKey: "a\x00"},
			{Kind: engine.BulkKind, Request: json.RawMessage(`{"verb":"delete","note":"` + strings.Repeat("x", 60_000) + `","select":[{"queue":"q"}]}`)},
		} {
			_, err := r.StartBuiltin(r.ctx, bad)
			r.wantCode(err, store.CodeInvalid)
		}
	})
}

// However small the parts of an export are asked for, one change adds only so
// many of them.
func TestPartsOfAnExportAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, memory.New())
		r.queue("q", store.Jobs, nil)
		r.addN("q", 10_001)
		j := r.builtin(engine.ExportKind, `{"queue":"q","format":"jsonl","part":1}`)
		plan, err := r.Claim(r.ctx, engine.ClaimRequest{Queue: engine.ExportQueue, Robot: engine.DrainPrefix + "x"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Builtins()[engine.ExportQueue](r.ctx, plan[0]); err != nil {
			t.Fatal(err)
		}
		r.settle(plan[0], engine.Success, "")
		counts := r.counts(engine.ExportQueue)
		if n := counts.Waiting(); n != 5001 {
			t.Errorf("%d parts", n)
		}
		if c := r.job(j.ID).JobCounts; c.Available != 10_001 {
			t.Errorf("they are for %d items", c.Available)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
}

// A cancelled export leaves no parts behind, nor a bulk job its share.
func TestCancelledBuiltinsLeaveNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory.New()
		r := start(t, s)
		r.queue("q", store.Jobs, nil)
		r.addN("q", 300)
		for kind, request := range map[string]string{
			engine.ExportKind: `{"queue":"q","format":"csv","name":"all.csv","part":100}`,
			engine.BulkKind:   `{"verb":"delete","select":[{"queue":"q"}]}`,
		} {
			j := r.builtin(kind, request)
			queue := engine.BuiltinPrefix + kind
			for range 2 {
				got, err := r.Claim(r.ctx, engine.ClaimRequest{Queue: queue, Robot: engine.DrainPrefix + "x"})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := r.Builtins()[queue](r.ctx, got[0]); err != nil {
					t.Fatal(err)
				}
				if kind == engine.BulkKind {
					break // its first share is all that is done
				}
				r.settle(got[0], engine.Success, "")
			}
			if j, err := r.CancelJob(r.ctx, j.ID, ""); err != nil || j.EndedAt == 0 {
				t.Fatalf("%+v, %v", j, err)
			}
			if err := s.View(r.ctx, func(rd store.Reader) error {
				for _, name := range []string{"all.csv", ".survey", ".set", ".results"} {
					if chunks, err := rd.Chunks(j.ID, name); err != nil || len(chunks) > 0 {
						t.Errorf("%s keeps %d chunks of %s, %v", kind, len(chunks), name, err)
					}
				}
				return nil
			}); err != nil {
				t.Error(err)
			}
			if lines, err := r.JobLog(r.ctx, j.ID, 0, 10); err != nil || len(lines) != 1 {
				t.Errorf("its log has %v, %v", lines, err)
			}
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
}

// torn is a store in which one item can't be read.
type torn struct {
	store.Store
	item store.ID
}

func (b torn) View(ctx context.Context, fn func(store.Reader) error) error {
	return b.Store.View(ctx, func(r store.Reader) error { return fn(tornReader{r, b.item}) })
}

func (b torn) Update(ctx context.Context, fn func(store.Tx) error) error {
	return b.Store.Update(ctx, func(t store.Tx) error { return fn(tornTx{t, b.item}) })
}

type tornReader struct {
	store.Reader
	item store.ID
}

func (b tornReader) Items(q store.Query) iter.Seq2[store.Item, error] {
	return func(yield func(store.Item, error) bool) {
		for i, err := range b.Reader.Items(q) {
			if i.ID() == b.item {
				i, err = store.Item{Queue: b.item.Queue, Number: b.item.Number}, store.Unavailable("item", io.ErrUnexpectedEOF, "")
			}
			if !yield(i, err) {
				return
			}
		}
	}
}

type tornTx struct {
	store.Tx
	item store.ID
}

func (b tornTx) Item(id store.ID) (store.Item, error) {
	if id == b.item {
		return store.Item{}, store.Unavailable("item", io.ErrUnexpectedEOF, "")
	}
	return b.Tx.Item(id)
}

// An item that can't be read does not keep a job's cancel busy for ever.
func TestCancelOfAJobWithAnUnreadableItem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := memory.New()
		r := start(t, inner)
		r.queue("q", store.Jobs, nil)
		ids := r.addTo("q", "j", 3)
		synctest.Wait() // what this engine had to catch up with
		e, err := engine.Open(t.Context(), torn{inner, ids[1]}, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(r.ctx, 1e9)
		defer cancel()
		if j, err := e.CancelJob(ctx, "j", ""); err != nil || j.Status != store.JobCancelled || j.Cancelled != 2 {
			t.Errorf("%+v, %v", j, err)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		r.Close()
	})
}

// A job that only a broken import had items for is not there afterwards.
func TestJobsOfABrokenImport(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, nil)
		_, err := r.Import(r.ctx, engine.ImportRequest{Queue: "q"}, func(yield func(engine.NewItem, error) bool) {
			for range 2500 {
				if !yield(engine.NewItem{Payload: json.RawMessage(`{}`), Job: "j"}, nil) {
					return
				}
			}
			yield(engine.NewItem{}, io.ErrUnexpectedEOF)
		})
		if err == nil {
			t.Fatal("no error")
		}
		_, err = r.Job(r.ctx, "j")
		r.wantCode(err, store.CodeNotFound)
		r.addTo("q", "j", 1)
		r.wantJob("j", store.JobRunning, store.JobCounts{Available: 1, Total: 1})
	})
}
