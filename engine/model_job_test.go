package engine_test

import (
	"fmt"

	"signalbox/engine"
	"signalbox/store"
)

// modelJob is a job as the rules say it goes.
type modelJob struct {
	status store.JobStatus
	ended  bool
	at     store.Time      // when it ended
	counts store.JobCounts // those it ended with
}

// join makes a job ready for one more waiting item; false when it takes none.
func (m *model) join(id string) bool {
	j := m.jobs[id]
	if j == nil {
		if m.jobs == nil {
			m.jobs = map[string]*modelJob{}
		}
		m.jobs[id] = &modelJob{status: store.JobRunning}
		return true
	}
	if j.status == store.JobDone {
		j.status, j.ended = store.JobRunning, false
	}
	return j.status != store.JobCancelled
}

// count counts a job's items by looking at every one.
func (m *model) count(id string, now store.Time) (c store.JobCounts) {
	for _, i := range m.items {
		if i.job != id { // one that is gone counts too
			continue
		}
		switch i.status {
		case store.Queued, store.Pending:
			c.Available += i.weight
			if i.readyAt() > now {
				if c.Delayed += i.weight; c.NextAvailableAt == 0 || i.readyAt() < c.NextAvailableAt {
					c.NextAvailableAt = i.readyAt()
				}
			}
		case store.Claimed, store.Processing:
			c.InFlight += i.weight
		case store.Completed, store.Successful:
			c.Done += i.weight
		case store.Failed, store.BusinessException, store.SystemException, store.Abandoned:
			c.Failed += i.weight
		case store.Cancelled:
			c.Cancelled += i.weight
		}
	}
	c.Total = c.Available + c.InFlight + c.Done + c.Failed + c.Cancelled
	return c
}

// end ends the jobs of which nothing is left.
func (m *model) end(now store.Time) {
	for id, j := range m.jobs {
		if c := m.count(id, now); !j.ended && c.Available+c.InFlight == 0 {
			if j.status != store.JobCancelled {
				j.status = store.JobDone
			}
			j.ended, j.at, j.counts = true, now, c
		}
	}
}

func (m *model) cancelJob(id string) {
	for _, i := range m.items {
		if i.job == id && (i.status == m.waiting() || i.held()) {
			i.changed()
			i.status, i.leaseEnd = store.Cancelled, 0
		}
	}
	m.jobs[id].status = store.JobCancelled
}

func (l *life) someJob() string { return []string{"j1", "j2"}[l.draw(2, "job")] }

func (l *life) pauseJob() error {
	id, paused := l.someJob(), l.draw(2, "paused") == 1
	l.say("pause job %s %v", id, paused)
	_, err := l.e.PauseJob(l.ctx, id, paused)
	j, to := l.m.jobs[id], store.JobRunning
	if paused {
		to = store.JobPaused
	}
	switch {
	case j == nil:
		return wantCode("pause", err, store.CodeNotFound)
	case !j.status.Open():
		return wantCode("pause", err, store.CodeConflict)
	case j.status != to:
		j.status = to
		for _, i := range l.m.items { // written anew, though nothing of them has changed
			if i.job == id && i.status == l.m.waiting() {
				i.changes++
			}
		}
	}
	return err
}

func (l *life) cancelJob() error {
	if l.draw(3, "really") > 0 {
		return nil
	}
	id := l.someJob()
	l.say("cancel job %s", id)
	_, err := l.e.CancelJob(l.ctx, id, "")
	switch j := l.m.jobs[id]; {
	case j == nil:
		return wantCode("cancel", err, store.CodeNotFound)
	case j.status == store.JobDone:
		return wantCode("cancel", err, store.CodeConflict)
	case j.status == store.JobCancelled:
		return err
	}
	l.m.cancelJob(id)
	return err
}

func wantCode(what string, err error, code store.Code) error {
	if store.CodeOf(err) != code {
		return fmt.Errorf("%s answered %v, want code %d", what, err, code)
	}
	return nil
}

// compareJobs holds every job and its counters against the model.
func (l *life) compareJobs() error {
	jobs, err := l.e.Jobs(l.ctx, engine.JobList{})
	if err != nil {
		return err
	}
	if len(jobs) != len(l.m.jobs) {
		return fmt.Errorf("there are %d jobs, want %d", len(jobs), len(l.m.jobs))
	}
	for _, got := range jobs {
		j := l.m.jobs[got.ID]
		if j == nil || got.Status != j.status || (got.EndedAt != 0) != j.ended {
			return fmt.Errorf("job %s is %s, ended at %s; want %+v", got.ID, got.Status, got.EndedAt, j)
		}
		want := j.counts
		if !j.ended {
			want = l.m.count(got.ID, l.now())
		}
		got.Waiting, got.Withheld = 0, 0
		if got.JobCounts != want {
			return fmt.Errorf("job %s counts %+v, want %+v", got.ID, got.JobCounts, want)
		}
	}
	return nil
}

func (t badTx) PutJob(j *store.Job) error {
	if t.b.job == nil {
		return t.Tx.PutJob(j)
	}
	changed := *j
	t.b.job(&changed)
	err := t.Tx.PutJob(&changed)
	j.ID, j.Number, j.Revision = changed.ID, changed.Number, changed.Revision
	return err
}

func (t badTx) JobCounts(id string, now store.Time) (store.JobCounts, error) {
	return badReader{t.Tx, t.b}.JobCounts(id, now)
}

func (r badReader) JobCounts(id string, now store.Time) (store.JobCounts, error) {
	c, err := r.Reader.JobCounts(id, now)
	if r.b.count != nil {
		r.b.count(&c)
	}
	return c, err
}
