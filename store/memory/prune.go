package memory

import (
	"slices"
	"strconv"

	"signalbox/store"
)

// mark names a number that is kept for a queue.
type mark struct{ queue, name string }

// Mark implements store.Reader.
func (s *state) Mark(queue, name string) (uint64, error) {
	if queue != "" {
		if _, err := s.queue(queue); err != nil {
			return 0, err
		}
	}
	return s.marks[mark{queue, name}], nil
}

// PutMark implements store.Tx.
func (t *tx) PutMark(queue, name string, n uint64) error {
	if _, err := t.Mark(queue, name); err != nil {
		return err
	}
	if name == "" || len(name) > 32 {
		return store.Invalid("mark "+strconv.Quote(name), "a mark's name has 1 to 32 bytes", "choose another")
	}
	t.marks[mark{queue, name}] = n
	return nil
}

// Purge implements store.Tx.
func (t *tx) Purge(ids []store.ID) error {
	var gone []uint64
	for _, id := range ids {
		r, err := t.record(id)
		if err != nil {
			return err
		}
		for seq := r.item.LastChange; seq != 0; seq = t.changes[t.from(seq)].Prev {
			gone = append(gone, seq)
		}
		q, err := t.change(id.Queue)
		if err != nil {
			return err
		}
		q.remove(r)
	}
	return t.Forget(gone)
}

// Forget implements store.Tx.
func (t *tx) Forget(seqs []uint64) error {
	gone := make(map[uint64]bool, len(seqs))
	for _, seq := range seqs {
		gone[seq] = true
	}
	last, _ := t.LastChange() // never fails
	delete(gone, last)
	if len(gone) > 0 { // into an array of its own: earlier states share this one
		t.changes = slices.DeleteFunc(slices.Clone(t.changes), func(c store.Change) bool { return gone[c.Seq] })
	}
	return nil
}
