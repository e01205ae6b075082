package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"signalbox/store"
)

var errOurs = errors.New("ours")

var callTests = map[string]func(env){
	"keep nothing of a failed update": func(e env) {
		e.queues("a", "gone")
		e.add(store.Item{Queue: "a", Reference: "r", DeferUntil: 90}, store.Item{Queue: "gone"})
		err := e.store.Update(context.Background(), func(tx store.Tx) error {
			i, err := tx.Item(id("a", 1))
			if err != nil {
				return err
			}
			i.Status, i.Reference, i.Group, i.DeferUntil = store.Failed, "s", "g", 0
			return errors.Join(
				tx.Put(&i, &store.Change{Event: "fail"}), tx.PutPayload(i.ID(), []byte("new")), tx.PutResult(i.ID(), store.Result{Details: "d"}),
				tx.Add(&store.Item{Queue: "a", Status: store.Pending, Key: "k"}, nil, added), tx.DeleteQueue("gone"),
				tx.PutQueue(&store.Queue{Name: "new", Family: store.Jobs}), tx.PutPool(&store.Pool{Size: 9}), tx.Append(store.Change{Event: "x"}),
				errOurs,
			)
		})
		if !errors.Is(err, errOurs) {
			e.Errorf("got %v, want the function's error", err)
		}
		e.equal("items", e.ids(store.Query{}), []string{"a/1", "gone/1"})
		e.equal("status", e.item(id("a", 1)).Status, store.Pending)
		e.equal("next due", e.nextDue(), store.Time(90))
		e.equal("next number", e.add(store.Item{Queue: "a"})[0].Number, uint64(2))
		e.view(func(r store.Reader) error {
			last, err := r.LastChange()
			e.equal("last change", last, uint64(3))
			p, _ := r.Payload(id("a", 1))
			e.equal("payload", string(p), `{"n":1}`)
			return err
		})
	},
	"turn a panic into an error": func(e env) {
		e.queues("a")
		e.updateFails(store.CodeFailed, func(tx store.Tx) error {
			_ = tx.Add(&store.Item{Queue: "a", Status: store.Pending}, nil, added)
			panic("oh")
		})
		e.updateFails(store.CodeFailed, func(store.Tx) error { panic("oh") })
		e.viewFails(store.CodeFailed, func(store.Reader) error { panic("oh") })
		e.equal("items", e.ids(store.Query{}), []string(nil))
	},
	"that fail leave others' updates alone": func(e env) {
		e.queues("a")
		const callers, rounds = 32, 20
		var wg sync.WaitGroup
		var wrong atomic.Int64
		for n := range callers {
			wg.Go(func() {
				for round := range rounds {
					fails := (n+round)%3 == 0
					err := e.store.Update(context.Background(), func(tx store.Tx) error {
						if err := tx.Add(&store.Item{Queue: "a", Status: store.Pending, Key: fmt.Sprintf("%d-%d", n, round)}, nil, added); err != nil {
							return err
						}
						switch {
						case fails && n%2 == 0:
							return errOurs
						case fails:
							panic("ours")
						}
						return nil
					})
					if (err != nil) != fails {
						wrong.Add(1)
					}
				}
			})
		}
		wg.Wait()
		e.equal("wrong outcomes", wrong.Load(), int64(0))
		stored := 0
		e.view(func(r store.Reader) error {
			stored = 0
			for n := range callers {
				for round := range rounds {
					found, err := r.ByKey("a", fmt.Sprintf("%d-%d", n, round))
					if err != nil {
						return err
					}
					if found.IsZero() != ((n+round)%3 == 0) {
						e.Errorf("%d-%d: found %v", n, round, found)
					}
					if !found.IsZero() {
						stored++
					}
				}
			}
			return nil
		})
		e.equal("numbers without gaps", len(e.ids(store.Query{})), stored)
		if last := e.add(store.Item{Queue: "a"})[0]; last.Number != uint64(stored+1) {
			e.Errorf("next number %d, want %d", last.Number, stored+1)
		}
	},
	"give no item to two callers": func(e env) {
		e.queues("a")
		const items, callers = 400, 16
		e.add(plainItems(items)...)
		var claims [items + 1]atomic.Int64
		var wg sync.WaitGroup
		for n := range callers {
			wg.Go(func() {
				for {
					got, err := claim(e.store, "a", fmt.Sprint(n), 3)
					if err != nil || len(got) == 0 {
						return
					}
					for _, i := range got {
						claims[i.Number].Add(1)
						if err := settle(e.store, i.ID()); err != nil {
							e.Errorf("settle: %v", err)
							return
						}
					}
				}
			})
		}
		wg.Wait()
		for n := 1; n <= items; n++ {
			if got := claims[n].Load(); got != 1 {
				e.Errorf("item %d claimed %d times", n, got)
			}
		}
		e.equal("counts", e.stats("a", 1).Counts, store.Counts{store.Successful: items})
	},
	"read one consistent picture": func(e env) {
		e.queues("a")
		stop := make(chan struct{})
		var wg sync.WaitGroup
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				_ = e.store.Update(context.Background(), func(tx store.Tx) error {
					return errors.Join(
						tx.Add(&store.Item{Queue: "a", Status: store.Pending}, nil, added),
						tx.Add(&store.Item{Queue: "a", Status: store.Failed, Group: "g"}, nil, added))
				})
			}
		})
		for range 50 {
			e.view(func(r store.Reader) error {
				s, err := r.Stats("a", 1)
				if err != nil {
					return err
				}
				n := int64(0)
				for range r.Items(store.Query{Queue: "a"}) {
					n++
				}
				groups, err := r.Groups("a")
				last, _ := r.LastChange()
				if n != s.Counts.Total() || uint64(n) != last || n > 0 && groups[0].Count*2 != n {
					e.Errorf("counted %d, listed %d, %d changes, groups %v", s.Counts.Total(), n, last, groups)
				}
				return err
			})
		}
		close(stop)
		wg.Wait()
	},
	"with an ended context change nothing": func(e env) {
		e.queues("a")
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		add := func(tx store.Tx) error { return tx.Add(&store.Item{Queue: "a", Status: store.Pending}, nil, added) }
		if err := e.store.Update(ctx, add); !errors.Is(err, context.Canceled) {
			e.Errorf("Update: got %v", err)
		}
		if err := e.store.View(ctx, func(store.Reader) error { return nil }); !errors.Is(err, context.Canceled) {
			e.Errorf("View: got %v", err)
		}
		e.equal("items", e.ids(store.Query{}), []string(nil))
	},
	"wait for their outcome once they have run": func(e env) {
		e.queues("a")
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		err := e.store.Update(ctx, func(tx store.Tx) error {
			cancel()
			return tx.Add(&store.Item{Queue: "a", Status: store.Pending}, nil, added)
		})
		if stored := len(e.ids(store.Query{})); (err == nil) != (stored == 1) {
			e.Errorf("got %v with %d items stored", err, stored)
		}
	},
	"fail after closing": func(e env) {
		e.queues("a")
		s := e.store
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for {
					err := s.Update(context.Background(), func(tx store.Tx) error { return tx.Append(store.Change{Event: "x"}) })
					if err != nil {
						if store.CodeOf(err) != store.CodeUnavailable {
							e.Errorf("Update: got %v", err)
						}
						return
					}
				}
			})
		}
		if err := s.Close(); err != nil {
			e.Errorf("Close: %v", err)
		}
		wg.Wait()
		e.updateFails(store.CodeUnavailable, func(store.Tx) error { return nil })
		e.viewFails(store.CodeUnavailable, func(store.Reader) error { return nil })
		e.SkipNow() // nothing is left to recount
	},
}

