package drain

import (
	"context"
	"time"

	"signalbox/engine"
	"signalbox/store"
)

// Bounds of how often a lease is renewed.
const (
	minRenewal = time.Second
	maxRenewal = 15 * time.Second
)

// keep renews the batch's lease until the function it gives is called. Should
// renewals fail, the work is cancelled by our own monotonic clock, counted from
// before the last good request was sent, a margin before the lease can end.
func (b *batch) keep(i store.Item, sent time.Time) (stop func()) {
	granted := i.LeaseUntil.Sub(i.ClaimedAt)
	if i.LeaseUntil == 0 {
		granted = 0
	}
	k := &keeper{b: b, granted: granted}
	if granted > 0 {
		k.lapse = time.AfterFunc(k.until(sent), b.loseAll)
	}
	ctx, cancel := context.WithCancel(b.d.context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		k.run(ctx)
	}()
	return func() {
		cancel()
		<-done
		if k.lapse != nil {
			k.lapse.Stop()
		}
	}
}

type keeper struct {
	b       *batch
	granted time.Duration // the lease the claim was given; 0 = never runs out
	lapse   *time.Timer
}

func (k *keeper) run(ctx context.Context) {
	t := time.NewTimer(k.every())
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			t.Reset(k.renew(ctx))
		}
	}
}

// renew gives a sign of life for what is still held, and says when to next.
func (k *keeper) renew(ctx context.Context) time.Duration {
	held := k.b.holdings()
	if len(held) == 0 {
		return k.every()
	}
	sent := time.Now()
	outcomes, err := k.b.d.s.engine.Renew(ctx, held)
	if err != nil {
		k.b.d.s.log.Error("renew", "queue", k.b.d.queue, "error", err)
		return min(k.every(), retryAfter)
	}
	if k.lapse != nil && k.lapse.Stop() {
		k.lapse.Reset(k.until(sent))
	}
	for i, o := range outcomes {
		if o.Result != engine.OK {
			k.b.lose(held[i])
		}
	}
	return k.every()
}

// lease is what a renewal gives: by the queue's newest setting, which is heeded
// where it is the shorter.
func (k *keeper) lease() time.Duration {
	now := time.Duration(k.b.d.q.settings.Load().Lease)
	if now == 0 || k.granted == 0 {
		return k.granted
	}
	return min(now, k.granted)
}

// every is how often the lease is renewed: at a third of it, within bounds, and
// at half of one too short for them.
func (k *keeper) every() time.Duration {
	lease := k.lease()
	if lease == 0 {
		return maxRenewal // only to learn of a claim that was taken away
	}
	return min(max(minRenewal, min(lease/3, maxRenewal)), lease/2)
}

// until is how long from now work may go on under a lease asked for at sent.
// The margin leaves a program the time it has to stop in.
func (k *keeper) until(sent time.Time) time.Duration {
	lease := k.lease()
	margin := min(lease/4, k.b.d.s.options.KillDelay+time.Second)
	return time.Until(sent.Add(lease - margin))
}

func (b *batch) holdings() []engine.Holding {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := make([]engine.Holding, 0, len(b.claims))
	for id, c := range b.claims {
		out = append(out, engine.Holding{Item: id, Fence: c.record.Fence})
	}
	return out
}

// lose cancels the work on an item that was taken away. Work on several at once
// goes on while one of them is held.
func (b *batch) lose(h engine.Holding) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.claims[h.Item]
	if c == nil || c.record.Fence != h.Fence || c.attempt.over {
		return // no longer worked: its report will be answered
	}
	b.drop(c)
}

// drop takes a claim off the batch that is another's, or nobody's, by now. The lock is
// held.
func (b *batch) drop(c *claim) {
	id := c.record.ID()
	delete(b.claims, id)
	if c.attempt.left--; c.attempt.left == 0 {
		c.attempt.cancel(errLost)
	}
	b.d.s.log.Warn("lease lost", "item", id)
}

// loseAll cancels all work: the lease could not be renewed in time.
func (b *batch) loseAll() {
	b.cancel(errLost)
	b.d.s.log.Warn("leases not renewed in time", "queue", b.d.queue, "items", b.forget())
}
