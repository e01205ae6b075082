package drain

import (
	"context"
	"errors"

	"signalbox/engine/coop"
)

// abreast makes the attempts side by side, at most n at once, as entries of a
// cooperative queue: each has its own time, and ends when its lease is lost or the
// work is given back, waiting or under way. It gives those that are to be given back.
func (b *batch) abreast(n int) (back []*attempt) {
	q, err := coop.New(b.entry, coop.Options{Concurrency: n, Timeout: timeout(b.set)})
	if err != nil {
		b.d.s.log.Error("work side by side", "queue", b.d.queue, "error", err)
		return nil
	}
	futures, errs := make([]*coop.Future[struct{}], len(b.attempts)), make([]error, len(b.attempts))
	for i, a := range b.attempts {
		futures[i], errs[i] = q.Enqueue(a.ctx, a)
	}
	for i, f := range futures {
		if f != nil {
			_, errs[i] = f.Wait(b.d.s.base)
		}
	}
	_ = q.Destroy(b.d.s.base) // waits for those that were cut and are still stopping
	for i, err := range errs {
		if errors.Is(err, errGiveBack) {
			back = append(back, b.attempts[i])
		} else if p, ok := errors.AsType[*coop.Panic](err); ok {
			b.d.s.log.Error("an attempt broke", "queue", b.d.queue, "error", p, "stack", string(p.Stack))
		}
	}
	return back
}

// entry makes the attempt of a queue's entry.
func (b *batch) entry(ctx context.Context, t coop.Task[*attempt]) (none struct{}, err error) {
	if !b.attempt(ctx, t.Value) {
		err = errGiveBack
	}
	return none, err
}
