// Package bolt keeps the engine's records in one bbolt file.
//
// # Layout
//
//	meta                 format version, the store's id, the last wave, the pool's
//	                     settings, and the last numbers of queues that were deleted
//	queues/<queue>       a queue of family jobs, one bucket each
//	transactions/<set>   a queue of family transactions, likewise
//	due                  when each queue's next lease ends or next item ripens
//	history              every change, append-only, in blocks
//	jobs                 queue jobs: records, counters, logs, whose items
//	attachments          what files jobs have
//	chunks               what is in those files, in parts
//
// A queue's bucket holds two records, settings and counters, and a bucket for
// each of these, made when first needed (numbers big-endian, so that keys are
// in order of number):
//
//	items       number                     → fixed part and payload
//	status      status, rank, number       → changing part
//	results     number                     → output, analytics, details
//	dated       claim order, number        → nothing
//	delayed     ready at, number           → claim order
//	leases      lease end, number          → nothing
//	references  reference, 0, number       → nothing
//	keys        idempotency key            → number
//	group       hash of group, number      → nothing
//	groups      status, hash of kind and group → count, kind and text
//
// An item is in two parts, because a payload is written once and a claim or
// a settle then only moves a record of some thirty bytes from one status to
// another. That record stands under its status, so the status index costs
// nothing of its own; whoever knows only the number tries the statuses that
// have items, those in flight first. Ready items without a due date stand in
// it by priority, so that it is their claim order too; the few with a due
// date are in dated, and those not ready yet in delayed, besides.
//
// # History
//
// A wave packs its changes into blocks, each one value under the sequence
// number of its first change: one put for many changes. Within a block a
// change is written as its difference from the one before. Changes reads on
// through the blocks; History walks one item's chain backwards, from the
// item's LastChange by each change's Prev.
//
// # Writing
//
// One goroutine writes. It takes every waiting call as one wave, runs them in
// the open bbolt transaction, makes the wave durable, and only then answers.
// Waves grow with the load, so the cost of reaching stable storage is shared
// without any timer.
//
// A wave is made durable by a record of its writes in the log, <file>.wal: one
// write, one sync. The bbolt transaction stays open for the next wave. It is
// committed, in a checkpoint, when somebody wants to look (a View sees what is
// committed, and must see all that was acknowledged), when enough has gathered,
// when the log is full, when nothing comes for a while, and on closing; the wave
// that is under way then needs no record. Waves are numbered, and meta names the
// last that the file has: after a crash the next opening does again what the log
// has beyond it.
//
// A call that fails after having written spoils the transaction: it is rolled
// back, the waves that were acknowledged since the last checkpoint are done
// again from the log, and the wave under way is run anew without that call. All
// that is remembered between calls (bucket handles, counters, what is held back
// from bbolt) belongs to that one transaction and goes with it, so a rollback
// leaves nothing behind.
//
// What is often changed again soon is held back from bbolt until the checkpoint:
// where items stand that no longer wait, their leases, counters and due times.
// The log has them all.
//
// Values read from bbolt are valid only inside their transaction: everything
// that leaves this package is a copy.
package bolt
