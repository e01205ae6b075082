package lane

import "signalbox/store"

// State gives the pool as it is now. The same pointer is given until something
// changes, so equal pointers mean an unchanged pool.
func (p *Pool) State() *State {
	if s := p.cache.Load(); s != nil {
		return s
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	s := &State{
		Pool:    p.split.Size,
		Auto:    p.auto,
		Busy:    p.busy,
		Fast:    p.laneState(Fast, p.split.Fast),
		Slow:    p.laneState(Slow, p.split.Slow),
		Slots:   p.slotStates(),
		Waiting: p.waiters(),
	}
	first, last := p.split.Range(Commons)
	s.Commons = CommonsState{p.split.Common(), first, last}
	p.cache.Store(s)
	return s
}

func (p *Pool) laneState(l Lane, reserve int) LaneState {
	first, last := p.split.Range(l)
	return LaneState{reserve, first, last, p.lane(l).line.len}
}

func (p *Pool) slotStates() []SlotState {
	slots := make([]SlotState, 0, len(p.grants))
	for i, g := range p.grants {
		s := SlotState{Number: i + 1, Lane: p.split.Of(i + 1), State: Free}
		switch {
		case g == nil && s.Number > p.split.Size:
			continue
		case s.Number > p.split.Size:
			s.State, s.Holder = Closing, g.holder
		case g != nil:
			s.State, s.Holder = Busy, g.holder
		}
		slots = append(slots, s)
	}
	return slots
}

// waiters lists both lines, who came first before who came later.
func (p *Pool) waiters() []Waiter {
	fast, slow := &p.lane(Fast).line, &p.lane(Slow).line
	out := make([]Waiter, 0, fast.len+slow.len)
	rates := [2]float64{p.rate(Fast), p.rate(Slow)}
	var place [2]int
	for f, s := fast.head, slow.head; f != nil || s != nil; {
		var w *waiter
		if s == nil || f != nil && f.turn < s.turn {
			w, f = f, f.next
		} else {
			w, s = s, s.next
		}
		i := w.Lane.index()
		place[i]++
		ahead := place[i] - 1
		if p.split.Common() > 0 {
			ahead = len(out)
		}
		out = append(out, w.state(place[i], ahead, expected(ahead, rates[i])))
	}
	return out
}

func (w *waiter) state(place, ahead int, expected store.Duration) Waiter {
	return Waiter{
		Lane: w.Lane, Queue: w.Queue, Job: w.Job, Item: w.Item, Robot: w.Robot,
		Place: place, Ahead: ahead, Expected: expected, Since: w.Since,
	}
}
