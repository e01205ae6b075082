package act

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/screen"
	"signalbox/tui/text"
)

// Jobber is an engine whose jobs can be read and steered.
type Jobber interface {
	Job(ctx context.Context, id string) (engine.JobState, error)
	JobLog(ctx context.Context, id string, after uint64, limit int) ([]store.LogLine, error)
	Attachments(ctx context.Context, id string) ([]store.Attachment, error)
	ReadAttachment(ctx context.Context, id, name string, w io.Writer) error
	PauseJob(ctx context.Context, id string, paused bool) (engine.JobState, error)
	CancelJob(ctx context.Context, id, note string) (engine.JobState, error)
	DeleteJob(ctx context.Context, id string) error
}

func (d Desk) jobber() (Jobber, error) {
	if j, ok := d.engine.(Jobber); ok {
		return j, nil
	}
	return nil, store.Invalid("jobs", notThere, "use `signalbox job list` there")
}

// JobFilter is the filter for the items of a job.
func JobFilter(id string) string {
	if id == "" || strings.ContainsFunc(id, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`"'\,*!:<>`, r) }) {
		return "job:" + engine.Quoted(id)
	}
	return "job:" + id
}

// FindJob says whether a job is there, with an error that tells why not.
func (d Desk) FindJob(id string) error {
	jobber, err := d.jobber()
	if err == nil {
		_, err = jobber.Job(d.ctx, id)
	}
	return err
}

// JobLoaded answers LoadJob.
type JobLoaded struct {
	screen.Addr
	Job   engine.JobState
	Log   []store.LogLine // those after the line that was known
	Files []store.Attachment
	Held  []store.Item // in flight, at most heldShown
	// Closed is why log and files are not for who asks.
	Closed error
	Err    error
	Took   time.Duration
}

const (
	heldShown = 200
	logPage   = 1_000
)

// LoadJob reads a job with what hangs on it, of its log the lines after one.
func (d Desk) LoadJob(to screen.Addr, id string, after uint64) tea.Cmd {
	return func() tea.Msg {
		start := time.Now()
		answer := d.loadJob(id, after)
		answer.Addr, answer.Took = to, time.Since(start)
		return answer
	}
}

func (d Desk) loadJob(id string, after uint64) (l JobLoaded) {
	jobber, err := d.jobber()
	if err == nil {
		l.Job, err = jobber.Job(d.ctx, id)
	}
	if err != nil {
		l.Err = err
		return l
	}
	if l.Job.EndedAt.IsZero() {
		page, err := d.engine.List(d.ctx, engine.ListRequest{
			Queue: l.Job.Queue, Statuses: []store.Status{store.Claimed, store.Processing}, Filter: JobFilter(id),
			Limit: heldShown, Budget: patience,
		})
		l.Held, l.Err = page.Items, err
	}
	if l.Files, err = jobber.Attachments(d.ctx, id); err == nil {
		l.Log, err = d.readLog(jobber, id, after)
	}
	switch {
	case store.CodeOf(err) == store.CodeForbidden:
		l.Closed = err
	case err != nil:
		l.Err = err
	}
	return l
}

// readLog reads on in a log to its end.
func (d Desk) readLog(jobber Jobber, id string, after uint64) (all []store.LogLine, err error) {
	for {
		lines, err := jobber.JobLog(d.ctx, id, after, logPage)
		if err != nil || len(lines) == 0 {
			return all, err
		}
		all = append(all, lines...)
		after = lines[len(lines)-1].Seq
		if len(lines) < logPage {
			return all, nil
		}
	}
}

// SaveAttachment writes a job's attachment to a file, whole or not at all; it
// never replaces one.
func (d Desk) SaveAttachment(to screen.Addr, id, name, file string) screen.Effects {
	effects := screen.Do(func() tea.Msg {
		answer := Kept{Addr: to, Try: "save " + name}
		jobber, err := d.jobber()
		if err == nil {
			file, err = writeNew(file, func(w io.Writer) error { return jobber.ReadAttachment(d.ctx, id, name, w) })
		}
		answer.Words, answer.Err = name+" of "+id+" written to "+file, err
		return answer
	})
	effects.Want(screen.Started{})
	return effects
}

// JobExplained answers ExplainJob.
type JobExplained struct {
	screen.Addr
	Job  engine.JobState
	Next engine.Explanation // of one of its items that wait; may be none
	Err  error
	desk Desk
}

