package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"time"

	"signalbox/engine"
	"signalbox/engine/drain"
	"signalbox/store"
)

const (
	// robotWait is how long one claim waits before it is made again.
	robotWait = store.Duration(time.Minute)
	// robotPatience is the time between two looks for an engine that has gone.
	robotPatience = time.Second
	// robotFarewell is how long running work may go on when told to stop, as
	// that of an engine's drains.
	robotFarewell = 25 * time.Second
	// lastReport is how long a report may take.
	lastReport = 30 * time.Second
)

// robot claims items and works them with a command, several runs at once.
type robot struct {
	app      *app
	ask      engine.ClaimRequest
	consumer store.Consumer
	timeout  store.Duration // of a run; 0 = the queue's
	parallel int
	ends     bool // when nothing came for wait
	wait     store.Duration
	lines    string // the format of what is printed

	// taking ends when no more is claimed, work when what runs has to stop, and
	// hurry is closed when it has to at once.
	taking, work context.Context
	hurry        chan struct{}

	mu      sync.Mutex
	unsaid  []engine.Settlement // reports that reached no engine
	reached bool                // an engine was
	away    bool                // the engine has gone, and that was told
	tally   robotTally
}

// run works until it is told to stop, or nothing came for as long as it waits,
// over the ends and beginnings of engines.
func (r *robot) run(ctx context.Context) error {
	outlivesReaders()
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, endings()...)
	defer signal.Stop(signals)
	var stop, giveBack context.CancelFunc
	r.taking, stop = context.WithCancel(ctx)
	r.work, giveBack = context.WithCancel(context.WithoutCancel(ctx))
	r.hurry = make(chan struct{})
	var heeding sync.WaitGroup
	heeding.Go(func() {
		r.heed(signals, stop)
		giveBack()
	})
	err := r.sessions()
	stopped := r.taking.Err() != nil
	stop()
	giveBack()
	heeding.Wait()
	return r.verdict(err, stopped)
}

// heed stops the taking at the first signal, and returns at the second, or when
// what runs had its time or has ended.
func (r *robot) heed(signals <-chan os.Signal, stop context.CancelFunc) {
	select {
	case <-signals:
		stop()
		fmt.Fprintln(r.app.Stderr, "signalbox: stopping; again to give running work back at once")
	case <-r.taking.Done():
	}
	late := time.NewTimer(robotFarewell)
	defer late.Stop()
	select {
	case <-signals:
		close(r.hurry)
	case <-late.C:
	case <-r.work.Done():
	}
}

// sessions works with one engine after the other.
func (r *robot) sessions() error {
	for {
		err := r.app.do(r.taking, func(_ context.Context, s Service) error {
			return r.app.answering(r.taking, s, func() error { return r.session(s) })
		})
		if store.CodeOf(err) != store.CodeUnavailable || !r.waitsForEngine(err) {
			return err
		}
	}
}

// waitsForEngine waits a while, unless there never was one, or the robot stops.
func (r *robot) waitsForEngine(err error) bool {
	r.mu.Lock()
	reached, known := r.reached, r.away
	r.away = true
	r.mu.Unlock()
	if !reached || r.taking.Err() != nil {
		return false
	}
	if !known {
		fmt.Fprintf(r.app.Stderr, "signalbox: %v; the robot goes on when an engine answers\n", err)
	}
	select {
	case <-time.After(robotPatience):
		return true
	case <-r.taking.Done():
		return false
	}
}

// session works with an engine that is there, until it goes or nothing is to
// be done. What ends one run of the work ends all, once they are through: those
// that found the engine again by themselves would be fewer than there should be.
func (r *robot) session(s Service) error {
	if _, err := s.Queue(r.taking, r.ask.Queue); err != nil {
		return err
	}
	r.mu.Lock()
	r.reached, r.away = true, false
	unsaid := r.unsaid
	r.unsaid = nil
	r.mu.Unlock()
	if err := r.report(s, unsaid); err != nil {
		return err
	}
	taking, stop := context.WithCancel(r.taking)
	defer stop()
	errs := make([]error, r.parallel)
	var workers sync.WaitGroup
	for i := range errs {
		workers.Go(func() {
			if errs[i] = r.works(taking, s); errs[i] != nil {
				stop()
			}
		})
	}
	workers.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// works works one wave after the other, and takes no more once taking ends.
func (r *robot) works(taking context.Context, s Service) error {
	for {
		set, err := r.settings(s)
		if err != nil {
			return err
		}
		records, err := r.claims(taking, s)
		if len(records) == 0 || err != nil {
			return err
		}
		done := drain.Perform(r.work, s, set, records, r.hurry)
		r.tally.count(func(t *robotTally) { t.lost += len(records) - len(done.Reports) - len(done.Cut) })
		if done.Broken != "" { // the next would go the same way
			return errors.Join(r.givesBack(s, held(records)), &store.Error{Code: store.CodeFailed, Thing: "the command", Rule: done.Broken, Mend: "mend it, and start the robot again; what it held was given back"})
		}
		if err := errors.Join(r.report(s, done.Reports), r.givesBack(s, done.Cut)); err != nil {
			return err
		}
	}
}

// settings are those of the queue as they are now, with the robot's command.
func (r *robot) settings(s Service) (*store.Queue, error) {
	q, err := s.Queue(r.work, r.ask.Queue)
	if err != nil {
		return nil, err
	}
	q.Consumer, q.BatchSize = r.consumer, r.ask.N
	if r.timeout > 0 {
		q.AttemptTimeout = r.timeout
	}
	return &q.Queue, nil
}

// claims waits for items; none when no more are to be taken.
func (r *robot) claims(taking context.Context, s Service) ([]engine.Record, error) {
	end := time.Now().Add(time.Duration(r.wait))
	for {
		ask := r.ask
		ask.Wait = robotWait
		if r.ends {
			ask.Wait = min(ask.Wait, max(0, store.Duration(time.Until(end).Round(time.Millisecond))))
		}
		records, err := s.Claim(taking, ask)
		switch {
		case taking.Err() != nil: // what came all the same is worked by nobody
			return nil, r.givesBack(s, held(records))
		case store.CodeOf(err) != store.CodeEmpty:
			return records, err
		case r.ends && !time.Now().Before(end):
			return nil, nil
		}
	}
}

// report settles; what reaches no engine is kept for the next.
func (r *robot) report(s Service, reports []engine.Settlement) error {
	if len(reports) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.work), lastReport)
	defer cancel()
	outcomes, err := s.Settle(ctx, reports)
	if err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.unsaid = append(r.unsaid, reports...)
		return err
	}
	for i, o := range outcomes {
		if err := r.tells(reports[i], o); err != nil {
			return err
		}
	}
	return nil
}

// givesBack releases items that are held, at no cost to their budgets. What
// reaches no engine comes back when its lease ends.
func (r *robot) givesBack(s Service, holdings []engine.Holding) error {
	if len(holdings) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.work), lastReport)
	defer cancel()
	outcomes, err := s.Release(ctx, holdings)
	if err != nil {
		r.tally.count(func(t *robotTally) { t.kept += len(holdings) })
	}
	for _, o := range outcomes {
		if o.Result == engine.OK {
			r.tally.count(func(t *robotTally) { t.givenBack++ })
		}
	}
	return err
}

func held(records []engine.Record) []engine.Holding {
	holdings := make([]engine.Holding, len(records))
	for i := range records {
		holdings[i] = engine.Holding{Item: records[i].ID(), Fence: records[i].Fence}
	}
	return holdings
}
