package coop

import "context"

// Pause starts no more attempts, retries included; those under way go on, and
// entries are still taken. All of these calls fail with ErrDestroyed, and only
// with that, on a destroyed queue.
func (q *Queue[T, R]) Pause() error { return q.change(func() { q.paused = true }) }

// Resume ends Pause.
func (q *Queue[T, R]) Resume() error { return q.change(func() { q.paused = false }) }

// Stop takes no more entries; those it has are worked to their ends.
func (q *Queue[T, R]) Stop() error { return q.change(func() { q.stopped = true }) }

// Start ends Stop.
func (q *Queue[T, R]) Start() error { return q.change(func() { q.stopped = false }) }

func (q *Queue[T, R]) change(set func()) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.destroyed {
		return &Error{Kind: ErrDestroyed}
	}
	set()
	for range min(q.line.len, q.options.Concurrency) {
		q.hire()
	}
	return nil
}

// Abort ends everything outstanding with ErrAborted, without retries: what waits
// and what runs, whose contexts end. The queue goes on to take entries. It
// returns when the rows are removed and the futures settled, but for entries
// whose failed attempt is being noted just then, which follow at once. It fails
// with ErrCleanup when rows could not be removed.
func (q *Queue[T, R]) Abort() error {
	return q.end(ErrAborted, q.outstanding, func(ended []*entry[T, R]) error {
		return q.options.Store.Remove(context.Background(), ids(ended)...)
	})
}

// Clear ends what waits with ErrCleared; what runs goes on. Rows of the store
// that were never restored are cleared too. It fails with ErrCleanup when rows
// could not be removed.
func (q *Queue[T, R]) Clear() error {
	return q.end(ErrCleared, q.inLine, func([]*entry[T, R]) error {
		q.saves.Lock() // or what is saved meanwhile would be cleared too
		defer q.saves.Unlock()
		q.mu.Lock()
		keep := make([]string, 0, len(q.entries))
		for id, e := range q.entries {
			if e.state != clearing {
				keep = append(keep, id)
			}
		}
		q.mu.Unlock()
		return q.options.Store.Clear(context.Background(), keep...)
	})
}

// Destroy ends everything outstanding with ErrDestroyed, as Abort does, but
// leaves the rows in the store for another queue to restore. It returns when no
// handler runs any more and the workers are gone, or fails with ctx's cause when
// that ends first. Calling it again waits for the same.
func (q *Queue[T, R]) Destroy(ctx context.Context) error {
	q.mu.Lock()
	if !q.destroyed {
		q.destroyed = true
		for _, e := range q.outstanding(ErrDestroyed) {
			var none R
			q.finish(e, none, &Error{Kind: ErrDestroyed, ID: e.id}, Aborted)
		}
		q.parked = 0
		q.wake.Broadcast()
	}
	if q.over() {
		q.mu.Unlock()
		return nil
	}
	gone := make(chan struct{})
	q.gone = append(q.gone, gone)
	q.mu.Unlock()
	return await(ctx, gone)
}

// end ends the entries that take decides, removing their rows in one go.
func (q *Queue[T, R]) end(kind error, take func(error) []*entry[T, R], remove func([]*entry[T, R]) error) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.destroyed {
		return &Error{Kind: ErrDestroyed}
	}
	ended := take(kind)
	var failed error
	if q.options.Store != nil {
		q.mu.Unlock()
		failed = remove(ended)
		q.mu.Lock()
	}
	for _, e := range ended {
		var none R
		as, err := withCleanup(e.id, Aborted, &Error{Kind: kind, ID: e.id}, failed)
		q.finish(e, none, err, as)
	}
	if failed != nil {
		return &Error{Kind: ErrCleanup, Err: failed}
	}
	return nil
}

// outstanding decides all that waits or runs, those that run first, and dooms
// what is about to be retried.
func (q *Queue[T, R]) outstanding(kind error) (ended []*entry[T, R]) {
	for _, e := range q.entries {
		err := &Error{Kind: kind, ID: e.id}
		switch e.state {
		case retrying:
			e.doom = err
		case running:
			e.state = clearing
			e.cancel(err)
			ended = append(ended, e)
		}
	}
	return append(ended, q.inLine(kind)...)
}

// inLine decides all that waits, in order.
func (q *Queue[T, R]) inLine(error) (ended []*entry[T, R]) {
	for e := q.line.head; e != nil; e = q.line.head {
		q.line.remove(e)
		e.state = clearing
		ended = append(ended, e)
	}
	return ended
}

func ids[T, R any](entries []*entry[T, R]) []string {
	out := make([]string, len(entries))
	for i, e := range entries {
		out[i] = e.id
	}
	return out
}
