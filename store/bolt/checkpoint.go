package bolt

import (
	"errors"
	"os"
	"time"

	"go.etcd.io/bbolt"
)

// logAfter is how many waves a writer commits before it makes a log: who
// changes little and closes the store again needs none. Replaced in tests.
var logAfter = 16

// step is called at the steps by which changes become durable outside the log.
// Replaced in tests, which stop the process there.
var step = func(string) {}

// recover takes over the log of a process that did not close the store: what is
// in it is brought to the store's file, and the log removed.
func (w *writer) recover(m meta, lostLog bool) error {
	log, err := openLog(logPath(w.path), w.noSync)
	if err != nil {
		return err
	}
	w.own = nextGeneration(m.of, m.wave)
	if log == nil {
		if m.of.logged && !lostLog {
			return errLostLog
		}
		return w.removeRest()
	}
	if w.last, err = log.missing(m); err != nil {
		return errors.Join(err, log.disk.Close())
	}
	w.log, w.own.from, w.whole = log, w.last, true
	w.acked.Store(w.last)
	if err := w.settle(); err != nil {
		return errors.Join(err, log.disk.Close())
	}
	step("recovered")
	w.log, w.whole = nil, false
	return log.remove()
}

// removeRest removes a log that was not made to its end.
func (w *writer) removeRest() error {
	if err := os.Remove(logPath(w.path)); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// begin gives the open transaction, readied for a wave. A new one starts with
// what the log has and the store's file has not.
func (w *writer) begin() (*tx, error) {
	if w.t == nil {
		t, err := w.resume()
		if err != nil {
			return nil, err
		}
		w.t = t
	}
	w.t.begin()
	return w.t, nil
}

func (w *writer) resume() (t *tx, err error) {
	b, err := w.db.Begin(true)
	if err != nil {
		return nil, unwritable(err)
	}
	defer func() {
		if t == nil { // also when something panicked
			rollback(b)
		}
	}()
	again := replay{bolt: b, touched: map[string]bool{}}
	if w.log != nil { // by what the file says, which may have more than it told
		err = w.log.each(numberOf(b.Bucket(metaBucket).Get(waveKey)), again.do)
	}
	if err != nil {
		return nil, err
	}
	if t, err = newTx(b, &w.scratch); err != nil {
		return nil, err
	}
	for name := range again.touched {
		if q, err := t.queue(name); err == nil {
			q.dueless = true
		}
	}
	return t, nil
}

// drop gives up the open transaction, in whatever state a failure left it. The
// next one begins with all that was acknowledged.
func (w *writer) drop() {
	if t := w.t; t != nil {
		w.t = nil
		rollback(t.bolt)
	}
	w.scratch.reset()
}

// rollback gives up a transaction in whatever state a panic left it.
func rollback(b *bbolt.Tx) {
	defer func() { _ = recover() }()
	_ = b.Rollback()
}

// keep makes a wave durable: by its record in the log, or by a checkpoint when
// somebody wants one or it is time for one. When the file fails the log takes all
// waves that fit, and the error is only for those who want the file.
func (w *writer) keep(t *tx, commit bool) (logged bool, err error) {
	if t.writes > 0 {
		if err := t.finish(); err != nil {
			return false, err
		}
		w.last++
		checkpoint := commit || t.total+t.writes > maxHeld || t.scattered > maxScattered
		if (!checkpoint || w.stuck != nil) && w.logged(t) {
			w.acked.Store(w.last)
			logged, checkpoint = true, w.stuck != nil && !w.holdsOff()
			if !checkpoint && !commit {
				return true, nil
			}
		}
	}
	switch {
	case t.writes == 0 && !commit || w.settled():
		return logged, nil
	case w.holdsOff() && (logged || t.writes == 0):
		return logged, w.stuck
	}
	return logged, w.checkpoint(t)
}

// settled says that the file has all that was acknowledged, and as it is wanted.
func (w *writer) settled() bool {
	return w.kept.Load() == w.last && !(w.whole && w.file.logged)
}

// holdsOff says that a checkpoint failed just now, and need not be tried again.
func (w *writer) holdsOff() bool { return w.stuck != nil && time.Now().Before(w.retryAt) }

// logged says that the wave was made durable by the log.
func (w *writer) logged(t *tx) bool {
	if w.doubt || !w.logging() || !w.fits(t) {
		return false
	}
	if err := w.log.append(w.last, t.recording.buf); err != nil {
		w.doubt = true // the checkpoint that follows makes it certain
		return false
	}
	return true
}

func (w *writer) fits(t *tx) bool { return !t.recording.over && w.log.fits(t.recording.buf) }

// canLog says that the log can still take a wave whose checkpoint failed.
func (w *writer) canLog(t *tx) bool {
	return !w.doubt && w.ready() && t.writes > 0 && t.broken == nil && w.fits(t)
}

// ready says that there is a log, and that the file says so.
func (w *writer) ready() bool {
	return w.log != nil && w.file.logged && w.file.id == w.own.id
}

// logging says that there is a log, made if it is time to. The file must say so
// before anything is in it, which the next checkpoint sees to. Where none can be
// made all waves are committed.
func (w *writer) logging() bool {
	if w.log != nil {
		return w.ready()
	}
	if w.direct++; w.direct <= logAfter {
		return false
	}
	log, err := createLog(logPath(w.path), w.store, w.own.id, w.noSync)
	if err != nil {
		w.direct = 0
		return false
	}
	w.log = log
	return false
}

// checkpoint commits the open transaction.
func (w *writer) checkpoint(t *tx) (err error) {
	spoil := w.doubt && w.log != nil
	w.doubt = true
	defer func() {
		if w.doubt {
			w.failed(err, spoil)
		}
	}()
	if err := t.flush(); err != nil {
		return err
	}
	g := w.own
	if w.log != nil && !w.whole {
		g.logged, g.first = true, w.log.first
	}
	records := t.bolt.Bucket(metaBucket)
	if err := errors.Join(records.Put(waveKey, numberKey(w.last)), records.Put(generationKey, g.encode())); err != nil {
		return unwritable(err)
	}
	step("checkpoint")
	w.relief.look(t.bolt) // of what gathering the wave has read
	if err := t.bolt.Commit(); err != nil {
		return unwritable(err)
	}
	step("checkpointed")
	w.t, w.doubt, w.wrote, w.stuck, w.file = nil, false, true, nil, g
	w.scratch.reset()
	w.acked.Store(w.last)
	w.kept.Store(w.last)
	if w.log != nil {
		w.log.reset()
	}
	return nil
}

// failed notes that a checkpoint failed. What the disk has is certain when the
// file, as far as it can be read, has nothing of it, and the log no record that
// was not acknowledged: then waves go on where they were. Else nobody can say,
// before another checkpoint succeeds, and no record may follow.
func (w *writer) failed(err error, spoil bool) {
	if err == nil { // it panicked
		err = unwritable(errors.New("a checkpoint broke off"))
	}
	w.stuck, w.retryAt = err, time.Now().Add(retryAfter)
	if spoil && w.log.spoil() != nil {
		return
	}
	if wave, err := w.fileWave(); err != nil || wave != w.kept.Load() {
		return
	}
	w.last, w.doubt = w.acked.Load(), false
}

// fileWave reads the last wave that the file has.
func (w *writer) fileWave() (wave uint64, err error) {
	err = w.db.View(func(b *bbolt.Tx) error {
		wave = numberOf(b.Bucket(metaBucket).Get(waveKey))
		return nil
	})
	return wave, err
}

// settle makes a checkpoint between waves, and leaves no transaction open.
func (w *writer) settle() (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = recovered(p)
		}
		w.drop()
	}()
	if w.settled() {
		return nil
	}
	t, err := w.begin()
	if err != nil {
		return err
	}
	return w.checkpoint(t)
}

// close makes a last checkpoint, with the list of free pages, which the others
// leave out: so the next opening need not look for them in the whole file. The
// log is removed when nothing is left in it.
func (w *writer) close() error {
	w.whole = true
	pending := !w.settled()
	w.db.NoFreelistSync = !pending
	if err := w.settle(); err != nil {
		if w.log != nil {
			err = errors.Join(err, w.log.disk.Close())
		}
		return err
	}
	if w.wrote && !pending {
		w.db.NoFreelistSync = false
		if err := w.db.Update(func(*bbolt.Tx) error { return nil }); err != nil {
			return err
		}
	}
	step("closing")
	if w.log != nil {
		return w.log.remove()
	}
	return nil
}
