package drain

import (
	"context"
	"errors"

	"signalbox/engine/coop"
)

// side is an attempt that is made beside others.
type side struct {
	*attempt
	future *coop.Future[struct{}]
	err    error
}

// abreast makes the attempts side by side, at most n at once, as entries of a
// cooperative queue: each has its own time, and ends when its lease is lost or the
// work is given back, waiting or under way. While places are free it claims what else
// comes, so that a slow one keeps no more than its place. It gives those that are to
// be given back.
func (b *batch) abreast(n int) (back []*attempt) {
	q, err := coop.New(b.entry, coop.Options{Concurrency: n, Timeout: timeout(b.set)})
	if err != nil {
		b.d.s.log.Error("work side by side", "queue", b.d.queue, "error", err)
		return nil
	}
	base := b.d.s.base
	var sides []side
	begin := func(attempts []*attempt) {
		b.d.room.Add(-int64(len(attempts)))
		for _, a := range attempts {
			f, err := q.Enqueue(a.ctx, a)
			sides = append(sides, side{a, f, err})
		}
	}
	b.d.room.Store(int64(n))
	defer b.d.room.Store(0)
	begin(b.attempts)
	for idle := whenIdle(base, q); ; {
		select {
		case <-b.d.more:
			begin(b.refill())
			continue
		case <-idle:
		}
		if q.Stats().Entries == 0 {
			break
		}
		idle = whenIdle(base, q)
	}
	_ = q.Destroy(base) // waits for those that were cut and are still stopping
	for _, s := range sides {
		if s.future != nil {
			_, s.err = s.future.Wait(base)
		}
		if errors.Is(s.err, errGiveBack) {
			back = append(back, s.attempt)
		} else if p, ok := errors.AsType[*coop.Panic](s.err); ok {
			b.d.s.log.Error("an attempt broke", "queue", b.d.queue, "error", p, "stack", string(p.Stack))
		}
	}
	return back
}

// whenIdle is closed when nothing is outstanding.
func whenIdle(ctx context.Context, q *coop.Queue[*attempt, struct{}]) <-chan struct{} {
	idle := make(chan struct{})
	go func() {
		defer close(idle)
		_ = q.Wait(ctx)
	}()
	return idle
}

// entry makes the attempt of a queue's entry.
func (b *batch) entry(ctx context.Context, t coop.Task[*attempt]) (none struct{}, err error) {
	if !b.attempt(ctx, t.Value) {
		err = errGiveBack
	}
	if b.d.room.Add(1); b.d.q.wanted.Load() {
		b.d.claimMore()
	}
	return none, err
}

// refill claims as many more as there are places for, under the lease that is kept.
func (b *batch) refill() []*attempt {
	if b.ctx.Err() != nil || !b.d.hasRoom() {
		return nil
	}
	_, l := b.d.next(nil, int(b.d.room.Load()))
	if l == nil {
		return nil
	}
	return b.add(l.records)
}

// hasRoom says that the drain may claim more beside what is under way.
func (d *drain) hasRoom() bool { return d.room.Load() > 0 && d.goesOn() }

// claimMore has the drain do so.
func (d *drain) claimMore() {
	select {
	case d.more <- struct{}{}:
	default:
	}
}
