package engine

import (
	"context"
	"fmt"
	"time"

	"signalbox/engine/coop"
	"signalbox/store"
)

// Hook completes a job of its kind when nothing of it is left to be worked. What
// it gives is done in the very change that marks the job done, so it takes
// effect exactly once; what the hook itself does before may happen again when
// it fails or its engine dies. It must return soon when ctx ends.
type Hook func(ctx context.Context, j JobState) (finish func(store.Tx) error, err error)

// endJobs ends the jobs touched by the change of which nothing is left. Those
// with a hook are left to the engine that runs hooks.
func (t *tx) endJobs() error {
	for n := 0; n < len(t.after.jobs); n++ { // ending one may touch others
		j, err := t.Job(t.after.jobs[n])
		if store.CodeOf(err) == store.CodeNotFound {
			continue
		}
		if err != nil {
			return err
		}
		over, err := isOver(t, &j)
		if err != nil {
			return err
		}
		switch {
		case !over:
		case hooked(&j):
			t.after.hooks = append(t.after.hooks, j.ID)
		default:
			if err := t.endJob(&j); err != nil {
				return err
			}
		}
	}
	return nil
}

// isOver says that a job is to be ended: nothing of it is left and nothing is to
// come.
func isOver(r store.Reader, j *store.Job) (bool, error) {
	if j.EndedAt != 0 || j.Filling || j.Feeds > 0 {
		return false, nil
	}
	c, err := r.JobCounts(j.ID, 0)
	return c.Available+c.InFlight == 0, err
}

// hooked says that a hook is to run before the job is done.
func hooked(j *store.Job) bool {
	return j.Kind != "" && j.Hook.RanAt == 0 && j.Status.Open()
}

// endJob marks a job as ended, and tells its initiator.
func (t *tx) endJob(j *store.Job) error {
	c, err := jobCounts(t, j, t.now)
	if err != nil {
		return err
	}
	if j.Status.Open() {
		j.Status, j.PausedBy = store.JobDone, ""
	}
	j.EndedAt, j.Final = t.now, store.JobCounts{Done: c.Done, Failed: c.Failed, Cancelled: c.Cancelled, Total: c.Total}
	if err := firstOf(t.tidy(j), t.unfeed(j), t.unhold(j.Queue)); err != nil {
		return err
	}
	text := fmt.Sprintf("%s: %d done, %d failed", j.Status, c.Done, c.Failed)
	if c.Cancelled > 0 {
		text += fmt.Sprintf(", %d cancelled", c.Cancelled)
	}
	level := "info"
	if c.Failed > 0 {
		level = "warn"
	}
	notice := "job " + j.ID + " is " + text
	if c.Failed > 0 && t.outcome != "" {
		notice += "; " + t.outcome
	}
	t.notice(level, notice, store.ID{Queue: j.Queue})
	told := &t.after.notices[len(t.after.notices)-1]
	told.Job, told.For = j.ID, j.Initiator
	shown := JobState{Job: *j, JobCounts: j.Final}
	shown.Metadata = ""
	if err := t.announce(JobEvent, shown); err != nil {
		return err
	}
	return t.putJob(j, "job-"+j.Status.String(), text)
}

// tidy ends a built-in job that was cancelled, whose hook never runs, as far as
// it came: what it kept for its work goes.
func (t *tx) tidy(j *store.Job) error {
	if j.Status != store.JobCancelled || !Builtin(j.Queue) || j.Kind == ReindexKind {
		return nil
	}
	hook := t.e.BuiltinHooks()[j.Kind]
	if hook == nil {
		return nil
	}
	finish, err := hook(context.Background(), JobState{Job: *j, JobCounts: j.Final})
	if err != nil {
		return err
	}
	return finish(t.Tx)
}

// Waits between tries of a hook that fails.
const (
	firstHookWait = time.Second
	lastHookWait  = time.Minute
)

// finisher runs the completion hooks of jobs that have run out, one after the other.
type finisher struct {
	e     *Engine
	hooks map[string]Hook
	due   *coop.Queue[string, struct{}] // ids of jobs
}

