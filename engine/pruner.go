package engine

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"signalbox/engine/archive"
	"signalbox/store"
)

// pruner takes items out of the store when their retention is over.
//
// The history, which is in order of time, is its index: an item's last change
// tells since when nothing has happened to it. For each queue and class a mark
// says how far the history has been looked through, and the time of the first
// change behind it is when there is something to do again. Until then it
// sleeps; an item that ends costs nothing more.
type pruner struct {
	alarm
	archive *archive.Folder // nil = none
	cancel  context.CancelFunc
	done    chan struct{}
	working sync.Mutex // a round at a time, be it the timer's or an operator's

	// shortest is the shortest retention in milliseconds plus one, until the next
	// commit has started the timer by it.
	shortest atomic.Int64
}

func (p *pruner) init(e *Engine, folder string) {
	p.alarm.init(e)
	p.done = make(chan struct{})
	if folder != "" {
		p.archive = archive.In(folder)
	}
}

func (p *pruner) start() {
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	p.wake()
	go p.run(ctx)
}

func (p *pruner) stop() {
	p.cancel()
	<-p.done
	p.silence()
}

// committed is told of every commit, and whether a queue's settings changed.
func (p *pruner) committed(settings bool) {
	if settings {
		p.wake()
	}
	if p.shortest.Load() == 0 {
		return
	}
	if age := p.shortest.Swap(0); age > 0 {
		p.due(lateBy(p.e.now()+store.Time(age-1), store.Duration(age-1)*store.Duration(time.Millisecond)))
	}
}

// lateBy is when to look for what is due at an instant: late by a hundredth of
// the retention, within a second and an hour, so that many go at once.
func lateBy(at store.Time, age store.Duration) store.Time {
	return at.Add(min(max(time.Duration(age)/100, time.Second), time.Hour))
}

func (p *pruner) run(ctx context.Context) {
	defer close(p.done)
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.kick:
		}
		p.heard()
		err := p.round(ctx)
		p.e.tended(ctx, RetentionLoop, err)
		if err != nil && ctx.Err() == nil {
			p.due(p.e.now().Add(time.Hour))
		}
	}
}

// round does all that is due, and arms the timer for what is next.
func (p *pruner) round(ctx context.Context) error {
	p.working.Lock()
	defer p.working.Unlock()
	var next store.Time
	for again := true; again; {
		again, next = false, 0
		groups, err := p.e.pruneGroups(ctx, "", p.removes)
		if err != nil {
			return err
		}
		p.watch(groups) // before it looks, so that no change is missed
		for _, g := range groups {
			found, err := p.e.pruneStep(ctx, g, nil)
			if err != nil {
				return err
			}
			again = again || found.through > g.mark
			if at := lateBy(found.next.Add(time.Duration(g.age)), g.age); at != 0 && (next == 0 || at < next) {
				next = at
			}
		}
		if err := p.e.trim(ctx, groups); err != nil {
			return err
		}
	}
	p.due(next)
	return nil
}

// watch has the next commit start the timer.
func (p *pruner) watch(groups []*pruneGroup) {
	shortest := int64(0)
	for _, g := range groups {
		if ms := time.Duration(g.age).Milliseconds() + 1; shortest == 0 || ms < shortest {
			shortest = ms
		}
	}
	p.shortest.Store(shortest)
}

// removes says that a policy takes items out of the store.
func (p *pruner) removes(of *policy) bool {
	return of.then == ThenDelete || of.then == ThenArchive && p.archive != nil
}
