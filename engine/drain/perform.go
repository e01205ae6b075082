package drain

import (
	"context"
	"os"
	"time"

	"signalbox/engine"
	"signalbox/store"
)

// Renewer is what Perform needs of the engine.
type Renewer interface {
	Renew(context.Context, []engine.Holding) ([]engine.Outcome, error)
}

// Performed is what became of work on items that were held.
type Performed struct {
	// Reports are to be settled with. What was lost meanwhile has none:
	// nothing is to be said of it.
	Reports []engine.Settlement
	// Cut are the items that are still held, and whose work was stopped because
	// the context ended.
	Cut []engine.Holding
	// Broken says why the program could not be run, "" that it was. The reports
	// then say so too.
	Broken string
}

// Perform works items of one claim, by the command of the settings given, as a
// drain would: with their lease kept alive, the timeout, and nothing left of the
// program when it returns. A batch size over 1 gives the program all of them in
// one run. When ctx ends the program is stopped, at once also when hurry is
// closed (nil: never).
func Perform(ctx context.Context, e Renewer, set *store.Queue, records []engine.Record, hurry <-chan struct{}) Performed {
	spawner := &spawner{}
	defer spawner.close()
	c := &command{
		set: set, wave: set.BatchSize > 1, spawner: spawner, killDelay: 5 * time.Second, hurry: hurry,
		slot: os.Getenv(SlotVariable), // of the one that we run in ourselves
	}
	work, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if limit := timeout(set); limit > 0 {
		var done context.CancelFunc
		work, done = context.WithTimeoutCause(work, limit, errTimeout)
		defer done()
	}
	h := held(records)
	kept := make(chan struct{})
	go func() {
		defer close(kept)
		h.renewWhile(work, e, records[0].LeaseUntil.Sub(records[0].ClaimedAt), cancel)
	}()
	res := c.work(work, records)
	cause := context.Cause(work)
	cancel(nil)
	<-kept
	p := Performed{Broken: res.broken}
	if cause == errLost {
		return p
	}
	for i := range records {
		id := records[i].ID()
		fence, holds := h[id]
		s := res.report(i)
		s.Item, s.Fence = id, fence
		switch {
		case !holds:
		case !res.cut:
			p.Reports = append(p.Reports, s)
		case cause == errTimeout:
			s.Reason = "timed out after " + store.Duration(inTenths(timeout(set))).String()
			p.Reports = append(p.Reports, s)
		default:
			p.Cut = append(p.Cut, engine.Holding{Item: id, Fence: fence})
		}
	}
	return p
}

// holds are the fences of items that are held under one lease.
type holds map[store.ID]uint64

func held(records []engine.Record) holds {
	h := make(holds, len(records))
	for i := range records {
		h[records[i].ID()] = records[i].Fence
	}
	return h
}

func (h holds) holdings() []engine.Holding {
	all := make([]engine.Holding, 0, len(h))
	for id, fence := range h {
		all = append(all, engine.Holding{Item: id, Fence: fence})
	}
	return all
}

// renewWhile keeps a lease alive until ctx ends, and forgets what was taken away.
// It ends the work when nothing is held any more, or the lease was not renewed
// for so long that it may be lost, whether renewals fail or hang.
func (h holds) renewWhile(ctx context.Context, e Renewer, lease time.Duration, cancel context.CancelCauseFunc) {
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
		outcomes, err := e.Renew(ctx, h.holdings())
		if err != nil {
			continue
		}
		for _, o := range outcomes {
			if o.Result != engine.OK {
				delete(h, o.Item)
			}
		}
		if len(h) == 0 {
			cancel(errLost)
			return
		}
		if lapse != nil && lapse.Stop() {
			lapse.Reset(patience - time.Since(sent))
		}
	}
}
