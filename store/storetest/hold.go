package storetest

import (
	"errors"
	"time"

	"signalbox/store"
)

// hold is a stretch of a slot with all fields set.
func hold(slot int, from, to store.Time) store.Hold {
	return store.Hold{
		Slot: slot, Lane: "slow", Queue: "a.b", Job: "j1", Item: "a.b/7", Robot: "engine/1/a.b/2",
		From: from, To: to, Times: 1, Held: store.Duration(to.Sub(from)),
	}
}

func (e env) holds(since store.Time) (all []store.Hold) {
	e.Helper()
	e.view(func(r store.Reader) error {
		for h, err := range r.Holds(since) {
			if err != nil {
				return err
			}
			all = append(all, h)
		}
		return nil
	})
	return all
}

func (e env) open() (open []store.Hold, at store.Time) {
	e.Helper()
	e.view(func(r store.Reader) (err error) {
		open, at, err = r.OpenHolds()
		return err
	})
	return open, at
}

var holdTests = map[string]func(env){
	"keeps all of a hold": func(e env) {
		e.equal("of a new store", e.holds(0), []store.Hold(nil))
		run := store.Hold{Slot: 2000, Lane: "fast", Robot: "kim/curl", From: 100, To: 90, Times: 1, Held: store.Duration(-10 * time.Millisecond), Cut: true}
		joined := hold(1, 100, 5000)
		joined.Times, joined.Held = 40, store.Duration(321*time.Millisecond)
		odd := hold(3, 1, 5000)
		odd.Item = "another/1"
		all := []store.Hold{run, joined, odd, hold(25, 4000, 6000)}
		e.update(func(tx store.Tx) error { return tx.PutHolds(all, nil, 6000) })
		e.equal("holds", e.holds(0), all)
	},
	"replaces the open ones": func(e env) {
		still := hold(4, 10, 0)
		still.Held = 0
		e.update(func(tx store.Tx) error { return tx.PutHolds(nil, []store.Hold{still}, 50) })
		open, at := e.open()
		e.equal("open", open, []store.Hold{still})
		e.equal("at", at, store.Time(50))
		e.update(func(tx store.Tx) error { return tx.PutHolds([]store.Hold{hold(4, 10, 60)}, nil, 60) })
		open, at = e.open()
		e.equal("open then", len(open), 0)
		e.equal("at then", at, store.Time(60))
	},
	"from an instant on, and forgets the old": func(e env) {
		const n = 1000
		for i := range store.Time(n) {
			e.update(func(tx store.Tx) error { return tx.PutHolds([]store.Hold{hold(int(i), i*10+1, i*10+9)}, nil, i*10+10) })
		}
		e.equal("all", len(e.holds(0)), n)
		last := e.holds(9000)
		e.equal("the last tenth", len(last), n/10)
		e.equal("its first", last[0].Slot, 900)
		e.equal("the end itself counts", len(e.holds(9999)), 1)
		e.equal("none", len(e.holds(10000)), 0)
		e.update(func(tx store.Tx) error { return tx.ForgetHolds(5000) })
		if left := e.holds(0); len(left) < n/2 || len(left) > n*3/4 {
			e.Errorf("%d are left", len(left))
		}
		e.equal("none of the younger goes", len(e.holds(5000)), n/2)
		e.update(func(tx store.Tx) error { return tx.ForgetHolds(1 << 50) })
		e.equal("in the end", len(e.holds(0)), 0)
		_, at := e.open()
		e.equal("the open ones' time stays", at, store.Time(10*n))
	},
	"nothing of a failed call stays": func(e env) {
		boom := errors.New("boom")
		_ = e.store.Update(e.Context(), func(tx store.Tx) error {
			_ = tx.PutHolds([]store.Hold{hold(1, 1, 2)}, []store.Hold{hold(2, 1, 0)}, 2)
			return boom
		})
		open, _ := e.open()
		e.equal("ended", len(e.holds(0)), 0)
		e.equal("open", len(open), 0)
	},
}
