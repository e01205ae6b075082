package engine

import (
	"context"
	"slices"
	"sync"
	"time"

	"signalbox/store"
)

// parking holds the claims that found nothing and wait. The change that makes
// an item available serves them inside its own commit, so that a waiting robot
// starts one commit after the enqueue, and none is woken for nothing.
type parking struct {
	mu    sync.Mutex
	lines map[string][]*parkedClaim // by queue, first come first
}

// parkedClaim is one waiting claim. It is in its line until a change reserves
// it; the change then delivers, or puts it back when it is rolled back.
type parkedClaim struct {
	ask      *ask
	got      chan []Record // capacity 1; nil: given up while reserved, and not served
	reserved bool
	left     bool // the caller waits no longer; never put back
	gone     bool // its own change failed: nobody listens
}

// delivery is a parked claim served by a change under way.
type delivery struct {
	claim   *parkedClaim
	records []Record
}

// park joins the line when the change commits; until then it can be served by
// changes that follow in the same commit, and leaves with a rollback.
func (t *tx) park(c *parkedClaim) {
	p := &t.e.parking
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lines == nil {
		p.lines = map[string][]*parkedClaim{}
	}
	p.lines[c.ask.Queue] = append(p.lines[c.ask.Queue], c)
	t.after.parked, t.after.joined = c, c
}

// serveParked hands what the change made available to those who wait for it.
func (t *tx) serveParked() error {
	for n := range t.after.available {
		if line := t.e.parking.line(t.after.available[n].queue); len(line) > 0 {
			if err := t.serveLine(&t.after.available[n], line); err != nil {
				return err
			}
		}
	}
	return nil
}

// serveLine serves one queue's claims, first come first. Those that want
// something in particular look only at what has just come: what was there
// before they have seen. All their jq programs share the time that one has.
func (t *tx) serveLine(g *gain, line []*parkedClaim) error {
	ctx, cancel := context.WithTimeout(context.Background(), claimJQ)
	defer cancel()
	f := fresh{t: t, gain: g}
	for _, c := range line {
		if !t.e.parking.reserve(c) {
			continue
		}
		var records []Record
		var err error
		if c.ask.picky() && !g.whole && !c.ask.filter.timed {
			records, err = f.claim(ctx, c.ask)
		} else {
			records, err = t.claim(c.ask)
		}
		if !answerable(err) {
			t.e.parking.release(c)
			return err
		}
		if f.drop(records); len(records) > 0 || ctx.Err() != nil && len(c.ask.filter.payload) > 0 {
			// With nothing it looks for itself again, at the price of its own time.
			t.after.deliveries = append(t.after.deliveries, delivery{c, records})
			continue
		}
		t.e.parking.release(c)
		if !c.ask.picky() {
			break // nothing is left for the others either
		}
	}
	return nil
}

// fresh are the items that a change made available and that nobody has yet.
type fresh struct {
	t      *tx
	gain   *gain
	loaded bool
	items  []store.Item // in claim order
}

// claim claims for one who wants only some of them.
func (f *fresh) claim(ctx context.Context, a *ask) ([]Record, error) {
	q, err := f.t.Queue(a.Queue)
	if err != nil || q.Paused || !a.within(&q) {
		return nil, err
	}
	f.load()
	return f.t.claimFrom(ctx, &q, a, func(yield func(store.Item, error) bool) {
		for _, i := range f.items {
			if !yield(i, nil) {
				return
			}
		}
	})
}

func (f *fresh) load() {
	if f.loaded {
		return
	}
	f.loaded = true
	numbers := slices.Compact(slices.Sorted(slices.Values(f.gain.items)))
	for _, n := range numbers {
		i, err := f.t.Item(store.ID{Queue: f.gain.queue, Number: n})
		if err == nil && i.Status.Waiting() && i.ReadyAt() <= f.t.now {
			f.items = append(f.items, i)
		}
	}
	slices.SortFunc(f.items, claimOrder)
}

// drop takes away what has been claimed.
func (f *fresh) drop(records []Record) {
	for n := range records {
		f.items = slices.DeleteFunc(f.items, func(i store.Item) bool { return i.Number == records[n].Number })
	}
}

// line gives the claims that wait at a queue, first come first.
func (p *parking) line(queue string) []*parkedClaim {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.lines[queue])
}

// reserve takes a claim that still waits and that no other change has.
func (p *parking) reserve(c *parkedClaim) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c.reserved || c.left || c.gone {
		return false
	}
	c.reserved = true
	return true
}

func (p *parking) release(c *parkedClaim) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free(c)
}

// deliver answers the claims a committed change has served, and gives the
// records of those to whom nobody listens.
func (p *parking) deliver(deliveries []delivery) (orphans []Record) {
	if len(deliveries) == 0 {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, d := range deliveries {
		p.remove(d.claim)
		if d.claim.gone {
			orphans = append(orphans, d.records...)
			continue
		}
		d.claim.got <- d.records
	}
	return orphans
}

// orphaned says of a claim whose own change failed that nobody listens to it,
// and gives what it was handed before.
func (p *parking) orphaned(c *parkedClaim) []Record {
	if c == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	c.gone = true
	p.remove(c)
	select {
	case records := <-c.got:
		return records
	default:
		return nil
	}
}

// takeBack undoes what a rolled back run of a change did to the lines.
func (p *parking) takeBack(a *effects) {
	if a.parked == nil && len(a.deliveries) == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if a.parked != nil {
		p.remove(a.parked)
		a.parked = nil
	}
	for _, d := range a.deliveries {
		p.free(d.claim)
	}
	a.deliveries = nil
}

func (p *parking) free(c *parkedClaim) {
	c.reserved = false
	if c.left {
		p.remove(c)
		c.got <- nil
	}
}

func (p *parking) remove(c *parkedClaim) {
	line := p.lines[c.ask.Queue]
	for i := range line {
		if line[i] == c {
			line = append(line[:i:i], line[i+1:]...)
			break
		}
	}
	if len(line) == 0 {
		delete(p.lines, c.ask.Queue)
		return
	}
	p.lines[c.ask.Queue] = line
}

// wait blocks until the claim is served, the time is over (nil, nil), ctx ends or
// the engine is closed. A claim reserved by a change at that moment waits for its outcome, so
// that no item is handed to nobody.
func (p *parking) wait(ctx context.Context, closed <-chan struct{}, c *parkedClaim, d time.Duration) ([]Record, error) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case got := <-c.got:
		return got, nil
	case <-timer.C:
	case <-ctx.Done():
	case <-closed:
	}
	p.mu.Lock()
	c.left = true
	if !c.reserved {
		select {
		case got := <-c.got: // served just now
			p.mu.Unlock()
			return got, nil
		default:
		}
		p.remove(c)
		p.mu.Unlock()
		return nil, ctx.Err()
	}
	p.mu.Unlock()
	if got := <-c.got; got != nil {
		return got, nil
	}
	return nil, ctx.Err()
}
