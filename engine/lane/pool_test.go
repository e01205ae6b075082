package lane

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"signalbox/store"
)

// newPool makes a pool on the real clock (inside synctest: its clock).
func newPool(s Split) *Pool { return New(s, false, time.Now, func() {}) }

func take(t testing.TB, p *Pool, h Holder) *Grant {
	t.Helper()
	g, err := p.TryTake(h)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func fill(t testing.TB, p *Pool, l Lane, n int) (gs []*Grant) {
	t.Helper()
	for range n {
		gs = append(gs, take(t, p, Holder{Lane: l}))
	}
	return gs
}

func TestOwnReserveFirstThenCommonsNeverTheOthers(t *testing.T) {
	p := newPool(Auto(25))
	for i, g := range fill(t, p, Slow, 19) {
		part := Auto(25).Of(g.Slot())
		if want := map[bool]Lane{true: Slow, false: Commons}[i < 6]; part != want {
			t.Errorf("take %d got slot %d of %s, want %s", i+1, g.Slot(), part, want)
		}
	}
	if _, err := p.TryTake(Holder{Lane: Slow}); store.CodeOf(err) != store.CodeConflict {
		t.Errorf("a slow take beyond its range: %v", err)
	}
	fill(t, p, Fast, 6)
}

func TestAFullPoolSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(Auto(25))
		fill(t, p, Fast, 19)
		ctx, cancel := context.WithCancel(t.Context())
		for range 2 {
			go p.Take(ctx, Holder{Lane: Fast})
		}
		synctest.Wait()
		_, err := p.TryTake(Holder{Lane: Fast})
		full, ok := errors.AsType[*Full](err)
		if !ok || *full != (Full{Busy: 19, Pool: 25, Place: 3, Ahead: 2}) {
			t.Errorf("got %+v", full)
		}
		for _, part := range []string{"fast lane", "pool in use (19 of 25)", "place 3 in line", "2 turns ahead"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q doesn't say %q", err, part)
			}
		}
		cancel()
		synctest.Wait()
		if n := p.State().Fast.Waiting; n != 0 {
			t.Errorf("%d still wait after their context ended", n)
		}
	})
}

func TestUnknownLaneIsRefused(t *testing.T) {
	p := newPool(Auto(3))
	_, err := p.TryTake(Holder{Lane: Commons})
	if store.CodeOf(err) != store.CodeInvalid {
		t.Errorf("TryTake: %v", err)
	}
	if _, err = p.Take(t.Context(), Holder{}); store.CodeOf(err) != store.CodeInvalid {
		t.Errorf("Take: %v", err)
	}
}

func TestAReleasedCommonSlotGoesToWhoWaitedLongest(t *testing.T) {
	p := newPool(Split{3, 1, 1})
	fast := fill(t, p, Fast, 2)
	fill(t, p, Slow, 1)
	_, slow := p.enter(Holder{Lane: Slow})
	_, late := p.enter(Holder{Lane: Fast})
	for _, g := range fast {
		if g.Slot() == 2 {
			g.Release()
		}
	}
	if len(slow.granted) != 1 || len(late.granted) != 0 {
		t.Errorf("slow waited longer: granted %d, fast %d", len(slow.granted), len(late.granted))
	}
	for _, g := range fast {
		if g.Slot() == 1 {
			g.Release()
		}
	}
	if len(late.granted) != 1 {
		t.Error("the fast reserve did not go to the fast waiter")
	}
}

func TestReleaseCountsOnce(t *testing.T) {
	p := newPool(Split{3, 1, 2})
	old := take(t, p, Holder{Lane: Fast, Item: "q/1"})
	old.Release()
	g := take(t, p, Holder{Lane: Fast, Item: "q/2"})
	old.Release()
	old.Update(func(h *Holder) { h.Item = "q/3" })
	s := p.State()
	if s.Busy != 1 || s.Slots[g.Slot()-1].Holder.Item != "q/2" {
		t.Errorf("a stale release touched the next holder: %+v", s)
	}
}

func TestUpdateKeepsOldPictures(t *testing.T) {
	p := newPool(Split{3, 1, 2})
	g := take(t, p, Holder{Lane: Fast, Queue: "orders"})
	before := p.State()
	if p.State() != before {
		t.Error("an unchanged pool made another picture")
	}
	g.Update(func(h *Holder) { h.Item, h.Lane, h.Since = "orders/7", Slow, 1 })
	now := p.State().Slots[g.Slot()-1].Holder
	then := before.Slots[g.Slot()-1].Holder
	if now.Item != "orders/7" || then.Item != "" || now.Lane != Fast || now.Since != then.Since {
		t.Errorf("before %+v, now %+v", then, now)
	}
}

