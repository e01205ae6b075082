package engine

import (
	"iter"
	"slices"

	"signalbox/store"
)

// ofJob yields a job's ready items in claim order. It goes through what waits in
// the queue, not through what the job has settled; only a job that is small, or
// far behind others, is found by its index.
func (t *tx) ofJob(q *store.Queue, id string) iter.Seq2[store.Item, error] {
	c, err := t.JobCounts(id, t.now)
	if err != nil { // its claim is refused before
		return t.Ready(q.Name, t.now)
	}
	return func(yield func(store.Item, error) bool) {
		if c.Waiting == c.Withheld {
			return
		}
		if all, err := countIn(t, []string{q.Name}, waiting(q.Family)); err != nil || all <= max(few, c.Total) || c.Total > claimScan {
			if found, whole := t.amongReady(q, id, yield); found || whole {
				return
			}
		}
		for _, i := range t.byJob(q, id, c.Waiting) {
			if !yield(i, nil) {
				return
			}
		}
	}
}

// amongReady yields the job's items among the first of all that are ready; whole
// says that there were no more.
func (t *tx) amongReady(q *store.Queue, id string, yield func(store.Item, error) bool) (found, whole bool) {
	seen := 0
	for i, err := range t.Ready(q.Name, t.now) {
		if seen++; seen > claimScan {
			return found, false
		}
		if err != nil || i.Job != id || !inJob(&i) {
			continue
		}
		found = true
		if !yield(i, nil) {
			return true, true
		}
	}
	return found, true
}

// byJob gives the job's ready items by its index, in claim order; it ends with
// the last of so many that wait.
func (t *tx) byJob(q *store.Queue, id string, waits int64) (found []store.Item) {
	for i, err := range t.Items(store.Query{Queue: q.Name, Statuses: waiting(q.Family), Job: id}) {
		if err != nil {
			continue
		}
		if i.ReadyAt() <= t.now {
			found = append(found, i)
		}
		if waits--; waits == 0 || len(found) == claimScan {
			break
		}
	}
	slices.SortFunc(found, claimOrder)
	return found
}
