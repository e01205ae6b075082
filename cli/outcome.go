package cli

import (
	"context"
	"fmt"

	"signalbox/engine"
	"signalbox/store"
)

// acted is what became of one item: the outcome, and for a retry the item.
type acted struct {
	engine.Outcome
	now *store.Item // nil: only the outcome is shown
}

// MarshalJSON writes the outcome's fields, behind those of the item if it is
// shown.
func (a acted) MarshalJSON() ([]byte, error) {
	if a.now == nil {
		return store.Encode(a.Outcome)
	}
	b, err := store.Encode(a.now)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(b[:len(b)-1], `,"item":%q,"result":%q}`, a.Item, a.Result), nil
}

// asOutcomes shows outcomes as they are.
func asOutcomes(outcomes []engine.Outcome) []acted {
	rows := make([]acted, len(outcomes))
	for i, o := range outcomes {
		rows[i].Outcome = o
	}
	return rows
}

// withItems shows those that went well with the item as it is now.
func withItems(ctx context.Context, s Service, outcomes []engine.Outcome) ([]acted, error) {
	rows := asOutcomes(outcomes)
	for i := range rows {
		if rows[i].Result != engine.OK {
			continue
		}
		rec, err := s.Item(ctx, rows[i].Outcome.Item)
		if err != nil {
			return nil, err
		}
		rows[i].now = &rec.Item
	}
	return rows, nil
}

func outcomeColumns() columns[acted] {
	type o = acted
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
