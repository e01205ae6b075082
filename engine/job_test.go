package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/store/bolt"
)

// addTo adds n items to a job.
func (r *rig) addTo(queue, job string, n int) []store.ID {
	r.t.Helper()
	items := make([]engine.NewItem, n)
	for i := range items {
		items[i] = engine.NewItem{Payload: json.RawMessage(`{}`), Job: job}
	}
	return r.add(queue, items...)
}

func (r *rig) job(id string) engine.JobState {
	r.t.Helper()
	j, err := r.Job(r.ctx, id)
	if err != nil {
		r.t.Fatal(err)
	}
	return j
}

func (r *rig) wantJob(id string, status store.JobStatus, c store.JobCounts) {
	r.t.Helper()
	j := r.job(id)
	j.Waiting, j.Withheld = 0, 0
	if j.Status != status || j.JobCounts != c {
		r.t.Errorf("job %s is %s with %+v, want %s with %+v", id, j.Status, j.JobCounts, status, c)
	}
}

func TestJobsEndWhenNothingIsLeft(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, func(q *store.Queue) { q.Retries = 1; q.RetryWindow = 0 })
		r.addTo("q", "j", 2)
		r.wantJob("j", store.JobRunning, store.JobCounts{Available: 2, Total: 2})
		first, second := r.claim("q", "r", 1)[0], r.claim("q", "r", 1)[0]
		r.settle(first, engine.System, "timeout")
		at := r.item(store.ID{Queue: "q", Number: 3}).AvailableAt
		r.wantJob("j", store.JobRunning, store.JobCounts{Available: 1, Delayed: 1, NextAvailableAt: at, InFlight: 1, Total: 2})
		r.settle(second, engine.Business, "no such customer")
		time.Sleep(11 * time.Second)
		r.settle(r.claim("q", "r", 1)[0], engine.Success, "")
		r.wantJob("j", store.JobDone, store.JobCounts{Done: 1, Failed: 1, Total: 2})
		s, err := r.Watch(r.ctx, 0)
		if err != nil || len(s.Jobs) != 1 || s.Jobs[0].Status != store.JobDone {
			t.Errorf("the picture shows %+v, %v", s.Jobs, err)
		}
		last := s.Notices[len(s.Notices)-1]
		if last.Job != "j" || last.For != "anna" || last.Text != "job j is done: 1 done, 1 failed" {
			t.Errorf("the notice is %+v", last)
		}
		// An operator's retry, like a new item, brings it back.
		if _, err := r.Retry(r.ctx, engine.RetryRequest{Targets: []engine.Target{{Item: second.ID()}}}); err != nil {
			t.Fatal(err)
		}
		r.wantJob("j", store.JobRunning, store.JobCounts{Available: 1, Done: 1, Total: 2})
	})
}

func TestPausedJobs(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, func(q *store.Queue) { q.Consumer.Kind = engine.Handler })
		r.addTo("q", "j", 1200) // more than one commit withholds
		held := r.claim("q", "r", 2)
		if _, err := r.PauseJob(r.ctx, "j", true); err != nil {
			t.Fatal(err)
		}
		r.addTo("q", "j", 1)
		other := r.add("q", engine.NewItem{Payload: json.RawMessage(`1`)})
		if got := r.claim("q", "r", 10); len(got) != 1 || got[0].ID() != other[0] {
			t.Errorf("beside a paused job %d items were claimed", len(got))
		}
		if q, err := r.Available(r.ctx); err != nil || len(q) != 0 {
			t.Errorf("drains are sent to %v, %v", q, err)
		}
		_, err := r.Claim(r.ctx, engine.ClaimRequest{Item: store.ID{Queue: "q", Number: 5}, Robot: "r"})
		r.wantCode(err, store.CodeConflict)
		_, err = r.Claim(r.ctx, engine.ClaimRequest{Queue: "q", Job: "j", Robot: "r"})
		r.wantCode(err, store.CodeConflict)
		r.settle(held[0], engine.Success, "")
		if out, err := r.Release(r.ctx, []engine.Holding{{Item: held[1].ID(), Fence: held[1].Fence}}); err != nil || out[0].Result != engine.OK {
			t.Fatal(out, err)
		}
		r.wantJob("j", store.JobPaused, store.JobCounts{Available: 1200, Done: 1, Total: 1201})
		x, err := r.Explain(r.ctx, held[1].ID())
		if err != nil || x.Reasons[0].Code != "job" {
			t.Errorf("explained as %+v, %v", x, err)
		}
		if _, err := r.PauseJob(r.ctx, "j", false); err != nil {
			t.Fatal(err)
		}
		if got := r.claim("q", "r", 1000); len(got) != 1000 || got[0].ID() != held[1].ID() {
			t.Errorf("after it %d were claimed, the first %s", len(got), got[0].ID())
		}
	})
}