// ExplainJob asks why a job does not get on.
func (d Desk) ExplainJob(to screen.Addr, id string) tea.Cmd {
	return func() tea.Msg {
		x := JobExplained{Addr: to, desk: d}
		jobber, err := d.jobber()
		if err == nil {
			x.Job, err = jobber.Job(d.ctx, id)
		}
		if x.Err = err; err != nil || !x.Job.Status.Open() || x.Job.Available == 0 {
			return x
		}
		explainer, ok := d.engine.(Explainer)
		page, err := d.engine.List(d.ctx, engine.ListRequest{
			Queue: x.Job.Queue, Statuses: []store.Status{store.Queued, store.Pending}, Filter: JobFilter(id), Limit: 1, Budget: 5 * patience,
		})
		if ok && err == nil && len(page.Items) > 0 {
			x.Next, err = explainer.Explain(d.ctx, page.Items[0].ID())
		}
		x.Err = err
		return x
	}
}

// JobDone answers what was done to a job.
type JobDone struct {
	screen.Addr
	Verb  JobVerb
	Job   engine.JobState // as it is now; of a deleted one as it was
	Quiet bool            // it stood so already
	Err   error
	undo  screen.Undo
}

// Finishes implements screen.Finisher.
func (JobDone) Finishes() {}

// Tell implements screen.Teller.
func (j JobDone) Tell() screen.Effects {
	if j.Err != nil {
		return Fail(lowerFirst(j.Verb.Name())+" the job", j.Err)
	}
	t := screen.Toast{Level: screen.Good, Undo: j.undo.Cmd != nil}
	id := "job " + j.Job.ID
	switch {
	case j.Quiet && j.Verb == PauseJob:
		t.Level, t.Text = screen.Info, text.Clean(id+" has been paused already, by "+j.Job.PausedBy)
	case j.Quiet:
		t.Level, t.Text = screen.Info, text.Clean(id+" is "+j.Job.Status.String()+" already")
	case j.Verb == PauseJob:
		t.Text = text.Clean("Paused " + id + ": what runs goes on, nothing new is handed out")
	case j.Verb == ResumeJob:
		t.Text = text.Clean("Resumed " + id)
	case j.Verb == CancelJob:
		t.Text = text.Clean(fmt.Sprintf("Cancelled %s: %s; what was done or failed stays", id, text.Count(j.Job.Cancelled)+" of its work units"))
	case j.Verb == DeleteJob:
		t.Text = text.Clean("Deleted " + id + " with its log and files; its items stay")
	}
	return screen.Want(j.undo, screen.Say{Toast: t})
}

// steer carries out a verb on a job as it was seen: on one that was changed since
// nothing is done.
func (d Desk) steer(to screen.Addr, v JobVerb, seen engine.JobState, note string) screen.Effects {
	effects := screen.Do(func() tea.Msg {
		done := JobDone{Addr: to, Verb: v, Job: seen}
		jobber, err := d.jobber()
		if err == nil { // for as long as it takes: a job may have a million items to be brought to it
			err = d.steerNow(d.ctx, jobber, &done, note)
		}
		done.Err = err
		return done
	})
	effects.Want(screen.Started{})
	return effects
}

func (d Desk) steerNow(ctx context.Context, jobber Jobber, done *JobDone, note string) error {
	seen := done.Job
	now, err := jobber.Job(ctx, seen.ID)
	if err != nil {
		return err
	}
	if done.Verb.wants(&now) {
		done.Quiet, done.Job = true, now
		return nil
	}
	if !sameStanding(&now, &seen) {
		return changedSince("job " + seen.ID)
	}
	switch done.Verb {
	case PauseJob, ResumeJob:
		paused := done.Verb == PauseJob
		if done.Job, err = jobber.PauseJob(ctx, seen.ID, paused); err == nil {
			done.undo = d.unpauseJob(jobber, done.Job, paused)
		}
	case CancelJob:
		done.Job, err = jobber.CancelJob(ctx, seen.ID, note)
		done.undo = screen.Undo{What: text.Clean("cancelled job " + seen.ID)}
	case DeleteJob:
		err = jobber.DeleteJob(ctx, seen.ID)
		done.undo = screen.Undo{What: text.Clean("deleted job " + seen.ID)}
	}
	return err
}

// sameStanding says that a job stands as it was seen. That it gets on, is filled or
// tries its completion again changes nothing of what a person decides about it.
func sameStanding(now, seen *engine.JobState) bool {
	return now.Number == seen.Number && now.Status == seen.Status && now.PausedBy == seen.PausedBy && now.EndedAt.IsZero() == seen.EndedAt.IsZero()
}

// unpauseJob takes a pause or its end back, as long as the job stands as that
// left it.
func (d Desk) unpauseJob(jobber Jobber, left engine.JobState, paused bool) screen.Undo {
	what := text.Clean("resumed job " + left.ID)
	if paused {
		what = text.Clean("paused job " + left.ID)
	}
	return screen.Undo{What: what, Cmd: func() tea.Msg {
		now, err := jobber.Job(d.ctx, left.ID)
		if err == nil && !sameStanding(&now, &left) {
			err = changedSince("job " + left.ID)
		}
		if err == nil {
			_, err = jobber.PauseJob(d.ctx, left.ID, !paused)
		}
		return Undone{What: what, Err: err}
	}}
}
