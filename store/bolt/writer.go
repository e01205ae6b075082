package bolt

import (
	"context"
	"runtime"
	"runtime/debug"

	"go.etcd.io/bbolt"

	"signalbox/store"
)

const (
	// maxWave bounds how many calls share a commit, and with it how long the
	// first of them waits and how often a failing one makes others run again.
	maxWave = 256
	// maxWrites ends a wave early, since a commit's memory grows with it.
	maxWrites = 16384
	// gatherings is how often the writer lets others run before it takes what
	// waits: callers that were just answered come back with their next call,
	// and without this a closed loop of them splits into two half waves.
	gatherings = 3
)

// call is one Update on its way.
type call struct {
	ctx  context.Context
	fn   func(store.Tx) error
	done chan error // holds one

	err     error
	started bool
	failed  bool // after having written: not to be run again
}

// run runs the call's function on t. A call whose context ended before it
// was ever started is not run.
func (c *call) run(t *tx) {
	if !c.started {
		if c.err = c.ctx.Err(); c.err != nil {
			c.failed = true
			return
		}
		c.started = true
	}
	before := t.writes
	returned := false
	func() {
		defer func() {
			if p := recover(); p != nil {
				c.err = recovered(p)
			} else if !returned {
				panic("the function handed to Update ended its goroutine (t.FailNow in it?)")
			}
		}()
		c.err = c.fn(t)
		returned = true
	}()
	if c.err == nil {
		c.err = t.broken
	}
	c.failed = c.err != nil && (t.writes != before || t.broken != nil)
}

// writer owns the writing half of the file.
type writer struct {
	db      *bbolt.DB
	calls   chan *call
	stopped chan struct{}
	scratch scratch
	wrote   bool // something was committed
}

func newWriter(db *bbolt.DB) *writer {
	return &writer{db: db, calls: make(chan *call, maxWave), stopped: make(chan struct{})}
}

// loop serves calls until the channel is closed.
func (w *writer) loop() {
	defer close(w.stopped)
	debug.SetPanicOnFault(true)
	var wave []*call
	for {
		if wave = w.gather(wave); len(wave) == 0 {
			return
		}
		var n int
		wave, n = w.serve(wave)
		for _, c := range wave[:n] {
			c.done <- c.err
		}
		wave = wave[:copy(wave, wave[n:])]
	}
}

// gather adds the calls that wait to those left from the last wave; with none
// left it waits for one. No calls: the channel is closed.
func (w *writer) gather(wave []*call) []*call {
	if len(wave) == 0 {
		c, ok := <-w.calls
		if !ok {
			return nil
		}
		wave = append(wave, c)
	}
	for range gatherings {
		wave = w.drain(wave)
		runtime.Gosched()
	}
	return w.drain(wave)
}

func (w *writer) drain(wave []*call) []*call {
	for len(wave) < maxWave {
		select {
		case c, ok := <-w.calls:
			if !ok {
				return wave
			}
			wave = append(wave, c)
		default:
			return wave
		}
	}
	return wave
}

// serve runs and commits calls from the front of a wave and says how many of
// them have their outcome. It starts over without a call that failed after
// having written. The wave it gives holds those that joined meanwhile too.
func (w *writer) serve(wave []*call) (grown []*call, n int) {
	for {
		var again bool
		wave, n, again = w.attempt(wave)
		w.scratch.reset()
		if !again {
			return wave, n
		}
	}
}

func (w *writer) attempt(calls []*call) (wave []*call, n int, again bool) {
	wave = calls
	var b *bbolt.Tx
	defer func() {
		if p := recover(); p != nil {
			n, again = len(wave), false
			abort(wave, recovered(p))
			rollback(b)
		}
	}()
	b, err := w.db.Begin(true)
	if err != nil {
		abort(wave, unwritable(err))
		return wave, len(wave), false
	}
	t, err := newTx(b, &w.scratch)
	if err != nil {
		abort(wave, err)
		return wave, len(wave), b.Rollback() != nil
	}
	for t.writes < maxWrites {
		if n == len(wave) { // those that came meanwhile need not wait for the next commit
			if wave = w.drain(wave); n == len(wave) {
				break
			}
		}
		c := wave[n]
		n++
		if c.failed {
			continue
		}
		if c.run(t); c.failed && c.started {
			return wave, 0, b.Rollback() == nil
		}
	}
	if t.writes == 0 {
		return wave, n, b.Rollback() != nil
	}
	if err := t.finish(); err != nil {
		abort(wave[:n], err)
		return wave, n, b.Rollback() != nil
	}
	if err := b.Commit(); err != nil {
		abort(wave[:n], unwritable(err))
		return wave, n, false
	}
	w.wrote = true
	return wave, n, false
}

// abort gives calls that have not failed by themselves a common error.
func abort(wave []*call, err error) {
	for _, c := range wave {
		if !c.failed {
			c.err = err
		}
	}
}

// rollback gives up a transaction in whatever state a panic left it.
func rollback(b *bbolt.Tx) {
	defer func() { _ = recover() }()
	if b != nil {
		_ = b.Rollback()
	}
}

func unwritable(err error) error {
	return store.Unavailable("store", err, "nothing of the call was kept; make room on the disk and try again")
}
