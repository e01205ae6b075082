package bolt

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"go.etcd.io/bbolt"

	"signalbox/store"
)

// Check reads all of the store and says where what it has written beside its
// records (indexes, counters, groups, due times, histories, links) says
// something else than they do, and which records can't be read. It runs beside
// the writer, on the state of one commit.
func (s *Store) Check(ctx context.Context) (problems []string, err error) {
	err = s.View(ctx, func(r store.Reader) error {
		of, ok := r.(*reader)
		if !ok { // within a transaction that is not in the file yet
			problems, err = store.Check(r)
			return err
		}
		a := newAudit(of.bolt)
		err := a.run()
		if problems = a.problems(); err == nil && len(problems) == 0 {
			problems, err = store.Check(r)
		}
		return err
	})
	return problems, err
}

// errStopped ends an audit that nobody waits for.
var errStopped = errors.New("stopped")

// maxProblems bounds what one Check reports; one cause can touch every item.
const maxProblems = 1000

// audit holds everything in a store's file against its records. It only reads;
// what it finds can be mended afterwards.
type audit struct {
	b        *bbolt.Tx
	findings []*finding
	queues   map[string]*inventory
	due      map[string]bool // keys that the due index must have
	highest  uint64          // Seq of the newest change that is known of

	byID     map[string]*jobInventory
	byNumber map[uint64]*jobInventory
	wanted   map[byte]int // entries about jobs that must be there and are, by table

	// Of an audit beside others who write, see Examine:
	live   bool
	limit  int                   // of findings
	seen   func(items int)       // told of how far it is
	stop   func() error          // says that it is given up
	items  int                   // looked at so far
	blocks map[store.ID][]uint64 // of history, that have something of items with broken ones
}

// inventory is what is known of one queue's items.
type inventory struct {
	name      string
	family    store.Family
	root      *bbolt.Bucket
	unknown   bool // its settings can't be read
	counters  counters
	uncounted bool     // they can't be read
	told      uint64   // the highest number that the history tells of, if they can't
	logged    *queue   // as the log names it
	counted   counters // as the records have it
	groups    map[string]store.Group
	entries   [spaces]int // those that records want and that are there
	life      life
	unread    map[uint64]string // items that can't be read, and what was said of them
	dates     bool              // it has the sla index
	untold    bool              // it has the index of dates to tell of
}

func newAudit(b *bbolt.Tx) *audit {
	return &audit{b: b, queues: map[string]*inventory{}, due: map[string]bool{}}
}

// run audits the whole file. The error is of a file that can't be read on.
func (a *audit) run() (err error) {
	defer func() {
		if p := recover(); p == errStopped {
			err = a.stop()
		} else if p != nil { // it writes nothing and calls nobody: it can only be the file
			err = damaged("store", unreadable(p))
		}
	}()
	a.jobs()
	for n, top := range [2][]byte{queuesBucket, transactionsBucket} {
		c := a.b.Bucket(top).Cursor()
		for k, v := c.First(); k != nil; k, v = c.Next() {
			if v == nil {
				a.queue(string(k), families[n], a.b.Bucket(top).Bucket(k))
			}
		}
	}
	for _, q := range a.queues {
		a.links(q)
	}
	a.jobStrays()
	a.dueIndex()
	a.history()
	a.holds()
	a.meta()
	return nil
}

