package cli

import (
	"context"
	"encoding/json"
	"iter"

	"signalbox/config"
	"signalbox/engine"
	"signalbox/engine/lane"
	"signalbox/keymap"
	"signalbox/store"
)

// allowed is an engine on which only what the person's settings allow is done,
// whatever way it is asked for: by key, menu, palette or a typed command. It is
// for consoles; commands and programs have the rights of whoever runs them.
type allowed struct {
	Service
	config.Allow
}

// only gives the engine for a console.
func only(s Service, a config.Allow) Service {
	if !a.Limits() {
		return s
	}
	return allowed{s, a}
}

// on gives queues with their folders, where these matter; all where none is named.
func (a allowed) on(ctx context.Context, names ...string) ([]config.Queue, error) {
	var all []config.Queue
	for _, name := range names {
		all = append(all, config.Queue{Name: name})
	}
	if !a.Folders() && len(names) > 0 {
		return all, nil
	}
	known, err := a.Queues(ctx)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		for i := range known {
			all = append(all, config.Queue{Name: known[i].Name})
		}
	}
	for i := range known {
		for j := range all {
			if all[j].Name == known[i].Name {
				all[j].Folders = append([]string{known[i].Folder}, known[i].Links...)
			}
		}
	}
	return all, nil
}

// refuses says why a verb is not allowed on a number of items of queues.
func (a allowed) refuses(ctx context.Context, verb keymap.Action, n int, names ...string) error {
	on, err := a.on(ctx, names...)
	if err != nil {
		return err
	}
	return a.Refuses(verb, n, on...)
}

