package engine_test

import (
	"fmt"
	"slices"
	"testing"

	"signalbox/engine"
	"signalbox/store"
)

// Pages in order of a value, put together, are every item once, in that order
// and in its turn.
func TestSortedPagesAreAllOfTheList(t *testing.T) {
	eachStore(t, sortedPages)
}

func sortedPages(r *rig) {
	t, e := r.t, r.Engine
	r.queue("orders", store.Transactions, nil)
	const n = 57
	for i := range n {
		item := engine.NewItem{Payload: []byte(`{}`), Reference: fmt.Sprint("R", i*37%11)}
		if i%3 == 0 {
			item.Priority = store.High
		}
		r.add("orders", item)
	}
	for _, name := range append(engine.Orders(), "number") {
		for _, desc := range []bool{false, true} {
			all := sortedList(t, e, engine.ListRequest{Queue: "orders", Sort: name, Desc: desc, Limit: 10})
			if len(all) != n {
				t.Fatalf("%s: %d items of %d", name, len(all), n)
			}
			back := sortedList(t, e, engine.ListRequest{Queue: "orders", Sort: name, Desc: !desc, Limit: 7})
			slices.Reverse(back)
			seen := map[store.ID]bool{}
			for i := range all {
				seen[all[i].ID()] = true
				if all[i].ID() != back[i].ID() {
					t.Fatalf("%s: turned round, place %d is %s and not %s", name, i, back[i].ID(), all[i].ID())
				}
			}
			if len(seen) != n {
				t.Fatalf("%s: some came twice", name)
			}
		}
	}
	byReference := sortedList(t, e, engine.ListRequest{Queue: "orders", Sort: "reference", Limit: 10})
	if !slices.IsSortedFunc(byReference, func(a, b store.Item) int { return slices.Compare([]byte(a.Reference), []byte(b.Reference)) }) {
		t.Error("references are not in order")
	}
	if _, err := e.List(t.Context(), engine.ListRequest{Queue: "orders", Sort: "colour"}); store.CodeOf(err) != store.CodeInvalid {
		t.Errorf("an unknown order: %v", err)
	}
}

func sortedList(t *testing.T, e *engine.Engine, r engine.ListRequest) []store.Item {
	t.Helper()
	var all []store.Item
	for {
		page, err := e.List(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, page.Items...)
		if !page.More {
			return all
		}
		r.After = page.Items[len(page.Items)-1].ID()
	}
}
