package intake

import (
	"errors"
	"iter"

	"signalbox/engine"
)

// ErrChanged says that a file is not what it was a moment before.
var ErrChanged = errors.New("it changed while it was read")

// Check refuses a row whose item breaks a limit. Those of an archive may be
// sealed, which only the engine opens.
func (r *Row) Check() error {
	if p := r.Item.Past; r.Err == nil && (p == nil || !p.Archived) {
		r.Err = r.Item.Validate()
	}
	return r.Err
}

// Again gives the items of a file that was looked at before, when it had so many
// rows and all of them were good.
func Again(rows iter.Seq2[Row, error], want int64) iter.Seq2[engine.NewItem, error] {
	return func(yield func(engine.NewItem, error) bool) {
		n := int64(0)
		for row, err := range rows {
			if n++; err == nil && (row.Err != nil || n > want) {
				err = ErrChanged
			}
			if !yield(row.Item, err) || err != nil {
				return
			}
		}
		if n < want {
			yield(engine.NewItem{}, ErrChanged)
		}
	}
}