// A paused job tells of its delayed items as a running one does.
func TestPausedJobsTellOfDelays(t *testing.T) {
	eachRestart(t, func(r *rig, restart func(time.Duration)) {
		r.queue("q", store.Jobs, func(q *store.Queue) { q.Retries, q.RetryWindow = 3, store.Duration(time.Hour) })
		r.addTo("q", "j", 3)
		r.settle(r.claim("q", "r", 1)[0], engine.System, "timeout")
		later := store.At(time.Now().Add(2 * time.Hour))
		r.add("q", engine.NewItem{Payload: json.RawMessage(`1`), Job: "j", DeferUntil: later})
		first := r.item(store.ID{Queue: "q", Number: 1}).AvailableAt
		both := store.JobCounts{Available: 4, Delayed: 2, NextAvailableAt: first, Total: 4}
		one := store.JobCounts{Available: 4, Delayed: 1, NextAvailableAt: later, Total: 4}
		r.wantJob("j", store.JobRunning, both)
		pause := func(paused bool) {
			if _, err := r.PauseJob(r.ctx, "j", paused); err != nil {
				r.t.Fatal(err)
			}
		}
		pause(true)
		r.wantJob("j", store.JobPaused, both)
		pause(false)
		r.wantJob("j", store.JobRunning, both)
		pause(true)
		r.add("q", engine.NewItem{Payload: json.RawMessage(`1`), Job: "j", DeferUntil: later.Add(time.Minute)})
		one.Available, one.Delayed, one.Total = 5, 2, 5
		restart(time.Hour)
		r.wantJob("j", store.JobPaused, one)
		r.sound()
		pause(false)
		r.wantJob("j", store.JobRunning, one)
		if got := r.claim("q", "r", 10); len(got) != 3 {
			r.t.Errorf("%d were claimed", len(got))
		}
		r.sound()
	})
}

// A parked claim goes on waiting at a paused job, and is served by its resume.
func TestParkedClaimOfAPausedJob(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, nil)
		r.addTo("q", "j", 1)
		if _, err := r.PauseJob(r.ctx, "j", true); err != nil {
			t.Fatal(err)
		}
		got := make(chan []engine.Record, 1)
		go func() {
			recs, _ := r.Claim(r.ctx, engine.ClaimRequest{Queue: "q", Robot: "r", Wait: store.Duration(time.Minute)})
			got <- recs
		}()
		synctest.Wait()
		if _, err := r.PauseJob(r.ctx, "j", false); err != nil {
			t.Fatal(err)
		}
		if recs := <-got; len(recs) != 1 {
			t.Errorf("claimed %v", recs)
		}
	})
}

