package bolt

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"slices"

	"go.etcd.io/bbolt"

	"signalbox/store"
)

// mender mends what an audit found, in one transaction.
type mender struct {
	b       *bbolt.Tx
	a       *audit
	at      store.Time
	actor   string
	queueOf func(name string, f store.Family) store.Queue // settings in the place of unreadable ones
	kept    []byte                                        // what was set aside, as JSON lines
	broken  map[store.ID]bool                             // items whose histories are to be linked anew
	changes []store.Change                                // to be added
	next    uint64                                        // Seq of the next change
}

// setAside is a record that was taken out of the store, as a line of the file
// of damaged records. Key and value are as they stood in the store's file.
type setAside struct {
	At      store.Time      `json:"at"`
	Queue   string          `json:"queue,omitempty"`
	Item    string          `json:"item,omitempty"`
	Place   string          `json:"place"`
	Key     []byte          `json:"key_base64"`
	Value   []byte          `json:"value_base64"`
	Payload json.RawMessage `json:"payload,omitempty"` // where it can still be read
}

// keep notes a record before it is taken out.
func (m *mender) keep(place, queue string, key, value []byte) {
	v := setAside{At: m.at, Queue: queue, Place: place, Key: key, Value: value}
	switch place {
	case spaceNames[items], spaceNames[status], spaceNames[results]:
		v.Item = store.ID{Queue: queue, Number: numberOf(key)}.String()
	}
	if place == spaceNames[items] {
		if _, _, payload, err := splitItem(value); err == nil && json.Valid(payload) {
			v.Payload = payload
		}
	}
	line, err := json.Marshal(v)
	if err == nil {
		m.kept = append(append(m.kept, line...), '\n')
	}
}

func (m *mender) setAside(q *inventory, s space, key, value []byte) error {
	m.keep(spaceNames[s], q.name, key, value)
	return m.remove(q, s, key)
}

func (m *mender) put(q *inventory, s space, key, value []byte) error {
	b, err := q.root.CreateBucketIfNotExists([]byte(spaceNames[s]))
	if err != nil {
		return err
	}
	return b.Put(key, value)
}

func (m *mender) remove(q *inventory, s space, key []byte) error {
	b := q.bucket(s)
	if b == nil {
		return nil
	}
	return b.Delete(key)
}

// resettle gives a queue whose settings can't be read those of its family,
// paused, so that nothing is worked by settings that nobody chose.
func (m *mender) resettle(q *inventory) error {
	if old := q.root.Get(settingsKey); old != nil {
		m.keep("settings", q.name, settingsKey, bytes.Clone(old))
	}
	v := m.queueOf(q.name, q.family)
	v.Name, v.Family, v.Paused, v.PausedBy = q.name, q.family, true, m.actor
	v.CreatedAt, v.Revision = m.at, 1
	return q.root.Put(settingsKey, encode(nil, settings, &v))
}

// recount writes a queue's counters as its records have them.
func (m *mender) recount(q *inventory) error {
	n := q.counted
	if n.last = max(n.last, q.counters.last); q.counters.last == 0 {
		n.last = max(n.last, m.numberIn(q.name))
	}
	return q.root.Put(countersKey, encode(nil, func(c *coder, n *counters) { n.code(c) }, &n))
}

// numberIn gives the highest number that the history knows of a queue. Blocks
// that can't be read to their ends may say anything.
func (m *mender) numberIn(queue string) (last uint64) {
	c := m.b.Bucket(historyBucket).Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		b, err := openBlock(numberOf(k), v)
		highest := uint64(0)
		for err == nil && b.next() {
			if b.at.Queue == queue && b.at.Number < math.MaxInt64 {
				highest = max(highest, b.at.Number)
			}
		}
		if !b.bad {
			last = max(last, highest)
		}
	}
	return last
}

