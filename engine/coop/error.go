package coop

import (
	"errors"
	"fmt"
)

// What can go wrong besides a handler's own errors; to be matched with
// errors.Is.
var (
	ErrInvalid   = errors.New("invalid")                              // an option, an entry or a row that can't be
	ErrDuplicate = errors.New("an entry with this id is outstanding") // the id is taken until that one has settled
	ErrStopped   = errors.New("the queue is stopped")                 // Enqueue between Stop and Start
	ErrAborted   = errors.New("aborted")                              // by Abort, or because the entry's context ended
	ErrDestroyed = errors.New("the queue is destroyed")               // everything after Destroy, and what it ended
	ErrCleared   = errors.New("cleared")                              // taken out of the line by Clear
	ErrTimeout   = errors.New("timed out")                            // the last attempt took longer than it may
	ErrStore     = errors.New("the store failed")                     // a first save, or a load
	ErrCleanup   = errors.New("its row could not be removed")         // the work is done, but would be restored
)

// Error is an error of a queue. It matches its Kind and what Err matches.
type Error struct {
	Kind error  // one of those above
	ID   string // of the entry, "" when it is about none
	Err  error  // the cause, may be nil
}

// Error says which entry, what and why.
func (e *Error) Error() string {
	s := e.Kind.Error()
	if e.ID != "" {
		s = fmt.Sprintf("entry %q: %s", e.ID, s)
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap gives the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}

// Panic is the error of a handler or an observer that panicked.
type Panic struct {
	Value any
	Stack []byte
}

// Error gives what it panicked with.
func (p *Panic) Error() string { return fmt.Sprintf("panic: %v", p.Value) }

// Unwrap gives the value where that is an error.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// errGone is the failure of a handler that ended its goroutine.
var errGone = errors.New("the handler ended its goroutine")

func invalid(id, format string, args ...any) error {
	return &Error{Kind: ErrInvalid, ID: id, Err: fmt.Errorf(format, args...)}
}
