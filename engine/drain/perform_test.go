package drain

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"signalbox/engine"
)

// hung never answers.
type hung struct{}

func (hung) Renew(ctx context.Context, _ []engine.Holding) ([]engine.Outcome, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// Work ends in front of its lease's end also when the engine does not answer.
func TestARenewalThatHangsEndsTheWorkInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const lease = time.Minute
		began := time.Now()
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		go holds{{Queue: "q", Number: 1}: 1}.renewWhile(ctx, hung{}, lease, cancel)
		select {
		case <-ctx.Done():
		case <-time.After(2 * lease):
		}
		if took := time.Since(began); took >= lease || context.Cause(ctx) != errLost {
			t.Errorf("it went on for %s, %v", took, context.Cause(ctx))
		}
	})
}

// taker takes items away, one at each renewal.
type taker struct{ asked [][]engine.Holding }

func (k *taker) Renew(_ context.Context, held []engine.Holding) ([]engine.Outcome, error) {
	k.asked = append(k.asked, held)
	outcomes := make([]engine.Outcome, len(held))
	for i, h := range held {
		outcomes[i] = engine.Outcome{Item: h.Item, Result: engine.OK}
	}
	outcomes[0].Result = engine.Stale
	return outcomes, nil
}

// What is taken away of a wave is no longer renewed, and the work goes on until
// nothing is left of it.
func TestWorkOnAWaveGoesOnWhileSomeOfItIsHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := &taker{}
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		h := holds{{Queue: "q", Number: 1}: 7, {Queue: "q", Number: 2}: 8, {Queue: "q", Number: 3}: 9}
		began := time.Now()
		h.renewWhile(ctx, k, 30*time.Second, cancel)
		if context.Cause(ctx) != errLost || len(h) != 0 || time.Since(began) != 30*time.Second {
			t.Errorf("ended by %v after %s, holding %v", context.Cause(ctx), time.Since(began), h)
		}
		if len(k.asked) != 3 || len(k.asked[0]) != 3 || len(k.asked[1]) != 2 || len(k.asked[2]) != 1 {
			t.Errorf("renewed %v", k.asked)
		}
		for _, held := range k.asked[2] {
			if held.Fence != held.Item.Number+6 {
				t.Errorf("%v renewed with the fence of another", held)
			}
		}
	})
}
