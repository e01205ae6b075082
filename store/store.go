// Package store is the contract between the engine and what keeps its records.
//
// A store knows records, not rules: it keeps queues, items, their payloads and
// results, the pool, and one append-only history; it indexes and counts them
// by their fields. Which change is allowed, when, and what follows from it is
// decided by the engine inside the function it hands to Update.
//
// The contract names no bucket, table or statement, so that an embedded file,
// a database server and plain memory can stand behind it alike. The suite in
// store/storetest says what each must do.
package store

import (
	"context"
	"iter"
)

// Store keeps the engine's records. All its methods are safe for concurrent use.
type Store interface {
	// View runs fn on one consistent picture of the committed state. fn must
	// be short and must not call the store; nothing it reads may be used to
	// reach the store after it returns. The records it gets are its own.
	View(ctx context.Context, fn func(Reader) error) error

	// Update runs fn as one atomic, durable change and returns after it is
	// on stable storage. When fn returns an error nothing of it is kept and
	// Update returns that error.
	//
	// fn may be run more than once, and its commit may be shared with others',
	// each of which sees what the ones before it wrote. So fn must not wait,
	// must not call the store, and must set its results anew on each run. A
	// context that ends before fn has run ends the call with nothing changed;
	// after that the outcome is waited for.
	Update(ctx context.Context, fn func(Tx) error) error

	// Close waits for running calls and releases the store. Calls after it
	// fail with CodeUnavailable.
	Close() error
}

// Query selects items. Its zero value selects all of every queue.
type Query struct {
	Queue    string   // "" = every queue, in order of name
	Statuses []Status // nil = every status
	Groups   []string // only items with one of these as their Group; nil = any
	Job      string   // only items that count for this job; "" = any
	// Reference limits to references that start with it, or with Exact equal
	// it; the order is then by reference, and by number within one.
	Reference string
	Exact     bool
	// After is the item after which to go on, exclusive, in the query's
	// order; it need not exist any more. The zero ID starts at the beginning.
	// With Reference set, AfterReference is that item's reference.
	After          ID
	AfterReference string
	Desc           bool // the order turned round within a queue, queues still by name
}

// RestoredMark is the mark of a store itself that says when it was last put in place
// from a backup: it knows nothing of what was given out between the two.
const RestoredMark = "restored"

// Stats counts a queue without scanning it.
type Stats struct {
	Counts  Counts
	Delayed int64 // waiting items whose ReadyAt lies ahead
	// Standings counts waiting items that have a due or risk date.
	Standings Standings
	// NextDate is the earliest of their dates that lies ahead, 0 when none does.
	NextDate Time
	// NextReady is the earliest ReadyAt of the delayed items, 0 when there is
	// none.
	NextReady Time
	// Last is the highest number given out, also to items that are gone.
	Last uint64
	// Withheld is the number of waiting items that are withheld; they are not
	// among Delayed.
	Withheld int64
}

// Standings counts waiting items by how they stand to their dates: overdue once
// the due date has come, at risk once the risk date has.
type Standings struct {
	OnTime  int64 `json:"ok"`
	AtRisk  int64 `json:"risk"`
	Overdue int64 `json:"overdue"`
}

// Add counts an item as it stands now.
func (s *Standings) Add(i *Item, now Time) {
	switch {
	case !i.Status.Waiting() || i.DueAt == 0 && i.RiskAt == 0:
	case i.DueAt != 0 && i.DueAt <= now:
		s.Overdue++
	case i.RiskAt != 0 && i.RiskAt <= now:
		s.AtRisk++
	default:
		s.OnTime++
	}
}

// Total is the number of all that are counted.
func (s *Standings) Total() int64 { return s.OnTime + s.AtRisk + s.Overdue }

