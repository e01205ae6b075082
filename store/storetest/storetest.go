// Package storetest says, as tests, what every store.Store must do. A store's
// own tests call Run with a way to open an empty one:
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t *testing.T) store.Store { return memory.New() })
//	}
//
// Recount is for tests that have put a store under stress: it walks every
// record and compares what is counted, indexed and chained with what is there.
package storetest

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"signalbox/store"
)

// Open gives an empty store. Run closes it.
type Open func(t *testing.T) store.Store

// Run runs the whole suite. Every test gets a store of its own.
func Run(t *testing.T, open Open) {
	for _, group := range []struct {
		name  string
		tests map[string]func(env)
	}{
		{"queues", queueTests},
		{"items", itemTests},
		{"query", queryTests},
		{"ready", readyTests},
		{"due", dueTests},
		{"history", historyTests},
		{"prune", pruneTests},
		{"holds", holdTests},
		{"calls", callTests},
		{"jobs", jobTests},
		{"examine", examineTests},
	} {
		t.Run(group.name, func(t *testing.T) {
			for name, test := range group.tests {
				t.Run(name, func(t *testing.T) {
					s := open(t)
					t.Cleanup(func() { _ = s.Close() })
					test(env{t, s})
					if !t.Failed() {
						Recount(t, s)
					}
				})
			}
		})
	}
	t.Run("model", func(t *testing.T) { Model(t, open) })
}

// env is one test's store with what makes it short to use. Its methods fail
// the test; none may be called inside an Update or View.
type env struct {
	*testing.T
	store store.Store
}

func (e env) update(fn func(store.Tx) error) {
	e.Helper()
	if err := e.store.Update(context.Background(), fn); err != nil {
		e.Fatalf("Update: %v", err)
	}
}

func (e env) view(fn func(store.Reader) error) {
	e.Helper()
	if err := e.store.View(context.Background(), fn); err != nil {
		e.Fatalf("View: %v", err)
	}
}

// updateFails wants an Update that fails with a code.
func (e env) updateFails(code store.Code, fn func(store.Tx) error) {
	e.Helper()
	if err := e.store.Update(context.Background(), fn); store.CodeOf(err) != code {
		e.Errorf("Update: got %v, want an error of code %d", err, code)
	}
}

// viewFails wants a View that fails with a code.
func (e env) viewFails(code store.Code, fn func(store.Reader) error) {
	e.Helper()
	if err := e.store.View(context.Background(), fn); store.CodeOf(err) != code {
		e.Errorf("View: got %v, want an error of code %d", err, code)
	}
}

// queues adds queues of family transactions.
func (e env) queues(names ...string) {
	e.Helper()
	e.update(func(tx store.Tx) error {
		for _, name := range names {
			if err := tx.PutQueue(&store.Queue{Name: name, Family: store.Transactions}); err != nil {
				return err
			}
		}
		return nil
	})
}

var added = store.Change{At: 1000, Actor: "tester", Event: "add"}

// add adds items, pending unless they say otherwise, and gives them as stored.
func (e env) add(items ...store.Item) []store.Item {
	e.Helper()
	stored := make([]store.Item, len(items))
	e.update(func(tx store.Tx) error {
		for n, i := range items {
			if i.Status == 0 {
				i.Status = store.Pending
			}
			c := added
			c.To = i.Status
			if err := tx.Add(&i, []byte(`{"n":1}`), c); err != nil {
				return err
			}
			stored[n] = i
		}
		return nil
	})
	return stored
}

// change rewrites an item as fn says, with a history record.
func (e env) change(id store.ID, fn func(*store.Item)) store.Item {
	e.Helper()
	var i store.Item
	e.update(func(tx store.Tx) (err error) {
		if i, err = tx.Item(id); err != nil {
			return err
		}
		from := i.Status
		fn(&i)
		return tx.Put(&i, &store.Change{At: 2000, Actor: "tester", Event: "change", From: from, To: i.Status})
	})
	return i
}

func (e env) item(id store.ID) (i store.Item) {
	e.Helper()
	e.view(func(r store.Reader) (err error) {
		i, err = r.Item(id)
		return err
	})
	return i
}

// ids gives the ids a query yields, in its order.
func (e env) ids(q store.Query) (ids []string) {
	e.Helper()
	e.view(func(r store.Reader) error {
		ids = nil
		for i, err := range r.Items(q) {
			if err != nil {
				return err
			}
			ids = append(ids, i.ID().String())
		}
		return nil
	})
	return ids
}

// ready gives the numbers of a queue's claimable items in claim order.
func (e env) ready(queue string, now store.Time) (numbers []uint64) {
	e.Helper()
	e.update(func(tx store.Tx) error {
		numbers = nil
		for i, err := range tx.Ready(queue, now) {
			if err != nil {
				return err
			}
			numbers = append(numbers, i.Number)
		}
		return nil
	})
	return numbers
}

func (e env) stats(queue string, now store.Time) (s store.Stats) {
	e.Helper()
	e.view(func(r store.Reader) (err error) {
		s, err = r.Stats(queue, now)
		return err
	})
	return s
}

func (e env) nextDue() (at store.Time) {
	e.Helper()
	e.view(func(r store.Reader) (err error) {
		at, err = r.NextDue()
		return err
	})
	return at
}

func (e env) nextDate() (at store.Time) {
	e.Helper()
	e.view(func(r store.Reader) (err error) {
		at, err = r.NextDate()
		return err
	})
	return at
}

func (e env) history(id store.ID) (list []store.Change) {
	e.Helper()
	e.view(func(r store.Reader) (err error) {
		list, err = r.History(id, 100)
		return err
	})
	return list
}

// equal compares what was got with what was wanted.
func (e env) equal(what string, got, want any) {
	e.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		e.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func id(queue string, number uint64) store.ID { return store.ID{Queue: queue, Number: number} }
