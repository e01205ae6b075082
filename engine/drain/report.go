package drain

import (
	"strings"
	"time"

	"signalbox/engine"
)

// resultRefused begins the reason of what is settled instead, once.
const resultRefused = "result refused: "

// Bounds of the waits between tries to report to an engine that fails.
const (
	minBackoff = 100 * time.Millisecond
	maxBackoff = 2 * time.Second
)

// reportAll settles results as they come: one at once, and those that came while
// it was being written together. What is left when all have come waits for the
// next claim.
func (b *batch) reportAll() {
	for r := range b.results {
		wave, more := b.gather(r)
		if !more {
			b.rest = wave
			return
		}
		b.report(wave)
	}
}

// gather adds what else has come to a result; more says that not all has.
func (b *batch) gather(r engine.Settlement) (wave []engine.Settlement, more bool) {
	wave = append(wave, r)
	for {
		select {
		case r, ok := <-b.results:
			if !ok {
				return wave, false
			}
			wave = append(wave, r)
		default:
			return wave, true
		}
	}
}

// unsaid is what the reporter has not settled, when it has ended.
func (b *batch) unsaid() []engine.Settlement { return append(b.rest, b.last...) }

// goOn settles what is left of the batch and claims the next, in one change.
// Where that fails the results are settled alone, and nothing is claimed.
func (b *batch) goOn() (next *load, asked bool) {
	wave := b.unsaid()
	outcomes, next := b.d.next(wave, 0)
	if len(wave) > 0 && outcomes == nil {
		b.report(wave)
		return nil, false
	}
	refused := b.answered(wave, outcomes)
	if next == nil {
		b.insist(refused)
		return nil, true
	}
	for _, s := range refused {
		if c := b.take(engine.Holding{Item: s.Item, Fence: s.Fence}); c != nil {
			next.refused = append(next.refused, refusal{c, s})
		}
	}
	return next, true
}

// report settles a wave. What is refused for its content is settled as a system
// exception that says so.
func (b *batch) report(wave []engine.Settlement) {
	if len(wave) == 0 {
		return
	}
	if outcomes, ok := b.settle(wave); ok {
		b.insist(b.answered(wave, outcomes))
	}
}

// answered accounts for what a wave was answered, and gives what to say instead
// of what was refused.
func (b *batch) answered(wave []engine.Settlement, outcomes []engine.Outcome) (refused []engine.Settlement) {
	for i, o := range outcomes {
		if o.Result == engine.Refused && !strings.HasPrefix(wave[i].Reason, resultRefused) {
			refused = append(refused, engine.Settlement{
				Item: wave[i].Item, Fence: wave[i].Fence, Status: engine.System,
				Reason: resultRefused + o.Error, Details: wave[i].Reason,
			})
			continue
		}
		b.settled(&wave[i], o)
	}
	return refused
}

// insist settles what stands for refused results.
func (b *batch) insist(instead []engine.Settlement) {
	if len(instead) == 0 {
		return
	}
	if outcomes, ok := b.settle(instead); ok {
		for i, o := range outcomes {
			b.settled(&instead[i], o)
		}
	}
}

func (b *batch) settled(s *engine.Settlement, o engine.Outcome) {
	b.take(engine.Holding{Item: s.Item, Fence: s.Fence})
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
	for i, o := range outcomes {
		if o.Result == engine.OK && b.take(hs[i]) != nil {
			b.d.s.tally.givenBack.Add(1)
		}
	}
}
