package storetest

import (
	"context"
	"errors"

	"signalbox/store"
)

// examineTests are for stores that can examine themselves; others pass them by.
var examineTests = map[string]func(env){
	"a store in order has nothing to mend": func(e env) {
		x, ok := e.store.(store.Examiner)
		if !ok {
			e.Skip("it has nothing beside its records")
		}
		e.update(func(tx store.Tx) error {
			if err := tx.PutQueue(&store.Queue{Name: "a", Family: store.Jobs}); err != nil {
				return err
			}
			for n := range 50 {
				i := store.Item{
					Queue: "a", Status: store.Status(1 + n%13), Reference: "r", DueAt: store.Time(n % 4 * 100), DeferUntil: store.Time(n % 5 * 50),
					LeaseUntil: store.Time(n % 2 * 500), Group: []string{"", "g"}[n%2],
				}
				if err := tx.Add(&i, []byte(`{}`), store.Change{Event: "add", To: i.Status}); err != nil {
					return err
				}
			}
			_, err := tx.Ripen(100)
			return err
		})
		seen := 0
		wrong, err := x.Examine(context.Background(), store.Examination{Seen: func(items int) { seen = items }})
		if err != nil || len(wrong) > 0 || seen > 50 {
			e.Errorf("examined %d: %+v, %v", seen, wrong, err)
		}
	},
	"an examination ends with its context": func(e env) {
		x, ok := e.store.(store.Examiner)
		if !ok {
			e.Skip("it has nothing beside its records")
		}
		ctx, stop := context.WithCancel(context.Background())
		stop()
		if _, err := x.Examine(ctx, store.Examination{}); !errors.Is(err, context.Canceled) {
			e.Errorf("got %v", err)
		}
	},
}
