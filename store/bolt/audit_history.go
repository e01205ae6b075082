package bolt

import (
	"bytes"
	"strings"

	"signalbox/store"
)

// lived is what an audit remembers of an item.
type lived struct {
	record, linked, broken bool
	status                 store.Status // 0: it has none
	to                     store.Status // as its newest change says
	last                   uint64       // its newest change, as it says
	seen                   uint64       // and as the history has it
}

// lifePage is how many items with following numbers are remembered together.
const lifePage = 256

// life remembers a queue's items by number.
type life map[uint64]*[lifePage]lived

func (l life) of(number uint64) *lived {
	page := l[number/lifePage]
	if page == nil {
		page = new([lifePage]lived)
		l[number/lifePage] = page
	}
	return &page[number%lifePage]
}

// each goes through all that are remembered, in no order.
func (l life) each(fn func(number uint64, of *lived)) {
	for at, page := range l {
		for n := range page {
			if page[n].record {
				fn(at*lifePage+uint64(n), &page[n])
			}
		}
	}
}

// living gives an item that a change is of, nil when it is gone.
func (a *audit) living(c *store.Change) *lived {
	q := a.queues[c.Queue]
	if q == nil || c.Number == 0 {
		return nil
	}
	page := q.life[c.Number/lifePage]
	if page == nil || page[c.Number%lifePage].status == 0 {
		return nil
	}
	return &page[c.Number%lifePage]
}

// history reads the whole stream, and wants each item's changes in it chained.
func (a *audit) history() {
	c := a.b.Bucket(historyBucket).Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		first := numberOf(k)
		block, err := openBlock(first, v)
		if err == nil && (len(k) != numberLen || first <= a.highest) {
			err = errDamaged
		}
		for err == nil && block.next() {
			a.change(&block.at)
		}
		if err != nil || block.bad {
			key, value := bytes.Clone(k), bytes.Clone(v)
			a.found(func(m *mender) error {
				m.keep("history", "", key, value)
				return m.removeTop(historyBucket, key)
			}, "the history from change %d on can't be read", first).top(a, historyBucket, key)
		}
	}
	for _, q := range a.queues {
		q.life.each(func(number uint64, l *lived) {
			if l.status != 0 {
				a.chain(q, number, l)
			}
		})
		a.marks(q)
	}
}

func (a *audit) change(c *store.Change) {
	a.highest = max(a.highest, c.Seq)
	l := a.living(c)
	if l == nil {
		return
	}
	l.broken = l.broken || c.Prev != l.seen
	l.seen, l.to = c.Seq, c.To
}

// astray says that an item's changes are not chained up to its newest.
func (l *lived) astray() bool {
	return l.status != 0 && (l.broken || l.seen != l.last || l.seen == 0) // an item's first change is its adding
}

func (a *audit) chain(q *inventory, number uint64, l *lived) {
	id := q.id(number)
	switch {
	case l.astray():
		a.found(func(m *mender) error { return m.relink(id) }, "the history of item %s is not whole: it ends with change %d, and should with %d", id, l.seen, l.last).item(q, number)
	case l.to != 0 && l.to != l.status:
		is, was := l.status, l.to
		a.found(func(m *mender) error {
			return m.record(q, number, store.Change{From: was, To: is, Why: "its last change said " + was.String()})
		}, "item %s is %s, its last change says %s", id, l.status, l.to).item(q, number)
	}
}

// marks finds marks that can't be read; from 0 whoever keeps them starts again.
func (a *audit) marks(q *inventory) {
	c := q.root.Cursor()
	for k, v := c.Seek([]byte(markPrefix)); k != nil && strings.HasPrefix(string(k), markPrefix); k, v = c.Next() {
		if len(v) == numberLen {
			continue
		}
		key := bytes.Clone(k)
		a.found(func(m *mender) error { return m.putOwn(q, key, numberKey(0)) }, "queue %s: its %s can't be read", q.name, key).own(q, key)
	}
}
