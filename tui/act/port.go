// Package act is the console's only way to the engine: it reads by command,
// and it carries out what an operator decides.
//
// Desk turns reads and acts into commands whose answers find their way back to
// the screen that asked. Verb knows which items a verb may touch and why not
// others. Case is one decision on its way: its scope in words, the question
// where one is due, the act, and the outcome told row by row.
package act

import (
	"context"

	"signalbox/engine"
	"signalbox/engine/lane"
	"signalbox/store"
)

// Engine is what the console needs of an engine, in this process or at the
// other end of a socket.
type Engine interface {
	// Watch waits for a snapshot newer than a revision.
	Watch(ctx context.Context, after uint64) (*engine.Snapshot, error)
	List(context.Context, engine.ListRequest) (engine.Page, error)
	// Select freezes the set of all items that a request selects now.
	Select(context.Context, engine.ListRequest) ([]engine.Target, error)
	Item(context.Context, store.ID) (engine.Record, error)
	History(ctx context.Context, id store.ID, limit int) ([]store.Change, error)
	Retry(context.Context, engine.RetryRequest) ([]engine.Outcome, error)
	Review(context.Context, engine.ReviewRequest) ([]engine.Outcome, error)
	// Undo takes back the last act on items, where nothing has come of it.
	Undo(context.Context, engine.UndoRequest) ([]engine.Outcome, error)
	Bulker
	PauseQueue(ctx context.Context, name string, paused bool) (engine.QueueState, error)
	SetPool(context.Context, engine.SplitRequest) (lane.State, error)
}

// Bulker is an engine that acts on many items by itself, at a rate.
type Bulker interface {
	StartBulk(context.Context, engine.BulkRequest) (engine.BulkState, error)
	WatchBulk(ctx context.Context, id, after uint64) (engine.BulkState, error)
	CancelBulk(ctx context.Context, id uint64) (engine.BulkState, error)
	BulkResults(context.Context, engine.ResultsRequest) (engine.BulkResults, error)
}

// Explainer is an engine that says why an item is not being worked. Engines at
// the other end of a socket may not know how yet.
type Explainer interface {
	Explain(context.Context, store.ID) (engine.Explanation, error)
}

// Deleter is an engine that deletes items.
type Deleter interface {
	Delete(context.Context, engine.DeleteRequest) ([]engine.Outcome, error)
}

// Streamer is an engine that gives the history of everything, both ways.
type Streamer interface {
	Stream(context.Context, engine.StreamRequest) (engine.Stream, error)
}

// Roller is an engine that knows who claims.
type Roller interface {
	Robots(context.Context) ([]engine.Robot, error)
}
