package bolt

import (
	"bytes"
	"iter"
	"slices"
	"strconv"

	"go.etcd.io/bbolt"

	"signalbox/store"
)

// appendFill is how full pages get in buckets that grow at their ends.
const appendFill = 0.95

var (
	metaBucket         = []byte("meta")
	queuesBucket       = []byte("queues")
	transactionsBucket = []byte("transactions")
	dueBucket          = []byte("due")
	historyBucket      = []byte("history")

	formatKey = []byte("format")
	storeKey  = []byte("id")
	waveKey   = []byte("wave")
	poolKey   = []byte("pool")
)

// lastKey is where meta keeps the last number of a queue that was deleted.
func lastKey(name string) []byte { return append([]byte("last/"), name...) }

var families = [2]store.Family{store.Jobs, store.Transactions}

func familyBucket(f store.Family) []byte {
	if f == store.Jobs {
		return queuesBucket
	}
	return transactionsBucket
}

// reader is one bbolt transaction as a store.Reader. A tx builds on it.
type reader struct {
	bolt   *bbolt.Tx
	tops   [2]*bbolt.Bucket // by families
	opened map[string]*queue

	// fresh are the changes a writing transaction has not packed yet; they
	// follow those in the history bucket.
	fresh []store.Change

	jobTables jobTables
	relief    *relief // nil: nobody reads much
}

func newReader(b *bbolt.Tx) reader {
	return reader{
		bolt:   b,
		tops:   [2]*bbolt.Bucket{b.Bucket(queuesBucket), b.Bucket(transactionsBucket)},
		opened: make(map[string]*queue, 1),
	}
}

// queue opens a queue for this transaction, or CodeNotFound.
func (r *reader) queue(name string) (*queue, error) {
	if q := r.opened[name]; q != nil {
		return q, nil
	}
	for n, top := range r.tops {
		if name == "" {
			break
		}
		root := top.Bucket([]byte(name))
		if root == nil {
			continue
		}
		q, err := openQueue(name, families[n], root)
		if err != nil {
			return nil, err
		}
		r.opened[name] = q
		return q, nil
	}
	return nil, store.NoQueue(name)
}

// names yields the queues' names in order, from one on.
func (r *reader) names(from string) iter.Seq[string] {
	return func(yield func(string) bool) {
		var cursors [2]*bbolt.Cursor
		var next [2][]byte
		for i, top := range r.tops {
			cursors[i] = top.Cursor()
			next[i], _ = cursors[i].Seek([]byte(from))
		}
		for next[0] != nil || next[1] != nil {
			i := 0
			if next[0] == nil || next[1] != nil && bytes.Compare(next[1], next[0]) < 0 {
				i = 1
			}
			if !yield(string(next[i])) {
				return
			}
			next[i], _ = cursors[i].Next()
		}
	}
}

// Queues implements store.Reader. A queue whose settings can't be read is
// listed all the same, paused and saying so; whoever asks for it alone gets
// the error, since nobody may work by settings that it doesn't have.
func (r *reader) Queues() ([]store.Queue, error) {
	var list []store.Queue
	for name := range r.names("") {
		q, err := r.Queue(name)
		if err != nil {
			q = r.unreadable(name, err)
		}
		list = append(list, q)
	}
	return list, nil
}

// unreadable stands in for a queue whose settings can't be read.
func (r *reader) unreadable(name string, err error) store.Queue {
	q := store.Queue{Name: name, Paused: true, Description: "settings can't be read: " + err.Error()}
	for n, top := range r.tops {
		if top.Bucket([]byte(name)) != nil {
			q.Family = families[n]
		}
	}
	return q
}

// Queue implements store.Reader.
func (r *reader) Queue(name string) (store.Queue, error) {
	q, err := r.queue(name)
	if err != nil {
		return store.Queue{}, err
	}
	return q.settings()
}

// Stats implements store.Reader. Only delayed items that are due and that no
// Ripen has named yet are looked at one by one.
func (r *reader) Stats(name string, now store.Time) (store.Stats, error) {
	q, err := r.queue(name)
	if err != nil {
		return store.Stats{}, err
	}
	s := store.Stats{Counts: q.counters.items, Delayed: q.counters.delayed, Last: q.counters.last, Withheld: q.counters.withheld}
	s.Standings, s.NextDate = q.standings(now)
	c := q.walk(delayed)
	if c == nil || s.Delayed == 0 {
		return s, nil
	}
	for k, _ := c.First(); k != nil; k, _ = c.Next() {
		if at := timeOf(k); at > now {
			s.NextReady = at
			break
		}
		s.Delayed--
	}
	return s, nil
}

// Item implements store.Reader.
func (r *reader) Item(id store.ID) (store.Item, error) {
	q, err := r.queue(id.Queue)
	if err != nil {
		return store.Item{}, err
	}
	return q.item(id.Number)
}

// Payload implements store.Reader.
func (r *reader) Payload(id store.ID) ([]byte, error) {
	q, err := r.queue(id.Queue)
	if err != nil {
		return nil, err
	}
	payload, err := q.payload(id.Number)
	return bytes.Clone(payload), err
}

