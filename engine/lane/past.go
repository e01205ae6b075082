package lane

import (
	"time"

	"signalbox/store"
)

// mostPast bounds how many holds are kept between two calls of Past.
const mostPast = 10_000

// past is the holds that have ended and were not handed over yet. Those of one
// slot for one queue and job that follow each other are kept as one.
type past struct {
	tell   func() // a first hold is to be handed over; nil = none are kept
	told   bool
	holds  []store.Hold
	latest []int // of each slot, the index in holds of its last one, plus one
	lost   int   // holds that found no room
}

// KeepPast makes the pool keep the holds that end, until Past is asked for them.
// tell is called, with no lock to be waited for, when something has changed
// since Past was last asked; it must not wait nor call the pool.
func (p *Pool) KeepPast(tell func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.past.tell = tell
}

// Past hands over the holds that have ended since it was last asked, in order of
// their ends, those that have not ended, and how many found no room. False says
// that nothing has changed since then.
func (p *Pool) Past() (ended, open []store.Hold, lost int, changed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.past.told {
		return nil, nil, 0, false
	}
	ended, lost = p.past.holds, p.past.lost
	p.past.holds, p.past.lost, p.past.told = nil, 0, false
	clear(p.past.latest)
	return ended, p.open(), lost, true
}

// open gives the holds that have not ended.
func (p *Pool) open() (open []store.Hold) {
	for _, g := range p.grants {
		if g != nil {
			open = append(open, g.hold(time.Time{}))
		}
	}
	return open
}

// hold gives the grant as the history tells it.
func (g *Grant) hold(until time.Time) store.Hold {
	h := store.Hold{
		Slot: g.slot, Lane: string(g.holder.Lane), Queue: g.holder.Queue, Robot: g.holder.Robot,
		Item: g.item, Job: g.job, From: store.At(g.since), To: store.At(until), Times: 1,
	}
	if !until.IsZero() {
		h.Held = store.Duration(max(0, until.Sub(g.since)))
	}
	return h
}

// note keeps a hold that ends.
func (p *Pool) note(g *Grant, now time.Time) {
	if p.past.tell == nil {
		return
	}
	p.stir()
	for len(p.past.latest) < g.slot {
		p.past.latest = append(p.past.latest, 0)
	}
	if n := p.past.latest[g.slot-1]; n > 0 && joins(&p.past.holds[n-1], g) {
		h := &p.past.holds[n-1]
		h.To, h.Item, h.Robot = store.At(now), g.item, g.holder.Robot
		h.Held += store.Duration(max(0, now.Sub(g.since)))
		h.Times++
		return
	}
	if len(p.past.holds) >= mostPast {
		p.past.lost++
		return
	}
	p.past.holds = append(p.past.holds, g.hold(now))
	p.past.latest[g.slot-1] = len(p.past.holds)
}

// stir tells once that there is something to hand over.
func (p *Pool) stir() {
	if p.past.tell != nil && !p.past.told {
		p.past.told = true
		p.past.tell()
	}
}

// joins says that a grant goes on with what its slot was held for before.
func joins(h *store.Hold, g *Grant) bool {
	return h.Queue == g.holder.Queue && h.Lane == string(g.holder.Lane) && h.Job == g.job && (h.Queue != "" || h.Robot == g.holder.Robot)
}
