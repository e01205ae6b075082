package cli

import (
	"fmt"

	"signalbox/engine"
	"signalbox/store"
)

func outcomeColumns() columns[engine.Outcome] {
	type o = engine.Outcome
	return columns[o]{table: []column[o]{
		{"item", func(o o) string { return o.Item.String() }, false},
		{"result", func(o o) string { return o.Result }, false},
		{"status", func(o o) string { return statusName(o.Status) }, false},
		{"next", func(o o) string { return o.Next.String() }, false},
		{"error", func(o o) string { return o.Error }, false},
	}}
}

// tally counts the outcomes of a bulk act.
type tally struct {
	verb  string
	of    int
	bad   int
	first engine.Outcome
}

func (t *tally) count(o engine.Outcome) {
	if o.Result == engine.OK {
		return
	}
	if t.bad++; t.bad == 1 {
		t.first = o
	}
}

// verdict is nil when all went well, and otherwise an error with the code of
// the first that did not.
func (t *tally) verdict() error {
	if t.bad == 0 {
		return nil
	}
	err := outcomeError(t.first)
	if t.of == 1 {
		return err
	}
	return &store.Error{Code: store.CodeOf(err), Thing: fmt.Sprintf("%s: %d of %d items refused, the first", t.verb, t.bad, t.of), Err: err}
}

// outcomeError is the error behind an outcome that is not ok.
func outcomeError(o engine.Outcome) error {
	switch {
	case o.Result == engine.OK:
		return nil
	case o.Err != nil:
		return o.Err
	case o.Result == engine.Gone:
		return store.NoItem(o.Item)
	}
	return store.Conflict("item "+o.Item.String(), o.Error, "")
}