func TestShrinkingClosesAndGrowingReopens(t *testing.T) {
	p := newPool(Auto(8))
	held := map[int]*Grant{}
	for _, g := range append(fill(t, p, Slow, 6), fill(t, p, Fast, 2)...) {
		held[g.Slot()] = g
	}
	resize(t, p, Auto(4))
	if s := p.State(); s.Busy != 4 || len(s.Slots) != 8 || s.Slots[7].State != Closing || s.Slots[7].Holder == nil {
		t.Fatalf("after shrinking: %+v", s)
	}
	held[8].Release()
	if n := len(p.State().Slots); n != 7 {
		t.Errorf("%d slots shown after the last closing one was let go", n)
	}
	held[6].Release()
	resize(t, p, Auto(8))
	s := p.State()
	var states []string
	for _, slot := range s.Slots {
		states = append(states, slot.State)
	}
	if got := strings.Join(states, " "); got != "busy busy busy busy busy free busy free" || s.Busy != 6 {
		t.Errorf("after growing again: %s, %d busy", got, s.Busy)
	}
}

func TestResizeSeatsWaitersInOrderOfArrival(t *testing.T) {
	p := newPool(Split{3, 1, 1})
	fill(t, p, Fast, 2)
	fill(t, p, Slow, 1)
	var ws []*waiter
	for _, l := range []Lane{Slow, Fast, Fast, Slow} {
		_, w := p.enter(Holder{Lane: l})
		ws = append(ws, w)
	}
	resize(t, p, Split{6, 1, 2}) // slots 1–3 held, 4 common, 5 and 6 for slow
	for i, want := range []int{1, 1, 0, 1} {
		if len(ws[i].granted) != want {
			t.Errorf("waiter %d (%s): granted %d, want %d", i+1, ws[i].Lane, len(ws[i].granted), want)
		}
	}
	if err := p.Resize(Split{2, 1, 1}, false); store.CodeOf(err) != store.CodeInvalid {
		t.Errorf("a pool of 2: %v", err)
	}
}

func resize(t testing.TB, p *Pool, s Split) {
	t.Helper()
	if err := p.Resize(s, false); err != nil {
		t.Fatal(err)
	}
}

func TestTheLineIsShownWithPlaceTurnsAndWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(Split{3, 1, 1})
		for range enough { // fast holds of a minute
			g := take(t, p, Holder{Lane: Fast})
			time.Sleep(time.Minute)
			g.Release()
		}
		fill(t, p, Fast, 2)
		fill(t, p, Slow, 1)
		p.enter(Holder{Lane: Slow, Queue: "turns"})
		p.enter(Holder{Lane: Fast, Queue: "orders", Robot: "engine/a/orders/1"})
		p.enter(Holder{Lane: Fast, Queue: "mails"})
		s := p.State()
		first, ok := s.Place("engine/a/orders/1")
		want := Waiter{
			Lane: Fast, Queue: "orders", Robot: "engine/a/orders/1",
			Place: 1, Ahead: 1, Expected: store.Duration(time.Minute), Since: store.At(time.Now()),
		}
		if !ok || first != want {
			t.Errorf("got  %+v\nwant %+v", first, want)
		}
		if w := s.Waiting[2]; w.Place != 2 || w.Ahead != 2 || w.Expected != store.Duration(90*time.Second) {
			t.Errorf("last in line: %+v", w)
		}
		if _, ok := s.Place("nobody"); ok {
			t.Error("a place for nobody")
		}
		if s.Fast.Waiting != 2 || s.Slow.Waiting != 1 {
			t.Errorf("waiting %d and %d", s.Fast.Waiting, s.Slow.Waiting)
		}
	})
}

func TestCancelledTakeGivesBackASlotThatCameTooLate(t *testing.T) {
	p := newPool(Split{3, 1, 2})
	g := take(t, p, Holder{Lane: Fast})
	_, w := p.enter(Holder{Lane: Fast})
	g.Release()
	p.leave(w)
	if s := p.State(); s.Busy != 0 || s.Fast.Waiting != 0 {
		t.Errorf("%d busy, %d waiting", s.Busy, s.Fast.Waiting)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("closing")
	cancel(why)
	if _, err := p.Take(ctx, Holder{Lane: Fast}); err != why {
		t.Errorf("got %v", err)
	}
}
