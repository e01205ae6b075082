package engine

import (
	"context"
	"fmt"
	"slices"

	"signalbox/store"
)

// Limits on lists.
const (
	defaultPage = 100
	maxPage     = 10_000
	// scanChunk is how many items are read in one short look at the store.
	scanChunk = 10_000
	// MaxSelection is the largest set Select freezes.
	MaxSelection = 1_000_000
)

func pageSize(limit int) int {
	if limit <= 0 {
		return defaultPage
	}
	return min(limit, maxPage)
}

// List gives a page of the selected items in order of queue and number. Going
// on with After never skips or repeats an item that was there all the time.
// CodeInvalid for a bad filter; CodeNotFound for a queue that is not there.
func (e *Engine) List(ctx context.Context, r ListRequest) (Page, error) {
	f, err := ParseFilter(r.Filter)
	if err != nil {
		return Page{}, err
	}
	page := Page{Items: []store.Item{}}
	limit := pageSize(r.Limit)
	damaged, err := e.scan(ctx, r, f, func(i store.Item) bool {
		if len(page.Items) == limit {
			page.More = true
			return false
		}
		page.Items = append(page.Items, i)
		return true
	})
	if err != nil {
		return Page{}, err
	}
	page.Damaged = damaged
	page.Total, err = e.total(ctx, r, f)
	return page, err
}

// Select freezes the set of all selected items, each with the revision it has
// now: what an act on all matching will be done to, and nothing that comes
// later. CodeInvalid when it is larger than MaxSelection.
func (e *Engine) Select(ctx context.Context, r ListRequest) ([]Target, error) {
	f, err := ParseFilter(r.Filter)
	if err != nil {
		return nil, err
	}
	var targets []Target
	_, err = e.scan(ctx, r, f, func(i store.Item) bool {
		targets = append(targets, Target{i.ID(), i.Revision})
		return len(targets) <= MaxSelection
	})
	if len(targets) > MaxSelection {
		return nil, store.Invalid("the selection", fmt.Sprintf("more than %d items match", MaxSelection), "narrow the filter")
	}
	return targets, err
}

// scan visits the selected items until visit says no. It looks at the store in
// short reads, so that a long list holds no old pages.
func (e *Engine) scan(ctx context.Context, r ListRequest, f Filter, visit func(store.Item) bool) (damaged int, err error) {
	q, some := f.query(r)
	if !some {
		return 0, nil
	}
	for more := true; more && err == nil; {
		err = e.store.View(ctx, func(rd store.Reader) error {
			if q.Queue != "" {
				if _, err := rd.Queue(q.Queue); err != nil {
					return err
				}
			}
			more, err = e.scanChunk(ctx, rd, &q, r.Kind, f, &damaged, visit)
			return err
		})
	}
	return damaged, err
}

// scanChunk visits one chunk and moves q's cursor behind it; more says that the
// scan is not at its end.
func (e *Engine) scanChunk(ctx context.Context, r store.Reader, q *store.Query, kind string, f Filter, damaged *int, visit func(store.Item) bool) (more bool, err error) {
	now := e.now()
	var queue store.Queue
	seen := 0
	for i, err := range r.Items(*q) {
		if err != nil {
			*damaged++
			continue
		}
		seen++
		q.After = i.ID()
		fits := (kind == "" || kind == i.ErrorKind()) && f.match(&i, now)
		if fits && len(f.payload) > 0 {
			if fits, err = f.matchPayload(ctx, r, i.ID()); err != nil {
				return false, err
			}
		}
		if fits {
			if queue.Name != i.Queue {
				if queue, err = r.Queue(i.Queue); err != nil {
					return false, err
				}
			}
			present(&queue, &i)
			if !visit(i) {
				return false, nil
			}
		}
		if seen == scanChunk {
			return true, nil
		}
	}
	return false, nil
}

// total counts what is selected where the counters can tell, else -1.
func (e *Engine) total(ctx context.Context, r ListRequest, f Filter) (n int64, err error) {
	q, some := f.query(r)
	if !some {
		return 0, nil
	}
	if len(f.terms)+len(f.payload) > 0 || r.Kind != "" && q.Group == "" {
		return -1, nil
	}
	err = e.store.View(ctx, func(rd store.Reader) error {
		n, err = count(rd, &q, r.Kind, e.now())
		return err
	})
	return n, err
}

func count(r store.Reader, q *store.Query, kind string, now store.Time) (n int64, err error) {
	if q.Group != "" {
		groups, err := r.Groups(q.Queue)
		for _, g := range groups {
			if g.Text == q.Group && (kind == "" || g.Kind == kind) && (len(q.Statuses) == 0 || slices.Contains(q.Statuses, g.Status)) {
				n += g.Count
			}
		}
		return n, err
	}
	names := []string{q.Queue}
	if q.Queue == "" {
		queues, err := r.Queues()
		if err != nil {
			return 0, err
		}
		names = names[:0]
		for _, queue := range queues {
			names = append(names, queue.Name)
		}
	}
	for _, name := range names {
		s, err := r.Stats(name, now)
		if err != nil {
			return 0, err
		}
		for status, c := range s.Counts {
			if len(q.Statuses) == 0 || slices.Contains(q.Statuses, store.Status(status)) {
				n += c
			}
		}
	}
	return n, nil
}
