package engine

import (
	"slices"

	"signalbox/store"
)

// possible refuses a claim whose filter no item of its queue that waits can
// match.
func (a *ask) possible() error {
	to := a.filter.within(&ListRequest{})
	switch {
	case to.queues != nil && !slices.Contains(to.queues, a.Queue) || slices.Contains(to.without, a.Queue):
		return store.Invalid("a claim", "it is of queue "+a.Queue+", which its filter leaves out", "leave queue: out of the filter, or name this queue")
	case !slices.ContainsFunc(to.statuses, store.Status.Waiting):
		return store.Invalid("a claim", "its filter wants items that don't wait", "leave status: out of the filter")
	}
	return nil
}

// within says that the queue is in all folders that the filter wants.
func (a *ask) within(q *store.Queue) bool {
	return !slices.ContainsFunc(a.filter.reach.folders, func(folder string) bool { return !InFolder(q, folder) })
}

// indexed says that an index leads to the items wanted.
func (a *ask) indexed() bool {
	to := &a.filter.reach
	return a.Reference != "" || to.reference != "" || to.ids != nil || to.key != ""
}

// picky says that what this claim leaves may suit another.
func (a *ask) picky() bool {
	return a.Job != "" || a.Reference != "" || a.Exact || a.ClaimRequest.Filter != ""
}

// indexed gives the ready items to which an index leads, in no order. They are
// still to be held against the rest of what is asked.
func (t *tx) indexed(q *store.Queue, a *ask) []store.Item {
	to := &a.filter.reach
	var found []store.Item
	take := func(i store.Item, err error) {
		if err == nil && i.Queue == q.Name && i.Status.Waiting() && i.ReadyAt() <= t.now {
			found = append(found, i)
		}
	}
	switch {
	case to.ids != nil:
		for _, id := range to.ids {
			take(t.Item(id))
		}
		return found
	case to.key != "":
		if id, err := t.ByKey(q.Name, to.key); err == nil && !id.IsZero() {
			take(t.Item(id))
		}
		return found
	}
	by := store.Query{Queue: q.Name, Statuses: waiting(q.Family), Reference: a.Reference, Exact: a.Exact, Job: a.Job}
	if len(to.reference) > len(a.Reference) && !a.Exact {
		by.Reference, by.Exact = to.reference, to.exact
	}
	for i, err := range t.Items(by) {
		if take(i, err); len(found) == claimScan {
			break
		}
	}
	return found
}
