package engine

import (
	"bytes"
	"context"
	"encoding/binary"
	"iter"

	"signalbox/store"
)

// linkedName is where an import job keeps the numbers of rows that are linked to
// retries, for an attempt that goes on behind them.
const linkedName = "linked"

// ImportKept is what an import keeps of some rows: what goes to the rejects file,
// and the numbers of those linked to retries, 0 of one that was not stored.
type ImportKept struct {
	Rejects []byte
	Linked  []uint64
}

// LinkedRows gives the numbers that ImportKept had, from the first row on.
func (e *Engine) LinkedRows(ctx context.Context, r *Record, parts int) iter.Seq2[uint64, error] {
	return func(yield func(uint64, error) bool) {
		for n := range parts {
			var part []byte
			err := e.store.View(ctx, func(rd store.Reader) (err error) {
				part, err = rd.Chunk(r.Job, linkedName, uint64(n))
				part = bytes.Clone(part)
				return err
			})
			if err != nil {
				yield(0, err)
				return
			}
			for len(part) > 0 {
				number, size := binary.Uvarint(part)
				if size <= 0 {
					yield(0, &store.Error{Code: store.CodeUnavailable, Thing: "job " + r.Job, Rule: "the numbers of its linked items can't be read", Mend: "see `signalbox check`"})
					return
				}
				if part = part[size:]; !yield(number, nil) {
					return
				}
			}
		}
	}
}

func encodeNumbers(numbers []uint64) (part []byte) {
	for _, n := range numbers {
		part = binary.AppendUvarint(part, n)
	}
	return part
}
