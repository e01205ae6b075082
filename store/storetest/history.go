package storetest

import (
	"fmt"
	"strings"

	"signalbox/store"
)

var historyTests = map[string]func(env){
	"chains an item's changes": func(e env) {
		e.queues("a", "b")
		e.add(store.Item{Queue: "a"}, store.Item{Queue: "b"})
		e.change(id("a", 1), func(i *store.Item) { i.Status = store.Claimed })
		e.change(id("b", 1), func(i *store.Item) { i.Status = store.Claimed })
		e.update(func(tx store.Tx) error { // without a change
			i, err := tx.Item(id("a", 1))
			if err != nil {
				return err
			}
			i.Progress = "half"
			return tx.Put(&i, nil)
		})
		put := e.change(id("a", 1), func(i *store.Item) { i.Status = store.Successful })
		e.equal("revision", put.Revision, uint64(4))

		want := []store.Change{
			{Seq: 5, At: 2000, Actor: "tester", Queue: "a", Number: 1, Event: "change", From: store.Claimed, To: store.Successful, Prev: 3},
			{Seq: 3, At: 2000, Actor: "tester", Queue: "a", Number: 1, Event: "change", From: store.Pending, To: store.Claimed, Prev: 1},
			{Seq: 1, At: 1000, Actor: "tester", Queue: "a", Number: 1, Event: "add", To: store.Pending},
		}
		e.equal("history", e.history(id("a", 1)), want)
		e.view(func(r store.Reader) error {
			some, err := r.History(id("a", 1), 2)
			e.equal("newest two", some, want[:2])
			return err
		})
	},
	"keeps every field of a change": func(e env) {
		e.queues("a")
		want := []store.Change{
			{Seq: 1, At: 5, Actor: "ann", Queue: "a", Number: 1, Event: "add", To: store.Pending, Fence: 1 << 50, Why: "because\n"},
			{Seq: 2, At: -7, Actor: "", Queue: "a", Number: 1, Event: "claim", From: store.Pending, To: store.Claimed, Fence: 3, Why: strings.Repeat("w", 5000), Prev: 1},
			{Seq: 3, At: 6, Actor: "bob", Queue: "a", Event: "pause", Why: "x"},
			{Seq: 4, At: 6, Actor: "bob", Event: "resize"},
		}
		e.update(func(tx store.Tx) error {
			i := store.Item{Queue: "a", Status: store.Pending}
			if err := tx.Add(&i, nil, want[0]); err != nil {
				return err
			}
			claim := want[1]
			i.Status = store.Claimed
			claim.Seq, claim.Prev, claim.Queue, claim.Number = 99, 98, "", 0
			if err := tx.Put(&i, &claim); err != nil {
				return err
			}
			if err := tx.Append(want[2]); err != nil {
				return err
			}
			return tx.Append(want[3])
		})
		var got []store.Change
		e.view(func(r store.Reader) (err error) {
			got, err = r.Changes(0, 10)
			return err
		})
		e.equal("stream", got, want)
	},
	"streams from anywhere": func(e env) {
		e.queues("a")
		const n = 500
		for range 5 {
			e.update(func(tx store.Tx) error {
				for k := range n / 5 {
					i := store.Item{Queue: "a", Status: store.Pending}
					c := store.Change{At: store.Time(k * k), Actor: fmt.Sprint(k % 3), Event: "add", Why: strings.Repeat("y", k%40)}
					if err := tx.Add(&i, nil, c); err != nil {
						return err
					}
				}
				return nil
			})
		}
		e.view(func(r store.Reader) error {
			last, err := r.LastChange()
			e.equal("last", last, uint64(n))
			for _, after := range []uint64{0, 1, 57, 99, 100, 101, n - 1, n, n + 5} {
				for _, limit := range []int{0, 1, 30, 1000} {
					list, err := r.Changes(after, limit)
					if err != nil {
						return err
					}
					want := min(limit, max(0, n-int(after)))
					e.equal(fmt.Sprintf("%d after %d", limit, after), len(list), want)
					for k, c := range list {
						if c.Seq != after+1+uint64(k) || c.Number != c.Seq {
							e.Errorf("change %d after %d: seq %d, number %d", k, after, c.Seq, c.Number)
						}
					}
				}
			}
			return err
		})
	},
	"is seen inside its transaction": func(e env) {
		e.queues("a")
		e.add(store.Item{Queue: "a"})
		var seqs []uint64
		var last uint64
		e.update(func(tx store.Tx) error {
			seqs = nil
			for range 6000 { // more than fits one block
				i, err := tx.Item(id("a", 1))
				if err != nil {
					return err
				}
				if err := tx.Put(&i, &store.Change{Event: "renew"}); err != nil {
					return err
				}
			}
			list, err := tx.History(id("a", 1), 10000)
			if err != nil {
				return err
			}
			for _, c := range list {
				seqs = append(seqs, c.Seq)
			}
			last, err = tx.LastChange()
			return err
		})
		e.equal("last", last, uint64(6001))
		e.equal("length", len(seqs), 6001)
		for n, seq := range seqs {
			if seq != uint64(6001-n) {
				e.Fatalf("change %d has seq %d", n, seq)
			}
		}
	},
	"is empty at first": func(e env) {
		e.view(func(r store.Reader) error {
			last, err := r.LastChange()
			e.equal("last", last, uint64(0))
			list, _ := r.Changes(0, 10)
			e.equal("changes", len(list), 0)
			return err
		})
	},
}
