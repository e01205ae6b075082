package bolt

import (
	"bytes"
	"cmp"
	"iter"
	"slices"

	"signalbox/store"
)

// What a due entry of a queue is about. Its key is the time, this, and the
// queue's name; a queue has at most one entry of each kind.
const (
	lease  byte = iota + 1 // its earliest lease ends
	ripe                   // its earliest delayed item becomes ready
	passes                 // the earliest date comes that is to be told of
)

// enterDue moves a queue's due entry from the time it is known to stand at
// to another; 0 = no entry.
func (t *tx) enterDue(name string, kind byte, known *store.Time, at store.Time) {
	if *known == at {
		return
	}
	if *known != 0 {
		t.removeTop(inDue, dueKey(*known, kind, name))
	}
	if *known = at; at != 0 {
		t.putTop(inDue, dueKey(at, kind, name), nil)
	}
}

func dueKey(at store.Time, kind byte, name string) []byte {
	return append(append(appendTime(nil, at), kind), name...)
}

// flushDue brings the due index up to date with the indexes by time. It is put off to the checkpoint, or to whoever asks before.
func (t *tx) flushDue() error {
	for _, q := range t.opened {
		if !q.dueless {
			continue
		}
		q.dueless, q.dirty = false, true
		ends := q.soonest(leases)
		if _, err := q.settings(); err != nil {
			ends = 0 // as Expired has it
		}
		t.enterDue(q.name, lease, &q.counters.nextLease, ends)
		t.enterDue(q.name, ripe, &q.counters.nextRipe, q.soonest(delayed))
		t.enterDue(q.name, passes, &q.counters.nextDate, q.soonest(untold))
	}
	return t.broken
}

// soonest gives the first time in an index by time, 0 when it is empty.
func (q *queue) soonest(s space) store.Time {
	if c := q.walk(s); c != nil {
		k, _ := c.First()
		return timeOf(k)
	}
	return 0
}

// due names the queues with something of a kind due by now, earliest first.
func (t *tx) due(kind byte, now store.Time) ([]string, error) {
	if err := t.flushDue(); err != nil {
		return nil, err
	}
	var names []string
	c := t.bolt.Bucket(dueBucket).Cursor()
	for k, _ := c.First(); k != nil && timeOf(k) <= now; k, _ = c.Next() {
		if len(k) > 9 && k[8] == kind {
			names = append(names, string(k[9:]))
		}
	}
	return names, nil
}

// NextDue implements store.Reader.
func (t *tx) NextDue() (store.Time, error) {
	if err := t.flushDue(); err != nil {
		return 0, err
	}
	return t.reader.NextDue()
}

// NextDate implements store.Reader.
func (t *tx) NextDate() (store.Time, error) {
	if err := t.flushDue(); err != nil {
		return 0, err
	}
	return t.reader.NextDate()
}

// Ready implements store.Reader. It merges what stands in claim order already:
// the dated index, the ranks of the two waiting statuses, and those items
// that have ripened without a Ripen yet.
func (r *reader) Ready(name string, now store.Time) iter.Seq2[store.Item, error] {
	return func(yield func(store.Item, error) bool) {
		q, err := r.queue(name)
		if err != nil {
			yield(store.Item{}, err)
			return
		}
		runs := q.claimable()
		ripe := q.ripened(now)
		for {
			first := earliest(&runs)
			var i store.Item
			var err error
			switch {
			case len(ripe) > 0 && (first == nil || bytes.Compare(ripe[0], first.order()) < 0):
				i, err = q.item(numberOf(ripe[0]))
				ripe = ripe[1:]
			case first != nil:
				i, err = q.claimableAt(first)
				first.next()
			default:
				return
			}
			if err == nil && i.ReadyAt() > now {
				continue
			}
			if !yield(i, err) {
				return
			}
		}
	}
}

// claimable gives the runs of keys that are in claim order: dated, queued and
// pending.
func (q *queue) claimable() (runs [3]run) {
	if c := q.walk(dated); c != nil {
		runs[0].cursor = c
		runs[0].set(c.First())
	}
	for n, s := range []store.Status{store.Queued, store.Pending} {
		if r := &runs[n+1]; q.counters.items[s] > 0 {
			r.cursor, r.prefix = q.space(status).bucket.Cursor(), []byte{byte(s)}
			r.set(r.cursor.Seek(q.head(s)))
			if r.key != nil {
				q.heads[s] = append(q.heads[s][:0], r.key...)
			}
		}
	}
	return runs
}

// head gives a key that is not behind the first one of a waiting status's ready
// items. In a writing transaction, where whole pages of claimed items lie before
// that until the checkpoint, it is the one met last.
func (q *queue) head(s store.Status) []byte {
	if q.heads[s] == nil {
		q.heads[s] = []byte{byte(s), rankOf(store.High)}
	}
	return q.heads[s]
}

// advance notes that an item was put where ready ones stand.
func (q *queue) advance(s store.Status, key []byte) {
	if h := q.heads[s]; key[1] != 0 && h != nil && bytes.Compare(key, h) < 0 {
		q.heads[s] = append(h[:0], key...)
	}
}

// claimableAt gives the item at which a run of claimable stands.
func (q *queue) claimableAt(r *run) (store.Item, error) {
	number := numberOf(r.key)
	if len(r.prefix) == 0 {
		return q.item(number)
	}
	i := store.Item{Queue: q.name, Number: number, Status: store.Status(r.key[0])}
	q.saw(number, place{i.Status, r.key[1]}, r.value)
	return i, q.complete(&i, r.value)
}

