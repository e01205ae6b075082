package drain

import (
	"time"

	"signalbox/engine"
)

// Bounds of the waits between tries to report to an engine that fails.
const (
	minBackoff = 100 * time.Millisecond
	maxBackoff = 2 * time.Second
)

// reportAll settles results as they come: one at once, and those that came while
// it was being written together.
func (b *batch) reportAll() {
	for r := range b.results {
		wave := []engine.Settlement{r}
		for len(b.results) > 0 {
			wave = append(wave, <-b.results)
		}
		b.report(wave)
	}
}

// report settles a wave. What is refused for its content is settled as a system
// exception that says so.
func (b *batch) report(wave []engine.Settlement) {
	outcomes, ok := b.settle(wave)
	if !ok {
		return
	}
	var refused []engine.Settlement
	for i, o := range outcomes {
		if o.Result == engine.Refused {
			refused = append(refused, engine.Settlement{
				Item: wave[i].Item, Fence: wave[i].Fence, Status: engine.System,
				Reason: "result refused: " + o.Error, Details: wave[i].Reason,
			})
			continue
		}
		b.settled(o)
	}
	if len(refused) == 0 {
		return
	}
	if outcomes, ok = b.settle(refused); ok {
		for _, o := range outcomes {
			b.settled(o)
		}
	}
}

func (b *batch) settled(o engine.Outcome) {
	b.account(o.Item)
	if o.Result != engine.OK {
		b.d.s.log.Warn("not settled", "item", o.Item, "result", o.Result, "error", o.Error)
		return
	}
	if b.d.s.stopping() {
		b.d.s.tally.finished.Add(1)
	}
}

// settle asks the engine until it answers, as long as the lease is held and the
// engine does not stop.
func (b *batch) settle(wave []engine.Settlement) ([]engine.Outcome, bool) {
	for wait := minBackoff; ; wait = min(2*wait, maxBackoff) {
		last := b.ctx.Err() != nil
		outcomes, err := b.d.s.engine.Settle(b.d.context(), wave)
		if err == nil {
			return outcomes, true
		}
		b.d.s.log.Error("settle", "queue", b.d.queue, "items", len(wave), "error", err)
		if last {
			return nil, false
		}
		t := time.NewTimer(wait)
		select {
		case <-t.C:
		case <-b.ctx.Done():
			t.Stop()
		}
	}
}

// giveBack releases the items of attempts that were not made, or cut short by
// the stop, as far as they are still held.
func (b *batch) giveBack(attempts []*attempt) {
	var hs []engine.Holding
	for _, a := range attempts {
		for _, c := range a.claims {
			if b.holds(c) {
				hs = append(hs, engine.Holding{Item: c.record.ID(), Fence: c.record.Fence})
			}
		}
	}
	if len(hs) == 0 {
		return
	}
	outcomes, err := b.d.s.engine.Release(b.d.context(), hs)
	if err != nil {
		b.d.s.log.Error("give back", "queue", b.d.queue, "items", len(hs), "error", err)
		return
	}
	for _, o := range outcomes {
		if o.Result == engine.OK && b.account(o.Item) {
			b.d.s.tally.givenBack.Add(1)
		}
	}
}
