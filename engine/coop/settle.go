package coop

import (
	"context"
	"errors"
)

// All of this is called with the lock held, which is let go of while the store
// is used. An attempt that is no longer the one under way decides nothing.

// decide takes what a handler returned.
func (q *Queue[T, R]) decide(e *entry[T, R], attempt int, value R, err error) {
	switch {
	case e.state != running || e.attempt != attempt:
	case err == nil:
		q.settle(e, value, nil, Succeeded)
	case attempt <= e.retries:
		q.retry(e, err)
	default:
		q.settle(e, value, err, Failed)
	}
}

// cut takes that an attempt's context has ended: its time was up, or the entry
// is aborted, which is never retried.
func (q *Queue[T, R]) cut(e *entry[T, R], attempt int, ctx context.Context) {
	var none R
	why := context.Cause(ctx)
	if e.ctx.Err() == nil && why == ErrTimeout {
		q.decide(e, attempt, none, &Error{Kind: ErrTimeout, ID: e.id, Err: context.DeadlineExceeded})
		return
	}
	if e.state == running && e.attempt == attempt {
		q.settle(e, none, &Error{Kind: ErrAborted, ID: e.id, Err: why}, Aborted)
	}
}

// abort ends an entry whose own context has ended.
func (q *Queue[T, R]) abort(e *entry[T, R]) {
	var none R
	err := &Error{Kind: ErrAborted, ID: e.id, Err: context.Cause(e.ctx)}
	switch e.state {
	case waiting, running:
		q.settle(e, none, err, Aborted)
	case retrying:
		e.doom = err
	}
}

// retry puts an entry back at the head of the line. That its count can't be
// saved keeps it from nothing.
func (q *Queue[T, R]) retry(e *entry[T, R], failure error) {
	e.state = retrying
	if s := q.options.Store; s != nil {
		q.mu.Unlock()
		if err := s.Save(context.WithoutCancel(e.ctx), e.row()); err != nil {
			q.report(&Error{Kind: ErrStore, ID: e.id, Err: err})
		}
		q.mu.Lock()
	}
	if e.doom != nil {
		var none R
		q.settle(e, none, e.doom, Aborted)
		return
	}
	e.state = waiting
	q.line.pushFront(e)
	q.tell(Retried, e, failure)
	q.hire()
}

// settle removes the entry's row, then settles its future. What Destroy ended
// keeps its row, to be restored.
func (q *Queue[T, R]) settle(e *entry[T, R], value R, err error, kind Kind) {
	e.state = ending
	q.line.remove(e)
	if s := q.options.Store; s != nil && !errors.Is(err, ErrDestroyed) {
		q.mu.Unlock()
		failed := s.Remove(context.WithoutCancel(e.ctx), e.id)
		q.mu.Lock()
		kind, err = withCleanup(e.id, kind, err, failed)
	}
	q.finish(e, value, err, kind)
}

// withCleanup adds that a row could not be removed to how its entry ended.
func withCleanup(id string, kind Kind, err, failed error) (Kind, error) {
	if failed == nil {
		return kind, err
	}
	if kind == Succeeded {
		kind = Failed
	}
	failed = &Error{Kind: ErrCleanup, ID: id, Err: failed}
	if err == nil {
		return kind, failed
	}
	return kind, errors.Join(err, failed)
}

// finish settles an entry's future.
func (q *Queue[T, R]) finish(e *entry[T, R], value R, err error, kind Kind) {
	e.future.value, e.future.err = value, err
	close(e.future.done)
	q.tell(kind, e, err)
	q.forget(e)
}

// forget takes an entry off the queue.
func (q *Queue[T, R]) forget(e *entry[T, R]) {
	delete(q.entries, e.id)
	if q.settled != nil {
		q.settled[e.id] = true
	}
	if e.unwatch != nil {
		e.unwatch()
	}
	if len(q.entries) > 0 {
		return
	}
	if q.entered {
		q.entered = false
		q.tell(Drained, nil, nil)
	}
	for _, c := range q.idle {
		close(c)
	}
	q.idle = nil
}