// earliest gives the run whose key comes first in claim order, nil when all
// are at their ends.
func earliest(runs *[3]run) (first *run) {
	for n := range runs {
		r := &runs[n]
		if r.key != nil && (first == nil || bytes.Compare(r.order(), first.order()) < 0) {
			first = r
		}
	}
	return first
}

// order is a claimable key's claim order and number.
func (r *run) order() []byte { return r.key[len(r.prefix):] }

// ripened gives claim order and number of delayed items that are due by now.
func (q *queue) ripened(now store.Time) [][]byte {
	if q.counters.delayed == 0 {
		return nil
	}
	var list [][]byte
	c := q.walk(delayed)
	for k, v := c.First(); k != nil && timeOf(k) <= now; k, v = c.Next() {
		list = append(list, appendNumber(bytes.Clone(v), numberOf(k)))
	}
	slices.SortFunc(list, bytes.Compare)
	return list
}

// Expired implements store.Tx. What can't be read is set aside: its entry is
// taken out, so that it neither keeps the others from expiring nor stays due
// for ever. Reading the item goes on to tell of the damage.
func (t *tx) Expired(now store.Time, limit int) ([]store.Item, error) {
	names, err := t.due(lease, now)
	if err != nil {
		return nil, err
	}
	var list []store.Item
	for _, name := range names {
		q, err := t.queue(name)
		if err == nil {
			_, err = q.settings() // without them nobody can say what expiry means
		}
		if err != nil {
			if err := t.setAside(name, lease, now); err != nil {
				return nil, err
			}
			continue
		}
		list = append(list, t.reached(q, leases, now, limit)...)
	}
	slices.SortFunc(list, func(a, b store.Item) int {
		return cmp.Or(cmp.Compare(a.LeaseUntil, b.LeaseUntil), cmp.Compare(a.Queue, b.Queue), cmp.Compare(a.Number, b.Number))
	})
	return list[:min(len(list), max(limit, 0))], nil
}

// reached gives at most limit of a queue's items whose time in an index that is
// kept by time has come.
func (t *tx) reached(q *queue, index space, now store.Time, limit int) (list []store.Item) {
	var aside [][]byte
	c := q.walk(index)
	if c == nil {
		return nil
	}
	for k, _ := c.First(); k != nil && timeOf(k) <= now && len(list) < limit; k, _ = c.Next() {
		i, err := q.item(numberOf(k))
		if err != nil {
			aside = append(aside, bytes.Clone(k))
			continue
		}
		list = append(list, i)
	}
	for _, k := range aside {
		t.remove(q, index, k)
		q.dueless = true
	}
	return list
}

// setAside takes the entries of a kind that are due by now and name a queue
// that can't be read out of the due index.
func (t *tx) setAside(name string, kind byte, now store.Time) error {
	var aside [][]byte
	c := t.bolt.Bucket(dueBucket).Cursor()
	for k, _ := c.First(); k != nil && timeOf(k) <= now; k, _ = c.Next() {
		if len(k) > 9 && k[8] == kind && string(k[9:]) == name {
			aside = append(aside, bytes.Clone(k))
		}
	}
	for _, k := range aside {
		t.removeTop(inDue, k)
	}
	if q := t.opened[name]; q != nil && kind == lease {
		q.counters.nextLease, q.dirty = 0, true
	}
	return t.broken
}

// maxRipe bounds how many items one Ripen moves, and so how long it keeps the
// writer from others. What is left stays due, and the next Ripen goes on.
const maxRipe = 50_000

// Ripen implements store.Tx. It takes the items out of delayed and puts them
// where ready items stand, which is how they are known to have been named.
// As in Expired, what can't be read keeps nobody from the others.
func (t *tx) Ripen(now store.Time) ([]string, error) {
	due, err := t.due(ripe, now)
	if err != nil {
		return nil, err
	}
	var names []string
	room := maxRipe
	for _, name := range due {
		if room <= 0 {
			break
		}
		q, err := t.queue(name)
		if err != nil {
			if err := t.setAside(name, ripe, now); err != nil {
				return nil, err
			}
			continue
		}
		room -= t.ripen(q, now, room)
		names = append(names, name)
	}
	slices.Sort(names)
	return names, t.broken
}

// ripen moves at most limit of a queue's items and says how many it moved.
func (t *tx) ripen(q *queue, now store.Time, limit int) int {
	var list []delay
	c := q.walk(delayed)
	if c == nil {
		return 0
	}
	for k, v := c.First(); k != nil && timeOf(k) <= now && len(list) < limit; k, v = c.Next() {
		list = append(list, delay{bytes.Clone(k), bytes.Clone(v)})
	}
	q.dirty, q.dueless = true, true
	for _, d := range list {
		t.remove(q, delayed, d.key)
		q.counters.delayed--
		number := numberOf(d.key)
		t.ripenJob(q, number)
		switch {
		case len(d.order) == 0 || bytes.IndexByte(allRanks, d.order[0]) < 0: // set aside: where it belongs is lost
		case d.order[0] == 0:
			t.put(q, dated, appendNumber(d.order, number), nil)
		default:
			t.rank(q, number, d.order[0])
		}
	}
	return len(list)
}

// delay is an entry of the delayed index.
type delay struct{ key, order []byte }

// rank gives an item another rank in the status bucket; one that isn't there
// is left out.
func (t *tx) rank(q *queue, number uint64, rank byte) {
	from, state := q.find(number)
	if state == nil || !from.status.Waiting() {
		return
	}
	state = t.arena.keep(append(t.arena.take(len(state)), state...))
	t.removeState(q, number, from)
	t.putState(q, number, place{from.status, rank}, state, false)
}
