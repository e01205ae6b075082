package bolt

import (
	"bytes"
	"cmp"
	"iter"
	"slices"

	"go.etcd.io/bbolt"

	"signalbox/store"
)

// What a due entry of a queue is about. Its key is the time, this, and the
// queue's name; a queue has at most one entry of each kind.
const (
	lease byte = iota + 1 // its earliest lease ends
	ripe                  // its earliest delayed item becomes ready
)

// enterDue moves a queue's due entry from the time it is known to stand at
// to another; 0 = no entry.
func enterDue(b *bbolt.Bucket, name string, kind byte, known *store.Time, at store.Time) error {
	if *known == at {
		return nil
	}
	if *known != 0 {
		if err := b.Delete(dueKey(*known, kind, name)); err != nil {
			return err
		}
	}
	if *known = at; at == 0 {
		return nil
	}
	return b.Put(dueKey(at, kind, name), nil)
}

func dueKey(at store.Time, kind byte, name string) []byte {
	return append(append(appendTime(nil, at), kind), name...)
}

// flushDue brings the due index up to date with the leases and delayed
// indexes. It is put off to the end of a wave, or to whoever asks before.
func (t *tx) flushDue() error {
	b := t.bolt.Bucket(dueBucket)
	for _, q := range t.opened {
		if !q.dueless {
			continue
		}
		q.dueless, q.dirty = false, true
		t.fail(enterDue(b, q.name, lease, &q.counters.nextLease, q.earliest(leases)))
		t.fail(enterDue(b, q.name, ripe, &q.counters.nextRipe, q.earliest(delayed)))
	}
	return t.broken
}

// earliest gives the first time in an index by time, 0 when it is empty.
func (q *queue) earliest(s space) store.Time {
	if c := q.cursor(s); c != nil {
		k, _ := c.First()
		return timeOf(k)
	}
	return 0
}

// due names the queues with something of a kind due by now, earliest first.
func (t *tx) due(kind byte, now store.Time) ([]string, error) {
	if err := t.flushDue(); err != nil {
		return nil, err
	}
	var names []string
	c := t.bolt.Bucket(dueBucket).Cursor()
	for k, _ := c.First(); k != nil && timeOf(k) <= now; k, _ = c.Next() {
		if len(k) > 9 && k[8] == kind {
			names = append(names, string(k[9:]))
		}
	}
	return names, nil
}

// NextDue implements store.Reader.
func (t *tx) NextDue() (store.Time, error) {
	if err := t.flushDue(); err != nil {
		return 0, err
	}
	return t.reader.NextDue()
}

// Ready implements store.Tx. Items that have ripened without a Ripen yet are
// merged in at their places.
func (t *tx) Ready(name string, now store.Time) iter.Seq2[store.Item, error] {
	return func(yield func(store.Item, error) bool) {
		q, err := t.queue(name)
		if err != nil {
			yield(store.Item{}, err)
			return
		}
		waiting := q.ripened(now)
		var k []byte
		c := q.cursor(ready)
		if c != nil {
			k, _ = c.First()
		}
		for k != nil || len(waiting) > 0 {
			var number uint64
			if k == nil || len(waiting) > 0 && bytes.Compare(waiting[0], k) < 0 {
				number, waiting = numberOf(waiting[0]), waiting[1:]
			} else {
				number = numberOf(k)
				k, _ = c.Next()
			}
			i, err := q.item(number)
			if err == nil && i.ReadyAt() > now {
				continue
			}
			if !yield(i, err) {
				return
			}
		}
	}
}

// ripened gives the ready keys of delayed items that are due by now.
func (q *queue) ripened(now store.Time) [][]byte {
	if q.counters.delayed == 0 {
		return nil
	}
	var list [][]byte
	c := q.cursor(delayed)
	for k, v := c.First(); k != nil && timeOf(k) <= now; k, v = c.Next() {
		list = append(list, appendNumber(bytes.Clone(v), numberOf(k)))
	}
	slices.SortFunc(list, bytes.Compare)
	return list
}

// Expired implements store.Tx.
func (t *tx) Expired(now store.Time, limit int) ([]store.Item, error) {
	names, err := t.due(lease, now)
	if err != nil {
		return nil, err
	}
	var list []store.Item
	for _, name := range names {
		q, err := t.queue(name)
		if err != nil {
			return nil, err
		}
		c := q.cursor(leases)
		n := 0
		for k, _ := c.First(); k != nil && timeOf(k) <= now && n < limit; k, _ = c.Next() {
			i, err := q.item(numberOf(k))
			if err != nil {
				return nil, err
			}
			list = append(list, i)
			n++
		}
	}
	slices.SortFunc(list, func(a, b store.Item) int {
		return cmp.Or(cmp.Compare(a.LeaseUntil, b.LeaseUntil), cmp.Compare(a.Queue, b.Queue), cmp.Compare(a.Number, b.Number))
	})
	return list[:min(len(list), max(limit, 0))], nil
}

// Ripen implements store.Tx. It moves the items from delayed to ready, which
// is how they are known to have been named.
func (t *tx) Ripen(now store.Time) ([]string, error) {
	names, err := t.due(ripe, now)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		q, err := t.queue(name)
		if err != nil {
			return nil, err
		}
		t.ripen(q, now)
	}
	slices.Sort(names)
	return names, t.broken
}

func (t *tx) ripen(q *queue, now store.Time) {
	var from, to [][]byte
	c := q.cursor(delayed)
	for k, v := c.First(); k != nil && timeOf(k) <= now; k, v = c.Next() {
		from = append(from, bytes.Clone(k))
		to = append(to, appendNumber(bytes.Clone(v), numberOf(k)))
	}
	for n := range from {
		t.remove(q, delayed, from[n])
		t.put(q, ready, to[n], nil)
	}
	q.counters.delayed -= int64(len(from))
	q.dirty, q.dueless = true, true
}
