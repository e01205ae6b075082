package fake

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"signalbox/engine"
	"signalbox/store"
)

// Job implements act.Jobber.
func (e *Engine) Job(_ context.Context, id string) (engine.JobState, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.Fail != nil {
		return engine.JobState{}, e.Fail
	}
	for _, j := range e.snap.Jobs {
		if j.ID == id {
			j.Metadata = store.JSON(e.Metadata[id])
			return j, nil
		}
	}
	return engine.JobState{}, store.NoJob(id)
}

// JobLog implements act.Jobber.
func (e *Engine) JobLog(_ context.Context, id string, after uint64, limit int) (lines []store.LogLine, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.Closed[id] {
		return nil, closed(id)
	}
	for _, l := range e.Logs[id] {
		if l.Seq > after && len(lines) < limit {
			lines = append(lines, l)
		}
	}
	return lines, nil
}

// Attachments implements act.Jobber.
func (e *Engine) Attachments(_ context.Context, id string) ([]store.Attachment, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.Closed[id] {
		return nil, closed(id)
	}
	return e.Files[id], nil
}

func closed(id string) error {
	return &store.Error{Code: store.CodeForbidden, Thing: fmt.Sprintf("job %q", id), Rule: "its details are for grace and for administrators", Mend: "ask one of them"}
}

// ReadAttachment implements act.Jobber.
func (e *Engine) ReadAttachment(_ context.Context, id, name string, w io.Writer) error {
	_, err := io.Copy(w, strings.NewReader("contents of "+id+" "+name))
	return err
}

// PauseJob implements act.Jobber.
func (e *Engine) PauseJob(ctx context.Context, id string, paused bool) (engine.JobState, error) {
	return e.steer(id, "pause "+fmt.Sprint(paused), func(j *engine.JobState) {
		j.Status, j.PausedBy = store.JobRunning, ""
		if paused {
			j.Status, j.PausedBy = store.JobPaused, engine.Actor(ctx)
		}
	})
}

// CancelJob implements act.Jobber.
func (e *Engine) CancelJob(_ context.Context, id, note string) (engine.JobState, error) {
	return e.steer(id, "cancel "+note, func(j *engine.JobState) {
		j.Status, j.EndedAt = store.JobCancelled, store.At(Epoch())
		j.Cancelled, j.Available, j.Delayed, j.InFlight = j.Cancelled+j.Left(), 0, 0, 0
	})
}

// DeleteJob implements act.Jobber.
func (e *Engine) DeleteJob(_ context.Context, id string) error {
	_, err := e.steer(id, "delete", nil)
	return err
}

// steer changes a job, or with a nil fn removes it, and writes that down.
func (e *Engine) steer(id, what string, fn func(*engine.JobState)) (engine.JobState, error) {
	e.hook()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.Steered = append(e.Steered, id+" "+strings.TrimSpace(what))
	return e.editJob(id, fn)
}

// EditJob changes a job, as work on it does; with a nil fn it goes.
func (e *Engine) EditJob(id string, fn func(*engine.JobState)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, _ = e.editJob(id, fn)
}

func (e *Engine) editJob(id string, fn func(*engine.JobState)) (j engine.JobState, err error) {
	err = store.NoJob(id)
	var jobs []engine.JobState
	for _, each := range e.snap.Jobs {
		if each.ID == id {
			if j, err = each, nil; fn == nil {
				continue
			}
			fn(&each)
			each.Revision++
			j = each
		}
		jobs = append(jobs, each)
	}
	e.change(func(s *engine.Snapshot) { s.Jobs = jobs })
	return j, err
}

// Progress moves units of a job from waiting to done.
func (e *Engine) Progress(id string, units int64) {
	e.EditJob(id, func(j *engine.JobState) {
		j.Available, j.Done, j.Revision = j.Available-units, j.Done+units, j.Revision-1
	})
}

// jobs are those of the day: one that goes on, one paused, one being filled, one
// that waits for its retries, and two that have ended.
func jobs() []engine.JobState {
	number := uint64(40)
	job := func(id, queue, by string, status store.JobStatus, began time.Duration, c store.JobCounts) engine.JobState {
		number--
		c.Total = c.Available + c.InFlight + c.Done + c.Failed + c.Cancelled
		return engine.JobState{Job: store.Job{
			ID: id, Number: number, Queue: queue, Status: status, Initiator: by, CreatedAt: ago(began), Revision: 3,
		}, JobCounts: c}
	}
	triage := job("triage-0302", "agents.triage", "ada", store.JobRunning, 21*time.Minute,
		store.JobCounts{Available: 214, Delayed: 6, NextAvailableAt: store.At(Epoch().Add(3 * time.Minute)), InFlight: 18, Done: 152, Failed: 16})
	export := job("signalbox.export-7", "signalbox.export", "grace", store.JobRunning, 75*time.Second, store.JobCounts{Available: 220, InFlight: 1, Done: 179})
	export.Kind = "export"
	import1 := job("orders-march", "finance.orders", "ada", store.JobRunning, 40*time.Second, store.JobCounts{Available: 10_400, InFlight: 2, Done: 31})
	import1.Filling = true
	claims := job("insurance.claims-3", "insurance.claims", "grace", store.JobPaused, 30*time.Hour, store.JobCounts{Available: 1_048_576, Done: 12_403, Failed: 2})
	claims.PausedBy = "grace"
	done := job("triage-0301", "agents.triage", "ada", store.JobDone, 25*time.Hour, store.JobCounts{Done: 388, Failed: 12})
	done.EndedAt = ago(24 * time.Hour)
	gone := job("mail-campaign", "mail.outgoing", "night-shift", store.JobCancelled, 3*time.Hour, store.JobCounts{Done: 40, Cancelled: 214})
	gone.EndedAt = ago(2*time.Hour + 50*time.Minute)
	return []engine.JobState{triage, export, import1, claims, done, gone}
}

// details gives the jobs of the day their logs, files and metadata.
func (e *Engine) details() {
	line := func(seq uint64, back time.Duration, level, words, fields string) store.LogLine {
		return store.LogLine{Seq: seq, At: ago(back), Level: level, Text: words, Fields: store.JSON(fields)}
	}
	e.Logs = map[string][]store.LogLine{"triage-0302": {
		line(1, 21*time.Minute, "info", "400 tickets read from the desk", `{"tickets":400}`),
		line(2, 12*time.Minute, "debug", "model answered in 4.2s", ""),
		line(3, 8*time.Minute, "warn", "model endpoint answered 529 overloaded; it is asked again after a while, as often as the queue allows", ""),
		line(4, 90*time.Second, "error", "ticket 4711 asks for a refund above the limit", `{"ticket":4711}`),
	}}
	e.Files = map[string][]store.Attachment{"triage-0302": {
		{Name: "tickets.csv", Type: "text/csv", Size: 48_213, CreatedAt: ago(21 * time.Minute), CreatedBy: "ada"},
		{Name: "answers.jsonl", Type: "application/jsonl", Size: 912, CreatedAt: ago(time.Minute), CreatedBy: "ada"},
	}, "triage-0301": {{Name: "answers.jsonl", Size: 1_204_331, CreatedAt: ago(24 * time.Hour)}}}
	e.Metadata = map[string]string{"triage-0302": `{"desk":"support","iban":"DE89370400440532013000","since":"2026-03-02"}`}
	e.Closed = map[string]bool{"signalbox.export-7": true}
}