// problems words the findings, each once.
func (a *audit) problems() []string {
	var list []string
	for _, f := range a.findings {
		if len(list) == maxProblems {
			break
		}
		list = append(list, f.text)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func (a *audit) queue(name string, family store.Family, root *bbolt.Bucket) {
	q := &inventory{name: name, family: family, root: root, groups: map[string]store.Group{}, life: life{}, unread: map[uint64]string{}, logged: &queue{name: name, family: family}}
	a.queues[name] = q
	settingsOf := store.Queue{Name: name}
	if err := decode(root.Get(settingsKey), settings, &settingsOf); err != nil {
		q.unknown = true
		a.found(func(m *mender) error { return m.resettle(q) }, "queue %s: its settings can't be read", name).own(q, settingsKey)
	}
	q.uncounted = decode(root.Get(countersKey), func(c *coder, n *counters) { n.code(c) }, &q.counters) != nil
	if q.uncounted {
		q.counters = counters{}
		a.found(func(m *mender) error { return m.recount(q) }, "queue %s: its counters can't be read", name).own(q, countersKey)
	}
	if q.dates = a.built(q, &slaIndex); q.dates {
		q.counted.sla = slaCounters{built: true, mark: q.counters.sla.mark}
	}
	q.untold = a.built(q, &untoldIndex)
	q.counted.untold = q.untold
	a.records(q)
	a.states(q)
	a.results(q)
	for _, s := range []space{dated, delayed, leases, references, keys, group, sla, untold} {
		a.strays(q, s)
	}
	a.groups(q)
	a.dues(q)
	if !q.uncounted {
		a.counters(q)
	}
}

// built says that a queue has an index whole, and so all entries of it are wanted. Where
// it is still to be built, entries are missing by right.
func (a *audit) built(q *inventory, x *newer) bool {
	return x.has(&q.counters) || q.uncounted && (q.bucket(x.space) != nil || a.b.Bucket(metaBucket).Get(x.all) != nil)
}

func (q *inventory) bucket(s space) *bbolt.Bucket { return q.root.Bucket([]byte(spaceNames[s])) }

// each goes through a space; none is as good as an empty one.
func (q *inventory) each(s space, fn func(k, v []byte)) {
	b := q.bucket(s)
	if b == nil {
		return
	}
	c := b.Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		fn(k, v)
	}
}

func (q *inventory) get(s space, key []byte) []byte {
	if b := q.bucket(s); b != nil {
		return b.Get(key)
	}
	return nil
}

func (q *inventory) has(s space, key []byte) bool {
	b := q.bucket(s)
	if b == nil {
		return false
	}
	k, _ := b.Cursor().Seek(key)
	return bytes.Equal(k, key)
}

// step counts an item that is looked at.
func (a *audit) step() {
	if a.items++; a.items%10000 != 0 {
		return
	}
	if a.seen != nil {
		a.seen(a.items)
	}
	if a.stop != nil && a.stop() != nil {
		panic(errStopped)
	}
}

func (q *inventory) id(number uint64) store.ID { return store.ID{Queue: q.name, Number: number} }

// records reads the fixed parts.
func (a *audit) records(q *inventory) {
	q.each(items, func(k, v []byte) {
		i := store.Item{Queue: q.name, Number: numberOf(k)}
		_, fields, _, err := splitItem(v)
		if err == nil {
			c := coder{buf: fields, reading: true}
			fixed(&c, &i)
			err = c.end()
		}
		if err != nil || len(k) != numberLen || i.Number == 0 {
			a.unreadable(q, i.Number, items, k, v, "its record can't be read")
			return
		}
		q.counted.last = max(q.counted.last, i.Number)
		q.life.of(i.Number).record = true
	})
}

// states reads the changing parts, and with each the whole item.
func (a *audit) states(q *inventory) {
	q.each(status, func(k, v []byte) {
		if len(k) != 2+numberLen || !placed(k) {
			a.aside(q, status, k, v, "queue %s: a status entry makes no sense", q.name)
			return
		}
		i := store.Item{Queue: q.name, Number: numberOf(k), Status: store.Status(k[0])}
		at := place{i.Status, k[1]}
		if l := q.life[i.Number/lifePage]; l == nil || !l[i.Number%lifePage].record {
			a.unreadable(q, i.Number, status, k, v, "it has a status, but no record")
			return
		}
		if decodeItem(&i, q.get(items, numberKey(i.Number)), v) != nil {
			a.unreadable(q, i.Number, status, k, v, "its state can't be read")
			return
		}
		a.step()
		l := q.life.of(i.Number)
		if l.status != 0 {
			a.twice(q, &i, k, v, l)
			return
		}
		l.status, l.last = i.Status, i.LastChange
		a.item(q, &i, at)
	})
	q.life.each(func(number uint64, l *lived) {
		if l.record && l.status == 0 {
			key := numberKey(number)
			a.unreadable(q, number, items, key, q.get(items, key), "it has no status")
		}
	})
}

// placed says that a status entry's key is of a place that items can have.
func placed(key []byte) bool {
	s := store.Status(key[0])
	return s > 0 && int(s) < store.Statuses && bytes.IndexByte(ranksOf(s), key[1]) >= 0
}

// twice keeps the newer of an item's two states.
func (a *audit) twice(q *inventory, i *store.Item, key, state []byte, l *lived) {
	other, at, older := q.find(i.Number, key)
	if other != nil && other.Revision < i.Revision {
		key, state = at, older
		l.status, l.last = i.Status, i.LastChange
	}
	a.aside(q, status, key, state, "item %s stands in two statuses", i.ID())
}

// find looks for a whole item in all places but one key; nil when it is in none.
func (q *inventory) find(number uint64, but []byte) (i *store.Item, key, state []byte) {
	for _, s := range probe {
		for _, rank := range ranksOf(s) {
			key := place{s, rank}.key(nil, number)
			state := q.get(status, key)
			if state == nil || bytes.Equal(key, but) {
				continue
			}
			i := store.Item{Queue: q.name, Number: number, Status: s}
			if decodeItem(&i, q.get(items, numberKey(number)), state) == nil {
				return &i, key, state
			}
		}
	}
	return nil, nil, nil
}

// aside has a record that can't be read, or belongs to nothing, set aside.
func (a *audit) aside(q *inventory, s space, key, value []byte, format string, args ...any) {
	key, value = bytes.Clone(key), bytes.Clone(value)
	a.found(func(m *mender) error { return m.setAside(q, s, key, value) }, format, args...).entry(q, s, key).item(q, numberOf(key))
}

// unreadable has a part of an item set aside. The other parts are, too, and are
// told of in the same words.
func (a *audit) unreadable(q *inventory, number uint64, s space, key, value []byte, why string) {
	if q.unread[number] == "" {
		q.unread[number] = why
	}
	a.aside(q, s, key, value, "item %s: %s", q.id(number), q.unread[number])
}

func (a *audit) results(q *inventory) {
	q.each(results, func(k, v []byte) {
		var r store.Result
		number := numberOf(k)
		switch l := q.life[number/lifePage]; {
		case len(k) != numberLen || l == nil || l[number%lifePage].status == 0:
			a.unreadable(q, number, results, k, v, "there is a result of it, but it is not there")
		case decode(v, result, &r) != nil:
			a.aside(q, results, k, v, "item %s: its result can't be read", q.id(number))
		}
	})
}

// links holds the links of chains against each other. One to an item that is
// gone is right: retention removed it. So is one of a deleted copy, whose retry
// was taken back.
func (a *audit) links(q *inventory) {
	q.life.each(func(number uint64, l *lived) {
		if !l.linked {
			return
		}
		i, _, _ := q.find(number, nil)
		if i == nil {
			return
		}
		a.link(q, i, "next", &i.Next, func(o *store.Item) *store.ID { return &o.Previous })
		if i.Status == store.Deleted {
			return
		}
		a.link(q, i, "previous", &i.Previous, func(o *store.Item) *store.ID { return &o.Next })
	})
}

func (a *audit) link(q *inventory, i *store.Item, as string, to *store.ID, back func(*store.Item) *store.ID) {
	in := a.queues[to.Queue]
	if to.IsZero() || in == nil {
		return
	}
	o, _, _ := in.find(to.Number, nil)
	unlink := func(m *mender) error {
		*to = store.ID{}
		return m.rewrite(q, i)
	}
	switch {
	case o == nil && to.Number > max(in.counters.last, in.counted.last):
		a.found(unlink, "item %s names %s as its %s, which never was", i.ID(), *to, as).item(q, i.Number)
	case o != nil && back(o).IsZero():
		a.found(func(m *mender) error {
			*back(o) = i.ID()
			return m.rewrite(in, o)
		}, "item %s names %s as its %s, which does not name it in turn", i.ID(), *to, as).item(q, i.Number).item(in, o.Number)
	case o != nil && *back(o) != i.ID():
		a.found(unlink, "item %s names %s as its %s, which does not name it in turn", i.ID(), *to, as).item(q, i.Number).item(in, o.Number)
	}
}

// meta looks at what belongs to no queue.
func (a *audit) meta() {
	b := a.b.Bucket(metaBucket)
	var p store.Pool
	if v := b.Get(poolKey); v != nil && decode(v, pool, &p) != nil {
		v = bytes.Clone(v)
		a.found(func(m *mender) error {
			m.keep("pool", "", poolKey, v)
			return m.removeTop(metaBucket, poolKey)
		}, "the pool's settings can't be read").top(a, metaBucket, poolKey)
	}
	c := b.Cursor()
	for k, v := c.Seek(lastKey("")); k != nil && strings.HasPrefix(string(k), "last/"); k, v = c.Next() {
		if len(v) != numberLen {
			key := bytes.Clone(k)
			name := string(k[len("last/"):])
			a.found(func(m *mender) error {
				return m.putTop(metaBucket, key, numberKey(m.numberIn(name)))
			}, "queue %s, which was deleted: its last number can't be read", name).top(a, metaBucket, key)
		}
	}
}

// holds finds blocks that can't be read; mending drops them.
func (a *audit) holds() {
	b := a.b.Bucket(slotsBucket)
	if b == nil {
		return
	}
	_ = b.ForEach(func(k, v []byte) error { // fn never fails
		if bytes.Equal(k, openKey) {
			v = v[min(8, len(v)):]
		}
		if _, err := readHolds(v); err != nil {
			key := bytes.Clone(k)
			a.found(func(m *mender) error { return m.removeTop(slotsBucket, key) }, "history of slots: %v", err).top(a, slotsBucket, key)
		}
		return nil
	})
}
