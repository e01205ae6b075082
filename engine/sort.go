package engine

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"strings"

	"signalbox/store"
)

// Orders lists what items can be put in order by, besides their number.
func Orders() []string {
	return []string{"reference", "status", "attempts", "priority", "due", "changed", "created", "robot"}
}

// order compares items by a value, and those that are alike by queue and number.
type order func(a, b *store.Item) int

// orderBy finds an order; nil with no error is that of the store.
func orderBy(name string) (order, error) {
	var by order
	switch name {
	case "", "number":
		return nil, nil
	case "reference":
		by = func(a, b *store.Item) int { return strings.Compare(a.Reference, b.Reference) }
	case "status":
		by = func(a, b *store.Item) int { return cmp.Compare(a.Status, b.Status) }
	case "attempts":
		by = func(a, b *store.Item) int { return cmp.Compare(a.Attempts, b.Attempts) }
	case "priority":
		by = func(a, b *store.Item) int { return cmp.Compare(a.Priority, b.Priority) }
	case "due":
		by = func(a, b *store.Item) int { return laterIfNone(a.DueAt, b.DueAt) }
	case "changed":
		by = func(a, b *store.Item) int { return cmp.Compare(ChangedAt(a), ChangedAt(b)) }
	case "created":
		by = func(a, b *store.Item) int { return cmp.Compare(a.CreatedAt, b.CreatedAt) }
	case "robot":
		by = func(a, b *store.Item) int { return strings.Compare(a.ClaimedBy, b.ClaimedBy) }
	default:
		return nil, store.Invalid(fmt.Sprintf("sort %q", name), "items can't be put in order by it", "use number, "+strings.Join(Orders(), ", "))
	}
	return func(a, b *store.Item) int {
		return cmp.Or(by(a, b), strings.Compare(a.Queue, b.Queue), cmp.Compare(a.Number, b.Number))
	}, nil
}

// laterIfNone compares times of which none comes last.
func laterIfNone(a, b store.Time) int {
	if a.IsZero() != b.IsZero() {
		return cmp.Compare(b, a)
	}
	return cmp.Compare(a, b)
}

// ChangedAt is when an item last went from one status to another, as far as
// its own times tell.
func ChangedAt(i *store.Item) store.Time {
	return max(i.CreatedAt, i.ClaimedAt, i.StartedAt, i.EndedAt)
}

// sorted gives a page in order of a value. No index serves it: all that is
// selected is looked at, in short reads, and no more than the page is kept.
func (e *Engine) sorted(ctx context.Context, r ListRequest, by order) (Page, error) {
	page := Page{Items: []store.Item{}}
	if r.Desc {
		up := by
		by = func(a, b *store.Item) int { return up(b, a) }
	}
	after, err := e.anchor(ctx, r.After)
	if err != nil {
		return page, err
	}
	best := &firsts{by: by, most: pageSize(r.Limit) + 1}
	selection := r
	selection.After, selection.AfterReference, selection.Desc = store.ID{}, "", false
	selection.Order, selection.Budget = AnyOrder, 0
	w, err := e.walk(&selection)
	if err != nil {
		return page, err
	}
	if err := w.run(ctx, func(i store.Item) bool {
		if after == nil || by(&i, after) > 0 {
			best.add(i)
		}
		return true
	}); err != nil {
		return page, err
	}
	page.Items, page.Damaged, page.Looked, page.Order = best.ascending(), w.damaged, w.looked, ByNumber
	if len(page.Items) == best.most {
		page.Items, page.More = page.Items[:best.most-1], true
		page.Next = page.Items[best.most-2].ID()
	}
	page.Total, err = w.total(ctx)
	return page, err
}

// anchor is the item that a page goes on after, as it is now; nil for none.
// One that is gone for good begins the list anew.
func (e *Engine) anchor(ctx context.Context, id store.ID) (*store.Item, error) {
	if id.IsZero() {
		return nil, nil
	}
	var after *store.Item
	err := e.store.View(ctx, func(r store.Reader) error {
		i, err := r.Item(id)
		if store.CodeOf(err) == store.CodeNotFound {
			return nil
		}
		after = &i
		return err
	})
	return after, err
}

// firsts keeps the first items of an order, the last of them on top.
type firsts struct {
	by    order
	most  int
	items []store.Item
}

func (f *firsts) add(i store.Item) {
	switch {
	case len(f.items) < f.most:
		heap.Push(f, i)
	case f.by(&i, &f.items[0]) < 0:
		f.items[0] = i
		heap.Fix(f, 0)
	}
}

// ascending empties the heap into the order.
func (f *firsts) ascending() []store.Item {
	all := make([]store.Item, len(f.items))
	for i := len(all) - 1; i >= 0; i-- {
		all[i] = heap.Pop(f).(store.Item)
	}
	return all
}

// Len implements heap.Interface, as do the methods that follow.
func (f *firsts) Len() int           { return len(f.items) }
func (f *firsts) Less(i, j int) bool { return f.by(&f.items[i], &f.items[j]) > 0 }
func (f *firsts) Swap(i, j int)      { f.items[i], f.items[j] = f.items[j], f.items[i] }

// Push implements heap.Interface.
func (f *firsts) Push(x any) { f.items = append(f.items, x.(store.Item)) }

// Pop implements heap.Interface.
func (f *firsts) Pop() any {
	last := f.items[len(f.items)-1]
	f.items = f.items[:len(f.items)-1]
	return last
}
