package engine

import (
	"context"
	"fmt"
	"iter"
	"strconv"

	"signalbox/store"
)

// An import of any size is stored as a whole or not at all, also when the
// engine is killed in the midst of it. Its items are added in chunks. As long as
// the import is open no claim is given them, and marks of the queue say which
// they are: a commit that only closes the import makes all of them work at once,
// and whoever opens a store with an open import takes its items out again.
//
//	chunk · chunk · … · close       all are there
//	chunk · chunk · killed ─ Open   none is
const (
	stageItems = 2000
	stageBytes = 4 << 20 // of payloads
	purgeItems = 1000    // taken out in one commit
)

// Marks of a queue. Of the open import: one more than the number of its
// stretches of numbers, 0 when none is open; and each stretch's first and last.
// Of the jobs that were started for its items: how many, and each one's number.
const (
	importMark  = "import"
	importFirst = "import.first."
	importLast  = "import.last."
	importJobs  = "import.jobs"
	importJob   = "import.job."
)

// claimHidden is how many items of open imports a claim passes over; what stands
// behind more of them waits for the import's end.
const claimHidden = 1000

// ImportRequest says where imported items go; Strict, From and Start are as in
// AddRequest.
type ImportRequest struct {
	Queue  string      `json:"queue"`
	Strict bool        `json:"strict,omitempty"`
	From   string      `json:"from,omitempty"`
	Start  *JobRequest `json:"start,omitempty"`
}

// ImportResult says what an import stored.
type ImportResult struct {
	Stored   int64 `json:"stored"`
	Existing int64 `json:"existing,omitempty"` // their keys were known
	// Lacking counts links to retries that were dropped, as their other items are
	// not of the import.
	Lacking int64  `json:"links_dropped,omitempty"`
	Job     string `json:"job,omitempty"` // that was started
}

// RowError is why an import stored nothing, where that is one of its items.
type RowError struct {
	Row int64 // from 0
	Err error
}

func (e *RowError) Error() string { return e.Err.Error() }
func (e *RowError) Unwrap() error { return e.Err }

// Import stores all items that rows yields, however many, or none of them: when
// one is refused (then the error is a *RowError), rows yields an error, ctx
// ends or the engine is killed, all is as it was. It needs memory for one chunk
// of items. Until the last is stored the items can be seen but not claimed.
// CodeConflict while another import into the queue is open.
func (e *Engine) Import(ctx context.Context, r ImportRequest, rows iter.Seq2[NewItem, error]) (ImportResult, error) {
	if r.Start != nil {
		if err := r.Start.validate(); err != nil {
			return ImportResult{}, err
		}
	}
	s, err := e.beginImport(ctx, r.Queue)
	if err != nil {
		return ImportResult{}, err
	}
	return e.importAs(ctx, importing{e: e, request: r, staged: s}, rows)
}

// ImportHeld is Import by the work of an item that is held: it waits for another
// import into the queue to end, and the change that makes the items work also keeps
// how far the job is, as fn words it. A stale holder stores nothing.
func (e *Engine) ImportHeld(ctx context.Context, h *Record, r ImportRequest, rows iter.Seq2[NewItem, error], fn func(ImportResult) ImportProgress) (ImportResult, error) {
	s, err := e.awaitImport(ctx, r.Queue)
	if err != nil {
		return ImportResult{}, err
	}
	im := importing{e: e, request: r, staged: s}
	im.closing = func(t *tx, done ImportResult) error { return t.imported(h, fn(done), ImportKept{}) }
	return e.importAs(ctx, im, rows)
}

func (e *Engine) importAs(ctx context.Context, im importing, rows iter.Seq2[NewItem, error]) (ImportResult, error) {
	s, r := im.staged, im.request
	err := im.all(ctx, rows)
	if err == nil {
		err = im.close(ctx)
	}
	if err == nil {
		e.imports.end(s)
		return im.done, nil
	}
	return ImportResult{}, e.dropImport(ctx, s, "import of "+or(r.From, "items")+" ended early", err)
}

// dropImport ends an import that failed: what it stored is taken out again, or stays
// hidden where that fails too.
func (e *Engine) dropImport(ctx context.Context, s *staged, why string, cause error) error {
	if undo := e.undoImport(context.WithoutCancel(ctx), s.queue, why); undo != nil {
		e.imports.stick(s)
		const hidden = "what it had stored is hidden, and is taken out before the next one or when the engine starts again"
		if undo.Error() == cause.Error() { // of a full disk one word is enough
			return fmt.Errorf("%w; %s", cause, hidden)
		}
		return fmt.Errorf("%w; %s: %w", cause, hidden, undo)
	}
	e.imports.end(s)
	return cause
}

// importing is one import under way.
type importing struct {
	e       *Engine
	request ImportRequest
	staged  *staged
	waiting []NewItem
	bytes   int
	row     int64 // of the first that waits
	done    ImportResult
	links   Links
	closing func(*tx, ImportResult) error // done in the change that closes it; may be nil
}

func (im *importing) all(ctx context.Context, rows iter.Seq2[NewItem, error]) error {
	for item, err := range rows {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		im.waiting = append(im.waiting, item)
		if im.bytes += len(item.Payload); len(im.waiting) == stageItems || im.bytes > stageBytes {
			if err := im.flush(ctx); err != nil {
				return err
			}
		}
	}
	return im.flush(ctx)
}

