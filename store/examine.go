package store

import "context"

// Examiner is a store that has things beside its records (indexes, counters,
// links, histories) which can come to say something else than they do, and that
// can put them right while others go on using it.
type Examiner interface {
	// Examine reads all of the store in one consistent picture, beside who
	// writes, and gives what is wrong, at most some ten thousand things. Each is
	// mended by itself, in a transaction, in the order given; then it is time to
	// examine again: one mend may show what else is wrong, and what has changed
	// since the picture is left to the next. Nothing wrong: the list is empty.
	Examine(context.Context, Examination) ([]Wrong, error)
}

// Examination says how to examine a store.
type Examination struct {
	// Queue gives settings to a queue whose own can't be read.
	Queue func(name string, f Family) Queue
	// Seen is called now and then with how many items were looked at so far. It
	// must not call the store.
	Seen func(items int)
}

// Wrong is something that a store has beside its records, or a record that can't
// be read.
type Wrong struct {
	Text string // what is wrong, for a person
	mend func(Tx, Time, string) (Mended, error)
}

// NewWrong makes one with what mends it.
func NewWrong(text string, mend func(t Tx, at Time, actor string) (Mended, error)) Wrong {
	return Wrong{text, mend}
}

// Mend puts it right, in little time whatever the store's size. Changes it makes
// in a history are of an instant and by an actor. It can be run again only when
// the transaction before it was not kept.
func (w *Wrong) Mend(t Tx, at Time, actor string) (Mended, error) { return w.mend(t, at, actor) }

// Mended says what a mend did.
type Mended struct {
	// Done: it is right now. Else what it is about has changed since it was found.
	Done bool
	// Queue is that of an item whose place or entries were put right; "" when
	// there is none.
	Queue string
	// Aside has the records that were taken out because they can't be read, or
	// belong to nothing, a line of JSON each.
	Aside []byte
}
