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
	t       *tx // whose log its writes are noted in; nil in a repair, which commits all at once
	at      store.Time
	actor   string
	queueOf func(name string, f store.Family) store.Queue // settings in the place of unreadable ones
	kept    []byte                                        // what was set aside, as JSON lines
	broken  map[store.ID]bool                             // items whose histories are to be linked anew
	changes []store.Change                                // to be added
	next    uint64                                        // Seq of the next change
	blocks  map[store.ID][]uint64                         // of history, that have something of the broken ones
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
	line, err := store.Encode(v)
	if err == nil {
		m.kept = append(append(m.kept, line...), '\n')
	}
}

func (m *mender) setAside(q *inventory, s space, key, value []byte) error {
	m.keep(spaceNames[s], q.name, key, value)
	return m.remove(q, s, key)
}

// note records a write for the log of the transaction.
func (m *mender) note(q *queue, do, where byte, key, value []byte) {
	if m.t != nil {
		m.t.note(q, do, where, key, value)
	}
}

func (m *mender) put(q *inventory, s space, key, value []byte) error {
	m.note(q.logged, doPut, byte(s), key, value)
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
	m.note(q.logged, doRemove, byte(s), key, nil)
	return b.Delete(key)
}

// putOwn writes to the queue's own bucket.
func (m *mender) putOwn(q *inventory, key, value []byte) error {
	m.note(q.logged, doPut, inQueue, key, value)
	return q.root.Put(key, value)
}

// putTop writes to a bucket of the root.
func (m *mender) putTop(bucket, key, value []byte) error {
	m.note(nil, doPut, whereOf(bucket), key, value)
	b, err := m.b.CreateBucketIfNotExists(bucket)
	if err != nil {
		return err
	}
	return b.Put(key, value)
}

func (m *mender) removeTop(bucket, key []byte) error {
	b := m.b.Bucket(bucket)
	if b == nil {
		return nil
	}
	m.note(nil, doRemove, whereOf(bucket), key, nil)
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
	return m.putOwn(q, settingsKey, encode(nil, settings, &v))
}

// recount brings a queue's counters into step with its records.
func (m *mender) recount(q *inventory) error {
	n := q.counted
	if n.last = max(n.last, q.counters.last, q.told); q.counters.last == 0 && m.t == nil {
		n.last = max(n.last, m.numberIn(q.name))
	}
	if now := (counters{}); m.t != nil && !q.uncounted {
		if decode(q.root.Get(countersKey), func(c *coder, n *counters) { n.code(c) }, &now) != nil {
			return nil
		}
		n = now.plus(&q.counted, &q.counters)
	}
	if err := m.putOwn(q, countersKey, encode(nil, func(c *coder, n *counters) { n.code(c) }, &n)); err != nil || m.t == nil {
		return err
	}
	of, err := m.t.queue(q.name)
	if err == nil {
		of.dueless = true
	}
	return err
}

// plus gives counters changed by what others should be and are, but for the next
// lease and delay, which the due index is brought up to date with.
func (n counters) plus(want, has *counters) counters {
	for s := range n.items {
		n.items[s] += want.items[s] - has.items[s]
	}
	n.delayed += want.delayed - has.delayed
	n.withheld += want.withheld - has.withheld
	n.last, n.untold = max(n.last, want.last), n.untold || want.untold
	if n.sla.built != has.sla.built { // the index was made meanwhile
		return n
	}
	n.sla.built = want.sla.built
	n.sla.dated += want.sla.dated - has.sla.dated
	n.sla.due += want.sla.due - has.sla.due
	n.sla.dueRisky += want.sla.dueRisky - has.sla.dueRisky
	n.sla.risk += want.sla.risk - has.sla.risk
	return n
}

// recountGroup changes the counter of a group from what an audit met to what it
// counted; a value that made no sense is replaced.
func (m *mender) recountGroup(q *inventory, key string, has store.Group, want int64, sound bool) error {
	g := has
	if m.t != nil && sound {
		now := store.Group{Kind: g.Kind, Text: g.Text}
		if v := q.get(groups, []byte(key)); v != nil && decode(v, counted, &now) != nil {
			return nil
		}
		g.Count = now.Count + want - has.Count
	} else {
		g.Count = want
	}
	if g.Count <= 0 {
		return m.remove(q, groups, []byte(key))
	}
	return m.put(q, groups, []byte(key), encode(nil, counted, &g))
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
	return m.putTop(historyBucket, numberKey(p.first), p.take(nil))
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
	if m.blocks = m.a.blocks; m.blocks == nil {
		m.blocks = blocksOf(m.b, m.broken)
	}
	for _, id := range slices.SortedFunc(maps.Keys(m.broken), compareIDs) {
		if err := m.chain(id); err != nil {
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

// chain gives the changes of an item their right Prev, and the item its last one.
func (m *mender) chain(id store.ID) error {
	q := m.a.queues[id.Queue]
	i, _, _ := q.find(id.Number, nil)
	if i == nil {
		return nil
	}
	i.LastChange = 0
	for _, first := range m.blocks[id] {
		if err := m.link(id, first, &i.LastChange); err != nil {
			return err
		}
	}
	if i.LastChange == 0 {
		i.LastChange = m.append(store.Change{
			At: m.at, Actor: m.actor, Event: "repair", Queue: i.Queue, Number: i.Number, To: i.Status, Why: "its history was lost",
		})
	}
	return m.rewrite(q, i)
}

// link links an item's changes in one block, from the last one before it.
func (m *mender) link(id store.ID, first uint64, last *uint64) error {
	var changes []store.Change
	differs := false
	b, err := openBlock(first, m.b.Bucket(historyBucket).Get(numberKey(first)))
	for err == nil && b.next() {
		if b.at.Queue == id.Queue && b.at.Number == id.Number {
			differs = differs || b.at.Prev != *last
			b.at.Prev = *last
			*last = b.at.Seq
		}
		changes = append(changes, b.at)
	}
	if !differs || b.bad {
		return nil
	}
	return m.putBlock(changes)
}

// blocksOf names the blocks of history that have changes of some items.
func blocksOf(b *bbolt.Tx, items map[store.ID]bool) map[store.ID][]uint64 {
	blocks := map[store.ID][]uint64{}
	if len(items) == 0 {
		return blocks
	}
	c := b.Bucket(historyBucket).Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		first := numberOf(k)
		of, err := openBlock(first, v)
		for err == nil && of.next() {
			id := store.ID{Queue: of.at.Queue, Number: of.at.Number}
			if list := blocks[id]; items[id] && (len(list) == 0 || list[len(list)-1] != first) {
				blocks[id] = append(list, first)
			}
		}
	}
	return blocks
}
