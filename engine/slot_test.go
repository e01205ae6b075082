package engine_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"signalbox/engine"
	ln "signalbox/engine/lane"
	"signalbox/store"
	"signalbox/store/bolt"
	"signalbox/store/memory"
)

// visit holds a slot in a goroutine and gives what it was told, and how it
// ended.
func (r *rig) visit(ctx context.Context, q engine.SlotRequest) (<-chan engine.SlotNotice, <-chan error) {
	told, ended := make(chan engine.SlotNotice, 100), make(chan error, 1)
	go func() {
		ended <- r.HoldSlot(ctx, q, func(n engine.SlotNotice) error {
			told <- n
			return nil
		})
	}()
	return told, ended
}

func (r *rig) busy() int {
	synctest.Wait()
	p, _ := r.Pool(r.ctx) // never fails
	return p.Busy
}

func TestASlotIsHeldAsLongAsItsCaller(t *testing.T) {
	eachStore(t, func(r *rig) {
		if _, err := r.SetPool(r.ctx, engine.SplitRequest{Size: 3, Auto: true}); err != nil {
			r.t.Fatal(err)
		}
		slow := engine.SlotRequest{Lane: ln.Slow, Robot: "kim/curl"}
		ctx, hangUp := context.WithCancel(r.ctx)
		told, ended := r.visit(ctx, slow)
		first := <-told
		second, secondEnded := r.visit(r.ctx, slow)
		<-second
		p, _ := r.Pool(r.ctx)
		if first.Slot == 0 || first.Token == "" || p.Busy != 2 || p.Slots[first.Slot-1].Holder.Robot != "kim/curl" {
			r.t.Errorf("told %+v, the pool is %+v", first, p)
		}

		none := slow
		none.NoWait = true
		err := r.HoldSlot(r.ctx, none, nil)
		if _, full := errors.AsType[*ln.Full](err); !full || store.CodeOf(err) != store.CodeConflict {
			r.t.Errorf("without waiting: %v", err)
		}

		nested := none
		nested.Within = first.Token
		inner, hangUpInner := context.WithCancel(r.ctx)
		within, innerEnded := r.visit(inner, nested)
		if n := <-within; !n.Nested || n.Slot != first.Slot || r.busy() != 2 {
			r.t.Errorf("within: %+v", n)
		}
		hangUpInner()
		if err := <-innerEnded; err != nil || r.busy() != 2 {
			r.t.Errorf("the inner one ended with %v; %d are busy", err, r.busy())
		}

		waits, waitsEnded := r.visit(r.ctx, slow)
		if n := <-waits; n.Waiting == nil || n.Waiting.Place != 1 || n.Waiting.Pool != 3 || n.Slot != 0 {
			r.t.Errorf("in line: %+v", n)
		}
		hangUp()
		third := <-waits
		if err := <-ended; err != nil || third.Slot != first.Slot {
			r.t.Errorf("ended with %v, then told %+v", err, third)
		}
		if err := r.ReleaseSlot(r.ctx, third.Token); err != nil {
			r.t.Error(err)
		}
		if err := <-waitsEnded; err != nil || r.busy() != 1 {
			r.t.Errorf("released: %v", err)
		}
		r.wantCode(r.ReleaseSlot(r.ctx, third.Token), store.CodeNotFound)
		if err := r.Close(); err != nil {
			r.t.Error(err)
		}
		r.wantCode(<-secondEnded, store.CodeUnavailable)
		r.wantCode(r.HoldSlot(r.ctx, slow, nil), store.CodeUnavailable)
	})
}

func TestBadRequestsForASlot(t *testing.T) {
	eachStore(t, func(r *rig) {
		for _, q := range []engine.SlotRequest{
			{Robot: "r"}, {Lane: ln.Commons, Robot: "r"}, {Lane: ln.Slow}, {Lane: ln.Slow, Robot: "engine/1/q/1"},
		} {
			r.wantCode(r.HoldSlot(r.ctx, q, nil), store.CodeInvalid)
		}
		boom := errors.New("boom")
		if err := r.HoldSlot(r.ctx, engine.SlotRequest{Lane: ln.Slow, Robot: "r"}, func(engine.SlotNotice) error { return boom }); err != boom || r.busy() != 0 {
			r.t.Errorf("who can't be told: %v", err)
		}
	})
}