func TestCancelledJobs(t *testing.T) {
	for _, family := range []store.Family{store.Jobs, store.Transactions} {
		eachStore(t, func(r *rig) {
			r.queue("q", family, nil)
			r.addTo("q", "j", 1004)
			done, failed, held := r.claim("q", "r", 1)[0], r.claim("q", "r", 1)[0], r.claim("q", "r", 1)[0]
			r.settle(done, engine.Success, "")
			r.settle(failed, engine.Business, "no")
			var revoked []engine.Holding
			defer r.OnRevoke(func(claims []engine.Holding) { revoked = append(revoked, claims...) })()
			if _, err := r.CancelJob(r.ctx, "j", "wrong file"); err != nil {
				t.Fatal(err)
			}
			r.wantJob("j", store.JobCancelled, store.JobCounts{Done: 1, Failed: 1, Cancelled: 1002, Total: 1004})
			if !slices.Equal(revoked, []engine.Holding{{Item: held.ID(), Fence: held.Fence}}) {
				t.Errorf("taken away: %v", revoked)
			}
			if out := r.settle(held, engine.Success, ""); out.Result != engine.Refused || out.Status != store.Cancelled {
				t.Errorf("a late report is answered %+v", out)
			}
			out, err := r.Retry(r.ctx, engine.RetryRequest{Targets: []engine.Target{{Item: failed.ID()}}})
			if err != nil || out[0].Result != engine.Refused {
				t.Errorf("a retry is answered %+v, %v", out, err)
			}
			_, err = r.Add(r.ctx, engine.AddRequest{Queue: "q", Items: []engine.NewItem{{Payload: json.RawMessage(`{}`), Job: "j"}}})
			r.wantCode(err, store.CodeConflict)
			history, err := r.History(r.ctx, held.ID(), 1)
			if err != nil || history[0].Actor != "anna" || history[0].Event != "cancel" {
				t.Errorf("its history ends with %+v, %v", history, err)
			}
			if err := r.DeleteJob(r.ctx, "j"); err != nil {
				t.Fatal(err)
			}
			_, err = r.Job(r.ctx, "j")
			r.wantCode(err, store.CodeNotFound)
			r.item(done.ID()) // its items stay
		})
	}
}

// What an engine left halfway when it died, the next one brings to its end.
func TestJobsLeftHalfway(t *testing.T) {
	for _, status := range []store.JobStatus{store.JobPaused, store.JobCancelled} {
		synctest.Test(t, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "j.db")
			r := start(t, openBolt(t, path))
			r.queue("q", store.Jobs, nil)
			r.addTo("q", "j", 600)
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			s := openBolt(t, path)
			err := s.Update(t.Context(), func(tx store.Tx) error { // as when it dies after the first commit
				j, err := tx.Job("j")
				j.Status = status
				return errors.Join(err, tx.PutJob(&j))
			})
			if err != nil {
				t.Fatal(err)
			}
			r = start(t, s)
			synctest.Wait()
			j := r.job("j")
			if status == store.JobPaused && j.Withheld != 600 || status == store.JobCancelled && (j.Cancelled != 600 || j.EndedAt == 0) {
				t.Errorf("the %s job is left with %+v", status, j)
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestOneJobForASingletonKey(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, nil)
		var mu sync.Mutex
		started := map[string]int{}
		var all sync.WaitGroup
		for range 200 {
			all.Go(func() {
				j, err := r.StartJob(r.ctx, engine.JobRequest{Queue: "q", SingletonKey: "nightly", Filling: true})
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					t.Error(err)
				}
				if started[j.ID] += 0; !j.Existing {
					started[j.ID]++
				}
			})
		}
		all.Wait()
		if len(started) != 1 || started["q-1"] != 1 {
			t.Errorf("200 starts made %v", started)
		}
		if _, err := r.SealJob(r.ctx, "q-1"); err != nil {
			t.Fatal(err)
		}
		if j, err := r.StartJob(r.ctx, engine.JobRequest{Queue: "q", SingletonKey: "nightly"}); err != nil || j.ID != "q-2" || j.Existing {
			t.Errorf("after its end: %+v, %v", j, err)
		}
	})
}

func TestFillingJobsWait(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, nil)
		if _, err := r.StartJob(r.ctx, engine.JobRequest{Queue: "q", ID: "j", Filling: true, Metadata: json.RawMessage(`{"a":1}`)}); err != nil {
			t.Fatal(err)
		}
		r.addTo("q", "j", 1)
		r.settle(r.claim("q", "r", 1)[0], engine.Success, "")
		r.wantJob("j", store.JobRunning, store.JobCounts{Done: 1, Total: 1})
		if _, err := r.SealJob(r.ctx, "j"); err != nil {
			t.Fatal(err)
		}
		r.wantJob("j", store.JobDone, store.JobCounts{Done: 1, Total: 1})
	})
}

