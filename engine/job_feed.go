package engine

import (
	"context"
	"encoding/json"
	"fmt"

	"signalbox/store"
)

// A job that more items are to come for is not done, however few are left. Who adds
// them batch by batch keeps it open until it is sealed; an import job that does keeps
// it open for as long as it is open itself, also across engines.

// feeds gives the job that an import job adds rows to batch by batch; "" for none.
func feeds(j *store.Job) (queue, id string) {
	var m ImportJob
	if j.Kind != ImportKind || json.Unmarshal([]byte(j.Metadata), &m) != nil {
		return "", ""
	}
	if m.Mode != Independent && m.Mode != StopOnFirstFailure { // whose rows come at once
		return "", ""
	}
	return m.Queue, m.Job
}

// feed keeps the job open that an import job adds to, and starts it where it is not
// there.
func (t *tx) feed(j *store.Job) error {
	queue, id := feeds(j)
	if id == "" {
		return nil
	}
	q, err := t.Queue(queue)
	if err == nil {
		err = t.joinable(&q, id)
	}
	if err == nil {
		err = t.join(&q, id)
	}
	if err != nil {
		return err
	}
	fed, err := t.Job(id)
	if err != nil {
		return err
	}
	fed.Feeds++
	return t.putJob(&fed, "job-fill", "job "+j.ID+" adds to it")
}

// unfeed lets it end.
func (t *tx) unfeed(j *store.Job) error {
	_, id := feeds(j)
	if id == "" {
		return nil
	}
	fed, err := t.Job(id)
	if err != nil || fed.Feeds == 0 { // it was cancelled
		return unlessGone(err)
	}
	fed.Feeds--
	return t.putJob(&fed, "job-seal", "job "+j.ID+" has ended")
}

// unfeedAll does so for the jobs of a queue that goes.
func (t *tx) unfeedAll(queue string) error {
	if queue != ImportQueue {
		return nil
	}
	for j, err := range t.Jobs(store.JobQuery{Queue: queue, Live: true}) {
		if err != nil { // nobody knows what it feeds
			continue
		}
		if err := t.unfeed(&j); err != nil {
			return err
		}
	}
	return nil
}

// fill keeps the jobs open that new items belong to, until they are sealed: those that
// who adds may seal.
func (t *tx) fill(ctx context.Context, results []AddResult) error {
	var last string
	for n := range results {
		i := &results[n].Item
		if results[n].Existing || results[n].Err != nil || !inJob(i) || i.Job == last {
			continue
		}
		last = i.Job
		j, err := t.Job(i.Job)
		if err != nil {
			return err
		}
		if j.Filling || t.e.closedTo(ctx, &j) != nil {
			continue
		}
		j.Filling = true
		if err := t.putJob(&j, "job-fill", fmt.Sprintf("more items than %s are to come", i.ID())); err != nil {
			return err
		}
	}
	return nil
}
