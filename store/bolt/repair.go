package bolt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"go.etcd.io/bbolt"

	"signalbox/store"
)

// RepairOptions say how to repair a store.
type RepairOptions struct {
	Options
	At    store.Time // when, for the history
	Actor string     // by whom, likewise
	// Queue gives the settings that a queue gets whose own can't be read.
	Queue func(name string, f store.Family) store.Queue
}

// Repaired says what a repair did.
type Repaired struct {
	Mended  []string // what was wrong, and is not any more
	Backup  string   // the store as it was; "" when nothing was wrong
	Damaged string   // the file to which unreadable records were added; "" when there was none
}

// rounds bounds how often what was mended is looked at again in one repair.
const rounds = 10

// Repair brings what a store has beside its records (indexes, counters, due
// times, histories) into step with them, and sets aside records that can't be
// read: they are added to path.damaged.jsonl. Before it changes anything the
// file is copied beside itself. A log that is missing is given up. All of it is one transaction, which is kept only
// when nothing wrong is left. Nobody may hold the store (ErrHeld).
func Repair(ctx context.Context, path string, o RepairOptions) (done Repaired, err error) {
	if o.ReadOnly {
		return done, store.Invalid("store "+path, "a repair writes", "open it for writing")
	}
	o.lostLog = true
	s, err := Open(path, o.Options)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	found, err := s.Check(ctx)
	lost := s.writer.file.logged
	if err != nil || len(found) == 0 && !lost {
		return done, err
	}
	if done.Backup, err = copyAside(path); err != nil {
		return done, err
	}
	var kept []byte
	err = s.repair(func(b *bbolt.Tx) error {
		done.Mended, kept, err = mend(ctx, b, o)
		if lost {
			done.Mended = append(done.Mended, "its log is missing: what was acknowledged after the file was last committed is lost")
		}
		if err == nil && len(kept) > 0 {
			done.Damaged, err = appendTo(path+".damaged.jsonl", kept)
		}
		return err
	})
	return done, err
}

// repair runs fn in a transaction of its own, when no call has been made yet.
func (s *Store) repair(fn func(*bbolt.Tx) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = recovered(p)
		}
	}()
	s.writer.wrote = true
	return s.db.Update(fn)
}

// mend audits and mends until an audit finds nothing. What one round mends may
// show what else is wrong.
func mend(ctx context.Context, b *bbolt.Tx, o RepairOptions) (mended []string, kept []byte, err error) {
	next := uint64(0)
	for round := range rounds {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		a := newAudit(b)
		if err := a.run(); err != nil {
			return nil, nil, err
		}
		if len(a.findings) == 0 {
			return mended, kept, nil
		}
		next = max(next, a.numbered()+1)
		m := &mender{b: b, a: a, at: o.At, actor: o.Actor, queueOf: o.Queue, broken: map[store.ID]bool{}, next: next}
		for _, f := range a.findings {
			if err := f.mend(m); err != nil {
				return nil, nil, err
			}
		}
		if mended = append(mended, a.problems()...); round == 0 {
			m.append(store.Change{At: o.At, Actor: o.Actor, Event: "repair", Why: fmt.Sprintf("%d things were wrong", len(a.findings))})
		}
		if err := m.finish(); err != nil {
			return nil, nil, err
		}
		next, kept = m.next, append(kept, m.kept...)
	}
	return nil, nil, damaged("store", errors.New("what is wrong in it can't be mended"))
}

// numbered is the highest Seq that anything in the store tells of.
func (a *audit) numbered() uint64 {
	highest := a.highest
	for _, q := range a.queues {
		q.life.each(func(_ uint64, l *lived) { highest = max(highest, l.last) })
		c := q.root.Cursor()
		for k, v := c.Seek([]byte(markPrefix)); k != nil && strings.HasPrefix(string(k), markPrefix); k, v = c.Next() {
			highest = max(highest, numberOf(v))
		}
	}
	return highest
}

// copyAside copies a store's file beside it, over no other.
func copyAside(path string) (string, error) {
	for n := 1; ; n++ {
		to := path + ".before-repair"
		if n > 1 {
			to = fmt.Sprintf("%s.%d", to, n)
		}
		if !exists(to) {
			return to, errors.Join(copyFile(to, path), syncDir(filepath.Dir(path)))
		}
	}
}

// appendTo adds to a file; it is on disk afterwards.
func appendTo(path string, content []byte) (string, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return "", unreachable(path, err)
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Sync(), f.Close(), syncDir(filepath.Dir(path))); err != nil {
		return "", unreachable(path, err)
	}
	return path, nil
}

func compareIDs(a, b store.ID) int {
	return cmp.Or(strings.Compare(a.Queue, b.Queue), cmp.Compare(a.Number, b.Number))
}