func TestJobRequestsThatAreRefused(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, nil)
		r.queue("p", store.Jobs, nil)
		r.addTo("q", "j", 1)
		for _, c := range []struct {
			code store.Code
			job  engine.JobRequest
		}{
			{store.CodeInvalid, engine.JobRequest{Queue: "q", ID: "a\nb"}},
			{store.CodeInvalid, engine.JobRequest{Queue: "q", ID: strings.Repeat("x", 257)}},
			{store.CodeInvalid, engine.JobRequest{Queue: "q", Metadata: json.RawMessage(`{`)}},
			{store.CodeConflict, engine.JobRequest{Queue: "q", ID: "j"}},
			{store.CodeNotFound, engine.JobRequest{Queue: "none"}},
		} {
			_, err := r.StartJob(r.ctx, c.job)
			r.wantCode(err, c.code)
		}
		for _, c := range []struct {
			code store.Code
			item engine.NewItem
		}{
			{store.CodeConflict, engine.NewItem{Job: "j"}},
			{store.CodeInvalid, engine.NewItem{Weight: 2}},
			{store.CodeInvalid, engine.NewItem{Job: "k", Weight: -1}},
			{store.CodeInvalid, engine.NewItem{Job: "k", Weight: engine.MaxWeight + 1}},
		} {
			c.item.Payload = json.RawMessage(`{}`)
			_, err := r.Add(r.ctx, engine.AddRequest{Queue: "p", Items: []engine.NewItem{c.item}})
			r.wantCode(err, c.code)
		}
		if jobs, err := r.Jobs(r.ctx, engine.JobList{}); err != nil || len(jobs) != 1 {
			t.Errorf("there are %d jobs, %v", len(jobs), err)
		}
	})
}

func TestJobDetailsAreForTheirInitiator(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openBolt(t, filepath.Join(t.TempDir(), "j.db"))
		admins := func(ctx context.Context, _ store.Job) bool { return engine.Actor(ctx) == "root" }
		e, err := engine.Open(t.Context(), s, engine.Options{JobAccess: admins})
		if err != nil {
			t.Fatal(err)
		}
		r := &rig{e, t, engine.WithActor(t.Context(), "anna")}
		r.queue("q", store.Jobs, nil)
		if _, err := r.StartJob(r.ctx, engine.JobRequest{Queue: "q", ID: "j", Filling: true, Metadata: json.RawMessage(`{"a":1}`)}); err != nil {
			t.Fatal(err)
		}
		for who, code := range map[string]store.Code{"anna": 0, "root": 0, "bob": store.CodeForbidden} {
			ctx := engine.WithActor(t.Context(), who)
			j, err := r.Job(ctx, "j")
			if err != nil || (j.Metadata == "") != (code != 0) {
				t.Errorf("%s sees %+v, %v", who, j, err)
			}
			_, err = r.JobLog(ctx, "j", 0, 0)
			r.wantCode(err, code)
			_, err = r.Attachments(ctx, "j")
			r.wantCode(err, code)
			_, err = r.PauseJob(ctx, "j", true)
			r.wantCode(err, code)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestJobLogsAndAttachments(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, nil)
		r.addTo("q", "j", 1)
		line, err := r.LogJob(r.ctx, "j", store.LogLine{Level: "warn", Text: "slow\x00", Fields: `{"s":3}`})
		if err != nil || line.Seq != 1 || line.Text != "slow␀" {
			t.Errorf("logged %+v, %v", line, err)
		}
		for _, bad := range []store.LogLine{{Level: "loud", Text: "x"}, {Level: "info"}, {Level: "info", Text: "x", Fields: "[]"}} {
			_, err := r.LogJob(r.ctx, "j", bad)
			r.wantCode(err, store.CodeInvalid)
		}
		content := bytes.Repeat([]byte("0123456789"), 300_000) // three chunks
		a, err := r.Attach(r.ctx, "j", "out.csv", "text/csv", bytes.NewReader(content))
		if err != nil || a.Size != int64(len(content)) {
			t.Fatalf("attached %+v, %v", a, err)
		}
		_, err = r.Attach(r.ctx, "j", "out.csv", "", strings.NewReader("x"))
		r.wantCode(err, store.CodeConflict)
		broken := errors.New("broken pipe")
		_, err = r.Attach(r.ctx, "j", "part.csv", "", failingReader{broken})
		if !errors.Is(err, broken) {
			t.Errorf("a broken upload gave %v", err)
		}
		if _, err := r.Attach(r.ctx, "j", "empty", "", strings.NewReader("")); err != nil {
			t.Error(err)
		}
		if list, err := r.Attachments(r.ctx, "j"); err != nil || len(list) != 2 {
			t.Errorf("listed %v, %v", list, err)
		}
		var got bytes.Buffer
		if err := r.ReadAttachment(r.ctx, "j", "out.csv", &got); err != nil || !bytes.Equal(got.Bytes(), content) {
			t.Errorf("read %d bytes, %v", got.Len(), err)
		}
		r.wantCode(r.ReadAttachment(r.ctx, "j", "part.csv", &got), store.CodeNotFound)
		for _, bad := range []string{"", "..", "a/b", "a\x00", strings.Repeat("n", 256)} {
			_, err := r.Attach(r.ctx, "j", bad, "", strings.NewReader("x"))
			r.wantCode(err, store.CodeInvalid)
		}
	})
}

