package coop

import "context"

// Future is what becomes of an entry. Its methods are safe for concurrent use.
type Future[R any] struct {
	id    string
	done  chan struct{}
	value R
	err   error
}

// ID is the entry's id.
func (f *Future[R]) ID() string { return f.id }

// Done is closed when the entry has settled.
func (f *Future[R]) Done() <-chan struct{} { return f.done }

// Wait gives what became of the entry, when it has settled: the handler's
// result, or the handler's last error, ErrTimeout, ErrAborted, ErrCleared,
// ErrDestroyed or ErrCleanup (with the result, if there was one). It fails with
// ctx's cause when ctx ends first; that leaves the entry alone.
func (f *Future[R]) Wait(ctx context.Context) (value R, err error) {
	select {
	case <-f.done:
		return f.value, f.err
	default:
	}
	select {
	case <-f.done:
		return f.value, f.err
	case <-ctx.Done():
		return value, context.Cause(ctx)
	}
}