// flush stores a chunk.
func (im *importing) flush(ctx context.Context) error {
	if len(im.waiting) == 0 {
		return nil
	}
	r := AddRequest{Queue: im.request.Queue, Strict: im.request.Strict, From: im.request.From, Items: im.waiting}
	im.links.Fill(r.Queue, r.Items)
	if start := im.request.Start; start != nil {
		for n := range r.Items {
			if err := start.takes(&r.Items[n]); err != nil {
				return &RowError{im.row + int64(n), err}
			}
		}
		im.startIn(&r)
	}
	results, err := im.e.add(ctx, r, im.staged)
	for n := range results {
		if results[n].Err != nil {
			return &RowError{im.row + int64(n), results[n].Err}
		}
	}
	if err != nil {
		return err
	}
	im.staged.keep()
	im.done.Lacking += int64(im.links.Took(im.waiting, results))
	for n := range results {
		if results[n].Existing {
			im.done.Existing++
			continue
		}
		im.done.Stored++
		if im.request.Start != nil {
			im.done.Job = results[n].Item.Job
		}
	}
	im.row += int64(len(im.waiting))
	im.waiting, im.bytes = im.waiting[:0], 0
	return nil
}

// startIn has a chunk start the import's job, or its items be in that.
func (im *importing) startIn(r *AddRequest) {
	if im.done.Job == "" {
		r.Start = im.request.Start
	}
	for n := range r.Items {
		r.Items[n].Job = im.done.Job
	}
}

// close makes the items work, all at once.
func (im *importing) close(ctx context.Context) error {
	if im.done.Stored == 0 && im.closing == nil {
		return nil
	}
	err := im.e.change(ctx, func(t *tx) error {
		if im.closing != nil {
			if err := im.closing(t, im.done); err != nil || im.done.Stored == 0 {
				return err
			}
		}
		im.staged.show(true) // to who runs behind this in the same commit
		t.touch(im.request.Queue)
		t.offer(im.request.Queue)
		t.remind(t.now) // of dates that came meanwhile
		why := fmt.Sprintf("%d items from %s", im.done.Stored, or(im.request.From, "outside"))
		return firstOf(t.closeStarted(im.request.Queue), t.PutMark(im.request.Queue, importMark, 0), t.Append(t.record(im.request.Queue, "import", why)))
	})
	if err != nil {
		im.staged.show(false)
	}
	return err
}

// undoImports takes out what imports left that an engine before this one did
// not come to close.
func (e *Engine) undoImports(ctx context.Context) error {
	var names []string
	err := e.store.View(ctx, func(r store.Reader) error {
		queues, err := r.Queues()
		if err != nil {
			return err
		}
		for n := range queues {
			mark, err := r.Mark(queues[n].Name, importMark)
			if err == nil && mark != 0 {
				names = append(names, queues[n].Name)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, name := range names {
		e.log.Warn("taking out what an import left that was broken off", "queue", name)
		if err := e.undoImport(ctx, name, "the engine that imported them is gone"); err != nil {
			return err
		}
	}
	return nil
}

// undoImport takes an open import's items out of the queue again.
func (e *Engine) undoImport(ctx context.Context, queue, why string) error {
	spans, err := e.openImport(ctx, queue)
	if len(spans) == 0 || err != nil {
		return err
	}
	removed := 0
	for _, of := range spans {
		for first := of.first; first <= of.last; first += purgeItems {
			last := min(first+purgeItems-1, of.last)
			n := 0
			err := e.change(ctx, func(t *tx) (err error) {
				n, err = t.purge(queue, first, last)
				return err
			})
			if err != nil {
				return err
			}
			removed += n
		}
	}
	return e.change(ctx, func(t *tx) error {
		t.touch(queue)
		t.after.groups = true
		return firstOf(t.dropStarted(queue), t.PutMark(queue, importMark, 0), t.Append(t.record(queue, "import-undone", fmt.Sprintf("%d items: %s", removed, why))))
	})
}

// openImport gives the stretches of an open import; none for a queue that is
// gone.
func (e *Engine) openImport(ctx context.Context, queue string) (spans []span, err error) {
	err = e.store.View(ctx, func(r store.Reader) error {
		spans = nil
		count, err := r.Mark(queue, importMark)
		for n := 0; err == nil && n+1 < int(count); n++ {
			var of span
			if of.first, err = r.Mark(queue, importFirst+strconv.Itoa(n)); err == nil {
				of.last, err = r.Mark(queue, importLast+strconv.Itoa(n))
			}
			spans = append(spans, of)
		}
		return err
	})
	if store.CodeOf(err) == store.CodeNotFound {
		return nil, nil
	}
	return spans, err
}

// purge removes the items of a stretch that are still there.
func (t *tx) purge(queue string, first, last uint64) (n int, err error) {
	var ids []store.ID
	for number := first; number <= last; number++ {
		id := store.ID{Queue: queue, Number: number}
		i, err := t.Item(id)
		if store.CodeOf(err) == store.CodeNotFound {
			continue
		}
		ids = append(ids, id)
		if inJob(&i) { // which may have nothing else
			t.touchJob(i.Job)
		}
	}
	if len(ids) == 0 {
		return 0, nil
	}
	t.touch(queue)
	return len(ids), t.Purge(ids)
}
