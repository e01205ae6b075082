package engine

import (
	"context"

	"signalbox/store"
)

// revealed is the event of a look at masked fields.
const revealed = "reveal"

// Reveal writes into an item's history that somebody looks at its masked
// fields. What is looked at stays as it is, but for its revision.
func (e *Engine) Reveal(ctx context.Context, id store.ID) error {
	return e.change(ctx, func(t *tx) error {
		i, err := t.Item(id)
		if err != nil {
			return err
		}
		if i.Undo != nil && i.Undo.Left == i.Revision { // a look takes back nothing
			undo := *i.Undo
			undo.Left++
			i.Undo = &undo
		}
		t.touch(i.Queue)
		c := t.record(i.Queue, revealed, "")
		c.Number, c.From, c.To = i.Number, i.Status, i.Status
		return t.Put(&i, &c)
	})
}
