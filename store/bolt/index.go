package bolt

import (
	"bytes"

	"signalbox/store"
)

// reindex moves an item's index entries and counts from what it was to what
// it is. An item that is new was the zero Item.
func (t *tx) reindex(q *queue, old, now *store.Item) {
	if old.Status != now.Status {
		if old.Status != 0 {
			q.counters.items[old.Status]--
		}
		q.counters.items[now.Status]++
		q.dirty = true
	}
	t.indexWaiting(q, old, now)
	t.indexLease(q, old, now)
	if old.Reference != now.Reference {
		t.indexReference(q, old, now)
	}
	if old.Key != now.Key {
		t.indexKey(q, old, now)
	}
	if old.Group != now.Group || old.Status != now.Status {
		t.indexGroup(q, old, now)
	}
}

// indexWaiting keeps a waiting item in exactly one of ready and delayed. One
// that Ripen has moved to ready stays there until its ReadyAt changes.
func (t *tx) indexWaiting(q *queue, old, now *store.Item) {
	was, is := old.Status.Waiting(), now.Status.Waiting()
	if !was && !is {
		return
	}
	var oldOrder, newOrder [16]byte
	from, to := appendOrder(oldOrder[:0], old), appendOrder(newOrder[:0], now)
	sameTime := old.ReadyAt() == now.ReadyAt()
	if was && is && sameTime && bytes.Equal(from, to) {
		return
	}
	var key [32]byte
	wasDelayed := false
	if was {
		wasDelayed = t.removeDelayed(q, old)
		if !wasDelayed {
			t.remove(q, ready, appendNumber(append(key[:0], from...), now.Number))
		}
	}
	if !is {
		return
	}
	if now.ReadyAt() == 0 || was && sameTime && !wasDelayed {
		t.put(q, ready, appendNumber(append(key[:0], to...), now.Number), nil)
		return
	}
	q.counters.delayed++
	q.dirty, q.dueless = true, true
	t.put(q, delayed, appendNumber(appendTime(key[:0], now.ReadyAt()), now.Number), bytes.Clone(to))
}

// removeDelayed takes an item out of the delayed index if it is there.
func (t *tx) removeDelayed(q *queue, i *store.Item) bool {
	if i.ReadyAt() == 0 || q.counters.delayed == 0 {
		return false
	}
	var buf [16]byte
	key := appendNumber(appendTime(buf[:0], i.ReadyAt()), i.Number)
	if q.get(delayed, key) == nil {
		return false
	}
	t.remove(q, delayed, key)
	q.counters.delayed--
	q.dirty, q.dueless = true, true
	return true
}

// indexLease enters items in flight whose lease can end.
func (t *tx) indexLease(q *queue, old, now *store.Item) {
	from, to := leaseEnd(old), leaseEnd(now)
	if from == to {
		return
	}
	var buf [16]byte
	q.dueless = true
	if from != 0 {
		t.remove(q, leases, appendNumber(appendTime(buf[:0], from), now.Number))
	}
	if to != 0 {
		t.put(q, leases, appendNumber(appendTime(buf[:0], to), now.Number), nil)
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

// count adds to the number of items with i's group and status.
func (t *tx) count(q *queue, i *store.Item, n int64) {
	hash := groupHash(i.Group)
	key := append([]byte{byte(i.Status)}, hash[:]...)
	g := store.Group{Text: i.Group}
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
