package bolt

import (
	"bytes"

	"signalbox/store"
)

// standing says which indexes a waiting item is in, besides the status bucket.
type standing struct {
	rank    byte // in the status bucket
	dated   bool
	delayed bool
	ripened bool // was delayed until a Ripen came
}

// stands says where an item belongs; ripened says that its ReadyAt has been
// seen to come.
func stands(i *store.Item, ripened bool) standing {
	switch {
	case !i.Status.Waiting():
		return standing{}
	case i.Withheld: // in none of them, so that no claim meets it
		return standing{}
	case i.ReadyAt() != 0 && !ripened:
		return standing{delayed: true}
	case i.DueAt != 0:
		return standing{dated: true, ripened: ripened}
	}
	return standing{rank: rankOf(i.Priority), ripened: ripened}
}

// stood says where a stored item is.
func (q *queue) stood(i *store.Item) standing {
	if !i.Status.Waiting() || i.ReadyAt() == 0 {
		return stands(i, false)
	}
	var key [16]byte
	return stands(i, q.get(delayed, appendNumber(appendTime(key[:0], i.ReadyAt()), i.Number)) == nil)
}

// reindex moves an item's index entries and counts from what it was to what
// it is. An item that is new was the zero Item.
func (t *tx) reindex(q *queue, old, now *store.Item, was, is standing) {
	if old.Status != now.Status {
		if old.Status != 0 {
			q.counters.items[old.Status]--
		}
		q.counters.items[now.Status]++
		q.dirty = true
	}
	t.indexDated(q, old, now, was, is)
	t.indexDelayed(q, old, now, was, is)
	t.indexLease(q, old, now)
	t.indexSLA(q, old, now)
	t.indexUntold(q, old, now)
	if old.Reference != now.Reference {
		t.indexReference(q, old, now)
	}
	if old.Key != now.Key {
		t.indexKey(q, old, now)
	}
	if old.Group != now.Group || old.Status != now.Status || now.Group != "" && old.ErrorKind() != now.ErrorKind() {
		t.indexGroup(q, old, now)
	}
}

func (t *tx) indexDated(q *queue, old, now *store.Item, was, is standing) {
	if !was.dated && !is.dated || was.dated && is.dated && old.DueAt == now.DueAt && old.Priority == now.Priority {
		return
	}
	var key [32]byte
	if was.dated {
		t.remove(q, dated, appendNumber(appendOrder(key[:0], old), now.Number))
	}
	if is.dated {
		t.put(q, dated, appendNumber(appendOrder(key[:0], now), now.Number), nil)
	}
}

func (t *tx) indexDelayed(q *queue, old, now *store.Item, was, is standing) {
	if !was.delayed && !is.delayed {
		return
	}
	var from, to [16]byte
	a, b := appendOrder(from[:0], old), appendOrder(to[:0], now)
	if was.delayed && is.delayed && old.ReadyAt() == now.ReadyAt() && bytes.Equal(a, b) {
		return
	}
	q.dirty, q.dueless = true, true
	var key [16]byte
	if was.delayed {
		q.counters.delayed--
		t.remove(q, delayed, appendNumber(appendTime(key[:0], old.ReadyAt()), now.Number))
	}
	if is.delayed {
		q.counters.delayed++
		t.put(q, delayed, appendNumber(appendTime(key[:0], now.ReadyAt()), now.Number), t.arena.keep(append(t.arena.take(16), b...)))
	}
}

// indexLease enters items in flight whose lease can end.
func (t *tx) indexLease(q *queue, old, now *store.Item) {
	from, to := leaseEnd(old), leaseEnd(now)
	if from == to {
		return
	}
	q.dueless = true
	if from != 0 {
		t.removeLease(q, now.Number, from)
	}
	if to != 0 {
		t.putLease(q, now.Number, to)
	}
}

func leaseEnd(i *store.Item) store.Time {
	if !i.Status.InFlight() {
		return 0
	}
	return i.LeaseUntil
}

func (t *tx) indexReference(q *queue, old, now *store.Item) {
	var buf [maxIndexed + 16]byte
	if old.Reference != "" {
		t.remove(q, references, appendReference(buf[:0], old.Reference, now.Number))
	}
	if now.Reference != "" {
		t.put(q, references, appendReference(buf[:0], now.Reference, now.Number), nil)
	}
}

// indexKey never takes a key away from another item that has it by now.
func (t *tx) indexKey(q *queue, old, now *store.Item) {
	if old.Key != "" && numberOf(q.get(keys, []byte(old.Key))) == now.Number {
		t.remove(q, keys, []byte(old.Key))
	}
	if now.Key != "" {
		t.put(q, keys, []byte(now.Key), numberKey(now.Number))
	}
}

func (t *tx) indexGroup(q *queue, old, now *store.Item) {
	if old.Group != "" {
		t.count(q, old, -1)
	}
	if now.Group != "" {
		t.count(q, now, 1)
	}
	if old.Group == now.Group {
		return
	}
	if old.Group != "" {
		hash := groupHash(old.Group)
		t.remove(q, group, appendNumber(hash[:], now.Number))
	}
	if now.Group != "" {
		hash := groupHash(now.Group)
		t.put(q, group, appendNumber(hash[:], now.Number), nil)
	}
}

// count adds to the number of items with i's group, status and kind of error.
func (t *tx) count(q *queue, i *store.Item, n int64) {
	g := store.Group{Kind: i.ErrorKind(), Text: i.Group}
	hash := groupHash(g.Kind + "\x00" + g.Text)
	key := append([]byte{byte(i.Status)}, hash[:]...)
	if v := q.get(groups, key); v != nil {
		if err := decode(v, counted, &g); err != nil {
			t.fail(damagedQueue(q.name, err))
			return
		}
	}
	if g.Count += n; g.Count <= 0 {
		t.remove(q, groups, key)
		return
	}
	t.put(q, groups, key, encode(nil, counted, &g))
}
