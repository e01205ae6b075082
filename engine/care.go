package engine

import (
	"context"
	"io"

	"signalbox/store"
)

// Check reads all of the store and reports where its counts, indexes and
// histories say something else than its records; see store.Check, and what the
// store itself can tell.
func (e *Engine) Check(ctx context.Context) (problems []string, err error) {
	s, ok := e.store.(interface {
		Check(context.Context) ([]string, error)
	})
	if ok {
		return s.Check(ctx)
	}
	err = e.store.View(ctx, func(r store.Reader) error {
		problems, err = store.Check(r)
		return err
	})
	return problems, err
}

// Backup writes a copy of the store as of now, while the engine goes on.
// CodeInvalid for a store that can't be copied so.
func (e *Engine) Backup(ctx context.Context, w io.Writer) error {
	s, ok := e.store.(interface {
		Backup(context.Context, io.Writer) error
	})
	if !ok {
		return store.Invalid("store "+e.name, "it can't be copied while it is open", "copy it by the means of its own kind")
	}
	return s.Backup(ctx, w)
}

// Compacted is what a compaction of the store's file came to, in bytes.
type Compacted struct {
	Store  string `json:"store"`
	Before int64  `json:"before"`
	After  int64  `json:"after"`
}

// Compact rewrites the store's file without its free space, while the engine
// goes on: its calls wait meanwhile. CodeInvalid for a store that can't be
// compacted so, CodeConflict when somebody reads it for long.
func (e *Engine) Compact(ctx context.Context) (done Compacted, err error) {
	s, ok := e.store.(interface {
		Compact(context.Context) (before, after int64, err error)
	})
	if !ok {
		return done, store.Invalid("store "+e.name, "it can't be compacted while it is open", "see to it by the means of its own kind")
	}
	done.Store = e.name
	done.Before, done.After, err = s.Compact(ctx)
	return done, err
}
