package fake

import (
	"context"
	"time"

	"signalbox/engine"
	"signalbox/engine/lane"
	"signalbox/store"
)

// Retry implements the console's port.
func (e *Engine) Retry(ctx context.Context, req engine.RetryRequest) ([]engine.Outcome, error) {
	e.hook()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.Retries = append(e.Retries, req)
	return e.each(ctx, req.Targets, "retry", req.Note, func(r *engine.Record) {
		r.Status, r.Group, r.Error = store.Pending, "", nil
		r.Review.Status = store.ReviewRetried
	}), nil
}

// Review implements the console's port.
func (e *Engine) Review(ctx context.Context, req engine.ReviewRequest) ([]engine.Outcome, error) {
	e.hook()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.Reviews = append(e.Reviews, req)
	return e.each(ctx, req.Targets, req.Action, req.Note, func(r *engine.Record) {
		if req.Note != "" {
			r.Review.Note = req.Note
		}
		switch req.Action {
		case engine.Clear:
			r.Review = store.Review{}
			if r.Error != nil {
				r.Group = r.Error.Reason
			}
		case engine.Assign:
			r.Review.Status, r.Review.Reviewer = store.InReview, req.Reviewer
		case engine.Verify:
			r.Review.Status, r.Group = store.Verified, ""
		}
	}), nil
}

// Delete implements the console's port.
func (e *Engine) Delete(ctx context.Context, req engine.DeleteRequest) ([]engine.Outcome, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.Deletes = append(e.Deletes, req)
	return e.each(ctx, req.Targets, "delete", req.Note, func(r *engine.Record) { r.Status, r.Group = store.Deleted, "" }), nil
}

// Explain implements the console's port.
func (e *Engine) Explain(_ context.Context, id store.ID) (engine.Explanation, error) {
	return engine.Explanation{Item: id, Status: store.Pending, Reasons: []engine.Reason{
		{Code: "paused", Text: "queue " + id.Queue + " is paused by grace", Mend: "signalbox queue resume " + id.Queue},
		{Code: "retry", Text: "its retry waits another 12m", Until: store.At(Epoch().Add(12 * time.Minute))},
	}}, nil
}

func (e *Engine) hook() {
	if fn := e.before; fn != nil {
		e.before = nil
		fn()
	}
}

func (e *Engine) each(ctx context.Context, targets []engine.Target, event, why string, fn func(*engine.Record)) []engine.Outcome {
	var out []engine.Outcome
	for _, t := range targets {
		r := e.find(t.Item)
		o := engine.Outcome{Item: t.Item, Result: engine.OK}
		switch {
		case r == nil:
			o.Result = engine.Gone
		case t.Revision != 0 && t.Revision != r.Revision:
			o.Result, o.Status = engine.Stale, r.Status
			if h := e.history[t.Item]; len(h) > 0 {
				last := h[len(h)-1]
				o.LastEvent, o.LastBy, o.LastAt = last.Event, last.Actor, last.At
			}
		case r.Review.Status == store.Verified && (event == "retry" || event == engine.Verify || event == engine.Assign):
			o.Result, o.Error, o.Status = engine.Refused, "verified, so it can no longer be retried", r.Status
		default:
			from := r.Status
			before := *r
			fn(r)
			e.was[t.Item] = before
			r.Revision++
			o.Status, o.Revision = r.Status, r.Revision
			e.history[t.Item] = append(e.history[t.Item], store.Change{
				At: store.At(Epoch()), Actor: engine.Actor(ctx), Queue: r.Queue, Number: r.Number, Event: event, From: from, To: r.Status, Why: why,
			})
		}
		out = append(out, o)
	}
	e.change(nil)
	return out
}

// PauseQueue implements the console's port.
func (e *Engine) PauseQueue(ctx context.Context, name string, paused bool) (engine.QueueState, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := range e.snap.Queues {
		if e.snap.Queues[i].Name == name {
			if state := e.snap.Queues[i]; state.Paused == paused {
				state.Unchanged = true
				return state, nil
			}
			e.change(func(s *engine.Snapshot) {
				s.Queues = append([]engine.QueueState(nil), s.Queues...)
				s.Queues[i].Paused, s.Queues[i].PausedBy = paused, engine.Actor(ctx)
			})
			return e.snap.Queues[i], nil
		}
	}
	return engine.QueueState{}, store.NoQueue(name)
}

// SetPool implements the console's port.
func (e *Engine) SetPool(_ context.Context, req engine.SplitRequest) (lane.State, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.Splits = append(e.Splits, req)
	split := lane.Split{Size: req.Size, Fast: req.Fast, Slow: req.Slow}
	if req.Auto {
		split = lane.Auto(req.Size)
	}
	if err := split.Validate(); err != nil {
		return lane.State{}, err
	}
	e.change(func(s *engine.Snapshot) {
		old := s.Slots.Slots
		s.Slots = Pool(split)
		s.Slots.Auto = req.Auto
		for i := range min(len(old), len(s.Slots.Slots)) {
			s.Slots.Slots[i].State, s.Slots.Slots[i].Holder = old[i].State, old[i].Holder
		}
	})
	return e.snap.Slots, nil
}