func TestHistoryOfSlots(t *testing.T) {
	eachStore(t, func(r *rig) {
		begun := store.At(time.Now())
		hold := func(robot string, d time.Duration) store.Hold {
			g, err := r.Slots().TryTake(ln.Holder{Lane: ln.Slow, Robot: robot})
			if err != nil {
				r.t.Fatal(err)
			}
			from := store.At(time.Now())
			time.Sleep(d)
			g.Release()
			return store.Hold{Slot: g.Slot(), Lane: "slow", Robot: robot, From: from, To: from.Add(d), Times: 1, Held: store.Duration(d)}
		}
		want := []store.Hold{hold("a", 3*time.Second), hold("b", 10*time.Millisecond)}
		if got := r.slotHistory(0); len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
			r.t.Errorf("got %+v, want %+v", got, want)
		}
		g, _ := r.Slots().TryTake(ln.Holder{Lane: ln.Fast, Queue: "q", Item: "q/1"})
		time.Sleep(time.Hour)
		got := r.slotHistory(begun.Add(time.Minute))
		if len(got) != 1 || got[0].To != 0 || got[0].Item != "q/1" {
			r.t.Errorf("what goes on is %+v", got)
		}
		time.Sleep(22 * time.Hour)
		g.Release()
		time.Sleep(2 * time.Second)
		if got := r.slotHistory(0); len(got) != 3 {
			r.t.Errorf("after 23 h there are %+v", got)
		}
		time.Sleep(2 * time.Hour)
		hold("late", time.Second)
		if got := r.slotHistory(0); len(got) != 2 || got[0].Queue != "q" {
			r.t.Errorf("after 25 h there are %+v", got)
		}
		newest, err := r.SlotHistory(r.ctx, engine.HoldsRequest{Limit: 1})
		if err != nil || len(newest) != 1 || newest[0].Robot != "late" {
			r.t.Errorf("the newest is %+v, %v", newest, err)
		}
		of, err := r.SlotHistory(r.ctx, engine.HoldsRequest{Slot: newest[0].Slot%25 + 1})
		if err != nil || len(of) > 1 {
			r.t.Errorf("of another slot: %+v, %v", of, err)
		}
		_, err = r.SlotHistory(r.ctx, engine.HoldsRequest{Limit: -1})
		r.wantCode(err, store.CodeInvalid)
	})
}

func (r *rig) slotHistory(since store.Time) []store.Hold {
	r.t.Helper()
	holds, err := r.SlotHistory(r.ctx, engine.HoldsRequest{Since: since})
	if err != nil {
		r.t.Fatal(err)
	}
	return holds
}

// metered counts the commits of a store.
type metered struct {
	store.Store
	updates atomic.Int64
}

func (c *metered) Update(ctx context.Context, fn func(store.Tx) error) error {
	c.updates.Add(1)
	return c.Store.Update(ctx, fn)
}

func TestHoldingSlotsCostsACommitASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &metered{Store: memory.New()}
		r := start(t, s)
		synctest.Wait()
		before := s.updates.Load()
		time.Sleep(24 * time.Hour)
		synctest.Wait()
		idle := s.updates.Load()
		for range 1000 {
			g, err := r.Slots().TryTake(ln.Holder{Lane: ln.Fast, Queue: "q"})
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Millisecond)
			g.Release()
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := s.updates.Load() - idle; n > 11 {
			t.Errorf("%d commits for 10 s of holds", n)
		}
		if idle != before {
			t.Logf("%d commits of an idle engine in a day, none for slots", idle-before)
		}
		times := 0
		for _, h := range r.slotHistory(0) {
			times += h.Times
		}
		if times != 1000 {
			t.Errorf("the history tells of %d holds", times)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
}

// What was held when an engine died ends at its last sign of life.
func TestHistoryOfSlotsAcrossACrash(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	s := openBolt(t, path)
	from := store.At(time.Now().Add(-time.Hour))
	alive := from.Add(time.Minute)
	if err := s.Update(t.Context(), func(tx store.Tx) error {
		if err := tx.Append(store.Change{At: alive, Event: "x"}); err != nil {
			return err
		}
		return tx.PutHolds(nil, []store.Hold{{Slot: 3, Lane: "slow", Robot: "r", From: from, Times: 1}}, from)
	}); err != nil {
		t.Fatal(err)
	}
	for range 2 { // once only
		e, err := engine.Open(t.Context(), s, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := e.SlotHistory(t.Context(), engine.HoldsRequest{})
		want := store.Hold{Slot: 3, Lane: "slow", Robot: "r", From: from, To: alive, Times: 1, Held: store.Duration(time.Minute), Cut: true}
		if err != nil || len(got) != 1 || got[0] != want {
			t.Errorf("got %+v, %v", got, err)
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
		if s, err = bolt.Open(path, bolt.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	_ = s.Close()
}
