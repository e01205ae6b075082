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
	for _, queue := range t.after.available {
		var tried []*parkedClaim
		for c := t.e.parking.reserve(queue, tried); c != nil; c = t.e.parking.reserve(queue, tried) {
			records, err := t.claim(c.ask)
			if err != nil && store.CodeOf(err) != store.CodeConflict {
				t.e.parking.release(c)
				return err
			}
			if len(records) > 0 {
				t.after.deliveries = append(t.after.deliveries, delivery{c, records})
				continue
			}
			t.e.parking.release(c)
			if tried = append(tried, c); !c.ask.picky() {
				break // nothing is left for the others either
			}
		}
	}
	return nil
}

// reserve takes the first free claim of the line that was not tried yet.
func (p *parking) reserve(queue string, tried []*parkedClaim) *parkedClaim {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.lines[queue] {
		if !c.reserved && !slices.Contains(tried, c) {
			c.reserved = true
			return c
		}
	}
	return nil
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
