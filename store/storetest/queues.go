package storetest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"signalbox/store"
)

var fullQueue = store.Queue{
	Name: "orders", Family: store.Jobs, Folder: "/finance/ap", Description: "zażółć\n\"x\"", Lane: "slow",
	Consumer:  store.Consumer{Kind: "command", Argv: []string{"sh", "", "x y"}, Env: []string{"A=b"}, Dir: "/d", Shell: true, Timeout: store.Duration(time.Minute), URL: "https://h/p", Headers: []string{"A: b", "A: c"}},
	BatchSize: 7, MaxDrains: 2, Paused: true, PausedBy: "ann", Lease: store.Duration(10 * time.Minute), OnExpiry: "reclaim",
	MaxReclaims: 3, Retries: 16, RetryWindow: store.Duration(24 * time.Hour), RetryFloor: store.Duration(time.Second),
	RetryAbandoned: true, AttemptTimeout: store.Duration(time.Hour), UniqueReferences: true, SLA: 5, SLARisk: 6,
	Mask: []string{"iban"}, Links: []string{"/a", "/b/c"}, Encrypted: true, KeyID: "0a1b2c3d", CreatedAt: 99, ConsumerError: "no such file", ConsumerErrorAt: 100,
}

var queueTests = map[string]func(env){
	"keep every setting and count revisions": func(e env) {
		var got store.Queue
		for revision := uint64(1); revision <= 3; revision++ {
			q := fullQueue
			e.update(func(tx store.Tx) error {
				q = fullQueue
				q.Revision = 77
				return tx.PutQueue(&q)
			})
			e.view(func(r store.Reader) (err error) {
				got, err = r.Queue("orders")
				return err
			})
			want := fullQueue
			want.Revision = revision
			e.equal("stored", got, want)
			e.equal("given back", q, want)
		}
	},
	"are listed by name whatever their family": func(e env) {
		e.update(func(tx store.Tx) error {
			for n, name := range []string{"b", "a.b", "c", "a", "a-b"} {
				if err := tx.PutQueue(&store.Queue{Name: name, Family: store.Family(1 + n%2)}); err != nil {
					return err
				}
			}
			return nil
		})
		var names []string
		e.view(func(r store.Reader) error {
			list, err := r.Queues()
			names = nil
			for _, q := range list {
				names = append(names, q.Name)
			}
			return err
		})
		e.equal("names", names, []string{"a", "a-b", "a.b", "b", "c"})
	},
	"keep their family": func(e env) {
		e.queues("a")
		e.updateFails(store.CodeConflict, func(tx store.Tx) error {
			return tx.PutQueue(&store.Queue{Name: "a", Family: store.Jobs})
		})
		e.updateFails(store.CodeInvalid, func(tx store.Tx) error { return tx.PutQueue(&store.Queue{Name: "b"}) })
		e.updateFails(store.CodeInvalid, func(tx store.Tx) error { return tx.PutQueue(&store.Queue{Family: store.Jobs}) })
	},
	"that are missing give not found everywhere": func(e env) {
		for name, read := range map[string]func(store.Reader) error{
			"Queue":   func(r store.Reader) error { _, err := r.Queue("nope"); return err },
			"Stats":   func(r store.Reader) error { _, err := r.Stats("nope", 1); return err },
			"Item":    func(r store.Reader) error { _, err := r.Item(id("nope", 1)); return err },
			"Payload": func(r store.Reader) error { _, err := r.Payload(id("nope", 1)); return err },
			"Result":  func(r store.Reader) error { _, err := r.Result(id("nope", 1)); return err },
			"ByKey":   func(r store.Reader) error { _, err := r.ByKey("nope", "k"); return err },
			"Groups":  func(r store.Reader) error { _, err := r.Groups("nope"); return err },
			"History": func(r store.Reader) error { _, err := r.History(id("nope", 1), 9); return err },
			"Items": func(r store.Reader) error {
				for _, err := range r.Items(store.Query{Queue: "nope"}) {
					return err
				}
				return nil
			},
		} {
			e.Log(name)
			e.viewFails(store.CodeNotFound, read)
		}
		for name, write := range map[string]func(store.Tx) error{
			"Add": func(tx store.Tx) error { return tx.Add(&store.Item{Queue: "nope", Status: store.Pending}, nil, added) },
			"Put": func(tx store.Tx) error {
				return tx.Put(&store.Item{Queue: "nope", Number: 1, Status: store.Pending}, nil)
			},
			"PutPayload":  func(tx store.Tx) error { return tx.PutPayload(id("nope", 1), nil) },
			"PutResult":   func(tx store.Tx) error { return tx.PutResult(id("nope", 1), store.Result{Details: "x"}) },
			"DeleteQueue": func(tx store.Tx) error { return tx.DeleteQueue("nope") },
			"Ready": func(tx store.Tx) error {
				for _, err := range tx.Ready("nope", 1) {
					return err
				}
				return nil
			},
		} {
			e.Log(name)
			e.updateFails(store.CodeNotFound, write)
		}
	},
	"that are deleted take all but their history along": func(e env) {
		e.queues("a", "b")
		e.add(
			store.Item{Queue: "a", Reference: "r", Key: "k", Group: "g", Status: store.Abandoned},
			store.Item{Queue: "a", DeferUntil: 50},
			store.Item{Queue: "a", Status: store.Claimed, LeaseUntil: 40},
			store.Item{Queue: "b", DeferUntil: 60},
		)
		e.update(func(tx store.Tx) error { return tx.DeleteQueue("a") })
		e.viewFails(store.CodeNotFound, func(r store.Reader) error { _, err := r.Queue("a"); return err })
		e.equal("items", e.ids(store.Query{}), []string{"b/1"})
		e.equal("next due", e.nextDue(), store.Time(60))
		e.view(func(r store.Reader) error {
			groups, err := r.Groups("")
			e.equal("groups", groups, []store.Group(nil))
			changes, _ := r.Changes(0, 10)
			e.equal("changes kept", len(changes), 4)
			return err
		})

		e.queues("a")
		again := e.add(store.Item{Queue: "a"})[0]
		e.equal("number", again.Number, uint64(4))
		e.equal("history", len(e.history(again.ID())), 1)
		e.equal("counts", e.stats("a", 10).Counts, store.Counts{store.Pending: 1})
		e.view(func(r store.Reader) error {
			found, err := r.ByKey("a", "k")
			e.equal("old key", found, store.ID{})
			return err
		})
		e.equal("old reference", e.ids(store.Query{Reference: "r"}), []string(nil))
	},
	"can be deleted and added again in one call, under another family": func(e env) {
		e.queues("a")
		e.add(store.Item{Queue: "a"}, store.Item{Queue: "a", DeferUntil: 5})
		e.update(func(tx store.Tx) error {
			if err := tx.Add(&store.Item{Queue: "a", Status: store.Pending, DeferUntil: 3}, nil, added); err != nil {
				return err
			}
			if err := tx.DeleteQueue("a"); err != nil {
				return err
			}
			if err := tx.PutQueue(&store.Queue{Name: "a", Family: store.Jobs}); err != nil {
				return err
			}
			return tx.Add(&store.Item{Queue: "a", Status: store.Queued, DeferUntil: 8}, nil, added)
		})
		e.equal("items", e.ids(store.Query{}), []string{"a/4"})
		e.equal("next due", e.nextDue(), store.Time(8))
	},
	"never give a number a second time, however often they are deleted": func(e env) {
		for n := range 3 {
			e.queues("a", "b")
			first := e.add(store.Item{Queue: "a"}, store.Item{Queue: "a"}, store.Item{Queue: "b"})[0]
			e.equal("number", first.Number, uint64(2*n+1))
			e.update(func(tx store.Tx) error { return tx.DeleteQueue("a") })
			e.queues("a") // one without an item remembers too
			e.viewFails(store.CodeNotFound, func(r store.Reader) error { _, err := r.Item(first.ID()); return err })
			if err := e.store.Update(context.Background(), func(tx store.Tx) error {
				return errors.Join(tx.DeleteQueue("a"), errOurs)
			}); !errors.Is(err, errOurs) {
				e.Errorf("got %v", err)
			}
			e.update(func(tx store.Tx) error { return tx.DeleteQueue("a") })
		}
		e.queues("a")
		e.equal("number", e.add(store.Item{Queue: "a"})[0].Number, uint64(7))
		e.equal("another's", e.add(store.Item{Queue: "b"})[0].Number, uint64(4))
	},
	"share one pool": func(e env) {
		for revision := uint64(0); revision < 3; revision++ {
			var got store.Pool
			e.view(func(r store.Reader) (err error) {
				got, err = r.Pool()
				return err
			})
			want := store.Pool{Size: int(revision) * 4, Fast: int(revision), Slow: int(revision), Auto: revision > 0, Revision: revision}
			e.equal("pool", got, want)
			e.update(func(tx store.Tx) error {
				n := int(revision + 1)
				return tx.PutPool(&store.Pool{Size: n * 4, Fast: n, Slow: n, Auto: true})
			})
		}
	},
	"number in the thousands": func(e env) {
		const n = 2000
		e.update(func(tx store.Tx) error {
			for i := range n {
				name := fmt.Sprintf("q%04d", i)
				if err := tx.PutQueue(&store.Queue{Name: name, Family: store.Family(1 + i%2)}); err != nil {
					return err
				}
				if err := tx.Add(&store.Item{Queue: name, Status: store.Pending, DeferUntil: store.Time(5000 - i)}, nil, added); err != nil {
					return err
				}
			}
			return nil
		})
		e.equal("next due", e.nextDue(), store.Time(5000-n+1))
		var names []string
		e.update(func(tx store.Tx) (err error) {
			names, err = tx.Ripen(5000 - n + 3)
			return err
		})
		e.equal("ripe", names, []string{"q1997", "q1998", "q1999"})
		e.equal("next due", e.nextDue(), store.Time(5000-n+4))
	},
}
