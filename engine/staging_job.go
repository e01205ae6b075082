package engine

import (
	"strconv"

	"signalbox/store"
)

// Jobs that an open import starts for its items stay open until it is closed, and
// are gone with it where it is not.

// startedFor writes down that an open import started a job.
func (t *tx) startedFor(j *store.Job) error {
	n, err := t.Mark(j.Queue, importJobs)
	if err != nil {
		return err
	}
	return firstOf(t.PutMark(j.Queue, importJob+strconv.FormatUint(n, 10), j.Number), t.PutMark(j.Queue, importJobs, n+1))
}

// closeStarted lets the jobs that a queue's open import started end when their
// items do.
func (t *tx) closeStarted(queue string) error {
	return t.eachStarted(queue, func(j *store.Job) error {
		t.touchJob(j.ID)
		j.Filling = false
		return t.PutJob(j)
	})
}

// dropStarted removes them, but those that others have added to.
func (t *tx) dropStarted(queue string) error {
	return t.eachStarted(queue, func(j *store.Job) error {
		for _, err := range t.Items(store.Query{Queue: queue, Job: j.ID}) {
			if err == nil {
				t.touchJob(j.ID)
				j.Filling = false
				return t.PutJob(j)
			}
		}
		t.after.jobsShown = true
		return firstOf(t.ForgetJob(j.ID), t.Append(t.record(queue, "job-delete", "job "+j.ID+": its import was undone")))
	})
}

func (t *tx) eachStarted(queue string, fn func(*store.Job) error) error {
	count, err := t.Mark(queue, importJobs)
	if err != nil || count == 0 {
		return err
	}
	for n := range count {
		number, err := t.Mark(queue, importJob+strconv.FormatUint(n, 10))
		if err != nil {
			return err
		}
		for j, err := range t.Jobs(store.JobQuery{Queue: queue, Before: number + 1}) {
			if err == nil && j.Number == number { // else it was deleted
				err = fn(&j)
			}
			if err != nil {
				return err
			}
			break
		}
	}
	return t.PutMark(queue, importJobs, 0)
}
