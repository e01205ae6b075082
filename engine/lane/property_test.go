package lane

import (
	"math/rand/v2"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// model is what a pool must have done, seen only through what it gives.
type model struct {
	pool    *Pool
	split   Split
	held    map[int]*Grant
	waiting map[Lane][]*waiter // in order of arrival
}

func TestPoolKeepsItsPromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		split := anySplit(t)
		m := &model{newPool(split), split, map[int]*Grant{}, map[Lane][]*waiter{}}
		// Start close to full, so that large pools have lines too.
		for range rapid.IntRange(0, split.Size).Draw(t, "taken") {
			m.take(t, []Lane{Fast, Slow}[rand.IntN(2)])
		}
		t.Repeat(map[string]func(*rapid.T){
			"fast":    func(t *rapid.T) { m.take(t, Fast) },
			"slow":    func(t *rapid.T) { m.take(t, Slow) },
			"release": m.release,
			"leave":   m.leave,
			"resize":  m.resize,
			"":        m.check,
		})
	})
}

func (m *model) take(t *rapid.T, l Lane) {
	g, w := m.pool.enter(Holder{Lane: l})
	if w != nil {
		m.waiting[l] = append(m.waiting[l], w)
		return
	}
	if len(m.waiting[l]) > 0 {
		t.Fatalf("a newcomer passed %d waiters of the %s lane", len(m.waiting[l]), l)
	}
	m.hold(t, g, l)
}

func (m *model) hold(t *rapid.T, g *Grant, l Lane) {
	if other := m.held[g.Slot()]; other != nil {
		t.Fatalf("slot %d has two holders", g.Slot())
	}
	if part := m.split.Of(g.Slot()); g.Slot() > m.split.Size || part != l && part != Commons {
		t.Fatalf("%s got slot %d of %+v", l, g.Slot(), m.split)
	}
	m.held[g.Slot()] = g
}

func (m *model) release(t *rapid.T) {
	for slot, g := range m.held { // any of them
		delete(m.held, slot)
		g.Release()
		g.Release()
		break
	}
	m.seated(t)
}

// seated takes over the slots that went to waiters: always the first of a line.
func (m *model) seated(t *rapid.T) {
	for _, l := range []Lane{Fast, Slow} {
		ws := m.waiting[l]
		for len(ws) > 0 && len(ws[0].granted) == 1 {
			m.hold(t, <-ws[0].granted, l)
			ws = ws[1:]
		}
		for _, w := range ws {
			if len(w.granted) > 0 {
				t.Fatalf("a %s waiter was passed by a later one", l)
			}
		}
		m.waiting[l] = ws
	}
}

func (m *model) leave(t *rapid.T) {
	l := rapid.SampledFrom([]Lane{Fast, Slow}).Draw(t, "lane")
	if n := len(m.waiting[l]); n > 0 {
		i := rapid.IntRange(0, n-1).Draw(t, "who")
		m.pool.leave(m.waiting[l][i])
		m.waiting[l] = append(m.waiting[l][:i:i], m.waiting[l][i+1:]...)
	}
}

func (m *model) resize(t *rapid.T) {
	m.split = anySplit(t)
	if err := m.pool.Resize(m.split, false); err != nil {
		t.Fatal(err)
	}
	m.seated(t)
}

func (m *model) check(t *rapid.T) {
	s := m.pool.State()
	if s.Fast.Waiting != len(m.waiting[Fast]) || s.Slow.Waiting != len(m.waiting[Slow]) {
		t.Fatalf("waiting %d and %d, want %d and %d", s.Fast.Waiting, s.Slow.Waiting, len(m.waiting[Fast]), len(m.waiting[Slow]))
	}
	shown, busy := 0, 0
	for _, slot := range s.Slots {
		if (slot.State == Free) != (m.held[slot.Number] == nil) || (slot.State == Closing) != (slot.Number > s.Pool) {
			t.Fatalf("slot %d is shown %s", slot.Number, slot.State)
		}
		if slot.State != Free {
			shown++
		}
		if slot.State == Busy {
			busy++
		}
		fast, slow := slot.Lane != Slow && s.Fast.Waiting > 0, slot.Lane != Fast && s.Slow.Waiting > 0
		if slot.State == Free && (fast || slow) {
			t.Fatalf("slot %d (%s) is free while someone waits", slot.Number, slot.Lane)
		}
	}
	if shown != len(m.held) || busy != s.Busy {
		t.Fatalf("%d held, %d shown; %d busy, %d said", len(m.held), shown, busy, s.Busy)
	}
}

func TestManyCallersAndResizes(t *testing.T) {
	p := newPool(Auto(25))
	var inside [Ceiling + 1]sync.Mutex
	var callers sync.WaitGroup
	for i := range 64 {
		callers.Go(func() {
			for range 500 {
				g, err := p.Take(t.Context(), Holder{Lane: []Lane{Fast, Slow}[i%2]})
				if err != nil {
					t.Error(err)
					return
				}
				if !inside[g.Slot()].TryLock() {
					t.Errorf("slot %d has two holders", g.Slot())
					return
				}
				inside[g.Slot()].Unlock()
				g.Release()
			}
		})
	}
	stop := make(chan struct{})
	var looker sync.WaitGroup
	looker.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				resize(t, p, Auto(Floor+rand.IntN(40)))
				p.State()
				p.Utilisation()
			}
		}
	})
	callers.Wait()
	close(stop)
	looker.Wait()
	if s := p.State(); s.Busy != 0 || len(s.Waiting) != 0 {
		t.Errorf("%d busy, %d waiting at the end", s.Busy, len(s.Waiting))
	}
}

func BenchmarkTakeRelease(b *testing.B) {
	p := newPool(Auto(25))
	p.KeepPast(func() {}) // as an engine does
	var callers sync.WaitGroup
	for i := range 64 {
		callers.Go(func() {
			h := Holder{Lane: []Lane{Fast, Slow}[i%2], Queue: "orders", Robot: "engine/a/orders/1"}
			for range b.N / 64 {
				g, err := p.Take(b.Context(), h)
				if err != nil {
					b.Error(err)
					return
				}
				g.Release()
			}
		})
	}
	callers.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "takes/s")
}

// BenchmarkState draws a picture of a full pool of 2,000 after every change.
func BenchmarkState(b *testing.B) {
	p := newPool(Auto(Ceiling))
	for range Ceiling / 4 * 3 {
		take(b, p, Holder{Lane: Fast})
	}
	g := take(b, p, Holder{Lane: Slow})
	for b.Loop() {
		g.Update(func(h *Holder) { h.Item = "orders/7" })
		p.State()
	}
}
