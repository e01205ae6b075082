package engine

import "context"

// startWhole starts a job with all its items in one change.
func (e *Engine) startWhole(ctx context.Context, r *JobRequest, b *builtinJob) (s JobState, err error) {
	err = e.change(ctx, func(t *tx) error {
		q, err := t.builtin(b.queue)
		if err != nil {
			return err
		}
		s, err = t.startOnce(&q, r)
		if err != nil || s.Existing {
			return err
		}
		_, err = b.fill(t, &q, &s.Job, 0)
		return err
	})
	return s, err
}

// startInPieces starts a job of which one change would be too large. Its items are
// stored as those of an import: until the last of them is in none is worked, and
// whoever opens a store that was left before takes them out again with their job.
func (e *Engine) startInPieces(ctx context.Context, r *JobRequest, b *builtinJob) (s JobState, err error) {
	of, err := e.awaitImport(ctx, b.queue)
	if err != nil {
		return s, err
	}
	for n := 0; n < b.pieces && err == nil && !s.Existing; n++ {
		if s, err = e.startPiece(ctx, r, b, of, n, s); err == nil {
			of.keep()
		}
	}
	if err == nil && !s.Existing {
		err = e.closePieces(ctx, of)
	}
	if err == nil {
		e.imports.end(of)
		return s, nil
	}
	return s, e.dropImport(ctx, of, "its start ended early", err)
}

func (e *Engine) startPiece(ctx context.Context, r *JobRequest, b *builtinJob, of *staged, n int, s JobState) (JobState, error) {
	if err := ctx.Err(); err != nil {
		return s, err
	}
	err := e.change(ctx, func(t *tx) error {
		t.staging = true
		q, err := t.builtin(b.queue)
		if err == nil && n == 0 {
			s, err = t.startOnce(&q, r)
		}
		if err != nil || s.Existing {
			return err
		}
		added, err := b.fill(t, &q, &s.Job, n)
		if err != nil {
			return err
		}
		return of.mark(t, added)
	})
	return s, err
}

// closePieces lets the items be worked, all at once.
func (e *Engine) closePieces(ctx context.Context, of *staged) error {
	err := e.change(ctx, func(t *tx) error {
		of.show(true) // to who runs behind this in the same commit
		t.touch(of.queue)
		t.offer(of.queue)
		return firstOf(t.closeStarted(of.queue), t.PutMark(of.queue, importMark, 0))
	})
	if err != nil {
		of.show(false)
	}
	return err
}
