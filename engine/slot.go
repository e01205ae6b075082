package engine

import (
	"context"
	"fmt"

	"signalbox/engine/lane"
	"signalbox/store"
)

// DefaultPool is the number of slots of a store whose pool was never set.
const DefaultPool = 25

// Slots is the live pool, for drains and others who hold slots.
func (e *Engine) Slots() *lane.Pool { return e.slots }

// Pool gives the pool as it is now.
func (e *Engine) Pool(context.Context) (lane.State, error) { return *e.slots.State(), nil }

// SetPool changes the pool's size or split, durably and at once. Nothing is
// killed: slots above a smaller pool close when they are let go. CodeInvalid
// for a split a pool can't have.
func (e *Engine) SetPool(ctx context.Context, r SplitRequest) (lane.State, error) {
	err := e.change(ctx, func(t *tx) error {
		old, err := t.Pool()
		if err != nil {
			return err
		}
		p := poolOrDefault(old)
		if err := r.apply(&p); err != nil {
			return err
		}
		why := fmt.Sprintf("pool %d, fast %d, slow %d", p.Size, p.Fast, p.Slow)
		if err := t.PutPool(&p); err != nil {
			return err
		}
		return t.Append(t.record("", "slot-set", why))
	})
	if err != nil {
		return lane.State{}, err
	}
	if err := e.resize(ctx); err != nil {
		return lane.State{}, err
	}
	return *e.slots.State(), nil
}

// resize brings the live pool to what is stored: of two changes at once the
// later one stands in both.
func (e *Engine) resize(ctx context.Context) error {
	e.resizing.Lock()
	defer e.resizing.Unlock()
	return e.store.View(ctx, func(r store.Reader) error {
		p, err := r.Pool()
		if err != nil {
			return err
		}
		p = poolOrDefault(p)
		return e.slots.Resize(lane.Split{Size: p.Size, Fast: p.Fast, Slow: p.Slow}, p.Auto)
	})
}

func (r SplitRequest) apply(p *store.Pool) error {
	split := lane.Split{Size: r.Size, Fast: r.Fast, Slow: r.Slow}
	if r.Size == 0 {
		split.Size = p.Size
	}
	switch {
	case r.Auto || r.Keep && p.Auto:
		split = lane.Auto(split.Size)
	case r.Keep:
		split.Fast, split.Slow = p.Fast, p.Slow
	}
	if err := split.Validate(); err != nil {
		return err
	}
	p.Size, p.Fast, p.Slow = split.Size, split.Fast, split.Slow
	p.Auto = r.Auto || r.Keep && p.Auto
	return nil
}

func poolOrDefault(p store.Pool) store.Pool {
	if p.Size > 0 {
		return p
	}
	split := lane.Auto(DefaultPool)
	return store.Pool{Size: split.Size, Fast: split.Fast, Slow: split.Slow, Auto: true, Revision: p.Revision}
}
