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
		go renewWhile(ctx, hung{}, engine.Holding{}, lease, cancel)
		select {
		case <-ctx.Done():
		case <-time.After(2 * lease):
		}
		if took := time.Since(began); took >= lease || context.Cause(ctx) != errLost {
			t.Errorf("it went on for %s, %v", took, context.Cause(ctx))
		}
	})
}
