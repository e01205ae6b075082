package engine

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"signalbox/store"
)

// Orders lists what items can be put in order by, besides their number.
func Orders() []string {
	return []string{"reference", "status", "attempts", "priority", "due", "changed", "created", "robot"}
}

// sortKey is what puts an item in its place in a sorted list: a number or a text.
type sortKey struct {
	n    int64
	text string
}

// order gives the key of an item.
type order func(*store.Item) sortKey

// orderBy finds an order; nil with no error is that of the store.
func orderBy(name string) (order, error) {
	switch name {
	case "", "number":
		return nil, nil
	case "reference":
		return func(i *store.Item) sortKey { return sortKey{text: i.Reference} }, nil
	case "status":
		return func(i *store.Item) sortKey { return sortKey{n: int64(i.Status)} }, nil
	case "attempts":
		return func(i *store.Item) sortKey { return sortKey{n: int64(i.Attempts)} }, nil
	case "priority":
		return func(i *store.Item) sortKey { return sortKey{n: int64(i.Priority)} }, nil
	case "due":
		return func(i *store.Item) sortKey { return sortKey{n: lastIfNone(i.DueAt)} }, nil
	case "changed":
		return func(i *store.Item) sortKey { return sortKey{n: int64(ChangedAt(i))} }, nil
	case "created":
		return func(i *store.Item) sortKey { return sortKey{n: int64(i.CreatedAt)} }, nil
	case "robot":
		return func(i *store.Item) sortKey { return sortKey{text: i.ClaimedBy} }, nil
	}
	return nil, store.Invalid(fmt.Sprintf("sort %q", name), "items can't be put in order by it", "use number, "+strings.Join(Orders(), ", "))
}

// lastIfNone is a time of which none comes last.
func lastIfNone(t store.Time) int64 {
	if t.IsZero() {
		return math.MaxInt64
	}
	return int64(t)
}

// spot is a place in a sorted list: the key that an item there has or had, and
// which item that is, as those with one key are in order of queue and number.
type spot struct {
	sortKey
	id store.ID
}

func (s *spot) compare(other *spot) int {
	return cmp.Or(cmp.Compare(s.n, other.n), strings.Compare(s.text, other.text), compareIDs(s.id, other.id))
}

// cursor is the key as text, with which a list goes on; parseCursor reads it.
func (k sortKey) cursor() string { return strconv.FormatInt(k.n, 10) + ":" + k.text }

func parseCursor(s string) (k sortKey, err error) {
	n, text, whole := strings.Cut(s, ":")
	k.text = text
	if k.n, err = strconv.ParseInt(n, 10, 64); err != nil || !whole {
		return k, store.Invalid(fmt.Sprintf("the place %q to go on at", s), "no sorted list has given it", "give it as the page before says")
	}
	return k, nil
}

// ChangedAt is when an item last went from one status to another, as far as
// its own times tell.
func ChangedAt(i *store.Item) store.Time {
	return max(i.CreatedAt, i.ClaimedAt, i.StartedAt, i.EndedAt)
}

// sorted gives a page in order of a value. No index serves it: all that is
// selected is looked at, in short reads, and no more than the page is kept.
func (e *Engine) sorted(ctx context.Context, r ListRequest, by order) (Page, error) {
	if r.Whole {
		return e.sortedWhole(ctx, r, by)
	}
	page := Page{Items: []store.Item{}}
	after, err := e.anchor(ctx, &r, by)
	if err != nil {
		return page, err
	}
	best := &firsts{by: by, most: pageSize(r.Limit) + 1, desc: r.Desc}
	selection := unsorted(r)
	w, err := e.walk(&selection)
	if err != nil {
		return page, err
	}
	if err := w.run(ctx, func(i store.Item) bool {
		best.add(i, after)
		return true
	}); err != nil {
		return page, err
	}
	page.Items, page.Damaged, page.Looked, page.Order = best.ascending(), w.damaged, w.looked, ByNumber
	if len(page.Items) == best.most {
		page.Items, page.More = page.Items[:best.most-1], true
		last := &page.Items[best.most-2]
		page.Next, page.NextReference = last.ID(), by(last).cursor()
	}
	page.Total, err = w.total(ctx)
	return page, err
}

// unsorted selects all that a sorted list is of.
func unsorted(r ListRequest) ListRequest {
	r.After, r.AfterReference, r.Desc = store.ID{}, "", false
	r.Order, r.Budget = AnyOrder, 0
	return r
}

// anchor is the place behind which a page goes on: where the item stood when the
// page before was read, however it changed since. Who names only the item goes on
// behind its present place; one that is gone for good begins the list anew.
func (e *Engine) anchor(ctx context.Context, r *ListRequest, by order) (*spot, error) {
	if r.After.IsZero() {
		return nil, nil
	}
	if r.AfterReference != "" {
		k, err := parseCursor(r.AfterReference)
		return &spot{k, r.After}, err
	}
	var after *spot
	err := e.store.View(ctx, func(rd store.Reader) error {
		after = nil
		i, err := rd.Item(r.After)
		if store.CodeOf(err) == store.CodeNotFound {
			return nil
		}
		after = &spot{by(&i), r.After}
		return err
	})
	return after, err
}

// firsts keeps the first items of an order, the last of them on top.
type firsts struct {
	by    order
	desc  bool
	most  int
	items []ranked
}

// ranked is an item at its place in the order.
type ranked struct {
	spot
	item store.Item
}

// add takes an item that is behind a place (nil = any) and among the first.
func (f *firsts) add(i store.Item, after *spot) {
	n := ranked{spot{f.by(&i), i.ID()}, i}
	switch {
	case after != nil && !f.before(after, &n.spot):
	case len(f.items) < f.most:
		heap.Push(f, n)
	case f.before(&n.spot, &f.items[0].spot):
		f.items[0] = n
		heap.Fix(f, 0)
	}
}

func (f *firsts) before(a, b *spot) bool {
	if f.desc {
		a, b = b, a
	}
	return a.compare(b) < 0
}

// ascending empties the heap into the order.
func (f *firsts) ascending() []store.Item {
	all := make([]store.Item, len(f.items))
	for i := len(all) - 1; i >= 0; i-- {
		all[i] = heap.Pop(f).(ranked).item
	}
	return all
}

// Len implements heap.Interface, as do the methods that follow.
func (f *firsts) Len() int           { return len(f.items) }
func (f *firsts) Less(i, j int) bool { return f.before(&f.items[j].spot, &f.items[i].spot) }
func (f *firsts) Swap(i, j int)      { f.items[i], f.items[j] = f.items[j], f.items[i] }

// Push implements heap.Interface.
func (f *firsts) Push(x any) { f.items = append(f.items, x.(ranked)) }

// Pop implements heap.Interface.
func (f *firsts) Pop() any {
	last := f.items[len(f.items)-1]
	f.items = f.items[:len(f.items)-1]
	return last
}
