package bolt

import (
	"bytes"
	"slices"

	"signalbox/store"
)

// lateItem is what bbolt lacks of an item that left the waiting ones in this
// transaction. It is in the log. Most items are claimed and settled between
// two checkpoints, and this keeps their steps on the way out of bbolt, which
// gets the last one, together with all others in order of their keys.
type lateItem struct {
	number uint64
	place  place
	state  []byte     // changing part; nil: bbolt has it
	lease  store.Time // of an entry in the leases index; 0: bbolt has all there are
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
	if l := q.late[number]; p.status.Waiting() || again && (l == nil || l.state == nil) {
		t.fail(q.enter(status, key, state))
		return
	}
	l := q.lateOf(number)
	l.place, l.state = p, state
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

// flushLate brings to bbolt what was held back of items.
func (q *queue) flushLate() {
	if len(q.late) == 0 {
		return
	}
	list := make([]*lateItem, 0, len(q.late))
	for _, l := range q.late {
		list = append(list, l)
	}
	clear(q.late)
	var a, b [16]byte
	slices.SortFunc(list, func(x, y *lateItem) int {
		return bytes.Compare(x.place.key(a[:0], x.number), y.place.key(b[:0], y.number))
	})
	for _, l := range list {
		if l.state != nil {
			q.spoil(q.enter(status, l.place.key(a[:0], l.number), l.state))
		}
	}
	list = slices.DeleteFunc(list, func(l *lateItem) bool { return l.lease == 0 })
	slices.SortFunc(list, func(x, y *lateItem) int {
		return bytes.Compare(leaseKey(a[:0], x.number, x.lease), leaseKey(b[:0], y.number, y.lease))
	})
	for _, l := range list {
		q.spoil(q.enter(leases, leaseKey(a[:0], l.number, l.lease), nil))
	}
}