// Reader is the reading half of a transaction. Naming a queue that does not
// exist gives CodeNotFound everywhere.
type Reader interface {
	// Queues lists all queues by name. One whose settings can't be read is
	// listed as paused, with the reason as its description.
	Queues() ([]Queue, error)
	// Queue gives one queue, or CodeNotFound.
	Queue(name string) (Queue, error)
	// Stats counts a queue's items as of now, or CodeNotFound. It costs the
	// same for a queue of any size. The standings are never older than the
	// newest change of an item of the queue.
	Stats(queue string, now Time) (Stats, error)

	// Item gives one item, or CodeNotFound.
	Item(ID) (Item, error)
	// Payload gives an item's payload byte for byte, or CodeNotFound.
	Payload(ID) ([]byte, error)
	// Result gives what the item's last attempt left; zero when nothing.
	Result(ID) (Result, error)
	// Items yields the selected items in order of number, without scanning
	// others where an index serves (status, group, reference, job). The caller
	// stops when it has enough, and must not write while it runs. An
	// unreadable record is yielded as an error and the next follows.
	Items(Query) iter.Seq2[Item, error]
	// Ready yields a queue's waiting items that are not withheld and whose
	// ReadyAt is not after now, in claim order: first those with a due date by priority, then earlier due;
	// then the others by priority; number decides last. The caller
	// must not write while it runs. In a Tx nobody else's transaction is
	// given the same items until this one ends.
	Ready(queue string, now Time) iter.Seq2[Item, error]
	// ByKey finds the item added to the queue with an idempotency key; the
	// zero ID when there is none.
	ByKey(queue, key string) (ID, error)
	// Groups counts the items that have a Group, by queue, status, kind and text;
	// queue "" = of all queues.
	Groups(queue string) ([]Group, error)

	// NextDue gives the earliest instant at which a lease ends or a delayed item
	// becomes ready, 0 when nothing is to come. It may lie in the past.
	NextDue() (Time, error)
	// NextDate is the same for dates that have not been told of.
	NextDate() (Time, error)

	// History gives an item's changes, newest first, at most limit.
	History(id ID, limit int) ([]Change, error)
	// Changes gives the changes after a sequence number, oldest first, at
	// most limit. Those that were removed are passed over.
	Changes(after uint64, limit int) ([]Change, error)
	// LastChange gives the newest change's sequence number, 0 when none.
	LastChange() (uint64, error)

	// Pool gives the pool's settings; the zero Pool when never set.
	Pool() (Pool, error)

	// Mark gives a number that PutMark kept for a queue under a name, 0 when
	// none was; queue "" is the store's own.
	Mark(queue, name string) (uint64, error)

	JobReader

	// Holds yields the stretches in which slots were held that ended at or
	// after an instant, roughly in order of their ends. What can't be read is
	// yielded as an error and the next follows.
	Holds(since Time) iter.Seq2[Hold, error]
	// OpenHolds gives the stretches that had not ended when they were last put,
	// and when that was.
	OpenHolds() (open []Hold, at Time, err error)
}

// Tx is a read-write transaction.
type Tx interface {
	Reader
	JobTx

	// PutQueue adds or replaces a queue's settings and bumps their revision.
	// Name and family are needed (CodeInvalid), and the family is for life
	// (CodeConflict).
	PutQueue(*Queue) error
	// DeleteQueue removes a queue with all its items and jobs; its history stays
	// in the stream. Of a queue added later under the same name the items' numbers
	// go on where they were, so that an id never names another item.
	DeleteQueue(name string) error

	// Add stores a new item under its queue's next number, which it sets with
	// Revision 1, and with Chain set to itself when that is zero. The change
	// is recorded as the item's first. CodeNotFound when the queue is missing,
	// or a job of it for which the item is to count.
	Add(item *Item, payload []byte, c Change) error
	// Put replaces an item and bumps its revision. With a change it is
	// recorded as the item's newest (renewals and progress have none). Job and
	// Weight are for life (CodeConflict).
	Put(item *Item, c *Change) error
	// PutPayload replaces an item's payload.
	PutPayload(ID, []byte) error
	// PutResult replaces what the item's last attempt left; the zero Result
	// removes it.
	PutResult(ID, Result) error
	// Append records a change that is not an item's.
	Append(Change) error
	// PutPool replaces the pool's settings and bumps their revision.
	PutPool(*Pool) error

	// Purge removes items with all that is kept of them: payload, result,
	// entries in indexes, and their changes. Their numbers are not given out
	// again. CodeNotFound when one is not there.
	Purge([]ID) error
	// Forget removes changes by their sequence numbers, which must not be those
	// of items that are there; what is gone already is passed over. The newest
	// change of all stays, here and in Purge, so that LastChange never goes back.
	Forget(seqs []uint64) error
	// PutMark keeps a number for a queue under a name of at most 32 bytes, until
	// the queue is deleted; see Mark.
	PutMark(queue, name string, n uint64) error

	// PutHolds adds stretches that have ended, and replaces those that have not
	// by the ones that are open at an instant. Times are kept to the millisecond.
	PutHolds(ended, open []Hold, at Time) error
	// ForgetHolds removes stretches that ended before an instant. Some may stay
	// as long as what is kept together with them.
	ForgetHolds(before Time) error

	// Expired gives items in flight whose lease ended before or at now,
	// earliest first and then by id, at most limit. Those that can't be read
	// are left out, here and by Passed and Ripen, and count as due no more.
	Expired(now Time, limit int) ([]Item, error)
	// Passed gives waiting items and those in flight whose NextDate is before or
	// at now, earliest first and then by id, at most limit.
	Passed(now Time, limit int) ([]Item, error)
	// Ripen names the queues that hold waiting items which have become ready
	// by now and had not been named by an earlier Ripen. An item counts anew
	// when it comes back to waiting or its ReadyAt changes. Of very many due
	// at once a store may take a part: NextDue then stays in the past. The
	// instants handed to Ripen never go back.
	Ripen(now Time) ([]string, error)
}
