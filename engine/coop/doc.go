// Package coop is a queue within one Go program: entries wait in line, at most
// so many are worked at once, and who enqueued one holds a future of what
// becomes of it.
//
//	Enqueue ─▶ saved ─▶ waiting ─▶ running ─▶ row removed ─▶ future settled
//	               ▲        ▲          │
//	            Restore     └── retry ─┘
//
// With a Store the entries that are outstanding survive the process: a row is
// saved before its entry can run and removed before its future settles, so that
// what was running when a process died runs again when the next one restores.
// Handlers must bear that; an entry's id is the same each time.
//
// A queue has no goroutine until there is work. Then it has at most as many as
// its concurrency, which park when there is none; Destroy ends them.
package coop
