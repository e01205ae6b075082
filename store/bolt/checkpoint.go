package bolt

import (
	"errors"
	"os"

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
func (w *writer) recover() error {
	log, id, err := openLog(logPath(w.path), w.noSync)
	if err != nil {
		return err
	}
	if log == nil {
		return w.removeRest()
	}
	if w.log = log; string(id) != string(w.id) {
		err = log.foreign()
	} else {
		w.last, err = log.find(w.kept.Load())
	}
	if err != nil {
		return errors.Join(err, log.disk.Close())
	}
	w.acked.Store(w.last)
	if err := w.settle(); err != nil {
		return errors.Join(err, log.disk.Close())
	}
	step("recovered")
	w.log = nil
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
// somebody wants one or it is time for one.
func (w *writer) keep(t *tx, commit bool) error {
	if t.writes > 0 {
		if err := t.finish(); err != nil {
			return err
		}
		w.last++
		if !commit && w.logged(t) {
			w.acked.Store(w.last)
			return nil
		}
	}
	if t.writes == 0 && !commit || w.kept.Load() == w.last {
		return nil
	}
	return w.checkpoint(t)
}

// logged says that the wave was made durable by the log.
func (w *writer) logged(t *tx) bool {
	if w.doubt || t.recording.over || t.total+t.writes > maxHeld || t.scattered > maxScattered || !w.logging() || !w.log.fits(t.recording.buf) {
		return false
	}
	if err := w.log.append(w.last, t.recording.buf); err != nil {
		w.doubt = true // the checkpoint that follows makes it certain
		return false
	}
	return true
}

// logging says that there is a log, made if it is time to. Where none can be
// made all waves are committed.
func (w *writer) logging() bool {
	if w.log != nil {
		return true
	}
	if w.direct++; w.direct <= logAfter {
		return false
	}
	log, err := createLog(logPath(w.path), w.id, w.noSync)
	if err != nil {
		w.direct = 0
		return false
	}
	w.log = log
	return true
}

// checkpoint commits the open transaction. When that fails, however it does,
// nobody can say what the disk has, before another checkpoint succeeds: the
// wave's record must not be read again, and no other may follow.
func (w *writer) checkpoint(t *tx) error {
	spoil := w.doubt && w.log != nil
	w.doubt = true
	defer func() {
		if w.doubt && spoil {
			w.log.spoil()
		}
	}()
	if err := t.flush(); err != nil {
		return err
	}
	if err := t.bolt.Bucket(metaBucket).Put(waveKey, numberKey(w.last)); err != nil {
		return unwritable(err)
	}
	step("checkpoint")
	if err := t.bolt.Commit(); err != nil {
		return unwritable(err)
	}
	step("checkpointed")
	w.t, w.doubt, w.wrote = nil, false, true
	w.scratch.reset()
	w.acked.Store(w.last)
	w.kept.Store(w.last)
	if w.log != nil {
		w.log.reset()
	}
	return nil
}

// settle makes a checkpoint between waves, and leaves no transaction open.
func (w *writer) settle() (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = recovered(p)
		}
		w.drop()
	}()
	if w.kept.Load() == w.acked.Load() {
		return nil
	}
	t, err := w.begin()
	if err != nil {
		return err
	}
	return w.keep(t, true)
}

// close makes a last checkpoint, with the list of free pages, which the others
// leave out: so the next opening need not look for them in the whole file. The
// log is removed when nothing is left in it.
func (w *writer) close() error {
	pending := w.kept.Load() != w.acked.Load()
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
