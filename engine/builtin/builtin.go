// Package builtin runs an engine's built-in jobs: exports, imports, bulk acts,
// reindexes, and notifications.
//
//	drains ── Handlers ──▶ work of one item ──▶ chunks and progress of its job
//	engine ── RunHooks ──▶ hook when all items are accounted for ──▶ attachment, log
//
// What works an item says so in the very change that counts it as done, or does
// again what comes out the same; so a killed engine's job goes on in the next one
// with the right bytes and counts.
package builtin

import (
	"context"
	"encoding/json"

	"signalbox/engine"
	"signalbox/engine/drain"
	"signalbox/store"
)

// Handlers give the built-in queues' consumers to the drains of an engine.
func Handlers(e *engine.Engine) map[string]drain.Handler {
	handlers := map[string]drain.Handler{}
	for queue, work := range e.Builtins() {
		handlers[queue] = handler(work)
	}
	handlers[engine.ImportQueue] = handler((&importer{e}).work)
	handlers[engine.NotifyQueue] = handler((&notifier{e: e, client: newClient()}).work)
	return handlers
}

// Abreast says to drains how many items of a built-in queue are worked side by side:
// notifications, so that a receiver that is slow holds up none of the others.
func Abreast() map[string]int { return map[string]int{engine.NotifyQueue: engine.NotifyAtOnce} }

// handler makes what is wrong with an item itself final: trying it again would not
// help.
func handler(work engine.WorkFunc) drain.Handler {
	return func(ctx context.Context, r engine.Record) (json.RawMessage, error) {
		output, err := work(engine.WithActor(ctx, r.CreatedBy), r)
		switch store.CodeOf(err) {
		case store.CodeInvalid, store.CodeNotFound:
			return nil, &drain.Business{Reason: err.Error()}
		}
		return output, err
	}
}
