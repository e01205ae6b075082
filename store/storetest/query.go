package storetest

import (
	"fmt"
	"slices"

	"signalbox/store"
)

var queryTests = map[string]func(env){
	"selects by queue, status, group and reference": func(e env) {
		e.queues("a", "b", "c")
		e.add(
			store.Item{Queue: "a", Reference: "INV-2"},
			store.Item{Queue: "a", Reference: "INV-1", Status: store.Failed, Group: "g"},
			store.Item{Queue: "a", Reference: "INV-10"},
			store.Item{Queue: "a", Status: store.Claimed},
			store.Item{Queue: "a", Reference: "INV-1"},
			store.Item{Queue: "b", Reference: "INV-1", Status: store.Failed, Group: "h"},
			store.Item{Queue: "b", Reference: "INV", Status: store.Failed, Group: "g"},
		)
		for _, test := range []struct {
			name  string
			query store.Query
			want  []string
		}{
			{"all", store.Query{}, []string{"a/1", "a/2", "a/3", "a/4", "a/5", "b/1", "b/2"}},
			{"all, newest first", store.Query{Desc: true}, []string{"a/5", "a/4", "a/3", "a/2", "a/1", "b/2", "b/1"}},
			{"one queue", store.Query{Queue: "b"}, []string{"b/1", "b/2"}},
			{"an empty queue", store.Query{Queue: "c"}, nil},
			{"one status", store.Query{Statuses: []store.Status{store.Failed}}, []string{"a/2", "b/1", "b/2"}},
			{"two statuses", store.Query{Statuses: []store.Status{store.Claimed, store.Failed}}, []string{"a/2", "a/4", "b/1", "b/2"}},
			{"no status", store.Query{Statuses: []store.Status{}}, nil},
			{"group", store.Query{Groups: []string{"g"}}, []string{"a/2", "b/2"}},
			{"groups", store.Query{Groups: []string{"h", "g", "none"}}, []string{"a/2", "b/1", "b/2"}},
			{"groups, newest first", store.Query{Groups: []string{"h", "g"}, Desc: true}, []string{"a/2", "b/2", "b/1"}},
			{"no group", store.Query{Groups: []string{}}, nil},
			{"group, newest first", store.Query{Groups: []string{"g"}, Desc: true}, []string{"a/2", "b/2"}},
			{"group and status", store.Query{Groups: []string{"g"}, Statuses: []store.Status{store.Abandoned}}, nil},
			{"reference prefix", store.Query{Reference: "INV-1"}, []string{"a/2", "a/5", "a/3", "b/1"}},
			{"reference prefix, backwards", store.Query{Reference: "INV-1", Desc: true}, []string{"a/3", "a/5", "a/2", "b/1"}},
			{"exact reference", store.Query{Reference: "INV-1", Exact: true}, []string{"a/2", "a/5", "b/1"}},
			{"exact reference, backwards", store.Query{Reference: "INV-1", Exact: true, Desc: true}, []string{"a/5", "a/2", "b/1"}},
			{"reference and status", store.Query{Reference: "INV", Statuses: []store.Status{store.Pending}}, []string{"a/5", "a/3", "a/1"}},
			{"reference and group", store.Query{Reference: "INV", Groups: []string{"g"}}, []string{"a/2", "b/2"}},
			{"after", store.Query{After: id("a", 3)}, []string{"a/4", "a/5", "b/1", "b/2"}},
			{"after, newest first", store.Query{After: id("a", 3), Desc: true}, []string{"a/2", "a/1", "b/2", "b/1"}},
			{"after a queue's end", store.Query{After: id("a", 99)}, []string{"b/1", "b/2"}},
			{"after a missing queue", store.Query{After: id("aa", 1)}, []string{"b/1", "b/2"}},
			{"after the end", store.Query{Queue: "a", After: id("b", 1)}, nil},
			{"after with status", store.Query{After: id("a", 2), Statuses: []store.Status{store.Failed}}, []string{"b/1", "b/2"}},
			{"after with group", store.Query{After: id("a", 2), Groups: []string{"g"}}, []string{"b/2"}},
			{"after with reference", store.Query{Reference: "INV-1", After: id("a", 2), AfterReference: "INV-1"}, []string{"a/5", "a/3", "b/1"}},
			{"after with a missing reference", store.Query{Reference: "INV-1", After: id("a", 1), AfterReference: "INV-0"}, []string{"a/2", "a/5", "a/3", "b/1"}},
			{"after with a later reference, backwards", store.Query{Queue: "a", Reference: "INV-1", After: id("a", 1), AfterReference: "INV-3", Desc: true}, []string{"a/3", "a/5", "a/2"}},
		} {
			e.equal(test.name, e.ids(test.query), test.want)
		}
	},
	"pages without skipping or repeating": func(e env) {
		e.queues("a", "b", "c")
		statuses := []store.Status{store.Pending, store.Failed, store.Claimed}
		var items []store.Item
		for n := range 60 {
			items = append(items, store.Item{
				Queue: []string{"a", "b", "c"}[n%3], Status: statuses[n/3%3],
				Reference: fmt.Sprintf("R-%d", n%4), Group: []string{"", "g", "h"}[n%3],
			})
		}
		e.add(items...)
		for _, q := range []store.Query{
			{}, {Desc: true}, {Queue: "b"}, {Queue: "b", Desc: true}, {Statuses: statuses[:2]}, {Statuses: statuses[:2], Desc: true},
			{Groups: []string{"g"}}, {Groups: []string{"g", "h", "g"}, Desc: true}, {Reference: "R"}, {Reference: "R-", Desc: true}, {Reference: "R-1", Exact: true},
			{Reference: "R-1", Exact: true, Desc: true},
		} {
			whole := e.ids(q)
			for size := 1; size <= 7; size += 3 {
				if paged := e.pages(q, size); !slices.Equal(paged, whole) {
					e.Errorf("%+v in pages of %d:\n got %v\nwant %v", q, size, paged, whole)
				}
			}
		}
	},
	"sees its own transaction's writes": func(e env) {
		e.queues("a")
		e.add(store.Item{Queue: "a"}, store.Item{Queue: "a"})
		var inside []string
		e.update(func(tx store.Tx) error {
			i, err := tx.Item(id("a", 1))
			if err != nil {
				return err
			}
			i.Status, i.Reference = store.Claimed, "new"
			if err := tx.Put(&i, &store.Change{Event: "claim", To: store.Claimed}); err != nil {
				return err
			}
			if err := tx.Add(&store.Item{Queue: "a", Status: store.Claimed}, nil, added); err != nil {
				return err
			}
			inside = nil
			for _, q := range []store.Query{{Statuses: []store.Status{store.Claimed}}, {Reference: "n"}} {
				for i, err := range tx.Items(q) {
					if err != nil {
						return err
					}
					inside = append(inside, i.ID().String())
				}
			}
			return nil
		})
		e.equal("inside", inside, []string{"a/1", "a/3", "a/1"})
	},
	"follows every change of reference, group and status": func(e env) {
		e.queues("a")
		e.add(store.Item{Queue: "a", Reference: "r1", Group: "g1"})
		e.change(id("a", 1), func(i *store.Item) { i.Reference, i.Group, i.Status = "r2", "g2", store.Failed })
		for _, q := range []store.Query{{Reference: "r1"}, {Groups: []string{"g1"}}, {Statuses: []store.Status{store.Pending}}} {
			e.equal("old", e.ids(q), []string(nil))
		}
		for _, q := range []store.Query{{Reference: "r2"}, {Groups: []string{"g2"}}, {Statuses: []store.Status{store.Failed}}} {
			e.equal("new", e.ids(q), []string{"a/1"})
		}
		e.change(id("a", 1), func(i *store.Item) { i.Reference, i.Group = "", "" })
		for _, q := range []store.Query{{Reference: "r2"}, {Groups: []string{"g2"}}} {
			e.equal("removed", e.ids(q), []string(nil))
		}
	},
}

// pages reads a query page by page, each going on after the last's end.
func (e env) pages(q store.Query, size int) (ids []string) {
	e.Helper()
	for {
		var page []store.Item
		e.view(func(r store.Reader) error {
			page = nil
			for i, err := range r.Items(q) {
				if err != nil {
					return err
				}
				if page = append(page, i); len(page) == size {
					break
				}
			}
			return nil
		})
		if len(page) == 0 {
			return ids
		}
		for _, i := range page {
			ids = append(ids, i.ID().String())
		}
		last := page[len(page)-1]
		q.After, q.AfterReference = last.ID(), last.Reference
	}
}
