package bolt

import (
	"bytes"
	"strconv"

	"go.etcd.io/bbolt"

	"signalbox/store"
)

// maxIndexed bounds texts that become keys.
const maxIndexed = 1024

// maxFresh bounds the changes held unpacked in memory.
const maxFresh = 4096

// tx is one transaction, handed to the calls of one wave after the other until
// a checkpoint commits it.
type tx struct {
	reader
	*scratch
	writes    int        // by the wave under way
	total     int        // by the waves before it
	scattered int        // by all of them, with keys in no order
	broken    error      // a write that stopped halfway; the transaction must go
	last      uint64     // Seq of the newest change
	at        store.Time // the latest that a change was made
}

// scratch is memory that one transaction after the other uses.
type scratch struct {
	arena     arena
	packer    packer
	recording recording
	room      []store.Change // where fresh changes are kept
}

// reset ends a transaction's use, committed or not.
func (s *scratch) reset() {
	s.arena.reset()
	s.packer.reset()
}

func newTx(b *bbolt.Tx, s *scratch) (*tx, error) {
	t := &tx{reader: newReader(b), scratch: s}
	t.fresh = s.room[:0]
	var err error
	if t.last, err = t.LastChange(); err != nil {
		return nil, err
	}
	return t, nil
}

// begin readies the transaction for a wave.
func (t *tx) begin() {
	t.total += t.writes
	t.writes = 0
	t.recording.begin()
}

// PutQueue implements store.Tx. A queue's family is for life.
func (t *tx) PutQueue(v *store.Queue) error {
	if v.Name == "" || len(v.Name) > maxIndexed {
		return store.Invalid("queue "+strconv.Quote(v.Name), "a name has 1 to "+strconv.Itoa(maxIndexed)+" bytes", "choose another")
	}
	if v.Family != store.Jobs && v.Family != store.Transactions {
		return store.Invalid("queue "+strconv.Quote(v.Name), "has no family", "make it of jobs or transactions")
	}
	q, err := t.queue(v.Name)
	switch {
	case store.CodeOf(err) == store.CodeNotFound:
		q, err = t.create(v)
		v.Revision = 0
	case err == nil:
		var old store.Queue
		old, err = q.settings()
		if err == nil && old.Family != v.Family {
			return store.Conflict("queue "+strconv.Quote(v.Name), "a queue keeps its family", "delete it first, or take another name")
		}
		v.Revision = old.Revision
	}
	if err != nil {
		return err
	}
	v.Revision++
	q.cached = nil
	t.putOwn(q, settingsKey, encode(nil, settings, v))
	return t.broken
}

func (t *tx) create(v *store.Queue) (*queue, error) {
	last := t.bolt.Bucket(metaBucket).Get(lastKey(v.Name))
	if last != nil && len(last) != numberLen {
		return nil, damagedQueue(v.Name, errDamaged)
	}
	q := &queue{name: v.Name, family: v.Family, dirty: true}
	q.counters.last, q.counters.sla.built, q.counters.untold = numberOf(last), true, true
	if t.makeQueue(q); t.broken != nil {
		return nil, t.broken
	}
	t.opened[v.Name] = q
	return q, nil
}

// DeleteQueue implements store.Tx. It keeps the queue's last number.
func (t *tx) DeleteQueue(name string) error {
	q, err := t.queue(name)
	if err != nil {
		return err
	}
	t.enterDue(q.name, lease, &q.counters.nextLease, 0)
	t.enterDue(q.name, ripe, &q.counters.nextRipe, 0)
	t.enterDue(q.name, passes, &q.counters.nextDate, 0)
	if err := t.dropJobs(name); err != nil {
		return err
	}
	t.dropQueue(q)
	t.putTop(inMeta, lastKey(name), numberKey(q.counters.last))
	delete(t.opened, name)
	return t.broken
}

// Add implements store.Tx.
func (t *tx) Add(i *store.Item, payload []byte, c store.Change) error {
	q, err := t.queue(i.Queue)
	if err != nil {
		return err
	}
	if err := indexable(i); err != nil {
		return err
	}
	if err := t.countable(i); err != nil {
		return err
	}
	q.counters.last++
	i.Number, i.Revision = q.counters.last, 1
	if i.Chain.IsZero() {
		i.Chain = i.ID()
	}
	c.Prev = 0
	i.LastChange = t.record(&c, i)
	t.putItem(q, i, payload)
	is := stands(i, false)
	t.putState(q, i.Number, place{i.Status, is.rank}, t.state(i), false)
	t.reindex(q, &store.Item{}, i, standing{}, is)
	t.countJob(q, &store.Item{}, i, standing{}, is)
	return t.broken
}

// Put implements store.Tx.
func (t *tx) Put(i *store.Item, c *store.Change) error {
	q, err := t.queue(i.Queue)
	if err != nil {
		return err
	}
	if err := indexable(i); err != nil {
		return err
	}
	at, state := q.find(i.Number)
	if state == nil {
		return store.NoItem(i.ID())
	}
	old, ok := q.known(i.Number)
	if !ok {
		old = store.Item{Queue: i.Queue, Number: i.Number, Status: at.status}
		if err := decode(state, changing, &old); err != nil {
			return damagedItem(i.ID(), err)
		}
	}
	if i.Chain.IsZero() {
		i.Chain = i.ID()
	}
	if err := t.putHead(q, &old, i); err != nil {
		return damagedItem(i.ID(), err)
	}
	if i.Job != old.Job || i.Weight != old.Weight {
		return store.Conflict("item "+strconv.Quote(i.ID().String()), "an item keeps its job and weight", "add another item")
	}
	i.Revision, i.LastChange = old.Revision+1, old.LastChange
	if c != nil {
		change := *c
		change.Prev = old.LastChange
		i.LastChange = t.record(&change, i)
	}
	was := q.stood(&old)
	is := stands(i, was.ripened && i.ReadyAt() == old.ReadyAt())
	to := place{i.Status, is.rank}
	if to != at {
		t.removeState(q, i.Number, at)
	}
	t.putState(q, i.Number, to, t.state(i), to == at)
	t.reindex(q, &old, i, was, is)
	t.countJob(q, &old, i, was, is)
	q.know(i)
	return t.broken
}