// RunHooks runs the completion hooks of jobs, by their kinds, until the function
// it gives is called. Without it such jobs wait, running, with nothing left. It is
// for the one long-lived process on a store.
func (e *Engine) RunHooks(hooks map[string]Hook) (stop func(), err error) {
	f := &finisher{e: e, hooks: hooks}
	if f.due, err = coop.New(f.work, coop.Options{}); err != nil {
		return nil, err
	}
	e.finisher.Store(f)
	err = e.store.View(context.Background(), func(r store.Reader) error {
		for j, err := range r.Jobs(store.JobQuery{Live: true}) {
			if err != nil || !hooked(&j) {
				continue
			}
			if over, err := isOver(r, &j); err == nil && over {
				f.add(j.ID)
			}
		}
		return nil
	})
	return func() {
		e.finisher.CompareAndSwap(f, nil)
		_ = f.due.Destroy(context.Background()) // without a store it can't fail
	}, err
}

// finish hands jobs that have run out to the finisher, if there is one.
func (e *Engine) finish(ids []string) {
	if f := e.finisher.Load(); f != nil && len(ids) > 0 {
		f.add(ids...)
	}
}

func (f *finisher) add(ids ...string) {
	for _, id := range ids {
		_, _ = f.due.Enqueue(context.Background(), id) // fails only once hooks are run no more
	}
}

func (f *finisher) work(ctx context.Context, t coop.Task[string]) (struct{}, error) {
	err := f.finish(ctx, t.Value)
	if err != nil && ctx.Err() == nil {
		f.e.log.Error("completion hook", "job", t.Value, "err", err)
	}
	return struct{}{}, err
}

// finish runs one job's hook and marks it done, in one change with what the hook
// gives.
func (f *finisher) finish(ctx context.Context, id string) error {
	s, err := f.e.Job(ctx, id)
	if err != nil {
		return err
	}
	hook := f.hooks[s.Kind]
	if hook == nil {
		return fmt.Errorf("this program has no hook of kind %q", s.Kind)
	}
	over := false
	err = f.e.store.View(ctx, func(r store.Reader) error {
		over, err = isOver(r, &s.Job)
		return err
	})
	if err != nil || !over || !hooked(&s.Job) {
		return err
	}
	finish, err := hook.run(ctx, s)
	if err == nil {
		err = f.e.change(ctx, func(t *tx) error { return t.finishJob(id, finish) })
	}
	if err != nil && ctx.Err() == nil {
		f.failed(ctx, id, err)
	}
	return err
}

// run runs the hook. One that panics has failed as any other, and is tried again.
func (h Hook) run(ctx context.Context, j JobState) (finish func(store.Tx) error, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the hook of kind %q panicked: %v", j.Kind, p)
		}
	}()
	return h(ctx, j)
}

// hookTx is what a hook changes the store by. It hears what the hook says last in
// the log, for who is told that the job has ended.
type hookTx struct {
	store.Tx
	said string
}

// AppendLog implements store.Tx.
func (t *hookTx) AppendLog(id string, line *store.LogLine, keep int) error {
	t.said = line.Text
	return t.Tx.AppendLog(id, line, keep)
}

func (t *tx) finishJob(id string, finish func(store.Tx) error) error {
	j, err := t.Job(id)
	if err != nil || !hooked(&j) {
		return err
	}
	if finish != nil {
		hooked := hookTx{Tx: t.Tx}
		if err := finish(&hooked); err != nil {
			return err
		}
		t.outcome = hooked.said
	}
	j.Hook.RanAt, j.Hook.Error = t.now, ""
	return t.putJob(&j, "job-hook", "its completion hook ran") // endJobs ends it
}

// failed notes a failed try and arranges for the next one.
func (f *finisher) failed(ctx context.Context, id string, cause error) {
	wait := firstHookWait
	err := f.e.change(ctx, func(t *tx) error {
		j, err := t.Job(id)
		if err != nil {
			return err
		}
		j.Hook.Error = cleanText(cause.Error(), maxReason)
		wait = min(firstHookWait<<min(j.Hook.Tries, 10), lastHookWait)
		if j.Hook.Tries++; j.Hook.Tries == 1 {
			t.notice("error", "completion of job "+id+" failed and is tried again: "+j.Hook.Error, store.ID{Queue: j.Queue})
		}
		t.after.jobsShown = true // not touched: that would try at once
		return t.PutJob(&j)
	})
	if err != nil {
		f.e.log.Error("completion hook", "job", id, "err", err)
	}
	f.e.clock.AfterFunc(wait, func() { f.add(id) })
}
