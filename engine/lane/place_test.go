package lane

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"signalbox/store"
)

func TestWhoWaitsIsToldItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(Auto(3)) // one slot each, and one for both
		gs := fill(t, p, Slow, 2)
		gs = append(gs, fill(t, p, Fast, 1)...)
		enter := func(l Lane) {
			go func() {
				g, err := p.Take(t.Context(), Holder{Lane: l})
				if err != nil {
					t.Error(err)
					return
				}
				time.Sleep(time.Hour)
				g.Release()
			}()
			synctest.Wait()
		}
		for _, l := range []Lane{Slow, Fast, Slow} {
			enter(l)
		}
		var mu sync.Mutex
		var said []Full
		told := func() []Full {
			mu.Lock()
			defer mu.Unlock()
			return slices.Clone(said)
		}
		got := make(chan *Grant, 1)
		go func() {
			g, err := p.TakeTold(t.Context(), Holder{Lane: Slow}, func(f Full) {
				mu.Lock()
				defer mu.Unlock()
				said = append(said, f)
			})
			if err != nil {
				t.Error(err)
			}
			got <- g
		}()
		synctest.Wait()
		if told := told(); len(told) != 1 || told[0] != (Full{Busy: 3, Pool: 3, Place: 3, Ahead: 3}) {
			t.Fatalf("told %+v", told)
		}
		gs[0].Release()
		gs[1].Release()
		synctest.Wait()
		if told := told(); len(told) != 1 {
			t.Errorf("told again at once: %+v", told)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if told := told(); len(told) != 2 || told[1].Place != 2 || told[1].Ahead != 1 {
			t.Errorf("told %+v", told)
		}
		time.Sleep(10 * time.Second) // nothing moves: nothing is told
		synctest.Wait()
		if told := told(); len(told) != 2 {
			t.Errorf("told %+v", told)
		}
		time.Sleep(2 * time.Hour)
		(<-got).Release()
		gs[2].Release()
	})
}

// Each of very many waiters knows its place, whoever has left before it, and the
// picture says the same.
func TestPlacesInALongLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(Auto(4))
		gs := append(fill(t, p, Slow, 3), fill(t, p, Fast, 1)...)
		const n = 2000
		var mu sync.Mutex
		last := map[string]Full{}
		leave := map[int]context.CancelFunc{}
		for i := range n {
			ctx, cancel := context.WithCancel(t.Context())
			leave[i] = cancel
			h := Holder{Lane: []Lane{Slow, Slow, Fast}[i%3], Robot: fmt.Sprint(i)}
			go func() {
				g, err := p.TakeTold(ctx, h, func(f Full) {
					mu.Lock()
					defer mu.Unlock()
					last[h.Robot] = f
				})
				if err == nil {
					g.Release()
				}
			}()
			synctest.Wait()
		}
		for i := 0; i < n; i += 7 {
			leave[i]()
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		s := p.State()
		if len(s.Waiting) != n-(n+6)/7 {
			t.Fatalf("%d wait", len(s.Waiting))
		}
		stands := map[string]Full{}
		for _, l := range []Lane{Fast, Slow} {
			for w := p.lane(l).line.head; w != nil; w = w.next {
				stands[w.Robot], _ = p.standing(w)
			}
		}
		for _, w := range s.Waiting {
			if f := stands[w.Robot]; f.Place != w.Place || f.Ahead != w.Ahead || last[w.Robot].Place != w.Place {
				t.Fatalf("%s stands at %+v, was told %+v, and is shown as %+v", w.Robot, f, last[w.Robot], w)
			}
		}
		for _, g := range gs {
			g.Release()
		}
		synctest.Wait()
		if s := p.State(); s.Busy != 0 || len(s.Waiting) != 0 {
			t.Errorf("at last %d are busy, %d wait", s.Busy, len(s.Waiting))
		}
	})
}

func TestWhoIsToldMayLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(Auto(3))
		gs := fill(t, p, Slow, 2)
		ctx, cancel := context.WithCancelCause(t.Context())
		left := errors.New("left")
		if _, err := p.TakeTold(ctx, Holder{Lane: Slow}, func(Full) { cancel(left) }); err != left {
			t.Errorf("got %v", err)
		}
		if n := p.State().Slow.Waiting; n != 0 {
			t.Errorf("%d wait", n)
		}
		if _, err := p.TakeTold(ctx, Holder{Lane: Slow}, nil); err != left {
			t.Errorf("with an ended context: %v", err)
		}
		if _, err := p.TakeTold(t.Context(), Holder{Lane: Commons}, nil); store.CodeOf(err) != store.CodeInvalid {
			t.Errorf("of no lane: %v", err)
		}
		gs[0].Release()
		g, err := p.TakeTold(t.Context(), Holder{Lane: Slow}, func(Full) { t.Error("told without waiting") })
		if err != nil {
			t.Fatal(err)
		}
		g.Release()
	})
}

func TestATokenNamesItsGrantOnly(t *testing.T) {
	p, other := newPool(Auto(3)), newPool(Auto(3))
	g := take(t, p, Holder{Lane: Slow})
	if slot, ok := p.Holds(g.Token()); !ok || slot != g.Slot() {
		t.Errorf("slot %d, %v", slot, ok)
	}
	for _, token := range []string{"", "x", g.Token() + "1", "1-1-1", g.Token() + "x", take(t, other, Holder{Lane: Slow}).Token()} {
		if _, ok := p.Holds(token); ok {
			t.Errorf("token %q is held", token)
		}
	}
	token := g.Token()
	g.Release()
	for range 2 { // all that slow work may use
		take(t, p, Holder{Lane: Slow})
	}
	if _, ok := p.Holds(token); ok {
		t.Error("what was released is held")
	}
}

func TestThePastOfAPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(Split{Size: 3, Fast: 1, Slow: 1})
		take(t, p, Holder{Lane: Fast}).Release() // before it is kept
		told := 0
		p.KeepPast(func() { told++ })
		if _, _, _, changed := p.Past(); changed {
			t.Error("there is news of nothing")
		}
		begun := store.At(time.Now())
		g := take(t, p, Holder{Lane: Slow, Queue: "q", Robot: "r"})
		g.Update(func(h *Holder) { h.Item, h.Job = "q/7", "j" })
		g.Update(func(h *Holder) { h.Item, h.Job = "", "" })
		time.Sleep(time.Second)
		_, open, _, changed := p.Past()
		want := store.Hold{Slot: g.Slot(), Lane: "slow", Queue: "q", Robot: "r", Item: "q/7", Job: "j", From: begun, Times: 1}
		if !changed || told != 1 || len(open) != 1 || open[0] != want {
			t.Errorf("open %+v, told %d times", open, told)
		}
		g.Release()
		var slots []int
		for i := range 10 { // of one queue and job: one hold for each slot
			time.Sleep(time.Millisecond)
			queue := "q"
			if i == 9 {
				queue = "other"
			}
			g := take(t, p, Holder{Lane: Fast, Queue: queue, Item: queue + "/1"})
			slots = append(slots, g.Slot())
			time.Sleep(time.Millisecond)
			g.Release()
		}
		ended, open, lost, _ := p.Past()
		if told != 2 || lost != 0 || len(open) != 0 {
			t.Errorf("told %d times, %d lost, open %+v", told, lost, open)
		}
		times, held := 0, store.Duration(0)
		for _, h := range ended {
			if h.Queue == "q" && h.Lane == "fast" {
				times, held = times+h.Times, held+h.Held
			}
		}
		want.To, want.Held = begun.Add(time.Second), store.Duration(time.Second)
		if ended[0] != want || times != 9 || held != store.Duration(9*time.Millisecond) || ended[len(ended)-1].Queue != "other" {
			t.Errorf("ended %+v", ended)
		}
		distinct := len(slices.Compact(slices.Sorted(slices.Values(slots))))
		if len(ended) > 2+distinct {
			t.Errorf("%d holds of %d slots", len(ended), distinct)
		}
		p.KeepPast(nil)
		take(t, p, Holder{Lane: Fast}).Release()
	})
}

func TestThePastHasBounds(t *testing.T) {
	p := newPool(Auto(3))
	p.KeepPast(func() {})
	for i := range mostPast + 100 {
		take(t, p, Holder{Lane: Fast, Robot: string(rune('a' + i%2))}).Release()
	}
	ended, _, lost, _ := p.Past()
	total := lost
	for _, h := range ended {
		total += h.Times
	}
	if len(ended) > mostPast || total != mostPast+100 {
		t.Errorf("%d are kept, %d lost", len(ended), lost)
	}
}
