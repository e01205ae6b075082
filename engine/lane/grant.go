package lane

import "time"

// Grant is the right to use one slot until it is released. The grant is its
// own token: what has been released can't release the slot's next holder.
type Grant struct {
	pool   *Pool
	slot   int
	serial uint64  // tells it from others of the slot
	holder *Holder // never changed in place: pictures share it
	first  Holder  // what holder points to until an Update
	since  time.Time
	// item and job are the last it was held for.
	item, job string
}

// Slot is the slot's number.
func (g *Grant) Slot() int { return g.slot }

// Closing says that the slot is above the pool's size, and goes when it is let go.
func (g *Grant) Closing() bool {
	g.pool.mu.Lock()
	defer g.pool.mu.Unlock()
	return g.slot > g.pool.split.Size
}

// Update changes what the slot is shown to be held for, such as the item. The
// lane and the time of taking stay. After Release it does nothing.
func (g *Grant) Update(change func(*Holder)) {
	p := g.pool
	p.mu.Lock()
	if !g.held() {
		p.mu.Unlock()
		return
	}
	h := *g.holder
	change(&h)
	h.Lane, h.Since = g.holder.Lane, g.holder.Since
	g.holder = &h
	if h.Item != "" {
		g.item, g.job = h.Item, h.Job
	}
	p.cache.Store(nil)
	p.mu.Unlock()
	p.changed()
}

// Release lets the slot go; it goes to the first waiter that may use it. Only
// the first call does anything.
func (g *Grant) Release() {
	p := g.pool
	now := p.now()
	p.mu.Lock()
	if !g.held() {
		p.mu.Unlock()
		return
	}
	p.release(g, now)
	p.mu.Unlock()
	p.changed()
}

func (g *Grant) held() bool {
	return g.slot <= len(g.pool.grants) && g.pool.grants[g.slot-1] == g
}

func (p *Pool) release(g *Grant, now time.Time) {
	p.cache.Store(nil)
	p.lane(g.holder.Lane).hold.add(now.Sub(g.since))
	p.note(g, now)
	p.grants[g.slot-1] = nil
	if g.slot > p.split.Size {
		p.trim()
		return
	}
	l := p.split.Of(g.slot)
	part := p.part(l)
	part.held[g.holder.Lane.index()]--
	if w := p.next(l); w != nil {
		w.granted <- p.grant(g.slot, w.Holder, now)
		return
	}
	part.free = append(part.free, g.slot)
	p.usage.advance(now, p.busy, p.split.Size)
	p.busy--
}
