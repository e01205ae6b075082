package coop

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"
)

// Task is what a handler is given.
type Task[T any] struct {
	ID      string // the same on every attempt and after a restore
	Value   T
	Attempt int // from 1
}

// Handler works one entry. Its context ends when the attempt is aborted, its
// time is up, or the entry's own context ends: the entry is then decided
// whatever the handler returns, but its place stays taken until it does, so
// that never more handlers run than the concurrency says. A panic is a failure.
type Handler[T, R any] func(ctx context.Context, t Task[T]) (R, error)

// Options says how a queue works; the zero value is ready to use.
type Options struct {
	// Concurrency is how many handlers may run at once; 0 = 1.
	Concurrency int
	// Retries is how many more attempts an entry has after one that failed or
	// timed out. A retry is made at once, before all that waits.
	Retries int
	// Timeout is how long an attempt may take; 0 = as long as it likes.
	Timeout time.Duration
	// Store keeps what is outstanding, as JSON; nil = nobody does.
	Store Store
	// Observers are told every transition, in order and one call at a time.
	// They may use the queue; while they take long, others wait for their
	// events, and a worker may be among them.
	Observers []func(Event)
	// Report is told what must not disturb the queue: an observer's panic, an
	// attempt count that could not be saved. nil = slog.Default.
	Report func(error)
}

// EntryOption is what one entry has otherwise than its queue.
type EntryOption func(*entryOptions)

type entryOptions struct {
	id      string
	named   bool
	retries int
	timeout time.Duration
}

// ID names the entry; without it a name is made up. An id that is outstanding
// is refused with ErrDuplicate.
func ID(id string) EntryOption { return func(o *entryOptions) { o.id, o.named = id, true } }

// Retries is the entry's own number of retries.
func Retries(n int) EntryOption { return func(o *entryOptions) { o.retries = n } }

// Timeout is how long each attempt of the entry may take; 0 = as long as it
// likes.
func Timeout(d time.Duration) EntryOption { return func(o *entryOptions) { o.timeout = d } }

// Queue works entries with values T into results R. Its methods are safe for
// concurrent use.
type Queue[T, R any] struct {
	handle  Handler[T, R]
	options Options
	prefix  string // of made-up ids: tells those of one queue from another's

	mu        sync.Mutex
	made      uint64 // ids made up so far
	entries   map[string]*entry[T, R]
	line      line[T, R]
	workers   int // goroutines there are
	parked    int // of these, those without work
	running   int // handlers that run, also those whose entries are decided
	paused    bool
	stopped   bool
	destroyed bool
	entered   bool       // an entry has come since the last drain
	wake      *sync.Cond // for parked workers
	idle      []chan struct{}
	gone      []chan struct{}
	settled   map[string]bool // ids settled while a Restore reads the store; nil = none does
	restoring sync.Mutex
	saves     sync.RWMutex // read-held from when an id is taken until its row is saved

	events  []Event
	telling bool // a goroutine delivers events
}

// New makes a queue. It fails with ErrInvalid for options that can't be; none
// is bent into what could.
func New[T, R any](handler Handler[T, R], o Options) (*Queue[T, R], error) {
	switch {
	case handler == nil:
		return nil, invalid("", "a queue needs a handler")
	case o.Concurrency < 0:
		return nil, invalid("", "concurrency is %d; it is 1 or more", o.Concurrency)
	case o.Retries < 0:
		return nil, invalid("", "retries are %d; they are 0 or more", o.Retries)
	case o.Timeout < 0:
		return nil, invalid("", "the timeout is %s; it is 0 or more", o.Timeout)
	}
	for i, see := range o.Observers {
		if see == nil {
			return nil, invalid("", "observer %d is nil", i)
		}
	}
	if o.Concurrency == 0 {
		o.Concurrency = 1
	}
	q := &Queue[T, R]{
		handle: handler, options: o,
		prefix:  strconv.FormatUint(rand.Uint64(), 36) + "-",
		entries: map[string]*entry[T, R]{},
	}
	q.wake = sync.NewCond(&q.mu)
	return q, nil
}