func (a allowed) items(ctx context.Context, verb keymap.Action, targets []engine.Target) error {
	if len(targets) == 0 {
		return nil // the engine refuses that itself
	}
	var names []string
	seen := map[string]bool{}
	for i := range targets {
		if name := targets[i].Item.Queue; !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return a.refuses(ctx, verb, len(targets), names...)
}

func (a allowed) job(ctx context.Context, verb keymap.Action, id string) error {
	j, err := a.Service.Job(ctx, id)
	if err != nil {
		return err
	}
	return a.refuses(ctx, verb, 1, j.Queue)
}

// reviewing is the verb of a review.
func reviewing(action string) keymap.Action {
	switch action {
	case engine.Verify:
		return keymap.Verify
	case engine.Assign:
		return keymap.Assign
	case engine.Note:
		return keymap.Note
	}
	return keymap.ClearReview
}

// Retry guards the engine's.
func (a allowed) Retry(ctx context.Context, r engine.RetryRequest) ([]engine.Outcome, error) {
	verb := keymap.Retry
	if len(r.Payload) > 0 {
		verb = keymap.EditRetry
	}
	if err := a.items(ctx, verb, r.Targets); err != nil {
		return nil, err
	}
	return a.Service.Retry(ctx, r)
}

// Review guards the engine's.
func (a allowed) Review(ctx context.Context, r engine.ReviewRequest) ([]engine.Outcome, error) {
	if err := a.items(ctx, reviewing(r.Action), r.Targets); err != nil {
		return nil, err
	}
	return a.Service.Review(ctx, r)
}

// Delete guards the engine's.
func (a allowed) Delete(ctx context.Context, r engine.DeleteRequest) ([]engine.Outcome, error) {
	if err := a.items(ctx, keymap.Delete, r.Targets); err != nil {
		return nil, err
	}
	return a.Service.Delete(ctx, r)
}

// StartBulk guards the engine's. Taking back is always allowed.
func (a allowed) StartBulk(ctx context.Context, r engine.BulkRequest) (engine.BulkState, error) {
	if err := a.bulk(ctx, r); err != nil {
		return engine.BulkState{}, err
	}
	return a.Service.StartBulk(ctx, r)
}

func (a allowed) bulk(ctx context.Context, r engine.BulkRequest) error {
	verb := reviewing(r.Verb)
	switch r.Verb {
	case engine.BulkUndo:
		return nil
	case engine.BulkRetry:
		verb = keymap.Retry
	case engine.BulkDelete:
		verb = keymap.Delete
	}
	if len(r.Targets) > 0 {
		return a.items(ctx, verb, r.Targets)
	}
	var names []string
	for i := range r.Select {
		if r.Select[i].Queue == "" {
			names = nil // it may be any
			break
		}
		names = append(names, r.Select[i].Queue)
	}
	return a.refuses(ctx, verb, 2, names...)
}

// Reveal guards the engine's.
func (a allowed) Reveal(ctx context.Context, id store.ID) error {
	if err := a.refuses(ctx, keymap.Reveal, 1, id.Queue); err != nil {
		return err
	}
	return a.Service.Reveal(ctx, id)
}

// PauseQueue guards the engine's.
func (a allowed) PauseQueue(ctx context.Context, name string, paused bool) (engine.QueueState, error) {
	if err := a.refuses(ctx, keymap.Pause, 1, name); err != nil {
		return engine.QueueState{}, err
	}
	return a.Service.PauseQueue(ctx, name, paused)
}

// AddQueue guards the engine's.
func (a allowed) AddQueue(ctx context.Context, q store.Queue) (engine.QueueState, error) {
	if err := a.Refuses(keymap.New, 1); err != nil {
		return engine.QueueState{}, err
	}
	return a.Service.AddQueue(ctx, q)
}

// SetQueue guards the engine's. One of the settings is a verb of its own.
func (a allowed) SetQueue(ctx context.Context, name string, patch json.RawMessage) (engine.QueueState, error) {
	err := a.refuses(ctx, keymap.QueueSet, 1, name)
	var set struct {
		Paused *bool `json:"paused"`
	}
	if err == nil && json.Unmarshal(patch, &set) == nil && set.Paused != nil {
		err = a.refuses(ctx, keymap.Pause, 1, name)
	}
	if err != nil {
		return engine.QueueState{}, err
	}
	return a.Service.SetQueue(ctx, name, patch)
}

// Add guards the engine's; a console adds items by import only.
func (a allowed) Add(ctx context.Context, r engine.AddRequest) ([]engine.AddResult, error) {
	if err := a.refuses(ctx, keymap.Import, 1, r.Queue); err != nil {
		return nil, err
	}
	return a.Service.Add(ctx, r)
}

// Import guards the engine's.
func (a allowed) Import(ctx context.Context, r engine.ImportRequest, rows iter.Seq2[engine.NewItem, error]) (engine.ImportResult, error) {
	if err := a.refuses(ctx, keymap.Import, 1, r.Queue); err != nil {
		return engine.ImportResult{}, err
	}
	return a.Service.Import(ctx, r, rows)
}

// PauseJob guards the engine's.
func (a allowed) PauseJob(ctx context.Context, id string, paused bool) (engine.JobState, error) {
	if err := a.job(ctx, keymap.Pause, id); err != nil {
		return engine.JobState{}, err
	}
	return a.Service.PauseJob(ctx, id, paused)
}

// CancelJob guards the engine's.
func (a allowed) CancelJob(ctx context.Context, id, note string) (engine.JobState, error) {
	if err := a.job(ctx, keymap.Cancel, id); err != nil {
		return engine.JobState{}, err
	}
	return a.Service.CancelJob(ctx, id, note)
}

// DeleteJob guards the engine's.
func (a allowed) DeleteJob(ctx context.Context, id string) error {
	if err := a.job(ctx, keymap.Delete, id); err != nil {
		return err
	}
	return a.Service.DeleteJob(ctx, id)
}

// SetPool guards the engine's.
func (a allowed) SetPool(ctx context.Context, r engine.SplitRequest) (lane.State, error) {
	if err := a.Refuses(keymap.Split, 1); err != nil {
		return lane.State{}, err
	}
	return a.Service.SetPool(ctx, r)
}
