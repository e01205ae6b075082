package engine

import (
	"context"
	"fmt"

	"signalbox/store"
)

// Limits on lists.
const (
	defaultPage = 100
	maxPage     = 10_000
	// MaxSelection is the largest set Select freezes.
	MaxSelection = 1_000_000
)

func pageSize(limit int) int {
	if limit <= 0 {
		return defaultPage
	}
	return min(limit, maxPage)
}

// List gives a page of the selected items in order of queue and number, or as
// Order or Sort says. Going on behind a page never skips or repeats an item that was
// there all the time; in order of reference that is one whose reference stayed.
// With a Budget a page may end before it is full, or empty, with More.
// CodeInvalid for a bad filter; CodeNotFound for a queue that is not there.
func (e *Engine) List(ctx context.Context, r ListRequest) (Page, error) {
	w, err := e.walk(&r)
	if err != nil {
		return Page{}, err
	}
	by, err := orderBy(r.Sort)
	if err != nil {
		return Page{}, err
	}
	if by != nil {
		return e.sorted(ctx, r, by)
	}
	page := Page{Items: []store.Item{}}
	limit := pageSize(r.Limit)
	err = w.run(ctx, func(i store.Item) bool {
		if len(page.Items) == limit {
			return false
		}
		page.Items = append(page.Items, i)
		return true
	})
	if err != nil {
		return Page{}, err
	}
	page.More, page.Damaged, page.Looked, page.Order = !w.done, w.damaged, w.looked, w.path.order
	if page.More {
		page.Next, page.NextReference = w.at, w.reference
	}
	page.Total, err = w.total(ctx)
	return page, err
}

// All asks for all that the list is of, and not for a page of it.
func (r ListRequest) All() ListRequest {
	return ListRequest{Queue: r.Queue, Statuses: r.Statuses, Group: r.Group, Kind: r.Kind, Filter: r.Filter}
}

// selects refuses what a page of a list has and a set of all that match has not: who
// asks to delete with a limit must not have all deleted.
func (r *ListRequest) selects() error {
	const rule, mend = "a selection is of all that match", "leave it out; a bulk act on some of them has first"
	switch {
	case r.Limit != 0:
		return store.Invalid(fmt.Sprintf("limit %d", r.Limit), rule, mend)
	case r.Sort != "":
		return store.Invalid(fmt.Sprintf("sort %q", r.Sort), rule, mend)
	}
	return nil
}

// Select freezes the set of all selected items, each with the revision it has
// now: what an act on all matching will be done to, and nothing that comes
// later. CodeInvalid when it is larger than MaxSelection, and for a limit or a sort.
func (e *Engine) Select(ctx context.Context, r ListRequest) ([]Target, error) {
	if err := r.selects(); err != nil {
		return nil, err
	}
	r.Order, r.Budget = AnyOrder, 0
	w, err := e.walk(&r)
	if err != nil {
		return nil, err
	}
	var targets []Target
	err = w.run(ctx, func(i store.Item) bool {
		targets = append(targets, Target{i.ID(), i.Revision})
		return len(targets) <= MaxSelection
	})
	if len(targets) > MaxSelection {
		return nil, tooMany()
	}
	return targets, err
}

// total counts what is selected where the counters can tell, else -1.
func (w *walk) total(ctx context.Context) (n int64, err error) {
	if !w.countable() {
		return -1, nil
	}
	err = w.e.store.View(ctx, func(r store.Reader) error {
		n, err = w.count(r)
		return err
	})
	return n, err
}

func (w *walk) countable() bool {
	if w.path.index == "none" {
		return true
	}
	if len(w.f.payload) > 0 || w.path.found == nil && w.path.index == "reference" || w.path.from > 1 || w.path.to != 0 {
		return false
	}
	if w.path.found != nil {
		return true
	}
	for _, t := range w.f.terms {
		if !t.counted {
			return false
		}
	}
	return w.r.Kind == "" || w.path.index == "group"
}

func (w *walk) count(r store.Reader) (n int64, err error) {
	switch {
	case w.path.index == "none":
		return 0, nil
	case w.path.found != nil:
		for i := range w.path.found {
			if w.fits(&w.path.found[i], w.e.now()) {
				n++
			}
		}
		return n, nil
	case w.path.index == "group":
		return w.path.countGroups(r, w.r.Kind)
	}
	return countIn(r, w.path.names, w.path.statuses)
}