func plainItems(n int) []store.Item {
	items := make([]store.Item, n)
	for k := range items {
		items[k] = store.Item{Queue: "a"}
	}
	return items
}

// claim takes up to n items for a robot.
func claim(s store.Store, queue, robot string, n int) (got []store.Item, err error) {
	err = s.Update(context.Background(), func(tx store.Tx) error {
		got = nil
		for i, err := range tx.Ready(queue, 1) {
			if err != nil {
				return err
			}
			if got = append(got, i); len(got) == n {
				break
			}
		}
		for k := range got {
			i := &got[k]
			i.Status, i.ClaimedBy, i.LeaseUntil = store.Claimed, robot, 1000
			i.Attempts++
			i.Fence++
			if err := tx.Put(i, &store.Change{Event: "claim", Actor: robot, From: store.Pending, To: store.Claimed, Fence: i.Fence}); err != nil {
				return err
			}
		}
		return nil
	})
	return got, err
}

func settle(s store.Store, of store.ID) error {
	return s.Update(context.Background(), func(tx store.Tx) error {
		i, err := tx.Item(of)
		if err != nil {
			return err
		}
		i.Status, i.LeaseUntil, i.EndedAt = store.Successful, 0, 5
		return tx.Put(&i, &store.Change{Event: "complete", Actor: i.ClaimedBy, From: store.Claimed, To: store.Successful, Fence: i.Fence})
	})
}
