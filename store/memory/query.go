package memory

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"

	"signalbox/store"
)

// Items implements store.Reader. It looks at every item from the place to go
// on at and leaves out those that do not match.
func (s *state) Items(q store.Query) iter.Seq2[store.Item, error] {
	return func(yield func(store.Item, error) bool) {
		if q.Queue != "" && s.queues[q.Queue] == nil {
			yield(store.Item{}, store.NoQueue(q.Queue))
			return
		}
		for _, name := range slices.Sorted(maps.Keys(s.queues)) {
			if name < q.After.Queue || q.Queue != "" && name != q.Queue {
				continue
			}
			if q.Job != "" && s.byID[q.Job] == nil {
				continue
			}
			for r := range s.queues[name].inOrder(&q) {
				if matches(&q, &r.item) && !yield(copyItem(r.item), nil) {
					return
				}
			}
		}
	}
}

// inOrder yields a queue's items after q.After in the query's order.
func (q *queue) inOrder(by *store.Query) iter.Seq[*record] {
	t, order := q.items, func(a, b *store.Item) int { return cmp.Compare(a.Number, b.Number) }
	if by.Reference != "" {
		t, order = q.references, referenceOrder
	}
	goOn := by.After.Queue == q.settings.Name && by.After.Number != 0
	after := &record{item: store.Item{Number: by.After.Number, Reference: by.AfterReference}}
	return func(yield func(*record) bool) {
		next := func(r *record) bool { return goOn && order(&r.item, &after.item) == 0 || yield(r) }
		switch {
		case !goOn && by.Desc:
			t.Descend(next)
		case !goOn:
			t.Ascend(next)
		case by.Desc:
			t.DescendLessOrEqual(after, next)
		default:
			t.AscendGreaterOrEqual(after, next)
		}
	}
}

func matches(q *store.Query, i *store.Item) bool {
	switch {
	case q.Statuses != nil && !slices.Contains(q.Statuses, i.Status),
		q.Groups != nil && !slices.Contains(q.Groups, i.Group),
		q.Job != "" && !inJob(i, q.Job),
		q.Reference != "" && q.Exact && i.Reference != q.Reference:
		return false
	}
	return strings.HasPrefix(i.Reference, q.Reference)
}