// indexable refuses what could not be found again.
func indexable(i *store.Item) error {
	switch {
	case i.Status == 0 || int(i.Status) >= store.Statuses:
		return store.Invalid(thing(i), "has no status", "give it one")
	case i.Priority < store.High || i.Priority > store.Low:
		return store.Invalid(thing(i), "has no such priority", "use high, normal or low")
	case len(i.Reference) > maxIndexed || len(i.Key) > maxIndexed:
		return store.Invalid(thing(i), "a reference or key has at most "+strconv.Itoa(maxIndexed)+" bytes", "shorten it")
	}
	return nil
}

func thing(i *store.Item) string { return "item of queue " + strconv.Quote(i.Queue) }

// record adds a change to the stream and gives its place.
func (t *tx) record(c *store.Change, i *store.Item) uint64 {
	if len(t.fresh) >= maxFresh {
		t.pack()
	}
	t.last++
	t.at = max(t.at, c.At)
	c.Seq = t.last
	if i != nil {
		c.Queue, c.Number = i.Queue, i.Number
	}
	t.fresh = append(t.fresh, *c)
	t.writes++
	return c.Seq
}

func (t *tx) putItem(q *queue, i *store.Item, payload []byte) {
	var key [8]byte
	b := appendHead(t.arena.take(len(payload)+256), i)
	record := t.arena.keep(append(b, payload...))
	q.sight(i.Number).record = record
	if l := q.late[i.Number]; l != nil {
		l.record, l.item = record, nil
	}
	t.put(q, items, appendNumber(key[:0], i.Number), record)
}

// putHead writes an item's fixed part if it differs from the stored one, and
// reads that into old.
func (t *tx) putHead(q *queue, old, i *store.Item) error {
	head, fields, payload, err := splitItem(q.record(i.Number))
	if err != nil {
		return err
	}
	if bytes.Equal(head, appendHead(t.arena.take(256), i)) {
		old.Reference, old.Key, old.Priority, old.DueAt, old.RiskAt = i.Reference, i.Key, i.Priority, i.DueAt, i.RiskAt
		old.Job, old.Weight = i.Job, i.Weight
		return nil
	}
	c := coder{buf: fields, reading: true}
	if fixed(&c, old); c.end() != nil {
		return errDamaged
	}
	t.putItem(q, i, payload)
	return nil
}

// state encodes an item's changing part.
func (t *tx) state(i *store.Item) []byte {
	return t.arena.keep(appendState(t.arena.take(256), i))
}

// PutPayload implements store.Tx.
func (t *tx) PutPayload(id store.ID, payload []byte) error {
	q, err := t.queue(id.Queue)
	if err != nil {
		return err
	}
	i, err := q.item(id.Number)
	if err != nil {
		return err
	}
	t.putItem(q, &i, payload)
	return t.broken
}

// PutResult implements store.Tx.
func (t *tx) PutResult(id store.ID, v store.Result) error {
	q, err := t.queue(id.Queue)
	if err != nil {
		return err
	}
	if _, state := q.find(id.Number); state == nil {
		return store.NoItem(id)
	}
	if v.IsZero() {
		t.remove(q, results, numberKey(id.Number))
		return t.broken
	}
	t.put(q, results, numberKey(id.Number), encode(nil, result, &v))
	return t.broken
}

// Append implements store.Tx.
func (t *tx) Append(c store.Change) error {
	c.Prev = 0
	t.record(&c, nil)
	return t.broken
}

// PutPool implements store.Tx.
func (t *tx) PutPool(p *store.Pool) error {
	old, err := t.Pool()
	if err != nil {
		return err
	}
	p.Revision = old.Revision + 1
	t.putTop(inMeta, poolKey, encode(nil, pool, p))
	return t.broken
}

// finish completes the wave's record: with the history, and the counters, of
// which the log has each wave's and bbolt gets the last.
func (t *tx) finish() error {
	for _, q := range t.opened {
		t.fail(q.spoilt)
		if q.dirty {
			q.dirty, q.unsaved = false, true
			t.noteCounters(q)
		}
	}
	t.flushJobs()
	t.pack()
	return t.broken
}

// flush brings bbolt up to date with what was held back in memory.
func (t *tx) flush() error {
	if err := t.flushDue(); err != nil {
		return err
	}
	for _, q := range t.opened {
		t.fail(q.flush())
	}
	return t.broken
}

// pack writes the fresh changes as blocks.
func (t *tx) pack() {
	flush := func() {
		if t.packer.count > 0 {
			first := t.packer.first
			t.putTop(inHistory, numberKey(first), t.arena.keep(t.packer.take(t.arena.take(blockBytes+64))))
		}
	}
	for n := range t.fresh {
		t.packer.add(&t.fresh[n])
		if t.packer.full() {
			flush()
		}
	}
	flush()
	clear(t.fresh)
	t.fresh = t.fresh[:0]
	t.room = t.fresh
}
