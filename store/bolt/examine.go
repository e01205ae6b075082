package bolt

import (
	"context"
	"errors"
	"slices"

	"signalbox/store"
)

// maxWrong bounds what one examination keeps in memory.
const maxWrong = 20000

var _ store.Examiner = (*Store)(nil)

// Examine implements store.Examiner, with the audit that Check and Repair use.
// Its findings are mended in transactions of the writer's, which holds up others
// only as long as one mend takes: entries are put or removed if all that they
// depend on is as it was in the picture, and counters changed by the difference
// that there was in it, which nobody's changes since touch.
func (s *Store) Examine(ctx context.Context, o store.Examination) (list []store.Wrong, err error) {
	err = s.View(ctx, func(r store.Reader) error {
		of, ok := r.(*reader)
		if !ok { // the file lacks what was acknowledged
			return store.Unavailable("store "+s.path, errors.New("its file can't be written at the moment"), "make room on the disk and try again")
		}
		a := newAudit(of.bolt)
		a.live, a.limit, a.seen, a.stop = true, maxWrong, o.Seen, ctx.Err
		if err := a.run(); err != nil {
			return err
		}
		a.look()
		list = a.wrongs(o)
		return nil
	})
	return list, err
}

// look finds out what mends need that would take them long.
func (a *audit) look() {
	m := &mender{b: a.b, a: a}
	broken := map[store.ID]bool{}
	for _, q := range a.queues {
		if q.uncounted {
			q.told = m.numberIn(q.name)
		}
		q.life.each(func(number uint64, l *lived) {
			if l.astray() {
				broken[q.id(number)] = true
			}
		})
	}
	a.blocks = blocksOf(a.b, broken)
}

func (a *audit) wrongs(o store.Examination) (list []store.Wrong) {
	mended := map[string]bool{}
	for _, f := range a.findings {
		again := f.once != "" && mended[f.once]
		mended[f.once] = true
		list = append(list, store.NewWrong(f.text, func(t store.Tx, at store.Time, actor string) (store.Mended, error) {
			if again {
				return store.Mended{Done: true}, nil
			}
			own, ok := t.(*tx)
			if !ok {
				return store.Mended{}, store.Invalid("a transaction of another store", "it can't mend this one", "use the store's own")
			}
			m := &mender{a: a, at: at, actor: actor, queueOf: o.Queue, broken: map[store.ID]bool{}}
			done, err := own.mend(m, f)
			return store.Mended{Done: done, Queue: f.queue, Aside: m.kept}, err
		}))
	}
	return list
}

// mend mends a finding of another transaction in this one, if it still holds.
func (t *tx) mend(m *mender, f *finding) (done bool, err error) {
	if err := t.land(); err != nil {
		return false, err
	}
	m.t, m.b, m.next = t, t.bolt, t.last+1
	m.a.bind(t)
	if slices.ContainsFunc(f.still, func(holds func() bool) bool { return !holds() }) {
		return false, nil
	}
	if err := f.mend(m); err != nil {
		return false, err
	}
	if err := m.finish(); err != nil {
		return false, err
	}
	t.last = m.next - 1
	return true, t.land()
}

// land brings to bbolt all that is held back, and forgets all that is
// remembered, so that what is written past the transaction's own ways is seen.
func (t *tx) land() error {
	if err := t.flushDue(); err != nil {
		return err
	}
	if err := t.finish(); err != nil {
		return err
	}
	if err := t.flush(); err != nil {
		return err
	}
	clear(t.opened)
	t.jobTables = jobTables{}
	return nil
}

// bind has an audit see a transaction's state. A queue that is gone has no root.
func (a *audit) bind(t *tx) {
	a.b = t.bolt
	for _, q := range a.queues {
		q.root = t.bolt.Bucket(familyBucket(q.family)).Bucket([]byte(q.name))
	}
}
