package engine

import (
	"context"
	"fmt"

	"signalbox/store"
)

// SealJob says that no more items are to come: the job ends when those it has
// are accounted for.
func (e *Engine) SealJob(ctx context.Context, id string) (JobState, error) {
	return e.onJob(ctx, id, func(t *tx, j *store.Job) error {
		if !j.Filling {
			return nil
		}
		j.Filling = false
		return t.putJob(j, "job-seal", "")
	})
}

// PauseJob pauses or resumes an open job: the waiting items of a paused one are
// not handed out; those in flight go on. CodeConflict when it has ended.
func (e *Engine) PauseJob(ctx context.Context, id string, paused bool) (JobState, error) {
	return e.onJob(ctx, id, func(t *tx, j *store.Job) error {
		if !j.Status.Open() {
			return store.Conflict(fmt.Sprintf("job %q", id), "it is "+j.Status.String(), "start another one")
		}
		if paused == (j.Status == store.JobPaused) {
			return nil
		}
		j.Status, j.PausedBy = store.JobRunning, ""
		event := "job-resume"
		if paused {
			j.Status, j.PausedBy, event = store.JobPaused, t.actor, "job-pause"
		}
		t.offer(j.Queue)
		return t.putJob(j, event, "")
	})
}

// CancelJob cancels an open job: what waits and what is in flight; running work
// is stopped. What is done and failed stays. When the call fails halfway the job
// is cancelled, and the engine cancels the rest of its items when it next starts.
func (e *Engine) CancelJob(ctx context.Context, id, note string) (JobState, error) {
	note = cleanText(note, maxReason)
	return e.onJob(ctx, id, func(t *tx, j *store.Job) error {
		if !j.Status.Open() {
			if j.Status == store.JobCancelled {
				return nil
			}
			return store.Conflict(fmt.Sprintf("job %q", id), "it is "+j.Status.String(), "there is nothing left to cancel")
		}
		j.Status, j.PausedBy, j.Filling, j.Feeds = store.JobCancelled, "", false, 0
		return t.putJob(j, "job-cancel", note)
	})
}

// DeleteJob removes a job that has ended, with its log and attachments. Its items
// stay. CodeConflict while it is open.
func (e *Engine) DeleteJob(ctx context.Context, id string) error {
	return e.change(ctx, func(t *tx) error {
		j, err := t.Job(id)
		if err != nil {
			return err
		}
		if err := e.closedTo(ctx, &j); err != nil {
			return err
		}
		if j.EndedAt == 0 {
			return store.Conflict(fmt.Sprintf("job %q", id), "it has not ended", "cancel it first with `signalbox job cancel "+id+"`")
		}
		t.touchJob(id)
		if err := t.Tx.DeleteJob(id); err != nil {
			return err
		}
		return t.Append(t.record(j.Queue, "job-delete", "job "+id))
	})
}

// onJob changes a job durably, then brings its items to what it says.
func (e *Engine) onJob(ctx context.Context, id string, fn func(*tx, *store.Job) error) (JobState, error) {
	err := e.change(ctx, func(t *tx) error {
		j, err := t.Job(id)
		if err != nil {
			return err
		}
		if err := e.closedTo(ctx, &j); err != nil {
			return err
		}
		return fn(t, &j)
	})
	if err == nil {
		err = e.followJob(ctx, id)
	}
	if err != nil {
		return JobState{}, err
	}
	return e.Job(ctx, id)
}

// followJob brings the items of a job to what its status says, in commits of a
// bounded size: of a paused job those that wait are withheld, of a cancelled one
// all that are not settled are cancelled. It ends when a pass finds nothing that
// it can change: what is left then can't be read.
func (e *Engine) followJob(ctx context.Context, id string) error {
	for {
		behind, err := e.behind(ctx, id)
		if err != nil || behind == 0 {
			return err
		}
		changed, err := e.followPass(ctx, id)
		if err != nil {
			return err
		}
		if changed == 0 {
			e.log.Error("items of a job can't be read, and stay as they are; see `signalbox check`", "job", id)
			return nil
		}
	}
}

