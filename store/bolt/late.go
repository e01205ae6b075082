package bolt

import (
	"bytes"
	"cmp"
	"slices"

	"signalbox/store"
)

// lateItem is what bbolt lacks of an item that left the waiting ones in this
// transaction. It is in the log. Most items are claimed and settled between
// two checkpoints, and this keeps their steps on the way out of bbolt, which
// gets the last one, together with all others in order of their keys. An item
// that a robot holds is kept decoded too, since it is asked for next.
type lateItem struct {
	number uint64
	place  place
	state  []byte     // changing part; nil: bbolt has it
	lease  store.Time // of an entry in the leases index; 0: bbolt has all there are
	record []byte     // fixed part and payload; nil: not read yet
	item   *store.Item
}

// lateOf gives what is held back of an item, made if need be.
func (q *queue) lateOf(number uint64) *lateItem {
	l := q.late[number]
	if l == nil {
		if q.late == nil {
			q.late = map[uint64]*lateItem{}
		}
		l = &lateItem{number: number}
		q.late[number] = l
	}
	return l
}

// putState writes an item's changing part to where it belongs; again says that
// it stands there already. Only the places of waiting items are looked through
// at each claim, so only they are brought to bbolt at once.
func (t *tx) putState(q *queue, number uint64, p place, state []byte, again bool) {
	var room [16]byte
	key := p.key(room[:0], number)
	t.note(q, doPut, byte(status), key, state)
	q.saw(number, p, state)
	if p.status.Waiting() {
		q.advance(p.status, key)
	}
	if l := q.late[number]; p.status.Waiting() || again && (l == nil || l.state == nil) {
		t.fail(q.enter(status, key, state))
		return
	}
	l := q.lateOf(number)
	l.place, l.state, l.item = p, state, nil
}

// know keeps an item in flight decoded, as it was just written.
func (q *queue) know(i *store.Item) {
	l := q.late[i.Number]
	if l == nil || l.state == nil || !i.Status.InFlight() {
		return
	}
	if l.record == nil {
		l.record = q.record(i.Number)
	}
	known := own(*i)
	l.item = &known
}

// known gives an item that is kept decoded.
func (q *queue) known(number uint64) (i store.Item, ok bool) {
	if l := q.late[number]; l != nil && l.state != nil && l.item != nil {
		return own(*l.item), true
	}
	return i, false
}

// own gives an item that shares nothing that can be changed.
func own(i store.Item) store.Item {
	if i.Error != nil {
		failure := *i.Error
		failure.Details = "" // is kept with the result
		i.Error = &failure
	}
	if i.Undo != nil {
		undo := *i.Undo
		undo.Payload = bytes.Clone(undo.Payload)
		i.Undo = &undo
	}
	return i
}

// removeState takes an item's changing part from where it stands.
func (t *tx) removeState(q *queue, number uint64, p place) {
	var room [16]byte
	key := p.key(room[:0], number)
	t.note(q, doRemove, byte(status), key, nil)
	q.saw(number, place{}, nil)
	if l := q.late[number]; l != nil && l.state != nil {
		if l.state = nil; l.lease == 0 {
			delete(q.late, number)
		}
		return
	}
	t.fail(q.leave(status, key))
}

func leaseKey(b []byte, number uint64, ends store.Time) []byte {
	return appendNumber(appendTime(b, ends), number)
}

func (t *tx) putLease(q *queue, number uint64, ends store.Time) {
	var room [16]byte
	t.note(q, doPut, byte(leases), leaseKey(room[:0], number, ends), nil)
	q.lateOf(number).lease = ends
}

func (t *tx) removeLease(q *queue, number uint64, ends store.Time) {
	var room [16]byte
	key := leaseKey(room[:0], number, ends)
	t.note(q, doRemove, byte(leases), key, nil)
	if l := q.late[number]; l != nil && l.lease == ends {
		if l.lease = 0; l.state == nil {
			delete(q.late, number)
		}
		return
	}
	t.fail(q.leave(leases, key))
}

// flushLate brings to bbolt what was held back of items, in order of keys.
func (q *queue) flushLate() {
	if len(q.late) == 0 {
		return
	}
	list := make([]*lateItem, 0, len(q.late))
	for _, l := range q.late {
		list = append(list, l)
	}
	clear(q.late)
	slices.SortFunc(list, func(a, b *lateItem) int {
		return cmp.Or(cmp.Compare(a.place.status, b.place.status), cmp.Compare(a.place.rank, b.place.rank), cmp.Compare(a.number, b.number))
	})
	var key [16]byte
	for _, l := range list {
		if l.state != nil {
			q.spoil(q.enter(status, l.place.key(key[:0], l.number), l.state))
		}
	}
	list = slices.DeleteFunc(list, func(l *lateItem) bool { return l.lease == 0 })
	slices.SortFunc(list, func(a, b *lateItem) int {
		return cmp.Or(cmp.Compare(a.lease, b.lease), cmp.Compare(a.number, b.number))
	})
	for _, l := range list {
		q.spoil(q.enter(leases, leaseKey(key[:0], l.number, l.lease), nil))
	}
}
