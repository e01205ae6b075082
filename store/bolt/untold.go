package bolt

import (
	"cmp"
	"slices"

	"signalbox/store"
)

// The untold index has an entry for each item with a NextDate: that time, and the
// item's number. Queues from before it get it when their store is opened.

func untoldKey(b []byte, i *store.Item) []byte {
	return appendNumber(appendTime(b, i.NextDate()), i.Number)
}

// indexUntold moves an item's entry from what it was to what it is.
func (t *tx) indexUntold(q *queue, old, now *store.Item) {
	from, to := old.NextDate(), now.NextDate()
	if from == to {
		return
	}
	var key [16]byte
	if from != 0 {
		t.remove(q, untold, appendNumber(appendTime(key[:0], from), now.Number))
	}
	if to != 0 {
		t.put(q, untold, untoldKey(key[:0], now), slaValue)
	}
	q.dirty, q.dueless = true, true
}

// untoldIndex is how older queues get it.
var untoldIndex = newer{
	space:    untold,
	all:      []byte("untold"),
	statuses: []store.Status{store.Queued, store.Pending, store.Claimed, store.Processing},
	has:      func(n *counters) bool { return n.untold },
	enter: func(t *tx, q *queue, i *store.Item) bool {
		if i.NextDate() == 0 {
			return false
		}
		t.put(q, untold, untoldKey(nil, i), slaValue)
		return true
	},
	whole: func(n *counters, _ int64) { n.untold = true },
}

// Passed implements store.Tx. As in Expired, what can't be read keeps nobody from
// the others.
func (t *tx) Passed(now store.Time, limit int) ([]store.Item, error) {
	names, err := t.due(passes, now)
	if err != nil {
		return nil, err
	}
	var list []store.Item
	for _, name := range names {
		q, err := t.queue(name)
		if err != nil {
			if err := t.setAside(name, passes, now); err != nil {
				return nil, err
			}
			continue
		}
		list = append(list, t.reached(q, untold, now, limit)...)
	}
	slices.SortFunc(list, func(a, b store.Item) int {
		return cmp.Or(cmp.Compare(a.NextDate(), b.NextDate()), cmp.Compare(a.Queue, b.Queue), cmp.Compare(a.Number, b.Number))
	})
	return list[:min(len(list), max(limit, 0))], t.broken
}
