package fake

import (
	"context"
	"encoding/json"
	"iter"
	"strings"

	"signalbox/engine"
	"signalbox/store"
)

// AddQueue implements act.Keeper; capitals in a name are refused.
func (e *Engine) AddQueue(_ context.Context, q store.Queue) (engine.QueueState, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if strings.ToLower(q.Name) != q.Name {
		return engine.QueueState{}, store.Invalid("queue name "+q.Name, "it has capitals", "write it small")
	}
	state := engine.QueueState{Queue: q}
	e.change(func(s *engine.Snapshot) { s.Queues = append(s.Queues[:len(s.Queues):len(s.Queues)], state) })
	return state, nil
}

// SetQueue implements act.Keeper.
func (e *Engine) SetQueue(_ context.Context, name string, patch json.RawMessage) (engine.QueueState, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.Patches = append(e.Patches, string(patch))
	if strings.Contains(string(patch), `"retries":99`) {
		return engine.QueueState{}, store.Invalid("retries", "99 is not from 0 to 16", "give fewer")
	}
	return engine.QueueState{}, nil
}

// Add implements act.Keeper.
func (e *Engine) Add(_ context.Context, r engine.AddRequest) ([]engine.AddResult, error) {
	results := make([]engine.AddResult, len(r.Items))
	for i, item := range r.Items {
		e.Put(engine.Record{Item: store.Item{Queue: r.Queue, Status: store.Pending, Reference: item.Reference}, Payload: item.Payload})
		results[i].Item.Reference = item.Reference
	}
	e.Change(nil)
	return results, nil
}

// Import implements act.Keeper.
func (e *Engine) Import(ctx context.Context, r engine.ImportRequest, rows iter.Seq2[engine.NewItem, error]) (engine.ImportResult, error) {
	add := engine.AddRequest{Queue: r.Queue}
	for item, err := range rows {
		if err != nil {
			return engine.ImportResult{}, err
		}
		add.Items = append(add.Items, item)
	}
	_, err := e.Add(ctx, add)
	return engine.ImportResult{Stored: int64(len(add.Items))}, err
}
