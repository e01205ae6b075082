// Package drain works queues that have a consumer: it looks which queues have
// items ready, takes a slot for each, and runs the consumer on what it claims.
//
//	engine.Wake ─▶ scan ─▶ drain ─▶ slot ─▶ claim ─▶ attempts ─▶ settle
//	                ▲                          │          │
//	                └──── look again ──────────┘     lease kept alive
//
// The scheduler is one goroutine that sleeps until something may have changed.
// It then looks at the available queues in random order and starts drains as
// they have use for them; at most one drain of a queue stands in line for a
// slot, so the pool's line is the round robin between queues. A drain holds
// its slot for a bounded time, claims a batch, works it, and goes on until
// nothing is left; the last report on one batch and the claim of the next are
// one change of the store. Consumers are programs (command.go) or Go functions
// (handler.go); a batch's items are worked one after the other, all in one run, or
// side by side (abreast.go). While a batch is held its lease is renewed; when it can't be,
// or was taken away, the work is cancelled and nothing is reported for it.
//
// The engine is seen through a small interface; it does not know this package.
package drain
