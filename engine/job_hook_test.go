package engine_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"signalbox/engine"
	"signalbox/store"
)

// kinded starts a job with a hook and one item.
func (r *rig) kinded(id string) {
	r.t.Helper()
	r.queue("q", store.Jobs, nil)
	if _, err := r.StartJob(r.ctx, engine.JobRequest{Queue: "q", ID: id, Kind: "report", Filling: true}); err != nil {
		r.t.Fatal(err)
	}
	r.addTo("q", id, 1)
	if _, err := r.SealJob(r.ctx, id); err != nil {
		r.t.Fatal(err)
	}
}

// note is what a hook does in the change that ends its job.
func note(id string) func(store.Tx) error {
	return func(tx store.Tx) error { return tx.AppendLog(id, &store.LogLine{Level: "info", Text: "reported"}, 10) }
}

func TestHookRunsOnceBeforeItsJobIsDone(t *testing.T) {
	eachStore(t, func(r *rig) {
		var tries atomic.Int64
		stop, err := r.RunHooks(map[string]engine.Hook{"report": func(_ context.Context, j engine.JobState) (func(store.Tx) error, error) {
			if j.Status != store.JobRunning || j.Done != 1 {
				t.Errorf("the hook sees %+v", j)
			}
			if tries.Add(1) < 3 {
				return nil, errors.New("the printer is out of paper")
			}
			return note(j.ID), nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		defer stop()
		r.kinded("j")
		r.settle(r.claim("q", "r", 1)[0], engine.Success, "")
		synctest.Wait()
		j := r.job("j")
		if calls := tries.Load(); calls != 1 || j.Status != store.JobRunning || j.Hook.Tries != 1 || !strings.Contains(j.Hook.Error, "paper") {
			t.Errorf("after a failed try: %d calls, %+v", calls, j)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		j = r.job("j")
		if lines, err := r.JobLog(r.ctx, "j", 0, 0); tries.Load() != 3 || j.Status != store.JobDone || j.Hook.RanAt == 0 || j.Hook.Error != "" || len(lines) != 1 {
			t.Errorf("at last: %d calls, %+v, log %v, %v", tries.Load(), j, lines, err)
		}
		// Its job goes on and ends again without it.
		r.addTo("q", "j", 1)
		r.settle(r.claim("q", "r", 1)[0], engine.Success, "")
		synctest.Wait()
		if j := r.job("j"); tries.Load() != 3 || j.Status != store.JobDone || j.Done != 2 {
			t.Errorf("a second time: %d calls, %+v", tries.Load(), j)
		}
	})
}

// Whatever is done at the moment when an engine dies is done once: the hook's own
// change and the job's end are one.
func TestHookAcrossACrash(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "j.db")
		s := openBolt(t, path)
		r := start(t, s)
		r.kinded("j")
		entered := make(chan struct{})
		stop, err := r.RunHooks(map[string]engine.Hook{"report": func(ctx context.Context, _ engine.JobState) (func(store.Tx) error, error) {
			close(entered)
			<-ctx.Done() // its engine dies
			return note("j"), nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		r.settle(r.claim("q", "r", 1)[0], engine.Success, "")
		<-entered
		closed := make(chan error)
		go func() { closed <- s.Close() }()
		synctest.Wait()
		stop()
		if err := errors.Join(<-closed, r.Close()); err != nil {
			t.Fatal(err)
		}
		r = start(t, openBolt(t, path))
		if j := r.job("j"); j.Status != store.JobRunning || j.Left() != 0 {
			t.Errorf("without anybody to run its hook the job is %+v", j)
		}
		var tries atomic.Int64
		stop, err = r.RunHooks(map[string]engine.Hook{"report": func(context.Context, engine.JobState) (func(store.Tx) error, error) {
			tries.Add(1)
			return note("j"), nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if lines, err := r.JobLog(r.ctx, "j", 0, 0); tries.Load() != 1 || r.job("j").Status != store.JobDone || len(lines) != 1 {
			t.Errorf("%d calls, %+v, log %v, %v", tries.Load(), r.job("j"), lines, err)
		}
		stop()
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// A hook that panics is tried again as one that fails.
func TestHookThatPanicsIsTriedAgain(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, nil)
		tries := 0
		stop, err := r.RunHooks(map[string]engine.Hook{"k": func(context.Context, engine.JobState) (func(store.Tx) error, error) {
			if tries++; tries == 1 {
				panic("oh")
			}
			return nil, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		defer stop()
		if _, err := r.StartJob(r.ctx, engine.JobRequest{Queue: "q", ID: "j", Kind: "k"}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		j, err := r.Job(r.ctx, "j")
		if tries != 2 || j.Status != store.JobDone {
			t.Errorf("after %d tries it is %s, hook %+v, %v", tries, j.Status, j.Hook, err)
		}
	})
}
