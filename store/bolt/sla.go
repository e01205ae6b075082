package bolt

import (
	"signalbox/store"
)

// What an entry of the sla index is about. Its key is the time, this, and the
// item's number.
const (
	dueAlone byte = iota + 1 // a waiting item's due date
	dueRisky                 // the due date of one that has a risk date before it
	risk                     // a waiting item's risk date, when it is not behind the due date
)

// slaCounters count a queue's waiting items by their dates. The index is in
// order of time, and the counts are of the entries up to the mark; what has come
// since is walked by who asks, and counted in by the next change of a dated
// item. So nobody ever goes through more than has come since the last change.
type slaCounters struct {
	built    bool // the index is there
	mark     store.Time
	dated    int64 // waiting items with a due or risk date
	due      int64 // entries of each kind up to the mark
	dueRisky int64
	risk     int64
}

func (n *slaCounters) code(c *coder) {
	c.bool(40, &n.built)
	c.time(41, &n.mark)
	c.int64(42, &n.dated)
	c.int64(43, &n.due)
	c.int64(44, &n.dueRisky)
	c.int64(45, &n.risk)
}

// add counts an entry.
func (n *slaCounters) add(kind byte, by int64) {
	switch kind {
	case dueAlone:
		n.due += by
	case dueRisky:
		n.dueRisky += by
	case risk:
		n.risk += by
	}
}

// standings gives the counts in the store's words: an item that is overdue has
// passed its risk date too.
func (n *slaCounters) standings() store.Standings {
	s := store.Standings{Overdue: n.due + n.dueRisky, AtRisk: n.risk - n.dueRisky}
	s.OnTime = n.dated - s.Overdue - s.AtRisk
	return s
}

// slaEntry is one entry of the index.
type slaEntry struct {
	at   store.Time
	kind byte
}

// slaEntries gives an item's entries; a zero time is none.
func slaEntries(i *store.Item) (entries [2]slaEntry) {
	if !i.Status.Waiting() {
		return entries
	}
	risky := i.RiskAt != 0 && (i.DueAt == 0 || i.RiskAt < i.DueAt)
	if i.DueAt != 0 {
		entries[0] = slaEntry{i.DueAt, dueAlone}
		if risky {
			entries[0].kind = dueRisky
		}
	}
	if risky {
		entries[1] = slaEntry{i.RiskAt, risk}
	}
	return entries
}

func (e slaEntry) key(b []byte, number uint64) []byte {
	return appendNumber(append(appendTime(b, e.at), e.kind), number)
}

// indexSLA moves an item's entries from what it was to what it is.
func (t *tx) indexSLA(q *queue, old, now *store.Item) {
	from, to := slaEntries(old), slaEntries(now)
	if from == to {
		return
	}
	counts := &q.counters.sla
	if counts.built {
		t.advanceSLA(q)
	}
	was, is := 0, 0
	for n := range from {
		if from[n] == to[n] {
			continue
		}
		was += t.removeSLA(q, from[n], now.Number)
		is += t.putSLA(q, to[n], now.Number)
	}
	q.dirty = true
	if !counts.built { // for want of items that can be read: they are counted when it is
		return
	}
	had, has := from != [2]slaEntry{}, to != [2]slaEntry{}
	if had && !has && was > 0 {
		counts.dated--
	}
	if has && !had && is > 0 {
		counts.dated++
	}
}

// putSLA enters what is not there yet, and says how many entries that were.
func (t *tx) putSLA(q *queue, e slaEntry, number uint64) int {
	var key [24]byte
	if e.at == 0 || q.get(sla, e.key(key[:0], number)) != nil {
		return 0
	}
	t.put(q, sla, e.key(key[:0], number), slaValue)
	if e.at <= q.counters.sla.mark {
		q.counters.sla.add(e.kind, 1)
	}
	return 1
}

func (t *tx) removeSLA(q *queue, e slaEntry, number uint64) int {
	var key [24]byte
	if e.at == 0 || q.get(sla, e.key(key[:0], number)) == nil {
		return 0
	}
	t.remove(q, sla, e.key(key[:0], number))
	if e.at <= q.counters.sla.mark {
		q.counters.sla.add(e.kind, -1)
	}
	return 1
}

var slaValue = []byte{1} // a value tells a key that is there

// advanceSLA counts in what has come since the mark. The time is that of the
// change under way.
func (t *tx) advanceSLA(q *queue) {
	if t.at > q.counters.sla.mark {
		q.passed(&q.counters.sla, t.at)
		q.dirty = true
	}
}

// passed adds the entries between the counters' mark and a later instant.
func (q *queue) passed(n *slaCounters, now store.Time) {
	if now <= n.mark {
		return
	}
	if c := q.walk(sla); c != nil && n.dated > 0 {
		for k, _ := c.Seek(appendTime(nil, n.mark+1)); k != nil && timeOf(k) <= now; k, _ = c.Next() {
			if len(k) > 8 {
				n.add(k[8], 1)
			}
		}
	}
	n.mark = now
}

// slaIndex is how queues from before the index get it. What has passed is counted in
// by the first change of a dated item.
var slaIndex = newer{
	space:    sla,
	all:      []byte("sla"),
	statuses: slaStatuses,
	has:      func(n *counters) bool { return n.sla.built },
	enter: func(t *tx, q *queue, i *store.Item) bool {
		entries := slaEntries(i)
		for _, e := range entries {
			if e.at != 0 {
				t.put(q, sla, e.key(nil, i.Number), slaValue)
			}
		}
		return entries != [2]slaEntry{}
	},
	whole: func(n *counters, items int64) { n.sla = slaCounters{built: true, dated: items} },
}

// slaStatuses are those of items that count.
var slaStatuses = []store.Status{store.Queued, store.Pending}

// each reads all items of some statuses but those that are set aside.
func (q *queue) each(statuses []store.Status, fn func(*store.Item)) {
	var numbers []uint64
	for _, s := range statuses {
		if q.counters.items[s] == 0 {
			continue
		}
		c := q.walk(status)
		for k, _ := c.Seek([]byte{byte(s)}); len(k) > 0 && k[0] == byte(s); k, _ = c.Next() {
			numbers = append(numbers, numberOf(k))
		}
	}
	for _, number := range numbers {
		if i, err := q.item(number); err == nil {
			fn(&i)
		}
	}
}

// standings counts a queue's waiting items by their dates as of now, and gives
// the next date of one.
func (q *queue) standings(now store.Time) (s store.Standings, next store.Time) {
	n := q.counters.sla
	if !n.built {
		n = q.lookSLA(now)
	}
	q.passed(&n, now)
	if c := q.walk(sla); c != nil {
		if k, _ := c.Seek(appendTime(nil, now+1)); k != nil {
			next = timeOf(k)
		}
	}
	return n.standings(), next
}

// lookSLA counts the items of a queue without the index.
func (q *queue) lookSLA(now store.Time) (n slaCounters) {
	n.mark = now
	q.each(slaStatuses, func(i *store.Item) {
		entries := slaEntries(i)
		if entries == [2]slaEntry{} {
			return
		}
		n.dated++
		for _, e := range entries {
			if e.at != 0 && e.at <= now {
				n.add(e.kind, 1)
			}
		}
	})
	return n
}
