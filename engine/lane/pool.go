package lane

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"signalbox/store"
)

// Pool hands out slots. Its methods are safe for concurrent use.
type Pool struct {
	name    string // tells tokens of one pool from another's
	now     func() time.Time
	changed func()

	mu     sync.Mutex
	split  Split
	auto   bool
	grants []*Grant // by slot number - 1, nil = free; longer than split.Size while slots close
	parts  [3]part  // the two reserves and the commons
	busy   int      // slots up to split.Size that are held
	lanes  [2]traffic
	turns  uint64        // waiters so far: the order between the two lines
	serial uint64        // grants so far
	moved  chan struct{} // closed when somebody leaves a line; nil = nobody looks
	stale  bool          // since then no waiter's place has been looked up
	past   past
	usage  usage
	cache  atomic.Pointer[State] // nil = out of date
	spare  sync.Pool             // of *waiter
}

// part is the lasting state of a reserve or the commons.
type part struct {
	free []int  // numbers of its free slots
	held [2]int // number of its slots held, by the holder's lane
}

// traffic is the coming and going in one lane.
type traffic struct {
	line line
	hold average // how long slots are held
}

func (p *Pool) part(l Lane) *part    { return &p.parts[l.index()] }
func (p *Pool) lane(l Lane) *traffic { return &p.lanes[l.index()] }

// New makes a pool of free slots. now is its clock. changed is called after
// every change with no lock held; it must not wait.
func New(split Split, auto bool, now func() time.Time, changed func()) *Pool {
	p := &Pool{
		name:    strconv.FormatUint(rand.Uint64(), 36),
		now:     now,
		changed: changed,
		split:   split,
		auto:    auto,
		grants:  make([]*Grant, split.Size),
		usage:   newUsage(now()),
	}
	p.spare.New = func() any { return &waiter{granted: make(chan *Grant, 1)} }
	p.sort()
	return p
}

// Take gives a slot to h, waiting in its lane's line for one when it must. It
// fails when ctx ends first, with its cause.
func (p *Pool) Take(ctx context.Context, h Holder) (*Grant, error) {
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
	select {
	case g := <-w.granted:
		return g, nil
	case <-ctx.Done():
		p.leave(w)
		return nil, context.Cause(ctx)
	}
}

// TryTake gives a slot to h at once or fails with CodeConflict; the error then
// wraps a *Full.
func (p *Pool) TryTake(h Holder) (*Grant, error) {
	if err := h.Lane.validate(); err != nil {
		return nil, err
	}
	now := p.now()
	p.mu.Lock()
	n, ok := p.pick(h.Lane)
	if !ok {
		full := p.full(h.Lane)
		p.mu.Unlock()
		return nil, noSlot(h.Lane, full)
	}
	g := p.give(n, h, now)
	p.mu.Unlock()
	p.changed()
	return g, nil
}

// Full says how full a pool was that had no slot to give, and what waiting
// for one would have meant.
type Full struct {
	Busy     int            `json:"busy"`               // slots in use
	Pool     int            `json:"pool"`               // slots there are
	Place    int            `json:"place"`              // place in the lane's line, from 1
	Ahead    int            `json:"ahead"`              // turns of both lanes that would have come first
	Expected store.Duration `json:"expected,omitempty"` // how long it would have waited; 0 = can't be told
}

// Error gives all of it in words.
func (f *Full) Error() string {
	return fmt.Sprintf("pool in use (%d of %d), ", f.Busy, f.Pool) + standing(f.Place, f.Ahead, f.Expected)
}

// standing words a place in line.
func standing(place, ahead int, expected store.Duration) string {
	turns := "turns"
	if ahead == 1 {
		turns = "turn"
	}
	s := fmt.Sprintf("place %d in line, %d %s ahead", place, ahead, turns)
	if expected > 0 {
		s += ", expected wait " + expected.String()
	}
	return s
}

func (p *Pool) full(l Lane) *Full {
	own, other := p.lane(l).line.len, p.lane(l.other()).line.len
	f := &Full{Busy: p.busy, Pool: p.split.Size, Place: own + 1, Ahead: own}
	if p.split.Common() > 0 {
		f.Ahead += other
	}
	f.Expected = expected(f.Ahead, p.rate(l))
	return f
}

// enter gives h a slot, or a place in line when there is none for it.
func (p *Pool) enter(h Holder) (*Grant, *waiter) {
	now := p.now()
	p.mu.Lock()
	defer p.mu.Unlock()
	if n, ok := p.pick(h.Lane); ok {
		return p.give(n, h, now), nil
	}
	h.Since = store.At(now)
	p.turns++
	w := p.spare.Get().(*waiter)
	w.Holder, w.turn = h, p.turns
	p.lane(h.Lane).line.push(w)
	w.place, w.others = p.lane(h.Lane).line.len, p.lane(h.Lane.other()).line.len
	p.cache.Store(nil)
	return nil, w
}

// leave gives up a place in line, or the slot that has come in the meantime.
func (p *Pool) leave(w *waiter) {
	p.mu.Lock()
	waiting := p.remove(w)
	if waiting {
		p.cache.Store(nil)
	}
	p.mu.Unlock()
	if !waiting {
		(<-w.granted).Release()
		return
	}
	p.changed()
}

// pick takes a free slot that lane l may use off the free lists: one of its
// reserve, or else of the commons.
func (p *Pool) pick(l Lane) (slot int, ok bool) {
	for _, part := range [...]*part{p.part(l), p.part(Commons)} {
		if len(part.free) == 0 {
			continue
		}
		i, last := rand.IntN(len(part.free)), len(part.free)-1
		slot = part.free[i]
		part.free[i] = part.free[last]
		part.free = part.free[:last]
		return slot, true
	}
	return 0, false
}

// give makes h the holder of a slot that was free.
func (p *Pool) give(slot int, h Holder, now time.Time) *Grant {
	p.usage.advance(now, p.busy, p.split.Size)
	p.busy++
	return p.grant(slot, h, now)
}

// grant makes h the holder of a slot that is counted as busy.
func (p *Pool) grant(slot int, h Holder, now time.Time) *Grant {
	h.Since = store.At(now)
	p.serial++
	g := &Grant{pool: p, slot: slot, serial: p.serial, first: h, since: now, item: h.Item, job: h.Job}
	g.holder = &g.first
	p.grants[slot-1] = g
	p.part(p.split.Of(slot)).held[h.Lane.index()]++
	p.cache.Store(nil)
	p.stir()
	return g
}

// next takes the waiter off its line who has waited longest of those that may
// use a slot of the given part; nil when there is none.
func (p *Pool) next(part Lane) *waiter {
	l := part
	if part == Commons {
		l = p.first()
	}
	if w := p.lane(l).line.head; w != nil {
		p.remove(w)
		return w
	}
	return nil
}

// first is the lane whose first waiter has waited longer.
func (p *Pool) first() Lane {
	fast, slow := p.lane(Fast).line.head, p.lane(Slow).line.head
	if fast == nil || slow != nil && slow.turn < fast.turn {
		return Slow
	}
	return Fast
}
