package engine

import (
	"context"
	"fmt"
	"unicode/utf8"

	"signalbox/store"
)

// Start says that the robot begins to work an item it holds. One that was started
// already stays as it is. CodeConflict when the lease was lost.
func (e *Engine) Start(ctx context.Context, h Holding) (rec Record, err error) {
	err = e.holding(ctx, h, func(t *tx, q *store.Queue, i *store.Item) error {
		row, err := next(q, i, EventStart)
		if err != nil {
			return err
		}
		if from := i.Status; i.StartedAt == 0 {
			i.Status, i.StartedAt = row.to, t.now
			if err := t.put(i, from, EventStart, ""); err != nil {
				return err
			}
		}
		rec, err = t.e.whole(t, *i)
		return err
	})
	return rec, err
}

// Renew is a sign of life: each lease is extended to now plus the queue's lease.
// All are answered for in order: ok, stale (the lease was lost) or gone. A
// renewal leaves no history.
func (e *Engine) Renew(ctx context.Context, hs []Holding) ([]Outcome, error) {
	return e.eachHeld(ctx, hs, func(t *tx, q *store.Queue, i *store.Item) error {
		i.LeaseUntil = leaseEnd(q, t.now)
		t.remind(i.LeaseUntil)
		return t.Put(i, nil)
	})
}

// Release gives items back at no cost to any budget, for a robot that stops.
// All are answered for in order: ok, stale or gone.
func (e *Engine) Release(ctx context.Context, hs []Holding) ([]Outcome, error) {
	return e.eachHeld(ctx, hs, func(t *tx, q *store.Queue, i *store.Item) error {
		return t.giveBack(q, i, EventRelease, 0)
	})
}

// Progress keeps a text of at most MaxProgress characters with an item that is
// held; it leaves no history. CodeConflict when the lease was lost.
func (e *Engine) Progress(ctx context.Context, h Holding, text string) error {
	if n := utf8.RuneCountInString(text); n > MaxProgress {
		return overLimit("progress", n, MaxProgress, "characters")
	}
	text = cleanText(text, MaxProgress)
	return e.holding(ctx, h, func(t *tx, _ *store.Queue, i *store.Item) error {
		i.Progress = text
		t.touch(i.Queue)
		return t.Put(i, nil)
	})
}

// Postpone gives an item back, not to be claimed before an instant. It costs no
// retry. CodeConflict when the lease was lost.
func (e *Engine) Postpone(ctx context.Context, h Holding, until store.Time) error {
	if until <= 0 {
		return store.Invalid("item "+h.Item.String(), "a postponed item needs a time", "say until when, as in --until +2h")
	}
	return e.holding(ctx, h, func(t *tx, q *store.Queue, i *store.Item) error {
		return t.giveBack(q, i, EventPostpone, until)
	})
}

func (t *tx) giveBack(q *store.Queue, i *store.Item, event Event, until store.Time) error {
	row, err := next(q, i, event)
	if err != nil {
		return err
	}
	i.DeferUntil, i.StartedAt = until, 0
	why := ""
	if until != 0 {
		why = "until " + until.String()
	}
	return t.end(i, row, why)
}

// holding changes one held item durably.
func (e *Engine) holding(ctx context.Context, h Holding, fn func(*tx, *store.Queue, *store.Item) error) error {
	return e.change(ctx, func(t *tx) error {
		i, err := t.Item(h.Item)
		if err != nil {
			return err
		}
		q, err := t.Queue(i.Queue)
		if err != nil {
			return err
		}
		if _, err := held(&i, h.Fence); err != nil {
			return err
		}
		return fn(t, &q, &i)
	})
}

// eachHeld changes many held items in one durable change, and answers for each.
func (e *Engine) eachHeld(ctx context.Context, hs []Holding, fn func(*tx, *store.Queue, *store.Item) error) ([]Outcome, error) {
	outcomes := make([]Outcome, len(hs))
	if len(hs) == 0 {
		return outcomes, nil
	}
	err := e.change(ctx, func(t *tx) error {
		for n, h := range hs {
			var err error
			if outcomes[n], err = t.onHeld(h, fn); err != nil {
				return fmt.Errorf("item %s: %w", h.Item, err)
			}
		}
		return nil
	})
	return outcomes, err
}

func (t *tx) onHeld(h Holding, fn func(*tx, *store.Queue, *store.Item) error) (Outcome, error) {
	i, err := t.Item(h.Item)
	if err != nil {
		return goneOr(h.Item, err)
	}
	q, err := t.Queue(i.Queue)
	if err != nil {
		return Outcome{}, err
	}
	if result, err := held(&i, h.Fence); err != nil {
		return answer(h.Item, result, err).at(i.Status), nil
	}
	if err := fn(t, &q, &i); err != nil {
		return Outcome{}, err
	}
	return Outcome{Item: h.Item, Result: OK, Status: i.Status}, nil
}
