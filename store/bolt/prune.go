package bolt

import (
	"math"
	"slices"
	"strconv"

	"signalbox/store"
)

// markPrefix begins the keys of marks, in a queue's bucket and in meta.
const markPrefix = "mark/"

// Mark implements store.Reader.
func (r *reader) Mark(name, mark string) (uint64, error) {
	b := r.bolt.Bucket(metaBucket)
	if name != "" {
		q, err := r.queue(name)
		if err != nil {
			return 0, err
		}
		b = q.root
	}
	return numberOf(b.Get([]byte(markPrefix + mark))), nil
}

// PutMark implements store.Tx.
func (t *tx) PutMark(name, mark string, n uint64) error {
	if mark == "" || len(mark) > 32 {
		return store.Invalid("mark "+strconv.Quote(mark), "a mark's name has 1 to 32 bytes", "choose another")
	}
	key := []byte(markPrefix + mark)
	if name == "" {
		t.putTop(inMeta, key, numberKey(n))
		return t.broken
	}
	q, err := t.queue(name)
	if err != nil {
		return err
	}
	t.putOwn(q, key, numberKey(n))
	return t.broken
}

// Purge implements store.Tx.
func (t *tx) Purge(ids []store.ID) error {
	var gone []uint64
	for _, id := range ids {
		list, err := t.History(id, math.MaxInt)
		if err != nil {
			return err
		}
		for _, c := range list {
			gone = append(gone, c.Seq)
		}
		if err := t.purge(id); err != nil {
			return err
		}
	}
	return t.Forget(gone)
}

// purge removes an item's records and entries; its changes stay.
func (t *tx) purge(id store.ID) error {
	q, err := t.queue(id.Queue)
	if err != nil {
		return err
	}
	old, err := q.item(id.Number)
	if err != nil {
		return err
	}
	at, _ := q.find(id.Number)
	was, none := q.stood(&old), store.Item{Queue: id.Queue, Number: id.Number}
	t.indexDated(q, &old, &none, was, standing{})
	t.indexDelayed(q, &old, &none, was, standing{})
	t.indexLease(q, &old, &none)
	t.indexSLA(q, &old, &none)
	t.indexUntold(q, &old, &none)
	t.indexReference(q, &old, &none)
	t.indexKey(q, &old, &none)
	t.indexGroup(q, &old, &none)
	t.leaveJob(q, &old, was)
	t.removeState(q, id.Number, at)
	var key [8]byte
	t.remove(q, items, appendNumber(key[:0], id.Number))
	t.remove(q, results, appendNumber(key[:0], id.Number))
	*q.sight(id.Number) = sighting{number: id.Number}
	q.counters.items[old.Status]--
	q.dirty = true
	return t.broken
}

// Forget implements store.Tx. A block that loses some of its changes is written
// anew with the others, one that loses all goes; a damaged one stays as it is.
func (t *tx) Forget(seqs []uint64) error {
	t.pack() // so that all changes are in blocks
	gone := slices.Compact(slices.Sorted(slices.Values(seqs)))
	end, _ := slices.BinarySearch(gone, t.last)
	gone = gone[:end]
	for len(gone) > 0 {
		first, value := t.blockOf(gone[0])
		last, rest, err := without(first, value, gone)
		if err == nil && last >= gone[0] {
			t.replaceBlock(first, rest)
		}
		for gone = gone[1:]; len(gone) > 0 && gone[0] <= last; {
			gone = gone[1:]
		}
	}
	return t.broken
}

// blockOf gives the block in which a change would be.
func (t *tx) blockOf(seq uint64) (first uint64, value []byte) {
	c := t.bolt.Bucket(historyBucket).Cursor()
	k, v := c.Seek(numberKey(seq))
	if k == nil || numberOf(k) > seq {
		k, v = c.Prev()
	}
	return numberOf(k), v
}

// without reads a block and gives its changes but those that are gone, with the
// Seq of its last one.
func without(first uint64, value []byte, gone []uint64) (last uint64, rest []store.Change, err error) {
	b, err := openBlock(first, value)
	for err == nil && b.next() {
		if _, is := slices.BinarySearch(gone, b.at.Seq); !is {
			rest = append(rest, b.at)
		}
	}
	if b.bad {
		err = errDamaged
	}
	return b.at.Seq, rest, err
}

// replaceBlock writes what is left of a block, under the Seq with which that
// begins.
func (t *tx) replaceBlock(first uint64, rest []store.Change) {
	if len(rest) == 0 || rest[0].Seq != first {
		t.removeTop(inHistory, numberKey(first))
	}
	if len(rest) == 0 {
		return
	}
	p := packer{gapped: true}
	for n := range rest {
		p.add(&rest[n])
	}
	t.putTop(inHistory, numberKey(p.first), p.take(nil))
}
