package coop

import (
	"context"
	"encoding/json"
)

// Restore puts every row of the store in line that is not outstanding in this
// queue, in the order in which they were first enqueued, with the attempts they
// have had. It gives their futures. It can be called at any time and again: an
// entry is never in the queue twice. It fails with ErrInvalid when a row can't
// be, ErrStore when the store can't be read, ErrStopped or ErrDestroyed; then
// nothing was restored.
func (q *Queue[T, R]) Restore(ctx context.Context) ([]*Future[R], error) {
	if q.options.Store == nil {
		return nil, invalid("", "a queue without a store has nothing to restore")
	}
	q.restoring.Lock()
	defer q.restoring.Unlock()
	q.mu.Lock()
	if err := q.open(); err != nil {
		q.mu.Unlock()
		return nil, err
	}
	q.settled = map[string]bool{} // what settles from now on may still be among the rows
	q.mu.Unlock()
	entries, err := q.load(ctx)
	q.mu.Lock()
	defer q.mu.Unlock()
	settled := q.settled
	q.settled = nil
	if err == nil {
		err = q.open()
	}
	if err != nil {
		return nil, err
	}
	var futures []*Future[R]
	for _, e := range entries {
		if q.entries[e.id] != nil || settled[e.id] {
			continue
		}
		q.entries[e.id] = e
		q.enter(e)
		futures = append(futures, e.future)
	}
	return futures, nil
}

// open says whether the queue takes entries.
func (q *Queue[T, R]) open() error {
	switch {
	case q.destroyed:
		return &Error{Kind: ErrDestroyed}
	case q.stopped:
		return &Error{Kind: ErrStopped}
	}
	return nil
}

// load reads all rows as entries.
func (q *Queue[T, R]) load(ctx context.Context) ([]*entry[T, R], error) {
	rows, err := q.options.Store.Load(ctx)
	if err != nil {
		return nil, &Error{Kind: ErrStore, Err: err}
	}
	entries := make([]*entry[T, R], len(rows))
	seen := make(map[string]bool, len(rows))
	for i, r := range rows {
		if seen[r.ID] {
			return nil, invalid(r.ID, "there are two rows with this id")
		}
		seen[r.ID] = true
		if entries[i], err = q.read(r); err != nil {
			return nil, err
		}
	}
	return entries, nil
}

func (q *Queue[T, R]) read(r Row) (*entry[T, R], error) {
	o := entryOptions{id: r.ID, named: true, retries: r.Retries, timeout: r.Timeout}
	if err := o.check(); err != nil {
		return nil, err
	}
	if r.Attempts < 0 {
		return nil, invalid(r.ID, "attempts are %d; they are 0 or more", r.Attempts)
	}
	e := &entry[T, R]{
		id: r.ID, payload: r.Payload, retries: r.Retries, timeout: r.Timeout, attempt: r.Attempts,
		ctx: context.Background(), future: &Future[R]{id: r.ID, done: make(chan struct{})},
	}
	if err := json.Unmarshal(r.Payload, &e.value); err != nil {
		return nil, invalid(r.ID, "its payload can't be read: %w", err)
	}
	return e, nil
}
