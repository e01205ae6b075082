package engine_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"signalbox/engine"
	"signalbox/store"
)

// Retention leaves an open job its items, so that its numbers never fall while
// somebody watches it; they go when it has ended.
func TestRetentionKeepsItemsOfOpenJobs(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, retain(time.Hour, time.Hour, engine.ThenDelete))
		item := engine.NewItem{Payload: object(), Job: "load"}
		r.add("q", item, item, item)
		r.done("q", engine.Success) // 4, of no job
		for n, rec := range r.claim("q", "r", 2) {
			r.settle(rec, []string{engine.Success, engine.Business}[n], "because")
		}
		time.Sleep(3 * days)
		r.wantLeft("q", "1 2 3")
		if j, err := r.Job(r.ctx, "load"); err != nil || j.Total != 3 || j.Done != 1 || j.Failed != 1 {
			t.Errorf("the open job counts %+v (%v)", j.JobCounts, err)
		}
		if report, err := r.Prune(r.ctx, "q", true); err != nil || report.Settled.Items+report.Excepted.Items != 0 {
			t.Errorf("a dry run counts items of an open job: %+v (%v)", report, err)
		}
		r.settle(r.claim("q", "r", 1)[0], engine.Success, "")
		time.Sleep(time.Minute)
		r.wantLeft("q", "3")
		time.Sleep(2 * time.Hour)
		r.wantLeft("q", "")
		if j, err := r.Job(r.ctx, "load"); err != nil || j.Total != 3 {
			t.Errorf("the ended job counts %+v (%v)", j.JobCounts, err)
		}
	})
}

// A job that goes on after retention has removed items of it goes on counting them.
func TestJobsThatGoOnKeepTheirNumbers(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, retain(time.Hour, time.Hour, engine.ThenDelete))
		item := engine.NewItem{Payload: object(), Job: "load", Weight: 2}
		wants := func(when string, want store.JobCounts) {
			r.t.Helper()
			j, err := r.Job(r.ctx, "load")
			if j.Waiting = 0; err != nil || j.JobCounts != want {
				r.t.Errorf("%s: %+v (%v), want %+v", when, j.JobCounts, err, want)
			}
		}
		for range 2 {
			r.add("q", item, item)
			recs := r.claim("q", "r", 2)
			r.settle(recs[0], engine.Success, "")
			r.settle(recs[1], engine.Business, "because")
			time.Sleep(2 * time.Hour)
			r.wantLeft("q", "")
		}
		wants("ended", store.JobCounts{Done: 4, Failed: 4, Total: 8})
		r.add("q", item)
		wants("on its way again", store.JobCounts{Available: 2, Done: 4, Failed: 4, Total: 10})
		r.settle(r.claim("q", "r", 1)[0], engine.Success, "")
		wants("ended again", store.JobCounts{Done: 6, Failed: 4, Total: 10})
		r.sound()
	})
}

func TestNamesAndSettingsThatMeanNothingAreRefused(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, nil)
		for _, id := range []string{".", ".."} {
			_, err := r.StartJob(r.ctx, engine.JobRequest{Queue: "q", ID: id})
			r.wantCode(err, store.CodeInvalid)
			_, err = r.Add(r.ctx, engine.AddRequest{Queue: "q", Items: []engine.NewItem{{Payload: object(), Job: id}}})
			r.wantCode(err, store.CodeInvalid)
		}
		for _, patch := range []string{`{"consumer":{"headers":["A: b"]}}`, `{"consumer":{"url":"https://example.com/"}}`, `{"consumer":{"argv":["true"]}}`, `{"consumer":{"kind":"manual","timeout":"3s"}}`} {
			_, err := r.SetQueue(r.ctx, "q", []byte(patch))
			r.wantCode(err, store.CodeInvalid)
		}
		if _, err := r.SetQueue(r.ctx, "q", []byte(`{"consumer":{"kind":"http","url":"https://example.com/","headers":["A: b"]}}`)); err != nil {
			t.Error(err)
		}
		q, err := r.SetQueue(r.ctx, "q", []byte(`{"consumer":{"kind":"manual"}}`))
		if err != nil || q.Consumer.URL != "" || q.Consumer.Headers != nil {
			t.Errorf("set to manual: %+v (%v)", q.Consumer, err)
		}
	})
}

// meddled is a store where something happens right behind a look at the history.
type meddled struct {
	store.Store
	then atomic.Pointer[func()]
}

type historian struct {
	store.Reader
	read *bool
}

func (h historian) Changes(after uint64, limit int) ([]store.Change, error) {
	*h.read = true
	return h.Reader.Changes(after, limit)
}

func (m *meddled) View(ctx context.Context, fn func(store.Reader) error) error {
	read := false
	err := m.Store.View(ctx, func(r store.Reader) error { return fn(historian{r, &read}) })
	if read {
		if then := m.then.Swap(nil); then != nil {
			(*then)()
		}
	}
	return err
}

// A job that ends while retention looks at its items keeps none of them for ever.
func TestRetentionOfAJobThatEndsMeanwhile(t *testing.T) {
	for name, open := range opens {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &meddled{Store: open(t)}
				r := start(t, s)
				r.queue("q", store.Jobs, func(q *store.Queue) {
					retain(time.Hour, time.Hour, engine.ThenDelete)(q)
					q.Lease = 0
				})
				item := engine.NewItem{Payload: object(), Job: "load"}
				r.add("q", item, item)
				recs := r.claim("q", "r", 2)
				r.settle(recs[0], engine.Success, "")
				time.Sleep(time.Hour) // and nothing was old enough
				then := func() { r.settle(recs[1], engine.Success, "") }
				s.then.Store(&then)
				time.Sleep(3 * days)
				if s.then.Load() != nil {
					t.Error("retention never looked")
				}
				r.wantLeft("q", "")
				if err := r.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}
