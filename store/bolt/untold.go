package bolt

import (
	"bytes"
	"cmp"
	"context"
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

// untoldStatuses are those of items whose dates are told of.
var untoldStatuses = []store.Status{store.Queued, store.Pending, store.Claimed, store.Processing}

// untoldPiece is how many items one change looks at that builds the index.
var untoldPiece = 10_000 // fewer in tests

var allUntold = []byte("untold") // in meta once all queues have the index

// buildUntold gives the index to the queues that have none, before anybody else uses
// the store, in changes of a bounded size. Whoever opens a store that was left halfway
// begins with the queue that was under way, whose entries come out the same.
func (s *Store) buildUntold(ctx context.Context) error {
	lacking, err := s.lackUntold(ctx)
	if err != nil || lacking == nil {
		return err
	}
	whole := true
	for _, name := range lacking {
		var after []byte
		for more := true; more && err == nil; {
			err = s.Update(ctx, func(st store.Tx) (err error) {
				after, more, err = st.(*tx).untoldSome(name, after)
				return err
			})
		}
		if store.CodeOf(err) == store.CodeUnavailable { // a damaged one keeps nobody from the others
			whole, err = false, nil
		}
		if err != nil {
			return err
		}
	}
	if !whole {
		return nil
	}
	return s.Update(ctx, func(st store.Tx) error {
		t := st.(*tx)
		t.putTop(inMeta, allUntold, []byte{1})
		return t.broken
	})
}

// lackUntold names the queues without the index; nil when it is known that all have it.
func (s *Store) lackUntold(ctx context.Context) (lacking []string, err error) {
	return lacking, s.View(ctx, func(sr store.Reader) error {
		r, ok := sr.(*reader)
		if !ok { // the disk is full, and the look goes through the writer
			r = &sr.(*tx).reader
		}
		if r.bolt.Bucket(metaBucket).Get(allUntold) != nil {
			return nil
		}
		lacking = []string{}
		for name := range r.names("") {
			if q, err := r.queue(name); err != nil || !q.counters.untold {
				lacking = append(lacking, name)
			}
		}
		return nil
	})
}

// untoldSome enters some items of a queue, from behind a key of the status bucket, and
// says up to where and whether more are left.
func (t *tx) untoldSome(name string, after []byte) (last []byte, more bool, err error) {
	q, err := t.queue(name)
	if err != nil {
		return nil, false, err
	}
	var keys [][]byte // read first: what follows writes
	for _, s := range untoldStatuses {
		c := q.walk(status)
		if c == nil {
			break
		}
		from := []byte{byte(s)}
		if bytes.Compare(from, after) < 0 {
			from = after
		}
		for k, _ := c.Seek(from); len(k) > 0 && k[0] == byte(s) && len(keys) < untoldPiece; k, _ = c.Next() {
			if !bytes.Equal(k, after) {
				keys = append(keys, bytes.Clone(k))
			}
		}
	}
	for _, k := range keys {
		if i, err := q.item(numberOf(k)); err == nil && i.NextDate() != 0 {
			t.put(q, untold, untoldKey(nil, &i), slaValue)
		}
	}
	q.dirty, q.dueless = true, true
	if len(keys) == untoldPiece {
		return keys[len(keys)-1], true, t.broken
	}
	q.counters.untold = true
	return nil, false, t.broken
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
