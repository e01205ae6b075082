package fake

import (
	"context"
	"fmt"

	"signalbox/engine"
	"signalbox/store"
)

// bulk is a bulk act: it is done when it is started, or bit by bit by Advance.
type bulk struct {
	state    engine.BulkState
	request  engine.BulkRequest
	actor    string
	outcomes []engine.Outcome
	moved    chan struct{}
}

// StartBulk implements the console's port.
func (e *Engine) StartBulk(ctx context.Context, req engine.BulkRequest) (engine.BulkState, error) {
	e.hook()
	e.mu.Lock()
	e.Bulks = append(e.Bulks, req)
	b := &bulk{request: req, actor: engine.Actor(ctx), moved: make(chan struct{})}
	if req.Of != 0 {
		for _, o := range e.bulks[req.Of-1].outcomes {
			if o.Result == engine.OK {
				b.request.Targets = append(b.request.Targets, engine.Target{Item: o.Item, Revision: o.Revision})
			}
		}
	}
	n := len(b.request.Targets)
	if req.First > 0 {
		n = min(n, req.First)
	}
	b.state = engine.BulkState{
		ID: uint64(len(e.bulks) + 1), Revision: 1, Verb: req.Verb, Undoes: req.Of, By: b.actor, State: engine.BulkRunning,
		Selected: len(b.request.Targets), Of: n, Rate: req.Rate, Began: store.At(Epoch()), Arrived: -1,
	}
	e.bulks = append(e.bulks, b)
	slow := e.Slow
	e.mu.Unlock()
	if !slow {
		e.Advance(b.state.ID, n)
	}
	return e.bulkState(b.state.ID), nil
}

// Advance has a bulk act do its next n items.
func (e *Engine) Advance(id uint64, n int) {
	e.mu.Lock()
	b := e.bulks[id-1]
	from := b.state.Tried()
	targets := b.request.Targets[from : from+n]
	e.mu.Unlock()
	outcomes := e.bulkStep(engine.WithActor(context.Background(), b.actor), b, targets)
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, o := range outcomes {
		switch o.Result {
		case engine.OK:
			b.state.Done++
		case engine.Stale:
			b.state.Stale++
		case engine.Gone:
			b.state.Gone++
		default:
			b.state.Refused++
		}
		if o.Result != engine.OK && len(b.state.Trouble) < 5 {
			b.state.Trouble = append(b.state.Trouble, o)
		}
	}
	b.outcomes = append(b.outcomes, outcomes...)
	b.state.Speed = 50
	if b.state.Tried() == b.state.Of {
		e.endBulk(b, engine.BulkDone)
	}
	e.moveBulk(b)
}

func (e *Engine) bulkStep(ctx context.Context, b *bulk, targets []engine.Target) []engine.Outcome {
	var outcomes []engine.Outcome
	switch r := b.request; r.Verb {
	case engine.BulkRetry:
		outcomes, _ = e.Retry(ctx, engine.RetryRequest{Targets: targets, Note: r.Note})
	case engine.BulkDelete:
		outcomes, _ = e.Delete(ctx, engine.DeleteRequest{Targets: targets, Note: r.Note})
	case engine.BulkUndo:
		outcomes, _ = e.Undo(ctx, engine.UndoRequest{Targets: targets})
	default:
		outcomes, _ = e.Review(ctx, engine.ReviewRequest{Targets: targets, Action: r.Verb, Reviewer: r.Reviewer, Note: r.Note})
	}
	return outcomes
}

// endBulk counts what came to match meanwhile, as the engine does.
func (e *Engine) endBulk(b *bulk, state string) {
	b.state.State, b.state.Ended, b.state.Undoable = state, store.At(Epoch()), b.state.Done > 0
	if len(b.request.Select) == 0 {
		return
	}
	frozen := map[store.ID]bool{}
	for _, t := range b.request.Targets {
		frozen[t.Item] = true
	}
	b.state.Arrived = 0
	for _, list := range b.request.Select {
		all, _ := e.matching(list)
		for i := range all {
			if !frozen[all[i].ID()] {
				b.state.Arrived++
			}
		}
	}
}

func (e *Engine) moveBulk(b *bulk) {
	b.state.Revision++
	close(b.moved)
	b.moved = make(chan struct{})
	e.change(func(s *engine.Snapshot) {
		s.Bulks = nil
		for _, b := range e.bulks {
			s.Bulks = append(s.Bulks, b.state)
		}
	})
}

func (e *Engine) bulkState(id uint64) engine.BulkState {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.bulks[id-1].state
}

// WatchBulk implements the console's port.
func (e *Engine) WatchBulk(ctx context.Context, id, after uint64) (engine.BulkState, error) {
	for {
		e.mu.Lock()
		state, moved := e.bulks[id-1].state, e.bulks[id-1].moved
		e.mu.Unlock()
		if state.Revision != after || !state.Running() {
			return state, nil
		}
		select {
		case <-ctx.Done():
			return state, ctx.Err()
		case <-moved:
		}
	}
}

// CancelBulk implements the console's port.
func (e *Engine) CancelBulk(ctx context.Context, id uint64) (engine.BulkState, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	b := e.bulks[id-1]
	if b.state.Running() {
		b.state.EndedBy = engine.Actor(ctx)
		e.endBulk(b, engine.BulkCancelled)
		e.moveBulk(b)
	}
	return b.state, nil
}

// BulkResults implements the console's port.
func (e *Engine) BulkResults(_ context.Context, r engine.ResultsRequest) (engine.BulkResults, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	var page engine.BulkResults
	for _, o := range e.bulks[r.ID-1].outcomes {
		if !r.Failed || o.Result != engine.OK {
			page.Results = append(page.Results, o)
		}
	}
	return page, nil
}

// Undo implements the console's port.
func (e *Engine) Undo(ctx context.Context, req engine.UndoRequest) ([]engine.Outcome, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.Undos = append(e.Undos, req)
	return e.each(ctx, req.Targets, "undo", req.Note, func(r *engine.Record) {
		was := e.was[r.ID()]
		was.Revision = r.Revision
		*r = was
	}), nil
}

// Bulk is a bulk act as it stands.
func (e *Engine) Bulk(id uint64) string {
	b := e.bulkState(id)
	return fmt.Sprintf("%s %d of %d", b.State, b.Tried(), b.Of)
}

// Begun counts the bulk acts that were started.
func (e *Engine) Begun() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.bulks)
}

// Forget makes the engine one that knows of no bulk act, as the next one on the
// same store is.
func (e *Engine) Forget() { e.change(func(s *engine.Snapshot) { s.Bulks = nil }) }
