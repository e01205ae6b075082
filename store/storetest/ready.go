package storetest

import (
	"signalbox/store"
)

var readyTests = map[string]func(env){
	"orders by due date, priority and number": func(e env) {
		e.queues("a", "b")
		e.add(
			store.Item{Queue: "a", Priority: store.Low},              // 1
			store.Item{Queue: "a"},                                   // 2
			store.Item{Queue: "a", Priority: store.High},             // 3
			store.Item{Queue: "a"},                                   // 4
			store.Item{Queue: "a", DueAt: 900},                       // 5
			store.Item{Queue: "a", DueAt: 300},                       // 6
			store.Item{Queue: "a", DueAt: 900},                       // 7
			store.Item{Queue: "a", DueAt: 999, Priority: store.High}, // 8
			store.Item{Queue: "a", DueAt: 1, Priority: store.Low},    // 9
			store.Item{Queue: "a", DueAt: -5},                        // 10
			store.Item{Queue: "b"},
			store.Item{Queue: "a", Status: store.Queued, Priority: store.High}, // 11
		)
		e.equal("order", e.ready("a", 1000), []uint64{8, 10, 6, 5, 7, 9, 3, 11, 2, 4, 1})
	},
	"leaves out what is not waiting or not due": func(e env) {
		e.queues("a")
		e.add(
			store.Item{Queue: "a", Status: store.Claimed},                 // 1
			store.Item{Queue: "a", AvailableAt: 100},                      // 2
			store.Item{Queue: "a", DeferUntil: 101},                       // 3
			store.Item{Queue: "a", AvailableAt: 50, DeferUntil: 200},      // 4
			store.Item{Queue: "a"},                                        // 5
			store.Item{Queue: "a", AvailableAt: 100, Priority: store.Low}, // 6
			store.Item{Queue: "a", AvailableAt: 90, DueAt: 5},             // 7
			store.Item{Queue: "a", Status: store.Successful},
		)
		e.equal("at 10", e.ready("a", 10), []uint64{5})
		e.equal("at 99", e.ready("a", 99), []uint64{7, 5})
		e.equal("at 100", e.ready("a", 100), []uint64{7, 2, 5, 6})
		e.equal("at 200", e.ready("a", 200), []uint64{7, 2, 3, 4, 5, 6})
	},
	"follows every change": func(e env) {
		e.queues("a")
		e.add(store.Item{Queue: "a"}, store.Item{Queue: "a"}, store.Item{Queue: "a"})
		e.change(id("a", 3), func(i *store.Item) { i.Priority = store.High })
		e.equal("raised", e.ready("a", 10), []uint64{3, 1, 2})
		e.change(id("a", 2), func(i *store.Item) { i.DueAt = 7 })
		e.equal("due", e.ready("a", 10), []uint64{2, 3, 1})
		e.change(id("a", 3), func(i *store.Item) { i.Status = store.Claimed })
		e.equal("claimed", e.ready("a", 10), []uint64{2, 1})
		e.change(id("a", 3), func(i *store.Item) { i.Status = store.Pending })
		e.equal("given back", e.ready("a", 10), []uint64{2, 3, 1})
		e.change(id("a", 2), func(i *store.Item) { i.AvailableAt = 50 })
		e.equal("delayed", e.ready("a", 10), []uint64{3, 1})
		e.change(id("a", 2), func(i *store.Item) { i.DueAt = 0 })
		e.equal("delayed without due", e.ready("a", 50), []uint64{3, 1, 2})
		e.change(id("a", 2), func(i *store.Item) { i.AvailableAt = 0 })
		e.equal("undelayed", e.ready("a", 10), []uint64{3, 1, 2})
	},
	"sees the transaction's own writes": func(e env) {
		e.queues("a")
		e.add(store.Item{Queue: "a"}, store.Item{Queue: "a"})
		var first, second []uint64
		e.update(func(tx store.Tx) error {
			first, second = nil, nil
			var all []store.Item
			for i, err := range tx.Ready("a", 10) {
				if err != nil {
					return err
				}
				all = append(all, i)
				first = append(first, i.Number)
			}
			for n := range all {
				all[n].Status = store.Claimed
				if err := tx.Put(&all[n], &store.Change{Event: "claim"}); err != nil {
					return err
				}
			}
			if err := tx.Add(&store.Item{Queue: "a", Status: store.Pending}, nil, added); err != nil {
				return err
			}
			for i, err := range tx.Ready("a", 10) {
				if err != nil {
					return err
				}
				second = append(second, i.Number)
			}
			return nil
		})
		e.equal("before", first, []uint64{1, 2})
		e.equal("after", second, []uint64{3})
	},
	"stays in order when items ripen": func(e env) {
		e.queues("a")
		e.add(store.Item{Queue: "a", AvailableAt: 20}, store.Item{Queue: "a"}, store.Item{Queue: "a", AvailableAt: 10, DueAt: 99})
		for range 2 {
			e.equal("order", e.ready("a", 30), []uint64{3, 1, 2})
			e.update(func(tx store.Tx) error { _, err := tx.Ripen(30); return err })
		}
		e.change(id("a", 1), func(i *store.Item) { i.Priority = store.Low })
		e.equal("ripe and lowered", e.ready("a", 30), []uint64{3, 2, 1})
		e.change(id("a", 1), func(i *store.Item) { i.Status = store.Claimed })
		e.equal("ripe and claimed", e.ready("a", 30), []uint64{3, 2})
	},
}

