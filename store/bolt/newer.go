package bolt

import (
	"bytes"
	"context"

	"signalbox/store"
)

// newer is an index that there was none of in older stores. Their queues get it when
// the store is opened.
type newer struct {
	space    space
	all      []byte         // in meta once all queues have it
	statuses []store.Status // of the items in it
	has      func(*counters) bool
	enter    func(*tx, *queue, *store.Item) bool // whether the item has entries
	whole    func(n *counters, items int64)      // so many items have entries, and all are there
}

var newerIndexes = []*newer{&slaIndex, &untoldIndex}

// newerPiece is how many items one change looks at that builds an index.
var newerPiece = 10_000 // fewer in tests

// buildNewer gives older queues all indexes that they lack.
func (s *Store) buildNewer(ctx context.Context) error {
	for _, x := range newerIndexes {
		if err := s.build(ctx, x); err != nil {
			return err
		}
	}
	return nil
}

// build gives an index to the queues that have none, before anybody else uses the
// store, in changes of a bounded size. Whoever opens a store that was left halfway
// begins with the queue that was under way, whose entries come out the same.
func (s *Store) build(ctx context.Context, x *newer) error {
	lacking, err := s.lack(ctx, x)
	if err != nil || lacking == nil {
		return err
	}
	whole := true
	for _, name := range lacking {
		b := building{index: x, queue: name}
		for more := true; more && err == nil; {
			err = s.Update(ctx, func(st store.Tx) (err error) {
				more, err = b.some(st.(*tx))
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
		t.putTop(inMeta, x.all, []byte{1})
		return t.broken
	})
}

// lack names the queues without an index; nil when it is known that all have it.
func (s *Store) lack(ctx context.Context, x *newer) (lacking []string, err error) {
	return lacking, s.View(ctx, func(sr store.Reader) error {
		r, ok := sr.(*reader)
		if !ok { // the disk is full, and the look goes through the writer
			r = &sr.(*tx).reader
		}
		if r.bolt.Bucket(metaBucket).Get(x.all) != nil {
			return nil
		}
		lacking = []string{}
		for name := range r.names("") {
			if q, err := r.queue(name); err != nil || !x.has(&q.counters) {
				lacking = append(lacking, name)
			}
		}
		return nil
	})
}

// building is how far an index of a queue has come.
type building struct {
	index *newer
	queue string
	after []byte // key in the status bucket up to which items are entered
	items int64  // that have entries
}

// some enters some items, and says whether more are left.
func (b *building) some(t *tx) (more bool, err error) {
	q, err := t.queue(b.queue)
	if err != nil {
		return false, err
	}
	keys := b.next(q) // read first: what follows writes
	for _, k := range keys {
		if i, err := q.item(numberOf(k)); err == nil && b.index.enter(t, q, &i) {
			b.items++
		}
	}
	q.dirty, q.dueless = true, true
	if len(keys) == newerPiece {
		b.after = keys[len(keys)-1]
		return true, t.broken
	}
	b.index.whole(&q.counters, b.items)
	return false, t.broken
}

// next gives the keys of the items that come next.
func (b *building) next(q *queue) (keys [][]byte) {
	c := q.walk(status)
	if c == nil {
		return nil
	}
	for _, s := range b.index.statuses {
		from := []byte{byte(s)}
		if bytes.Compare(from, b.after) < 0 {
			from = b.after
		}
		for k, _ := c.Seek(from); len(k) > 0 && k[0] == byte(s) && len(keys) < newerPiece; k, _ = c.Next() {
			if !bytes.Equal(k, b.after) {
				keys = append(keys, bytes.Clone(k))
			}
		}
	}
	return keys
}