// stand puts a waiting item where it belongs.
func (m *mender) stand(q *inventory, i *store.Item, at place, is standing) error {
	order := appendOrder(nil, i)
	if is.dated {
		if err := m.put(q, dated, appendNumber(order, i.Number), nil); err != nil {
			return err
		}
	}
	if is.delayed {
		if err := m.put(q, delayed, appendNumber(appendTime(nil, i.ReadyAt()), i.Number), order); err != nil {
			return err
		}
	}
	if is.rank == at.rank {
		return nil
	}
	if err := m.remove(q, status, at.key(nil, i.Number)); err != nil {
		return err
	}
	return m.put(q, status, place{i.Status, is.rank}.key(nil, i.Number), appendState(nil, i))
}

// rewrite writes an item's record and state where they are.
func (m *mender) rewrite(q *inventory, i *store.Item) error {
	_, key, _ := q.find(i.Number, nil)
	_, _, payload, err := splitItem(q.get(items, numberKey(i.Number)))
	if err != nil || key == nil {
		return nil // the next round has it set aside
	}
	record := append(appendHead(nil, i), payload...)
	if err := m.put(q, items, numberKey(i.Number), record); err != nil {
		return err
	}
	return m.put(q, status, key, appendState(nil, i))
}

// putBlock writes changes as one block, which may have gaps.
func (m *mender) putBlock(changes []store.Change) error {
	if len(changes) == 0 {
		return nil
	}
	p := packer{gapped: true}
	for n := range changes {
		p.add(&changes[n])
	}
	return m.b.Bucket(historyBucket).Put(numberKey(p.first), p.take(nil))
}

func (m *mender) relink(id store.ID) error {
	m.broken[id] = true
	return nil
}

// record adds a change to an item's history.
func (m *mender) record(q *inventory, number uint64, c store.Change) error {
	i, _, _ := q.find(number, nil)
	if i == nil {
		return nil
	}
	c.At, c.Actor, c.Event, c.Queue, c.Number, c.Prev = m.at, m.actor, "repair", i.Queue, i.Number, i.LastChange
	i.LastChange = m.append(c)
	return m.rewrite(q, i)
}

func (m *mender) append(c store.Change) uint64 {
	c.Seq = m.next
	m.next++
	m.changes = append(m.changes, c)
	return c.Seq
}

// finish links histories anew and adds the changes that mending made.
func (m *mender) finish() error {
	last, err := m.relinkBlocks()
	if err != nil {
		return err
	}
	for _, id := range slices.SortedFunc(maps.Keys(m.broken), compareIDs) {
		q := m.a.queues[id.Queue]
		i, _, _ := q.find(id.Number, nil)
		if i == nil {
			continue
		}
		if i.LastChange = last[id]; i.LastChange == 0 {
			i.LastChange = m.append(store.Change{
				At: m.at, Actor: m.actor, Event: "repair", Queue: i.Queue, Number: i.Number, To: i.Status, Why: "its history was lost",
			})
		}
		if err := m.rewrite(q, i); err != nil {
			return err
		}
	}
	for len(m.changes) > 0 {
		n := min(len(m.changes), 20)
		if err := m.putBlock(m.changes[:n]); err != nil {
			return err
		}
		m.changes = m.changes[n:]
	}
	return nil
}

// relinkBlocks gives the changes of the broken histories their right Prev, and
// says which is the last of each.
func (m *mender) relinkBlocks() (last map[store.ID]uint64, err error) {
	last = map[store.ID]uint64{}
	if len(m.broken) == 0 {
		return last, nil
	}
	blocks := map[uint64][]store.Change{}
	c := m.b.Bucket(historyBucket).Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		var changes []store.Change
		differs := false
		b, err := openBlock(numberOf(k), v)
		for err == nil && b.next() {
			if id := (store.ID{Queue: b.at.Queue, Number: b.at.Number}); m.broken[id] {
				differs = differs || b.at.Prev != last[id]
				b.at.Prev = last[id]
				last[id] = b.at.Seq
			}
			changes = append(changes, b.at)
		}
		if differs && !b.bad {
			blocks[numberOf(k)] = changes
		}
	}
	for _, changes := range blocks {
		if err := m.putBlock(changes); err != nil {
			return nil, err
		}
	}
	return last, nil
}