var dueTests = map[string]func(env){
	"counts delayed items and names the next": func(e env) {
		e.queues("a", "b")
		e.add(
			store.Item{Queue: "a", AvailableAt: 100}, store.Item{Queue: "a", DeferUntil: 200},
			store.Item{Queue: "a"}, store.Item{Queue: "a", Status: store.Claimed, DeferUntil: 50},
		)
		want := store.Stats{Counts: store.Counts{store.Pending: 3, store.Claimed: 1}, Last: 4}
		for _, test := range []struct {
			now     store.Time
			delayed int64
			next    store.Time
		}{{10, 2, 100}, {99, 2, 100}, {100, 1, 200}, {199, 1, 200}, {200, 0, 0}} {
			want.Delayed, want.NextReady = test.delayed, test.next
			e.equal("stats", e.stats("a", test.now), want)
		}
		e.equal("empty", e.stats("b", 10), store.Stats{})
	},
	"names ripe queues once": func(e env) {
		e.queues("a", "b", "c")
		e.add(
			store.Item{Queue: "c", AvailableAt: 100}, store.Item{Queue: "a", DeferUntil: 100}, store.Item{Queue: "a", DeferUntil: 150},
			store.Item{Queue: "b", AvailableAt: 120}, store.Item{Queue: "b"},
		)
		for _, test := range []struct {
			now  store.Time
			want []string
			next store.Time
		}{{99, nil, 100}, {100, []string{"a", "c"}, 120}, {110, nil, 120}, {200, []string{"a", "b"}, 0}, {300, nil, 0}} {
			var got []string
			e.update(func(tx store.Tx) (err error) {
				got, err = tx.Ripen(test.now)
				return err
			})
			e.equal("ripe", got, test.want)
			e.equal("next due", e.nextDue(), test.next)
		}
		e.change(id("b", 1), func(i *store.Item) { i.Progress = "same time" })
		e.equal("next due", e.nextDue(), store.Time(0))
		e.change(id("b", 1), func(i *store.Item) { i.AvailableAt = 130 })
		e.equal("next due, in the past", e.nextDue(), store.Time(130))
		e.change(id("b", 1), func(i *store.Item) { i.Status = store.Claimed })
		e.equal("next due", e.nextDue(), store.Time(0))
		e.change(id("b", 1), func(i *store.Item) { i.Status = store.Pending })
		e.equal("next due, waiting anew", e.nextDue(), store.Time(130))
	},
	"gives ended leases, earliest first": func(e env) {
		e.queues("a", "b")
		e.add(
			store.Item{Queue: "a", Status: store.Claimed, LeaseUntil: 300},
			store.Item{Queue: "a", Status: store.Processing, LeaseUntil: 100},
			store.Item{Queue: "b", Status: store.Claimed, LeaseUntil: 200},
			store.Item{Queue: "b", Status: store.Claimed},
			store.Item{Queue: "b", Status: store.Failed, LeaseUntil: 50},
			store.Item{Queue: "b", Status: store.Claimed, LeaseUntil: 200},
		)
		expired := func(now store.Time, limit int) (ids []string) {
			e.update(func(tx store.Tx) error {
				list, err := tx.Expired(now, limit)
				ids = nil
				for _, i := range list {
					ids = append(ids, i.ID().String())
				}
				return err
			})
			return ids
		}
		e.equal("next due", e.nextDue(), store.Time(100))
		e.equal("at 99", expired(99, 10), []string(nil))
		e.equal("at 200", expired(200, 10), []string{"a/2", "b/1", "b/4"})
		e.equal("at 1000", expired(1000, 10), []string{"a/2", "b/1", "b/4", "a/1"})
		e.equal("two", expired(1000, 2), []string{"a/2", "b/1"})
		e.equal("none", expired(1000, 0), []string(nil))
		e.change(id("a", 2), func(i *store.Item) { i.LeaseUntil = 400 })
		e.equal("renewed", e.nextDue(), store.Time(200))
		e.change(id("b", 1), func(i *store.Item) { i.LeaseUntil = 0 })
		e.change(id("b", 4), func(i *store.Item) { i.Status = store.Successful })
		e.equal("settled", e.nextDue(), store.Time(300))
		e.equal("at 1000", expired(1000, 10), []string{"a/1", "a/2"})
	},
	"gives dates that have passed, earliest first, until they are told of": func(e env) {
		e.queues("a", "b")
		e.add(
			store.Item{Queue: "a", DueAt: 300, RiskAt: 200},                        // 1
			store.Item{Queue: "a", Status: store.Processing, DueAt: 100},           // 2
			store.Item{Queue: "a", DueAt: 100, RiskAt: 150},                        // 3: the risk date says nothing
			store.Item{Queue: "a", Status: store.Successful, DueAt: 50},            // 4
			store.Item{Queue: "b", RiskAt: 200, DeferUntil: 900},                   // 1
			store.Item{Queue: "b", RiskAt: 10, RiskTold: true},                     // 2
			store.Item{Queue: "b", RiskAt: 10, RiskTold: true, DueAt: 400},         // 3
			store.Item{Queue: "b", Status: store.Abandoned, RiskAt: 10, DueAt: 20}, // 4
			store.Item{Queue: "b", RiskAt: 10, DueAt: 200, Withheld: true, RiskTold: true},
		)
		passed := func(now store.Time, limit int) (ids []string) {
			e.update(func(tx store.Tx) error {
				list, err := tx.Passed(now, limit)
				ids = nil
				for _, i := range list {
					ids = append(ids, i.ID().String())
				}
				return err
			})
			return ids
		}
		e.equal("at 99", passed(99, 10), []string(nil))
		e.equal("next date", e.nextDate(), store.Time(100))
		e.equal("next due", e.nextDue(), store.Time(900))
		e.equal("at 200", passed(200, 10), []string{"a/2", "a/3", "a/1", "b/1", "b/5"})
		e.equal("three", passed(500, 3), []string{"a/2", "a/3", "a/1"})
		e.equal("none", passed(500, 0), []string(nil))
		e.change(id("a", 2), func(i *store.Item) { i.DueTold = true })
		e.change(id("a", 3), func(i *store.Item) { i.Status = store.Successful })
		e.change(id("a", 1), func(i *store.Item) { i.RiskTold = true })
		e.change(id("b", 1), func(i *store.Item) { i.RiskAt = 350 })
		e.equal("told", passed(500, 10), []string{"b/5", "a/1", "b/1", "b/3"})
		e.equal("next date", e.nextDate(), store.Time(200))
		e.change(id("a", 3), func(i *store.Item) { i.Status = store.Pending })
		e.equal("waiting anew", e.nextDate(), store.Time(100))
		e.update(func(tx store.Tx) error { return tx.Purge([]store.ID{id("a", 3), id("b", 5)}) })
		e.equal("gone", passed(500, 10), []string{"a/1", "b/1", "b/3"})
	},
	"knows what is due inside a transaction": func(e env) {
		e.queues("a")
		var first, second store.Time
		var ripe []string
		e.update(func(tx store.Tx) (err error) {
			if err := tx.Add(&store.Item{Queue: "a", Status: store.Pending, DeferUntil: 70}, nil, added); err != nil {
				return err
			}
			if err := tx.Add(&store.Item{Queue: "a", Status: store.Claimed, LeaseUntil: 80}, nil, added); err != nil {
				return err
			}
			if first, err = tx.NextDue(); err != nil {
				return err
			}
			if ripe, err = tx.Ripen(75); err != nil {
				return err
			}
			second, err = tx.NextDue()
			return err
		})
		e.equal("at first", first, store.Time(70))
		e.equal("ripe", ripe, []string{"a"})
		e.equal("then", second, store.Time(80))
	},
}
