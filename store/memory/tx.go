package memory

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strconv"

	"signalbox/store"
)

// tx is an Update's own copy of the state.
type tx struct {
	*state
	own map[string]bool // queues that are copies of this transaction already
}

// change gives a queue that may be changed.
func (t *tx) change(name string) (*queue, error) {
	q, err := t.queue(name)
	if err != nil || t.own[name] {
		return q, err
	}
	q = q.copy()
	t.queues[name], t.own[name] = q, true
	return q, nil
}

// PutQueue implements store.Tx. A queue's family is for life.
func (t *tx) PutQueue(v *store.Queue) error {
	thing := "queue " + strconv.Quote(v.Name)
	if v.Name == "" || v.Family != store.Jobs && v.Family != store.Transactions {
		return store.Invalid(thing, "needs a name and a family", "give it both")
	}
	q, err := t.change(v.Name)
	if err != nil {
		q = newQueue()
		q.last = t.numbers[v.Name]
		t.queues[v.Name], t.own[v.Name] = q, true
	} else if q.settings.Family != v.Family {
		return store.Conflict(thing, "a queue keeps its family", "delete it first, or take another name")
	}
	v.Revision = q.settings.Revision + 1
	q.settings = copySettings(*v)
	return nil
}

// DeleteQueue implements store.Tx.
func (t *tx) DeleteQueue(name string) error {
	q, err := t.queue(name)
	if err != nil {
		return err
	}
	t.numbers[name] = q.last
	for _, id := range t.of(name) {
		_ = t.DeleteJob(id) // which is there
	}
	delete(t.queues, name)
	delete(t.own, name)
	maps.DeleteFunc(t.marks, func(m mark, _ uint64) bool { return m.queue == name })
	return nil
}

// Add implements store.Tx.
func (t *tx) Add(i *store.Item, payload []byte, c store.Change) error {
	q, err := t.change(i.Queue)
	if err != nil {
		return err
	}
	if i.Status == 0 {
		return noStatus(i)
	}
	if i.Weight != 0 && (t.byID[i.Job] == nil || t.byID[i.Job].record.Queue != i.Queue) {
		return store.NoJob(i.Job)
	}
	q.last++
	i.Number, i.Revision, i.LastChange = q.last, 1, 0
	t.replace(q, nil, i, &c, &record{payload: bytes.Clone(payload)})
	return nil
}

// Put implements store.Tx.
func (t *tx) Put(i *store.Item, c *store.Change) error {
	old, err := t.record(i.ID())
	if err != nil {
		return err
	}
	if i.Status == 0 {
		return noStatus(i)
	}
	q, err := t.change(i.Queue)
	if err != nil {
		return err
	}
	if i.Job != old.item.Job || i.Weight != old.item.Weight {
		return store.Conflict("item "+strconv.Quote(i.ID().String()), "an item keeps its job and weight", "add another item")
	}
	i.Revision, i.LastChange = old.item.Revision+1, old.item.LastChange
	t.replace(q, old, i, c, &record{payload: old.payload, result: old.result})
	return nil
}

func noStatus(i *store.Item) error {
	return store.Invalid("item of queue "+strconv.Quote(i.Queue), "has no status", "give it one")
}

// replace puts an item in the place of old, which is nil for a new one, and
// keeps the trees and counts in step.
func (t *tx) replace(q *queue, old *record, i *store.Item, c *store.Change, now *record) {
	if i.Chain.IsZero() {
		i.Chain = i.ID()
	}
	if c != nil {
		change := *c
		change.Queue, change.Number, change.Prev = i.Queue, i.Number, i.LastChange
		i.LastChange = t.append(change)
	}
	now.item = copyItem(*i)
	ripened := false
	if old != nil {
		ripened = q.remove(old) && old.item.ReadyAt() == i.ReadyAt()
	}
	q.insert(now, ripened)
}

// remove takes a record out; true if it was waiting and had been ripened.
func (q *queue) remove(r *record) (ripened bool) {
	q.items.Delete(r)
	q.counts[r.item.Status]--
	q.tally(&r.item, -1)
	q.leases.Delete(r)
	q.untold.Delete(r)
	q.references.Delete(r)
	if keyed, ok := q.keys.Get(r); ok && keyed == r {
		q.keys.Delete(r)
	}
	if !r.item.Status.Waiting() {
		return false
	}
	if r.item.Withheld {
		return false
	}
	q.waiting.Delete(r)
	_, delayed := q.delayed.Delete(r)
	return !delayed
}

