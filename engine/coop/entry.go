package coop

import (
	"context"
	"time"
)

// state is where an entry is on its way.
type state uint8

const (
	saving   state = iota // its id is taken, its row being saved
	waiting               // in line
	running               // an attempt is under way
	retrying              // an attempt has failed; its count is being saved
	ending                // decided; its row being removed
	clearing              // the same, together with others
)

// entry is one entry. What changes is guarded by the queue's lock.
type entry[T, R any] struct {
	id      string
	value   T
	payload []byte // value as its row holds it; nil without a store
	retries int
	timeout time.Duration
	ctx     context.Context // its own
	unwatch func() bool     // stops watching ctx; nil when that never ends
	future  *Future[R]

	state   state
	attempt int                     // attempts begun
	cancel  context.CancelCauseFunc // of the attempt under way
	doom    error                   // how it is to end when it has left the state retrying

	prev, next *entry[T, R]
	queued     bool
}

func (e *entry[T, R]) row() Row {
	return Row{ID: e.id, Payload: e.payload, Retries: e.retries, Timeout: e.timeout, Attempts: e.attempt}
}

// line is the waiting line, first come at the head.
type line[T, R any] struct {
	head, tail *entry[T, R]
	len        int
}

func (l *line[T, R]) push(e *entry[T, R]) {
	e.queued = true
	l.len++
	if e.prev = l.tail; l.tail == nil {
		l.head = e
	} else {
		l.tail.next = e
	}
	l.tail = e
}

// pushFront puts an entry before all others.
func (l *line[T, R]) pushFront(e *entry[T, R]) {
	e.queued = true
	l.len++
	if e.next = l.head; l.head == nil {
		l.tail = e
	} else {
		l.head.prev = e
	}
	l.head = e
}

// remove takes an entry off the line, if it is on it.
func (l *line[T, R]) remove(e *entry[T, R]) {
	if !e.queued {
		return
	}
	if e.prev == nil {
		l.head = e.next
	} else {
		e.prev.next = e.next
	}
	if e.next == nil {
		l.tail = e.prev
	} else {
		e.next.prev = e.prev
	}
	e.prev, e.next, e.queued = nil, nil, false
	l.len--
}