// Enqueue puts an entry at the end of the line. With a store it returns when
// the entry's row is saved. The end of ctx aborts the entry, whether it waits
// or runs; ctx's values reach the handler. It fails with ErrInvalid,
// ErrDuplicate, ErrStopped, ErrDestroyed, ErrAborted when ctx has ended, or
// ErrStore: the entry is then not in the queue.
func (q *Queue[T, R]) Enqueue(ctx context.Context, value T, options ...EntryOption) (*Future[R], error) {
	o := entryOptions{retries: q.options.Retries, timeout: q.options.Timeout}
	for _, set := range options {
		set(&o)
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, &Error{Kind: ErrAborted, ID: o.id, Err: context.Cause(ctx)}
	}
	e := &entry[T, R]{id: o.id, value: value, retries: o.retries, timeout: o.timeout, ctx: ctx}
	if q.options.Store != nil {
		var err error
		if e.payload, err = json.Marshal(value); err != nil {
			return nil, invalid(o.id, "its value can't be written as JSON: %w", err)
		}
	}
	if q.options.Store != nil {
		q.saves.RLock()
		defer q.saves.RUnlock()
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.admit(e); err != nil {
		return nil, err
	}
	if q.options.Store != nil {
		if err := q.save(e); err != nil {
			q.forget(e)
			return nil, err
		}
	}
	q.enter(e)
	return e.future, nil
}

func (o *entryOptions) check() error {
	switch {
	case o.named && o.id == "":
		return invalid("", "an entry's id is not empty")
	case o.retries < 0:
		return invalid(o.id, "retries are %d; they are 0 or more", o.retries)
	case o.timeout < 0:
		return invalid(o.id, "the timeout is %s; it is 0 or more", o.timeout)
	}
	return nil
}

// admit takes an entry's id, made up where it has none.
func (q *Queue[T, R]) admit(e *entry[T, R]) error {
	switch {
	case q.destroyed:
		return &Error{Kind: ErrDestroyed, ID: e.id}
	case q.stopped:
		return &Error{Kind: ErrStopped, ID: e.id}
	case e.id == "":
		q.made++
		e.id = q.prefix + strconv.FormatUint(q.made, 10)
	case q.entries[e.id] != nil:
		return &Error{Kind: ErrDuplicate, ID: e.id}
	}
	e.future = &Future[R]{id: e.id, done: make(chan struct{})}
	q.entries[e.id] = e
	return nil
}

// save saves a new entry's row, which nobody may run yet. The lock is let go of
// meanwhile; a queue that was destroyed then takes the row back.
func (q *Queue[T, R]) save(e *entry[T, R]) error {
	q.mu.Unlock()
	err := q.options.Store.Save(e.ctx, e.row())
	q.mu.Lock()
	if err != nil {
		return &Error{Kind: ErrStore, ID: e.id, Err: err}
	}
	if !q.destroyed {
		return nil
	}
	err = &Error{Kind: ErrDestroyed, ID: e.id}
	if failed := q.options.Store.Remove(context.WithoutCancel(e.ctx), e.id); failed != nil {
		err = errors.Join(err, &Error{Kind: ErrCleanup, ID: e.id, Err: failed})
	}
	return err
}

// enter puts an entry in line and has it worked.
func (q *Queue[T, R]) enter(e *entry[T, R]) {
	e.state, q.entered = waiting, true
	q.line.push(e)
	q.tell(Enqueued, e, nil)
	if e.ctx.Done() != nil {
		e.unwatch = context.AfterFunc(e.ctx, func() {
			q.mu.Lock()
			defer q.mu.Unlock()
			q.abort(e)
		})
	}
	q.hire()
}

// Stats is how much a queue has to do.
type Stats struct {
	Waiting int // in line
	Running int // handlers that run, also those whose entries are decided
	Entries int // outstanding: waiting, running, or being saved, settled or put back
}

// Stats tells how much the queue has to do now.
func (q *Queue[T, R]) Stats() Stats {
	q.mu.Lock()
	defer q.mu.Unlock()
	return Stats{Waiting: q.line.len, Running: q.running, Entries: len(q.entries)}
}

// Wait returns when nothing is outstanding: at once, or at the next drain. It
// fails with ctx's cause when ctx ends first.
func (q *Queue[T, R]) Wait(ctx context.Context) error {
	q.mu.Lock()
	if len(q.entries) == 0 {
		q.mu.Unlock()
		return nil
	}
	done := make(chan struct{})
	q.idle = append(q.idle, done)
	q.mu.Unlock()
	return await(ctx, done)
}

func await(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
