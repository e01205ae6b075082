package drain

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// errGiveBack ends work that is to be given back at no cost.
var errGiveBack = errors.New("the engine stops")

// Left says what a stop left behind.
type Left struct {
	Finished  int // items settled after the stop was asked for
	GivenBack int // items given back to their queues at no cost
	Lost      int // items neither settled nor given back: their leases run out
	Stuck     int // consumers that did not stop when told
}

type tally struct {
	finished, givenBack, lost, stuck atomic.Int64
}

// Stop takes no new work, lets drains finish for the grace, then gives back what
// they hold and returns when every item is accounted for. The end of ctx cuts
// the grace short: programs are killed and all is given back at once. Calling
// it again, also meanwhile, waits for the same end.
func (s *Scheduler) Stop(ctx context.Context) Left {
	s.stop()
	select {
	case <-s.idle:
	case <-ctx.Done():
		s.abort()
		<-s.idle
	}
	return s.left()
}

// Abort is Stop without any grace.
func (s *Scheduler) Abort() Left {
	s.abort()
	<-s.idle
	return s.left()
}

func (s *Scheduler) left() Left {
	t := &s.tally
	return Left{int(t.finished.Load()), int(t.givenBack.Load()), int(t.lost.Load()), int(t.stuck.Load())}
}

// BeginStop begins to stop, without waiting for the end as Stop does: when it returns
// no new work is taken.
func (s *Scheduler) BeginStop() { s.stop() }

func (s *Scheduler) stop() {
	s.stopOnce.Do(func() {
		s.halt()
		t := time.AfterFunc(s.options.Grace, func() { s.giveUp(errGiveBack) })
		context.AfterFunc(s.work, func() { t.Stop() })
	})
}

func (s *Scheduler) abort() {
	s.stop()
	s.hurryOnce.Do(func() { close(s.hurry) })
	s.giveUp(errGiveBack)
}

// windUp ends the scheduler after its loop: it waits for the drains, but not
// for consumers that won't stop.
func (s *Scheduler) windUp() {
	s.running.Wait()
	s.detach()
	s.client.CloseIdleConnections()
	s.deafen()
	if s.tally.stuck.Load() == 0 {
		s.all.Wait()
		s.spawner.close()
		s.giveUp(errGiveBack) // nobody works any more: frees the timer
	}
	close(s.idle)
}
