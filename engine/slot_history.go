package engine

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"signalbox/engine/coop"
	"signalbox/engine/lane"
	"signalbox/store"
)

const (
	// HoldsKept is how long the history of slots is kept.
	HoldsKept = 24 * time.Hour
	// MaxHolds is how many holds one call gives at most.
	MaxHolds = 100_000
	// writeEvery is how long holds gather before they are written, and so how
	// much of the history a crash may lose.
	writeEvery = time.Second
	// forgetEvery is how often old holds are removed, while there are new ones.
	forgetEvery = 10 * time.Minute
	// pageRetries is how often a page that can't be written is tried again.
	pageRetries = 2
)

// diary writes down who held which slot when. Pages are written one after the
// other by a cooperative queue, so that one that fails is tried again before
// the next, and none is lost in the order.
type diary struct {
	e     *Engine
	pages *coop.Queue[page, struct{}]

	mu       sync.Mutex
	closed   bool
	timer    Timer
	forgot   store.Time // when old holds were last removed
	flushing sync.Mutex // the order of pages is that in which they were torn off
}

// page is what the pool had to tell at an instant.
type page struct {
	ended, open []store.Hold
	at          store.Time
}

// keepDiary starts to write down holds. Those that were open when an engine died
// are closed at its last sign of life.
func (e *Engine) keepDiary(ctx context.Context) error {
	d := &diary{e: e}
	var err error
	if d.pages, err = coop.New(d.write, coop.Options{Retries: pageRetries, Report: func(err error) { e.log.Error("history of slots", "error", err) }}); err != nil {
		return err
	}
	if err := e.closeHolds(ctx); err != nil {
		return err
	}
	e.diary = d
	e.slots.KeepPast(d.stir)
	return nil
}

func (e *Engine) closeHolds(ctx context.Context) error {
	var open []store.Hold
	var alive store.Time
	err := e.store.View(ctx, func(r store.Reader) (err error) {
		if open, alive, err = r.OpenHolds(); err != nil {
			e.log.Error("history of slots", "error", err) // never fatal
		}
		if len(open) == 0 {
			return nil
		}
		last, err := r.LastChange()
		if err != nil || last == 0 {
			return err
		}
		changes, err := r.Changes(last-1, 1)
		if err == nil && len(changes) > 0 {
			alive = max(alive, changes[0].At)
		}
		return err
	})
	if err != nil || len(open) == 0 {
		return err
	}
	for i := range open {
		h := &open[i]
		h.To, h.Cut = max(alive, h.From), true
		h.Held = store.Duration(h.To.Sub(h.From))
	}
	return e.store.Update(ctx, func(t store.Tx) error { return t.PutHolds(open, nil, alive) })
}

// stir has the pool's news written soon. It is called by the pool, under its
// lock.
func (d *diary) stir() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.closed {
		d.timer = d.e.clock.AfterFunc(writeEvery, d.flush)
	}
}

// flush hands what the pool has to tell to be written.
func (d *diary) flush() {
	d.flushing.Lock()
	defer d.flushing.Unlock()
	ended, open, lost, changed := d.e.slots.Past()
	if lost > 0 {
		d.e.log.Warn("history of slots: too many holds at once", "lost", lost)
	}
	if !changed {
		return
	}
	if _, err := d.pages.Enqueue(context.Background(), page{ended, open, d.e.now()}); err != nil {
		d.e.log.Error("history of slots", "holds", len(ended), "error", err)
	}
}

func (d *diary) write(ctx context.Context, t coop.Task[page]) (struct{}, error) {
	p := t.Value
	forget := p.at.Sub(d.forgot) >= forgetEvery
	err := d.e.store.Update(ctx, func(t store.Tx) error {
		if forget {
			if err := t.ForgetHolds(p.at.Add(-HoldsKept)); err != nil {
				return err
			}
		}
		return t.PutHolds(p.ended, p.open, p.at)
	})
	if err == nil && forget {
		d.forgot = p.at
	}
	if err == nil || t.Attempt > pageRetries {
		d.e.tended(ctx, HistoryLoop, err)
	}
	return struct{}{}, err
}

// close writes what is left.
func (d *diary) close() {
	d.e.slots.KeepPast(nil)
	d.mu.Lock()
	d.closed = true
	if d.timer != nil {
		d.timer.Stop()
	}
	d.mu.Unlock()
	d.flush()
	ctx := context.Background()
	_ = d.pages.Stop()
	_ = d.pages.Wait(ctx)
	_ = d.pages.Destroy(ctx)
}

// HoldsRequest asks for the history of slots.
type HoldsRequest struct {
	Since store.Time // holds that ended at or after it, or go on; 0 = all that are kept
	Slot  int        // of one slot; 0 = of all
	Limit int        // the newest so many; 0 = MaxHolds
}

// SlotHistory gives who held which slot when, in the order in which they began:
// those that ended in the last 24 hours, and those that go on, with To 0. Holds
// of one slot for one queue and job that followed each other within a second
// are one, with Times telling how many. A crash loses the last second.
func (e *Engine) SlotHistory(ctx context.Context, r HoldsRequest) ([]store.Hold, error) {
	if r.Limit < 0 || r.Slot < 0 || r.Slot > lane.Ceiling {
		return nil, store.Invalid("a limit or slot", "it is out of range", "use 0 for all")
	}
	if e.diary != nil {
		e.diary.flush()
		if err := e.diary.pages.Wait(ctx); err != nil {
			return nil, err
		}
	}
	limit := r.Limit
	if limit == 0 || limit > MaxHolds {
		limit = MaxHolds
	}
	since := max(r.Since, e.now().Add(-HoldsKept))
	var all []store.Hold
	err := e.store.View(ctx, func(rd store.Reader) error {
		all = nil
		keep := func(h store.Hold) {
			if r.Slot != 0 && h.Slot != r.Slot {
				return
			}
			if all = append(all, h); len(all) >= 2*limit {
				all = append(all[:0], all[len(all)-limit:]...)
			}
		}
		for h, err := range rd.Holds(since) {
			if err == nil { // what can't be read is told by check
				keep(h)
			}
		}
		open, _, err := rd.OpenHolds()
		for _, h := range open {
			keep(h)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	all = all[max(0, len(all)-limit):]
	slices.SortStableFunc(all, func(a, b store.Hold) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Slot, b.Slot)) })
	return all, nil
}
