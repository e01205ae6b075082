package bolt

import (
	"context"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"

	"signalbox/store"
)

const (
	// maxWave bounds how many calls share a commit, and with it how long the
	// first of them waits and how often a failing one makes others run again.
	maxWave = 256
	// maxWrites ends a wave early, since a commit's memory grows with it.
	maxWrites = 16384
	// maxHeld is how many writes may wait for a checkpoint, and maxScattered how
	// many of them with keys in no order: bbolt splits its pages only then, and
	// to put a key into the middle of a long one gets dear.
	maxHeld, maxScattered = 16384, 4096
	// gatherings is how often the writer lets others run before it takes what
	// waits: callers that were just answered come back with their next call,
	// and without this a closed loop of them splits into two half waves.
	gatherings = 3
)

// idle is how long nothing must come for a checkpoint to be made. Replaced in
// tests.
var idle = 50 * time.Millisecond

// retryAfter is how long a checkpoint that failed is not tried again while the
// log still takes waves. Replaced in tests.
var retryAfter = 250 * time.Millisecond

// call is one Update on its way, or, without a function, one who wants all that
// was acknowledged to be in the store's file.
type call struct {
	ctx   context.Context
	fn    func(store.Tx) error
	done  chan error // holds one
	whole bool       // wants to read a file that needs no log
	read  *bbolt.Tx  // which it does here

	err     error
	started bool
	failed  bool // after having written: not to be run again

	panicked bool
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
				c.err, c.panicked = recovered(p), true
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
	c.failed = c.err != nil && (t.writes != before || t.broken != nil || c.panicked)
}

// writer owns the writing half of the file.
type writer struct {
	db      *bbolt.DB
	path    string
	store   storeID
	noSync  bool
	relief  *relief
	calls   chan *call
	stopped chan struct{}
	scratch scratch

	// Of the writing goroutine alone:
	t      *tx      // nil: none is open
	log    *redoLog // nil: none is needed yet
	last   uint64   // number of the last wave
	direct int      // waves committed without a log so far
	doubt  bool     // the last wave failed to become durable and may be so all the same
	wrote  bool     // something was committed
	closed error    // what came of closing

	own     generation // of this opening
	file    generation // as the file has it
	whole   bool       // the next checkpoint is to leave a file that needs no log
	stuck   error      // why the last checkpoint failed, nil when it did not
	retryAt time.Time  // when another is worth trying

	acked atomic.Uint64 // last wave whose calls were answered
	kept  atomic.Uint64 // last wave that is in the store's file
}

func newWriter(db *bbolt.DB, path string, m meta, noSync bool, r *relief) *writer {
	w := &writer{
		db: db, path: path, store: m.store, noSync: noSync, last: m.wave, file: m.of, relief: r,
		calls: make(chan *call, maxWave), stopped: make(chan struct{}),
	}
	w.acked.Store(m.wave)
	w.kept.Store(m.wave)
	return w
}

// loop serves calls until the channel is closed.
func (w *writer) loop() {
	defer close(w.stopped)
	debug.SetPanicOnFault(true)
	var wave []*call
	for {
		if wave = w.gather(wave); len(wave) == 0 {
			w.closed = w.close()
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
		c, ok := w.wait()
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

// wait waits for a call; false: the channel is closed. When none comes for a
// while it makes a checkpoint.
func (w *writer) wait() (*call, bool) {
	if w.t != nil {
		timer := time.NewTimer(idle)
		defer timer.Stop()
		select {
		case c, ok := <-w.calls:
			return c, ok
		case <-timer.C:
			if !w.holdsOff() {
				_ = w.settle() // who needs it tries again
			}
		}
	}
	c, ok := <-w.calls
	return c, ok
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

// serve runs calls from the front of a wave, makes them durable, and says how
// many of them have their outcome. It starts over without a call that failed
// after having written. The wave it gives holds those that joined meanwhile too.
func (w *writer) serve(wave []*call) (grown []*call, n int) {
	for {
		var again bool
		wave, n, again = w.attempt(wave)
		if !again {
			return wave, n
		}
	}
}

func (w *writer) attempt(calls []*call) (wave []*call, n int, again bool) {
	wave = calls
	defer func() {
		if p := recover(); p != nil {
			n, again = len(wave), false
			abort(wave, recovered(p))
			w.drop()
		}
	}()
	t, err := w.begin()
	if err != nil {
		w.drop()
		abort(wave, err)
		return wave, len(wave), false
	}
	commit := false
	for t.writes < maxWrites {
		if n == len(wave) { // those that came meanwhile need not wait for the next commit
			if wave = w.drain(wave); n == len(wave) {
				break
			}
		}
		c := wave[n]
		n++
		switch {
		case c.failed:
			continue
		case c.fn == nil:
			commit, w.whole = true, w.whole || c.whole
			continue
		}
		if c.run(t); c.failed && c.started {
			w.drop()
			return wave, 0, true
		}
	}
	logged, err := w.keep(t, commit)
	w.whole = false
	switch {
	case err == nil:
		w.show(wave[:n])
		return wave, n, false
	case logged || t.writes == 0:
		refuse(wave[:n], err)
	case w.canLog(t): // and then it needs no checkpoint
		w.drop()
		return wave, 0, true
	default:
		abort(wave[:n], err)
	}
	w.drop()
	return wave, n, false
}

// show begins to read the file for those who want it whole.
func (w *writer) show(wave []*call) {
	for _, c := range wave {
		if c.whole && !c.failed {
			c.read, c.err = w.db.Begin(false)
		}
	}
}

// refuse gives those of a wave who want the file the error that a checkpoint
// ended with.
func refuse(wave []*call, err error) {
	for _, c := range wave {
		if c.fn == nil {
			c.err = err
		}
	}
}

// abort gives calls that have not failed by themselves a common error.
func abort(wave []*call, err error) {
	for _, c := range wave {
		if !c.failed {
			c.err = err
		}
	}
}

func unwritable(err error) error {
	return store.Unavailable("store", err, "nothing of the call was kept; make room on the disk and try again")
}
