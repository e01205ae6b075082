// Package engine holds the rules of work queues, and what runs them: queues,
// items, claims with leases and fences, settling, retries, reviews, and the
// pool of concurrency slots.
//
// Every change flows the same way. A method checks its input, then hands one
// function to store.Update; inside it the records are read, the table of
// transitions is asked, and the items and their history are written. After the
// commit the engine wakes who waits: parked claims, the expirer's timer, and
// whoever watches Snapshots. Nothing polls.
//
// The engine runs on any store.Store. Drains, which work queues with consumers,
// are started beside it by package engine/drain.
package engine