type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }

// A file from before there were jobs has items with labels; they count nowhere,
// and a job of that name may be started.
func TestLabelsOfItemsFromBeforeJobs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "j.db")
		s, err := bolt.Open(path, bolt.Options{})
		if err != nil {
			t.Fatal(err)
		}
		q := engine.DefaultQueue("q", store.Jobs)
		err = s.Update(t.Context(), func(tx store.Tx) error {
			i := store.Item{Queue: "q", Family: store.Jobs, Status: store.Queued, Job: "old", Retryable: true}
			return errors.Join(tx.PutQueue(&q), tx.Add(&i, []byte(`1`), store.Change{Event: "add", To: store.Queued}))
		})
		if err != nil {
			t.Fatal(err)
		}
		r := start(t, s)
		r.addTo("q", "old", 1)
		r.wantJob("old", store.JobRunning, store.JobCounts{Available: 1, Total: 1})
		for _, rec := range r.claim("q", "r", 2) {
			r.settle(rec, engine.Success, "")
		}
		r.wantJob("old", store.JobDone, store.JobCounts{Done: 1, Total: 1})
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// Items that were elsewhere before keep the name of their job where that is no job
// of the queue they come to.
func TestPastItemsOfAnotherQueuesJob(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("from", store.Jobs, nil)
		r.queue("to", store.Jobs, nil)
		r.addTo("from", "j", 1)
		id := r.add("to", engine.NewItem{Payload: json.RawMessage(`{}`), Job: "j", Past: &engine.Past{State: "completed"}})[0]
		if i := r.item(id); i.Job != "j" || i.Weight != 0 {
			t.Errorf("it names job %q and counts %d", i.Job, i.Weight)
		}
		r.wantJob("j", store.JobRunning, store.JobCounts{Available: 1, Total: 1})
	})
}

// A job that items are added to batch by batch stays open until who adds them says that
// these were all.
func TestJobsFilledByBatches(t *testing.T) {
	eachRestart(t, func(r *rig, restart func(time.Duration)) {
		r.queue("q", store.Jobs, nil)
		r.addTo("q", "j", 1)
		r.settle(r.claim("q", "r", 1)[0], engine.Success, "")
		r.wantJob("j", store.JobDone, store.JobCounts{Done: 1, Total: 1})
		for n := range 3 {
			_, err := r.Add(r.ctx, engine.AddRequest{Queue: "q", Filling: true, Items: []engine.NewItem{{Payload: json.RawMessage(`1`), Job: "j"}}})
			if err != nil {
				r.t.Fatal(err)
			}
			r.settle(r.claim("q", "r", 1)[0], engine.Success, "")
			restart(0)
			r.wantJob("j", store.JobRunning, store.JobCounts{Done: int64(n) + 2, Total: int64(n) + 2})
		}
		if _, err := r.SealJob(r.ctx, "j"); err != nil {
			r.t.Fatal(err)
		}
		r.wantJob("j", store.JobDone, store.JobCounts{Done: 4, Total: 4})
	})
}