// Result implements store.Reader.
func (r *reader) Result(id store.ID) (store.Result, error) {
	var v store.Result
	q, err := r.queue(id.Queue)
	if err != nil {
		return v, err
	}
	record := q.get(results, numberKey(id.Number))
	if record == nil {
		if _, state := q.find(id.Number); state == nil {
			return v, store.NoItem(id)
		}
		return v, nil
	}
	if err := decode(record, result, &v); err != nil {
		return store.Result{}, damagedItem(id, err)
	}
	return v, nil
}

// ByKey implements store.Reader.
func (r *reader) ByKey(name, key string) (store.ID, error) {
	q, err := r.queue(name)
	if err != nil {
		return store.ID{}, err
	}
	number := numberOf(q.get(keys, []byte(key)))
	if number == 0 {
		return store.ID{}, nil
	}
	return store.ID{Queue: name, Number: number}, nil
}

// Groups implements store.Reader: by queue, status and text.
func (r *reader) Groups(name string) ([]store.Group, error) {
	var list []store.Group
	for name := range r.selected(name, "") {
		q, err := r.queue(name)
		if err != nil {
			return nil, err
		}
		of, err := q.groups()
		if err != nil {
			return nil, err
		}
		slices.SortFunc(of, compareGroups)
		list = append(list, of...)
	}
	return list, nil
}

// selected yields the one named queue, or all from one on.
func (r *reader) selected(name, from string) iter.Seq[string] {
	if name == "" {
		return r.names(from)
	}
	return func(yield func(string) bool) { yield(name) }
}

// Pool implements store.Reader.
func (r *reader) Pool() (store.Pool, error) {
	var p store.Pool
	record := r.bolt.Bucket(metaBucket).Get(poolKey)
	if record == nil {
		return p, nil
	}
	if err := decode(record, pool, &p); err != nil {
		return store.Pool{}, damaged("pool", err)
	}
	return p, nil
}

// History implements store.Reader.
func (r *reader) History(id store.ID, limit int) ([]store.Change, error) {
	i, err := r.Item(id)
	if err != nil {
		return nil, err
	}
	var list []store.Change
	for seq := i.LastChange; seq != 0 && len(list) < limit; {
		c, err := r.change(seq)
		if err != nil {
			return list, err
		}
		if c.Queue != id.Queue || c.Number != id.Number || c.Prev >= seq {
			return list, damaged("history of "+strconv.Quote(id.String()), errDamaged)
		}
		list = append(list, c)
		seq = c.Prev
	}
	return list, nil
}

// change reads one change by its place in the stream.
func (r *reader) change(seq uint64) (store.Change, error) {
	for c, err := range r.changes(seq) {
		if err != nil {
			return c, err
		}
		if c.Seq == seq {
			return c, nil
		}
		break
	}
	return store.Change{}, damaged("change "+strconv.FormatUint(seq, 10), errDamaged)
}

// Changes implements store.Reader.
func (r *reader) Changes(after uint64, limit int) ([]store.Change, error) {
	var list []store.Change
	for c, err := range r.changes(after + 1) {
		if len(list) >= limit {
			break
		}
		if err != nil {
			return list, err
		}
		list = append(list, c)
	}
	return list, nil
}

// changes yields the stream from a sequence number on.
func (r *reader) changes(from uint64) iter.Seq2[store.Change, error] {
	return func(yield func(store.Change, error) bool) {
		cursor := r.bolt.Bucket(historyBucket).Cursor()
		k, v := cursor.Seek(numberKey(from))
		if k == nil || numberOf(k) > from {
			if k, v = cursor.Prev(); k == nil {
				k, v = cursor.First()
			}
		}
		for ; k != nil; k, v = cursor.Next() {
			b, err := openBlock(numberOf(k), v)
			for err == nil && b.next() {
				if b.at.Seq >= from && !yield(b.at, nil) {
					return
				}
			}
			if (err != nil || b.bad) && !yield(store.Change{}, damaged("history block "+strconv.FormatUint(numberOf(k), 10), errDamaged)) {
				return
			}
		}
		for _, c := range r.fresh {
			if c.Seq >= from && !yield(c, nil) {
				return
			}
		}
	}
}

// LastChange implements store.Reader.
func (r *reader) LastChange() (uint64, error) {
	if n := len(r.fresh); n > 0 {
		return r.fresh[n-1].Seq, nil
	}
	k, v := r.bolt.Bucket(historyBucket).Cursor().Last()
	if k == nil {
		return 0, nil
	}
	b, err := openBlock(numberOf(k), v)
	if err != nil {
		return 0, damaged("history", err)
	}
	if !b.gapped {
		return numberOf(k) + b.left - 1, nil
	}
	for b.next() {
	}
	if b.bad {
		return 0, damaged("history", errDamaged)
	}
	return b.at.Seq, nil
}

// NextDue implements store.Reader.
func (r *reader) NextDue() (store.Time, error) {
	return r.earliestDue(func(kind byte) bool { return kind != passes }), nil
}

// NextDate implements store.Reader.
func (r *reader) NextDate() (store.Time, error) {
	return r.earliestDue(func(kind byte) bool { return kind == passes }), nil
}

// earliestDue gives the time of the first due entry of some kinds, 0 when there
// is none. There are no more entries than a few for each queue.
func (r *reader) earliestDue(of func(kind byte) bool) store.Time {
	c := r.bolt.Bucket(dueBucket).Cursor()
	for k, _ := c.First(); k != nil; k, _ = c.Next() {
		if len(k) > 8 && of(k[8]) {
			return timeOf(k)
		}
	}
	return 0
}
