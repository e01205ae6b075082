package drain

import (
	"context"
	"time"

	"signalbox/engine"
	"signalbox/store"
)

// Renewer is what Once needs of the engine.
type Renewer interface {
	Renew(context.Context, []engine.Holding) ([]engine.Outcome, error)
}

// Once works one item that the caller holds, by the command of the settings given,
// as a drain would: with its lease kept alive, its timeout, and nothing left of
// the program when it returns. It gives the report to settle with; false when the
// lease was lost, and nothing is to be said. When ctx ends the program is stopped
// and the item is reported as failed.
func Once(ctx context.Context, e Renewer, set *store.Queue, r engine.Record) (engine.Settlement, bool) {
	spawner := &spawner{}
	defer spawner.close()
	c := &command{set: set, spawner: spawner, killDelay: 5 * time.Second, hurry: make(chan struct{})}
	work, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if limit := timeout(set); limit > 0 {
		var done context.CancelFunc
		work, done = context.WithTimeoutCause(work, limit, errTimeout)
		defer done()
	}
	h := engine.Holding{Item: r.ID(), Fence: r.Fence}
	kept := make(chan struct{})
	go func() {
		defer close(kept)
		renewWhile(work, e, h, r.LeaseUntil.Sub(r.ClaimedAt), cancel)
	}()
	res := c.work(work, []engine.Record{r})
	cause := context.Cause(work)
	cancel(nil)
	<-kept
	s := res.report(0)
	s.Item, s.Fence = h.Item, h.Fence
	if !res.cut {
		return s, cause != errLost
	}
	switch cause {
	case errLost:
		return s, false
	case errTimeout:
		s.Reason = "timed out after " + store.Duration(timeout(set)).String()
	default:
		s.Reason = "interrupted"
	}
	return s, true
}

// renewWhile keeps a lease alive until ctx ends, and ends the work when it is lost,
// or was not renewed for so long that it may be, whether renewals fail or hang.
func renewWhile(ctx context.Context, e Renewer, h engine.Holding, lease time.Duration, cancel context.CancelCauseFunc) {
	every, patience := maxRenewal, lease*3/4
	var lapse *time.Timer
	if lease > 0 {
		every = min(max(minRenewal, min(lease/3, maxRenewal)), lease/2)
		lapse = time.AfterFunc(patience, func() { cancel(errLost) })
		defer lapse.Stop()
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		sent := time.Now()
		outcomes, err := e.Renew(ctx, []engine.Holding{h})
		switch {
		case err == nil && outcomes[0].Result != engine.OK:
			cancel(errLost)
			return
		case err == nil && lapse != nil && lapse.Stop():
			lapse.Reset(patience - time.Since(sent))
		}
	}
}
