package coop

import (
	"context"
	"runtime/debug"
)

// hire finds a worker for what waits: a parked one, or a new one. Must be called
// with the lock held.
func (q *Queue[T, R]) hire() {
	switch {
	case !q.ready():
	case q.parked > 0:
		q.parked--
		q.wake.Signal()
	case q.workers < q.options.Concurrency:
		q.workers++
		go q.work()
	}
}

// ready says that an entry may be started, as far as there is a worker for it.
func (q *Queue[T, R]) ready() bool { return q.line.head != nil && !q.paused && !q.destroyed }

// work makes one attempt after the other, and parks in between, until the queue
// is destroyed.
func (q *Queue[T, R]) work() {
	q.mu.Lock()
	defer q.quit()
	for {
		for !q.ready() {
			if q.destroyed {
				return
			}
			q.parked++ // who wakes it takes it off
			q.wake.Wait()
		}
		e := q.line.head
		q.line.remove(e)
		if e.ctx.Err() != nil {
			q.abort(e)
			continue
		}
		q.run(e)
	}
}

// quit ends a worker, which a handler may have done against its will. Called
// with the lock held.
func (q *Queue[T, R]) quit() {
	q.workers--
	q.hire()
	q.leave()
	q.mu.Unlock()
}

// leave lets Destroy return when no goroutine of the queue is left.
func (q *Queue[T, R]) leave() {
	if !q.over() {
		return
	}
	for _, c := range q.gone {
		close(c)
	}
	q.gone = nil
}

func (q *Queue[T, R]) over() bool { return q.workers == 0 && !q.telling }

// run makes an attempt. The lock is held when it is called and when it returns,
// also when the handler ends the goroutine.
func (q *Queue[T, R]) run(e *entry[T, R]) {
	var ctx context.Context
	ctx, e.cancel = context.WithCancelCause(e.ctx)
	cancel := e.cancel
	e.state = running
	e.attempt++
	attempt := e.attempt
	q.running++
	q.tell(Started, e, nil)
	q.mu.Unlock()

	if e.timeout > 0 {
		timed, done := context.WithTimeoutCause(ctx, e.timeout, ErrTimeout)
		defer done()
		ctx = timed
		// The attempt is raced against its time: who waits for its future need
		// not wait for a handler that does not listen.
		defer context.AfterFunc(timed, func() { q.expire(e, attempt, timed) })()
	}
	var value R
	err := errGone
	defer func() {
		q.mu.Lock()
		q.running--
		if ctx.Err() != nil {
			q.cut(e, attempt, ctx)
		} else {
			q.decide(e, attempt, value, err)
		}
		cancel(nil)
	}()
	value, err = q.call(ctx, Task[T]{e.id, e.value, attempt})
}

func (q *Queue[T, R]) call(ctx context.Context, t Task[T]) (value R, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &Panic{p, debug.Stack()}
		}
	}()
	return q.handle(ctx, t)
}

// expire decides an attempt whose context has ended while its handler goes on.
func (q *Queue[T, R]) expire(e *entry[T, R], attempt int, ctx context.Context) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.cut(e, attempt, ctx)
}
