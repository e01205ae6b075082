package bolt

import (
	"bytes"
	"iter"
	"math"
	"slices"

	"go.etcd.io/bbolt"

	"signalbox/store"
)

// Items implements store.Reader.
func (r *reader) Items(q store.Query) iter.Seq2[store.Item, error] {
	return func(yield func(store.Item, error) bool) {
		for name := range r.selected(q.Queue, q.After.Queue) {
			of, err := r.queue(name)
			if err != nil {
				if !yield(store.Item{}, err) {
					return
				}
				continue
			}
			if name >= q.After.Queue && !of.query(r, &q, r.relieved(yield)) {
				return
			}
		}
	}
}

// relieved yields, and keeps the mapped pages few over a long walk.
func (r *reader) relieved(yield func(store.Item, error) bool) func(store.Item, error) bool {
	if r.relief == nil {
		return yield
	}
	return func(i store.Item, err error) bool {
		r.relief.viewed(r.bolt)
		return yield(i, err)
	}
}

// query yields the queue's share of a query; false when the caller stopped.
func (q *queue) query(r *reader, by *store.Query, yield func(store.Item, error) bool) bool {
	after := uint64(0)
	if by.After.Queue == q.name {
		after = by.After.Number
	}
	switch {
	case by.Reference != "":
		if j, err := r.job(by.Job); by.Job != "" && (err != nil || j == nil) {
			return err == nil || yield(store.Item{}, err)
		}
		return q.byReference(by, after, yield)
	case by.Job != "":
		return q.byJob(r, by, after, yield)
	case by.Groups != nil:
		return q.byGroup(by, after, yield)
	}
	return q.byStatus(by, after, yield)
}

// byStatus merges the wanted statuses' runs of the status bucket by number.
func (q *queue) byStatus(by *store.Query, after uint64, yield func(store.Item, error) bool) bool {
	if q.space(status).bucket == nil {
		return true
	}
	var runs []*run
	for s := store.Status(1); int(s) < store.Statuses; s++ {
		if !wanted(by.Statuses, s) {
			continue
		}
		for _, rank := range ranksOf(s) {
			r := &run{cursor: q.walk(status), prefix: []byte{byte(s), rank}, desc: by.Desc}
			if r.start(after); r.key != nil {
				runs = append(runs, r)
			}
		}
	}
	for len(runs) > 0 {
		first := foremost(runs)
		r := runs[first]
		i := store.Item{Queue: q.name, Number: numberOf(r.key), Status: store.Status(r.key[0])}
		q.saw(i.Number, place{i.Status, r.key[1]}, r.value)
		if err := q.complete(&i, r.value); !yield(i, err) {
			return false
		}
		if r.next(); r.key == nil {
			runs = slices.Delete(runs, first, first+1)
		}
	}
	return true
}

func (q *queue) byGroup(by *store.Query, after uint64, yield func(store.Item, error) bool) bool {
	if q.space(group).bucket == nil {
		return true
	}
	var runs []*run
	for _, text := range slices.Compact(slices.Sorted(slices.Values(by.Groups))) {
		hash := groupHash(text)
		r := &run{cursor: q.walk(group), prefix: hash[:], desc: by.Desc}
		if r.start(after); r.key != nil {
			runs = append(runs, r)
		}
	}
	for len(runs) > 0 {
		first := foremost(runs)
		r := runs[first]
		if !q.pick(numberOf(r.key), by, yield) {
			return false
		}
		if r.next(); r.key == nil {
			runs = slices.Delete(runs, first, first+1)
		}
	}
	return true
}

// foremost is which of some runs goes on first.
func foremost(runs []*run) (first int) {
	for n := range runs {
		if runs[n].before(runs[first]) {
			first = n
		}
	}
	return first
}

func (q *queue) byReference(by *store.Query, after uint64, yield func(store.Item, error) bool) bool {
	c := q.walk(references)
	if c == nil {
		return true
	}
	prefix := []byte(by.Reference)
	if by.Exact {
		prefix = append(prefix, 0)
	}
	r := &run{cursor: c, prefix: prefix, desc: by.Desc}
	if after == 0 {
		r.start(0)
	} else {
		r.startAfter(appendReference(nil, by.AfterReference, after))
	}
	for ; r.key != nil; r.next() {
		reference := r.key[:max(0, len(r.key)-numberLen-1)]
		if !bytes.HasPrefix(reference, []byte(by.Reference)) {
			continue
		}
		if !q.pick(numberOf(r.key), by, yield) {
			return false
		}
	}
	return true
}

// pick yields an item found through another index if it fits the query.
func (q *queue) pick(number uint64, by *store.Query, yield func(store.Item, error) bool) bool {
	i, err := q.item(number)
	if err == nil && (!wanted(by.Statuses, i.Status) || by.Groups != nil && !slices.Contains(by.Groups, i.Group) || by.Job != "" && (i.Job != by.Job || !inJob(&i))) {
		return true
	}
	return yield(i, err)
}

func wanted(statuses []store.Status, s store.Status) bool {
	return statuses == nil || slices.Contains(statuses, s)
}

// run walks the keys of one prefix up or down.
type run struct {
	cursor     *bbolt.Cursor
	prefix     []byte
	desc       bool
	key, value []byte // nil at the end
}

// start goes to the first key after a number in the run's direction; 0 is
// before all.
func (r *run) start(after uint64) {
	if r.desc && after == 0 {
		after = math.MaxUint64
	}
	r.startAfter(appendNumber(bytes.Clone(r.prefix), after))
}

// startAfter goes to the first key after a whole key, which need not exist.
func (r *run) startAfter(key []byte) {
	if !r.desc {
		if bytes.Compare(key, r.prefix) < 0 {
			key = r.prefix
		}
		r.set(r.cursor.Seek(key))
		if bytes.Equal(r.key, key) {
			r.next()
		}
		return
	}
	if !bytes.HasPrefix(key, r.prefix) && bytes.Compare(key, r.prefix) > 0 {
		key = appendNumber(append(bytes.Clone(r.prefix), 0xff), math.MaxUint64)
	}
	if k, _ := r.cursor.Seek(key); k == nil {
		r.set(r.cursor.Last())
	} else {
		r.set(r.cursor.Prev())
	}
}

func (r *run) next() {
	if r.desc {
		r.set(r.cursor.Prev())
	} else {
		r.set(r.cursor.Next())
	}
}

func (r *run) set(k, v []byte) {
	if !bytes.HasPrefix(k, r.prefix) {
		k, v = nil, nil
	}
	r.key, r.value = k, v
}

func (r *run) before(other *run) bool {
	if r.desc {
		return numberOf(r.key) > numberOf(other.key)
	}
	return numberOf(r.key) < numberOf(other.key)
}
