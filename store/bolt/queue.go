package bolt

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"go.etcd.io/bbolt"

	"signalbox/store"
)

// space numbers the buckets within a queue's bucket.
type space int

const (
	items space = iota
	status
	results
	dated
	delayed
	leases
	references
	keys
	group
	groups
	sla
	untold
	spaces
)

var spaceNames = [spaces]string{"items", "status", "results", "dated", "delayed", "leases", "references", "keys", "group", "groups", "sla", "untold"}

var (
	settingsKey = []byte("settings")
	countersKey = []byte("counters")
)

// fillPercent packs the buckets that grow at their ends tightly; the others
// take keys anywhere and need room.
func (s space) fillPercent() float64 {
	switch s {
	case dated, delayed, references, keys, group, groups, sla, untold:
		return bbolt.DefaultFillPercent
	}
	return appendFill
}

// queue is one queue as one transaction sees it. It lives as long as the
// transaction and remembers what costs a search: bucket handles, counters,
// and the records of the items met last.
type queue struct {
	name     string
	family   store.Family // by the bucket it is in
	root     *bbolt.Bucket
	spaces   [spaces]handle
	counters counters
	cached   *store.Queue // settings, once read
	seen     *[64]sighting
	heads    [store.Pending + 1][]byte // see head

	// Only in a writing transaction:
	late    map[uint64]*lateItem // see late.go
	dirty   bool                 // the counters have changed in this wave
	unsaved bool                 // or in one before, and bbolt has older ones
	dueless bool                 // the due index must be brought up to date
	spoilt  error                // what was held back could not be written
}

// handle is a bucket with a cursor for single look-ups, which a cursor of its
// own does without allocating.
type handle struct {
	bucket *bbolt.Bucket // nil when nothing was ever put there
	cursor *bbolt.Cursor
	looked bool
}

// sighting remembers an item's records and where the changing part stands, so
// that who reads an item and then writes it searches once. Numbers that are
// equal modulo the length of seen share one, the last met has it. Values of
// bbolt and of the arena stay valid as long as the transaction.
type sighting struct {
	number uint64
	place  place
	state  []byte // nil: not read yet
	record []byte // likewise
}

// sight gives the sighting for a number.
func (q *queue) sight(number uint64) *sighting {
	if q.seen == nil {
		q.seen = new([64]sighting)
	}
	at := &q.seen[number%uint64(len(q.seen))]
	if at.number != number {
		*at = sighting{number: number}
	}
	return at
}

// saw notes an item's changing part. Every write of one must say so.
func (q *queue) saw(number uint64, p place, state []byte) {
	at := q.sight(number)
	at.place, at.state = p, state
}

// record gives an item's fixed part and payload as stored, nil when missing.
func (q *queue) record(number uint64) []byte {
	if l := q.late[number]; l != nil && l.record != nil {
		return l.record
	}
	at := q.sight(number)
	if at.record == nil {
		var key [8]byte
		at.record = q.get(items, appendNumber(key[:0], number))
	}
	return at.record
}

func openQueue(name string, family store.Family, root *bbolt.Bucket) (*queue, error) {
	q := &queue{name: name, family: family, root: root}
	if err := decode(root.Get(countersKey), func(c *coder, n *counters) { n.code(c) }, &q.counters); err != nil {
		return nil, damagedQueue(name, err)
	}
	return q, nil
}

// space gives a space's handle.
func (q *queue) space(s space) *handle {
	h := &q.spaces[s]
	if !h.looked {
		h.looked = true
		h.open(q.root.Bucket([]byte(spaceNames[s])), s)
	}
	return h
}

func (h *handle) open(b *bbolt.Bucket, s space) {
	if b != nil {
		b.FillPercent = s.fillPercent()
		h.bucket, h.cursor = b, b.Cursor()
	}
}