func (q *queue) insert(r *record, ripened bool) {
	q.items.ReplaceOrInsert(r)
	q.counts[r.item.Status]++
	q.tally(&r.item, 1)
	if r.item.Key != "" {
		q.keys.ReplaceOrInsert(r)
	}
	if r.item.Reference != "" {
		q.references.ReplaceOrInsert(r)
	}
	if r.item.Status.InFlight() && r.item.LeaseUntil != 0 {
		q.leases.ReplaceOrInsert(r)
	}
	if r.item.NextDate() != 0 {
		q.untold.ReplaceOrInsert(r)
	}
	if !r.item.Status.Waiting() || r.item.Withheld {
		return
	}
	q.waiting.ReplaceOrInsert(r)
	if r.item.ReadyAt() != 0 && !ripened {
		q.delayed.ReplaceOrInsert(r)
	}
}

// PutPayload implements store.Tx.
func (t *tx) PutPayload(id store.ID, payload []byte) error {
	return t.rewrite(id, func(r *record) { r.payload = bytes.Clone(payload) })
}

// PutResult implements store.Tx.
func (t *tx) PutResult(id store.ID, v store.Result) error {
	return t.rewrite(id, func(r *record) { r.result = copyResult(v) })
}

// rewrite changes what stands beside an item.
func (t *tx) rewrite(id store.ID, fn func(*record)) error {
	old, err := t.record(id)
	if err != nil {
		return err
	}
	q, err := t.change(id.Queue)
	if err != nil {
		return err
	}
	r := *old
	fn(&r)
	q.insert(&r, q.remove(old))
	return nil
}

// Append implements store.Tx.
func (t *tx) Append(c store.Change) error {
	c.Prev = 0
	t.append(c)
	return nil
}

func (t *tx) append(c store.Change) uint64 {
	last, _ := t.LastChange() // never fails
	c.Seq = last + 1
	t.changes = append(t.changes, c)
	return c.Seq
}

// PutPool implements store.Tx.
func (t *tx) PutPool(p *store.Pool) error {
	p.Revision = t.pool.Revision + 1
	t.pool = *p
	return nil
}

// Expired implements store.Tx.
func (t *tx) Expired(now store.Time, limit int) ([]store.Item, error) {
	var list []store.Item
	for _, q := range t.queues {
		for r := range all(q.leases) {
			if r.item.LeaseUntil > now {
				break
			}
			list = append(list, copyItem(r.item))
		}
	}
	slices.SortFunc(list, func(a, b store.Item) int {
		return cmp.Or(cmp.Compare(a.LeaseUntil, b.LeaseUntil), cmp.Compare(a.Queue, b.Queue), cmp.Compare(a.Number, b.Number))
	})
	return list[:min(len(list), max(limit, 0))], nil
}

// Passed implements store.Tx.
func (t *tx) Passed(now store.Time, limit int) ([]store.Item, error) {
	var list []store.Item
	for _, q := range t.queues {
		n := 0
		for r := range all(q.untold) {
			if n++; r.item.NextDate() > now || n > limit {
				break
			}
			list = append(list, copyItem(r.item))
		}
	}
	slices.SortFunc(list, func(a, b store.Item) int {
		return cmp.Or(cmp.Compare(a.NextDate(), b.NextDate()), cmp.Compare(a.Queue, b.Queue), cmp.Compare(a.Number, b.Number))
	})
	return list[:min(len(list), max(limit, 0))], nil
}

// Ripen implements store.Tx.
func (t *tx) Ripen(now store.Time) ([]string, error) {
	var names []string
	for name, q := range t.queues {
		if r, ok := q.delayed.Min(); !ok || r.item.ReadyAt() > now {
			continue
		}
		names = append(names, name)
		q, err := t.change(name)
		if err != nil {
			return nil, err
		}
		for r, ok := q.delayed.Min(); ok && r.item.ReadyAt() <= now; r, ok = q.delayed.Min() {
			q.delayed.DeleteMin()
		}
	}
	slices.Sort(names)
	return names, nil
}