// behind counts the items that are not as the job says.
func (e *Engine) behind(ctx context.Context, id string) (n int64, err error) {
	err = e.store.View(ctx, func(r store.Reader) error {
		j, err := r.Job(id)
		if err != nil {
			return err
		}
		n, err = behind(r, &j)
		return err
	})
	if store.CodeOf(err) == store.CodeNotFound {
		return 0, nil
	}
	return n, err
}

func behind(r store.Reader, j *store.Job) (int64, error) {
	c, err := r.JobCounts(j.ID, 0)
	switch j.Status {
	case store.JobPaused:
		return c.Waiting - c.Withheld, err
	case store.JobCancelled:
		return c.Available + c.InFlight, err
	}
	return c.Withheld, err
}

// followPass goes through the job's unsettled items once, and says how many it
// changed.
func (e *Engine) followPass(ctx context.Context, id string) (changed int, err error) {
	var after store.ID
	for {
		var some []store.ID
		err := e.store.View(ctx, func(r store.Reader) error {
			some = some[:0]
			q := store.Query{Job: id, Statuses: unsettled, After: after}
			for i, err := range r.Items(q) {
				if err != nil {
					continue
				}
				if some = append(some, i.ID()); len(some) == sweepSize {
					break
				}
			}
			return nil
		})
		if err != nil || len(some) == 0 {
			return changed, err
		}
		after = some[len(some)-1]
		moved := 0
		err = e.change(ctx, func(t *tx) error {
			moved = 0
			for _, item := range some {
				did, err := t.followJob(item)
				if err != nil {
					return err
				}
				if did {
					moved++
				}
			}
			return nil
		})
		if changed += moved; err != nil {
			return changed, err
		}
	}
}

var unsettled = []store.Status{store.Queued, store.Pending, store.Claimed, store.Processing}

// followJob brings one item to what its job says, and says whether it was not so.
func (t *tx) followJob(id store.ID) (changed bool, err error) {
	i, err := t.Item(id)
	if err != nil || !inJob(&i) {
		return false, unlessGone(err)
	}
	j, err := t.Job(i.Job)
	if err != nil {
		return false, unlessGone(err)
	}
	if j.Status == store.JobCancelled {
		if !i.Status.Waiting() && !i.Status.InFlight() {
			return false, nil
		}
		return true, t.cancel(&i, "job "+j.ID+" was cancelled")
	}
	if was := i.Withheld; !i.Status.Waiting() || was == (j.Status == store.JobPaused) {
		return false, nil
	}
	t.withhold(&i)
	if undoable(&i) { // it can still be taken back
		undo := *i.Undo
		undo.Left++
		i.Undo = &undo
	}
	t.touchJob(i.Job)
	t.follow(&i, i.Status, "job")
	return true, t.Put(&i, nil)
}

// cancel takes an item out of work for good; a robot that holds it loses it.
func (t *tx) cancel(i *store.Item, why string) error {
	row, err := next(nil, i, EventCancel)
	if err != nil {
		return err
	}
	return t.end(i, row, why)
}

// unlessGone lets what is not there any more, or can't be read, keep nobody from the
// rest.
func unlessGone(err error) error {
	switch store.CodeOf(err) {
	case store.CodeNotFound, store.CodeUnavailable:
		return nil
	}
	return err
}

// followAll brings the items of all jobs to what they say, where an earlier
// engine was stopped halfway. It ends with ctx.
func (e *Engine) followAll(ctx context.Context) error {
	var ids []string
	err := e.store.View(ctx, func(r store.Reader) error {
		for j, err := range r.Jobs(store.JobQuery{Live: true}) {
			if err != nil {
				continue
			}
			if n, err := behind(r, &j); err == nil && n > 0 {
				ids = append(ids, j.ID)
			}
		}
		return nil
	})
	for _, id := range ids {
		if err == nil {
			err = e.followJob(ctx, id)
		}
	}
	return err
}

// catchUp is followAll for as long as the engine runs.
func (e *Engine) catchUp() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-e.closed:
			cancel()
		case <-ctx.Done():
		}
	}()
	if err := e.followAll(ctx); err != nil && ctx.Err() == nil {
		e.log.Error("jobs were left halfway", "err", err)
	}
}