// get gives the value of a key that, if it is there, has one.
func (q *queue) get(s space, key []byte) []byte {
	h := q.space(s)
	if h.bucket == nil {
		return nil
	}
	if k, v := h.cursor.Seek(key); bytes.Equal(k, key) {
		return v
	}
	return nil
}

// walk gives a new cursor, nil when the space is empty.
func (q *queue) walk(s space) *bbolt.Cursor {
	if s == status || s == leases {
		q.flushLate()
	}
	if b := q.space(s).bucket; b != nil {
		return b.Cursor()
	}
	return nil
}

func (q *queue) settings() (store.Queue, error) {
	if q.cached == nil {
		v := store.Queue{Name: q.name}
		if err := decode(q.root.Get(settingsKey), settings, &v); err != nil {
			return store.Queue{}, damagedQueue(q.name, err)
		}
		q.cached = &v
	}
	v := *q.cached
	v.Consumer.Argv, v.Consumer.Env = slices.Clone(v.Consumer.Argv), slices.Clone(v.Consumer.Env)
	v.Mask, v.Links = slices.Clone(v.Mask), slices.Clone(v.Links)
	return v, nil
}

// probe is the order in which statuses are tried when only a number is known:
// first those of items that calls are most often about.
var probe = [...]store.Status{
	store.Processing, store.Claimed, store.Pending, store.Queued,
	store.Successful, store.Completed, store.BusinessException, store.SystemException, store.Failed,
	store.Abandoned, store.Retried, store.Cancelled, store.Deleted,
}

// find gives an item's place and changing part; nil when there is no such
// item.
func (q *queue) find(number uint64) (place, []byte) {
	if number == 0 || number > q.counters.last {
		return place{}, nil
	}
	if l := q.late[number]; l != nil && l.state != nil {
		return l.place, l.state
	}
	if at := q.sight(number); at.state != nil {
		return at.place, at.state
	}
	var key [16]byte
	for _, s := range probe {
		if q.counters.items[s] == 0 {
			continue
		}
		for _, rank := range ranksOf(s) {
			p := place{s, rank}
			if v := q.get(status, p.key(key[:0], number)); v != nil {
				q.saw(number, p, v)
				return p, v
			}
		}
	}
	return place{}, nil
}

// item gives a whole item, or CodeNotFound.
func (q *queue) item(number uint64) (store.Item, error) {
	if i, ok := q.known(number); ok {
		return i, nil
	}
	i := store.Item{Queue: q.name, Number: number}
	p, state := q.find(number)
	if state == nil {
		return store.Item{}, store.NoItem(i.ID())
	}
	i.Status = p.status
	return i, q.complete(&i, state)
}

// complete fills an item of which number, status and changing part are known.
func (q *queue) complete(i *store.Item, state []byte) error {
	if err := decodeItem(i, q.record(i.Number), state); err != nil {
		return damagedItem(i.ID(), err)
	}
	return nil
}

// payload gives bytes that live only as long as the transaction.
func (q *queue) payload(number uint64) ([]byte, error) {
	id := store.ID{Queue: q.name, Number: number}
	record := q.record(number)
	if record == nil {
		return nil, store.NoItem(id)
	}
	_, _, payload, err := splitItem(record)
	if err != nil {
		return nil, damagedItem(id, err)
	}
	return payload, nil
}

func (q *queue) groups() ([]store.Group, error) {
	c := q.walk(groups)
	if c == nil {
		return nil, nil
	}
	var list []store.Group
	for k, v := c.First(); k != nil; k, v = c.Next() {
		g := store.Group{Queue: q.name, Status: store.Status(k[0])}
		if err := decode(v, counted, &g); err != nil {
			return nil, damagedQueue(q.name, err)
		}
		list = append(list, g)
	}
	return list, nil
}

// compareGroups puts a queue's groups in order of status, kind and text.
func compareGroups(a, b store.Group) int {
	return cmp.Or(cmp.Compare(a.Status, b.Status), strings.Compare(a.Kind, b.Kind), strings.Compare(a.Text, b.Text))
}
