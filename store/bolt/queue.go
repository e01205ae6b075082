package bolt

import (
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
	ready
	delayed
	leases
	references
	keys
	group
	groups
	spaces
)

var spaceNames = [spaces]string{"items", "status", "results", "ready", "delayed", "leases", "references", "keys", "group", "groups"}

var (
	settingsKey = []byte("settings")
	countersKey = []byte("counters")
)

// fillPercent packs the buckets that grow at their ends tightly; the others
// take keys anywhere and need room.
func (s space) fillPercent() float64 {
	switch s {
	case references, keys, group, groups:
		return bbolt.DefaultFillPercent
	}
	return appendFill
}

// maxSeen bounds what a transaction remembers of a queue's items.
const maxSeen = 1 << 14

// queue is one queue as one transaction sees it. It lives as long as the
// transaction and remembers the handles and counters that cost a search.
type queue struct {
	name     string
	root     *bbolt.Bucket
	buckets  [spaces]*bbolt.Bucket
	looked   [spaces]bool
	counters counters

	// Only in a writing transaction:
	where   map[uint64]store.Status // statuses of items seen, kept right by every write
	dirty   bool                    // counters must be written
	dueless bool                    // the due index must be brought up to date
}

func openQueue(name string, root *bbolt.Bucket) (*queue, error) {
	q := &queue{name: name, root: root}
	if err := decode(root.Get(countersKey), func(c *coder, n *counters) { n.code(c) }, &q.counters); err != nil {
		return nil, damagedQueue(name, err)
	}
	return q, nil
}

// bucket gives a space's bucket, nil when nothing was ever put there.
func (q *queue) bucket(s space) *bbolt.Bucket {
	if !q.looked[s] {
		q.looked[s] = true
		if b := q.root.Bucket([]byte(spaceNames[s])); b != nil {
			b.FillPercent = s.fillPercent()
			q.buckets[s] = b
		}
	}
	return q.buckets[s]
}

func (q *queue) get(s space, key []byte) []byte {
	if b := q.bucket(s); b != nil {
		return b.Get(key)
	}
	return nil
}

// cursor is nil when the space is empty.
func (q *queue) cursor(s space) *bbolt.Cursor {
	if b := q.bucket(s); b != nil {
		return b.Cursor()
	}
	return nil
}

func (q *queue) settings() (store.Queue, error) {
	v := store.Queue{Name: q.name}
	if err := decode(q.root.Get(settingsKey), settings, &v); err != nil {
		return store.Queue{}, damagedQueue(q.name, err)
	}
	return v, nil
}

// probe is the order in which statuses are tried when only a number is known:
// first those of items that calls are most often about.
var probe = [...]store.Status{
	store.Processing, store.Claimed, store.Pending, store.Queued,
	store.Successful, store.Completed, store.BusinessException, store.SystemException, store.Failed,
	store.Abandoned, store.Retried, store.Cancelled, store.Deleted,
}

// state finds an item's changing part; nil when there is no such item.
func (q *queue) state(number uint64) (store.Status, []byte) {
	key := make([]byte, 0, 16)
	if s, ok := q.where[number]; ok {
		return s, q.get(status, appendStatus(key, s, number))
	}
	if number > q.counters.last {
		return 0, nil
	}
	for _, s := range probe {
		if q.counters.items[s] == 0 {
			continue
		}
		if v := q.get(status, appendStatus(key, s, number)); v != nil {
			q.saw(number, s)
			return s, v
		}
	}
	return 0, nil
}

// saw remembers an item's status for the transaction, where it writes.
func (q *queue) saw(number uint64, s store.Status) {
	if q.where == nil {
		return
	}
	if _, known := q.where[number]; known || len(q.where) < maxSeen {
		q.where[number] = s
	}
}

// item gives a whole item, or CodeNotFound.
func (q *queue) item(number uint64) (store.Item, error) {
	i := store.Item{Queue: q.name, Number: number}
	s, state := q.state(number)
	if state == nil {
		return store.Item{}, store.NoItem(i.ID())
	}
	i.Status = s
	return i, q.complete(&i, state)
}

// complete fills an item of which number, status and changing part are known.
func (q *queue) complete(i *store.Item, state []byte) error {
	if err := decodeItem(i, q.get(items, numberKey(i.Number)), state); err != nil {
		return damagedItem(i.ID(), err)
	}
	return nil
}

// payload gives bytes that live only as long as the transaction.
func (q *queue) payload(number uint64) ([]byte, error) {
	id := store.ID{Queue: q.name, Number: number}
	record := q.get(items, numberKey(number))
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
	c := q.cursor(groups)
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

// compareGroups puts a queue's groups in order of status and text.
func compareGroups(a, b store.Group) int {
	if a.Status != b.Status {
		return int(a.Status) - int(b.Status)
	}
	return strings.Compare(a.Text, b.Text)
}
