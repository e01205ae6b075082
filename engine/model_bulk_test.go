package engine_test

import (
	"slices"

	"signalbox/engine"
	"signalbox/store"
)

// verb is an act on an item, and whether it is allowed by what the item is.
type verb struct {
	name   string
	do     func(*modelItem) string
	allows func(*modelItem) bool
}

func (m *model) verbs() []verb {
	undecided := func(i *modelItem) bool { return engine.Reviewable(i.status) && !i.verified }
	return []verb{
		{engine.BulkRetry, m.retry, undecided},
		{engine.Verify, m.verify, undecided},
		{engine.BulkDelete, m.delete, func(i *modelItem) bool { return !i.held() && i.status != store.Deleted }},
		{engine.BulkUndo, m.undo, func(i *modelItem) bool { return i.was != nil }},
	}
}

// bulk acts on the items of a status one by one, as they stand now, and counts
// the answers. The first so many are those that the act is allowed on, if any.
func (m *model) bulk(status store.Status, first int, v verb) map[string]int {
	type seen struct {
		item    *modelItem
		changes int
	}
	var frozen []seen
	for _, i := range m.items {
		if i.status == status && !i.gone {
			frozen = append(frozen, seen{i, i.changes})
		}
	}
	if refused := func(s seen) bool { return !v.allows(s.item) }; first > 0 {
		if some := slices.DeleteFunc(slices.Clone(frozen), refused); len(some) > 0 {
			frozen = some
		}
		frozen = frozen[:min(first, len(frozen))]
	}
	answers := map[string]int{}
	for _, f := range frozen {
		if f.item.changes != f.changes {
			answers[engine.Stale]++
			continue
		}
		answers[v.do(f.item)]++
	}
	return answers
}
