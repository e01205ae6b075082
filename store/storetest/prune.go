package storetest

import (
	"fmt"
	"strings"

	"signalbox/store"
)

var pruneTests = map[string]func(env){
	"removes all of an item": func(e env) {
		e.queues("a")
		e.add(
			store.Item{Queue: "a", Reference: "r", Key: "k1", Group: "g", Status: store.Abandoned, Error: &store.Failure{Kind: "system"}},
			store.Item{Queue: "a", Reference: "r", Key: "k2", Group: "g", Status: store.Abandoned, Error: &store.Failure{Kind: "system"}},
			store.Item{Queue: "a", DueAt: 50, DeferUntil: 40},
			store.Item{Queue: "a", Status: store.Claimed, LeaseUntil: 30},
			store.Item{Queue: "a", DueAt: 60},
			store.Item{Queue: "a", Priority: store.High},
		)
		e.change(id("a", 1), func(i *store.Item) { i.Review.Note = "n" })
		e.update(func(tx store.Tx) error { return tx.PutResult(id("a", 1), store.Result{Details: "d"}) })
		e.update(func(tx store.Tx) error {
			if err := tx.Purge([]store.ID{id("a", 1), id("a", 3), id("a", 4), id("a", 5), id("a", 6)}); err != nil {
				return err
			}
			_, err := tx.Item(id("a", 1)) // seen in the same transaction
			e.equal("code of an item just purged", store.CodeOf(err), store.CodeNotFound)
			return tx.Append(store.Change{Event: "purge", Queue: "a"})
		})
		e.equal("by reference", e.ids(store.Query{Queue: "a", Reference: "r"}), []string{"a/2"})
		e.equal("by group", e.ids(store.Query{Queue: "a", Groups: []string{"g"}}), []string{"a/2"})
		e.equal("ready", e.ready("a", 100), []uint64(nil))
		e.equal("next due", e.nextDue(), store.Time(0))
		s := e.stats("a", 0)
		e.equal("total", s.Counts.Total(), int64(1))
		e.equal("last", s.Last, uint64(6))
		e.view(func(r store.Reader) error {
			for n, want := range map[string]uint64{"k1": 0, "k2": 2} {
				found, err := r.ByKey("a", n)
				e.equal(n, found.Number, want)
				if err != nil {
					return err
				}
			}
			groups, err := r.Groups("")
			e.equal("groups", groups, []store.Group{{Queue: "a", Status: store.Abandoned, Kind: "system", Text: "g", Count: 1}})
			return err
		})
		for _, read := range []func(store.Reader) error{
			func(r store.Reader) error { _, err := r.Payload(id("a", 1)); return err },
			func(r store.Reader) error { _, err := r.Result(id("a", 1)); return err },
			func(r store.Reader) error { _, err := r.History(id("a", 1), 10); return err },
		} {
			e.viewFails(store.CodeNotFound, read)
		}
		e.updateFails(store.CodeNotFound, func(tx store.Tx) error { return tx.Purge([]store.ID{id("a", 2), id("a", 1)}) })
		e.equal("what a refused purge left", e.ids(store.Query{Queue: "a"}), []string{"a/2"})
		e.equal("number of the next", e.add(store.Item{Queue: "a"})[0].Number, uint64(7))
	},
	"removes an item's changes and no others": func(e env) {
		e.queues("a", "b")
		for range 3 {
			e.update(func(tx store.Tx) error {
				for n := range 100 {
					i := store.Item{Queue: []string{"a", "b"}[n%2], Status: store.Completed}
					if err := tx.Add(&i, nil, store.Change{Event: "add", To: i.Status, Why: strings.Repeat("w", n)}); err != nil {
						return err
					}
				}
				return tx.Append(store.Change{Event: "resize"})
			})
		}
		e.update(func(tx store.Tx) error {
			var ids []store.ID
			for n := range uint64(150) {
				if n%3 > 0 {
					ids = append(ids, id("a", n+1))
				}
			}
			return tx.Purge(ids)
		})
		e.view(func(r store.Reader) error {
			left, err := r.Changes(0, 1000)
			e.equal("changes left", len(left), 303-100)
			last, err2 := r.LastChange()
			e.equal("last", last, uint64(303))
			some, err3 := r.Changes(100, 3)
			e.equal("after 100", fmt.Sprint(seqs(some)), "[101 103 104]")
			return firstError(err, err2, err3)
		})
		e.equal("history", len(e.history(id("a", 1))), 1)
	},
	"forgets changes but the newest": func(e env) {
		e.queues("a")
		e.update(func(tx store.Tx) error {
			for n := range 40 {
				if err := tx.Append(store.Change{Event: "pause", Queue: "a", Why: fmt.Sprint(n)}); err != nil {
					return err
				}
			}
			return nil
		})
		e.update(func(tx store.Tx) error { return tx.Forget([]uint64{40, 3, 2, 2, 1, 77, 20}) })
		e.update(func(tx store.Tx) error { return tx.Forget([]uint64{2, 4, 39}) })
		e.view(func(r store.Reader) error {
			left, err := r.Changes(0, 100)
			e.equal("left", len(left), 34)
			e.equal("first", fmt.Sprint(seqs(left[:2])), "[5 6]")
			last, err2 := r.LastChange()
			e.equal("last", last, uint64(40))
			return firstError(err, err2)
		})
		all := make([]uint64, 40)
		for n := range all {
			all[n] = uint64(n + 1)
		}
		e.update(func(tx store.Tx) error { return tx.Forget(all) })
		e.update(func(tx store.Tx) error { return tx.Append(store.Change{Event: "resume", Queue: "a"}) })
		e.view(func(r store.Reader) error {
			left, err := r.Changes(0, 100)
			e.equal("left", fmt.Sprint(seqs(left)), "[40 41]")
			return err
		})
	},
	"keeps marks": func(e env) {
		e.queues("a", "b")
		mark := func(queue, name string) (n uint64) {
			e.view(func(r store.Reader) (err error) {
				n, err = r.Mark(queue, name)
				return err
			})
			return n
		}
		e.update(func(tx store.Tx) error {
			return firstError(tx.PutMark("a", "x", 5), tx.PutMark("a", "y", 6), tx.PutMark("", "x", 7), tx.PutMark("a", "y", 8))
		})
		e.equal("marks", []uint64{mark("a", "x"), mark("a", "y"), mark("", "x"), mark("b", "x"), mark("", "y")}, []uint64{5, 8, 7, 0, 0})
		e.viewFails(store.CodeNotFound, func(r store.Reader) error { _, err := r.Mark("none", "x"); return err })
		e.updateFails(store.CodeNotFound, func(tx store.Tx) error { return tx.PutMark("none", "x", 1) })
		e.updateFails(store.CodeInvalid, func(tx store.Tx) error { return tx.PutMark("a", strings.Repeat("n", 33), 1) })
		e.update(func(tx store.Tx) error { return tx.DeleteQueue("a") })
		e.queues("a")
		e.equal("after its queue was deleted", mark("a", "x"), uint64(0))
	},
}

func seqs(list []store.Change) (seqs []uint64) {
	for _, c := range list {
		seqs = append(seqs, c.Seq)
	}
	return seqs
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
