package lane

import (
	"context"
	"fmt"
	"time"

	"signalbox/store"
)

// tellEvery is the least time between two words about a place in line.
const tellEvery = time.Second

// TakeTold is Take that tells the caller where it stands: when it must wait, and
// when its place has changed, at most once a second.
func (p *Pool) TakeTold(ctx context.Context, h Holder, told func(Full)) (*Grant, error) {
	if err := h.Lane.validate(); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	g, w := p.enter(h)
	p.changed()
	if w == nil {
		return g, nil
	}
	defer p.spare.Put(w) // off its line and its channel empty
	pace := time.NewTimer(0)
	defer pace.Stop()
	var last Full
	var moved <-chan struct{}
	for {
		select {
		case g := <-w.granted:
			return g, nil
		case <-ctx.Done():
			p.leave(w)
			return nil, context.Cause(ctx)
		case <-moved:
			moved = nil
			pace.Reset(tellEvery)
		case <-pace.C:
			var now Full
			if now, moved = p.standing(w); now.Place != 0 && now.Place != last.Place {
				last = now
				told(now)
			}
		}
	}
}

// standing says where a waiter stands, and gives what is closed when somebody
// has left a line; zero when it is in line no more.
func (p *Pool) standing(w *waiter) (Full, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !w.queued {
		return Full{}, nil
	}
	p.survey()
	f := Full{Busy: p.busy, Pool: p.split.Size, Place: w.place, Ahead: w.place - 1}
	if p.split.Common() > 0 {
		f.Ahead += w.others
	}
	f.Expected = expected(f.Ahead, p.rate(w.Lane))
	if p.moved == nil {
		p.moved = make(chan struct{})
	}
	return f, p.moved
}

// survey finds the places of all waiters at once, when somebody has left a line: were
// each to count who stands before it, a line of n would cost n² for each turn.
func (p *Pool) survey() {
	if !p.stale {
		return
	}
	p.stale = false
	fast, slow := p.lane(Fast).line.head, p.lane(Slow).line.head
	fasts, slows := 0, 0
	for fast != nil || slow != nil {
		if slow == nil || fast != nil && fast.turn < slow.turn {
			fasts++
			fast.place, fast.others = fasts, slows
			fast = fast.next
		} else {
			slows++
			slow.place, slow.others = slows, fasts
			slow = slow.next
		}
	}
}

// remove takes w off its line, says whether it was still there, and lets those
// know who were told their place.
func (p *Pool) remove(w *waiter) bool {
	if p.moved != nil {
		close(p.moved)
		p.moved = nil
	}
	p.stale = true
	return p.lane(w.Lane).line.remove(w)
}

// Token names the grant, for those who work within it.
func (g *Grant) Token() string { return fmt.Sprintf("%s-%d-%d", g.pool.name, g.slot, g.serial) }

// Holds gives the slot of the grant with a token, while that is held.
func (p *Pool) Holds(token string) (slot int, ok bool) {
	var serial uint64
	if n, err := fmt.Sscanf(token, p.name+"-%d-%d", &slot, &serial); err != nil || n != 2 {
		return 0, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if slot < 1 || slot > len(p.grants) {
		return 0, false
	}
	g := p.grants[slot-1]
	return slot, g != nil && g.serial == serial && g.Token() == token
}

// noSlot is the error of a pool that has no slot to give.
func noSlot(l Lane, full *Full) error {
	return &store.Error{Code: store.CodeConflict, Thing: "no slot for the " + string(l) + " lane", Err: full, Mend: "wait for a slot, or make the pool larger"}
}
