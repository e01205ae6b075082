package bolt

import (
	"cmp"
	"slices"

	"signalbox/store"
)

// The untold index has an entry for each item with a NextDate: that time, and the
// item's number. Queues from before it get it with their first change, or when
// somebody first asks in a Tx what is due next.

func untoldKey(b []byte, i *store.Item) []byte {
	return appendNumber(appendTime(b, i.NextDate()), i.Number)
}

// indexUntold moves an item's entry from what it was to what it is.
func (t *tx) indexUntold(q *queue, old, now *store.Item) {
	t.buildUntold(q)
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

// untoldStatuses are those of items whose dates are told of.
var untoldStatuses = []store.Status{store.Queued, store.Pending, store.Claimed, store.Processing}

func (t *tx) buildUntold(q *queue) {
	if q.counters.untold {
		return
	}
	q.counters.untold, q.dirty, q.dueless = true, true, true
	q.each(untoldStatuses, func(i *store.Item) {
		if i.NextDate() != 0 {
			t.put(q, untold, untoldKey(nil, i), slaValue)
		}
	})
}

// buildAllUntold does it for all queues, once in a store's life.
func (t *tx) buildAllUntold() error {
	if t.bolt.Bucket(metaBucket).Get(allUntold) != nil {
		return nil
	}
	for _, name := range slices.Collect(t.names("")) { // first: what follows writes
		if q, err := t.queue(name); err == nil { // a damaged one keeps nobody from the others
			t.buildUntold(q)
		}
	}
	t.putTop(inMeta, allUntold, []byte{1})
	return t.broken
}

var allUntold = []byte("untold") // in meta once all queues have the index

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
