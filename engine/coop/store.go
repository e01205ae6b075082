package coop

import (
	"context"
	"time"
)

// Row is an outstanding entry as a store keeps it.
type Row struct {
	ID       string        `json:"id"`
	Payload  []byte        `json:"payload"` // the entry's value as JSON
	Retries  int           `json:"retries"`
	Timeout  time.Duration `json:"timeout"` // in nanoseconds
	Attempts int           `json:"attempts"`
}

// Store keeps the rows of one queue's outstanding entries. Each call is whole
// or, with an error, not at all, and durable when it returns. Its methods must
// be safe for concurrent use.
type Store interface {
	// Save adds a row behind all others, or replaces in its place the one with
	// the same ID.
	Save(ctx context.Context, r Row) error
	// Remove takes out the rows with these ids; one that is not there is no
	// error.
	Remove(ctx context.Context, ids ...string) error
	// Load gives all rows in the order in which they were added.
	Load(ctx context.Context) ([]Row, error)
	// Clear takes out all rows but those with the ids to keep.
	Clear(ctx context.Context, keep ...string) error
}
