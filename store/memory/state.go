package memory

import (
	"bytes"
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/google/btree"

	"signalbox/store"
)

// state is all a store holds. A state in place is never changed.
type state struct {
	queues  map[string]*queue
	numbers map[string]uint64 // the last number of queues that were deleted
	changes []store.Change    // in order of Seq
	marks   map[mark]uint64
	pool    store.Pool
	jobs
	holds holds
}

// copy shares the arrays of changes and holds: a state never looks past its own length, so
// what one later state appends there, or leaves behind when it fails, is no
// other's concern.
func (s *state) copy() *state {
	return &state{queues: maps.Clone(s.queues), numbers: maps.Clone(s.numbers), changes: s.changes, marks: maps.Clone(s.marks), pool: s.pool, jobs: s.jobs.copy(), holds: s.holds}
}

type queue struct {
	settings store.Queue
	last     uint64
	counts   store.Counts
	tallies  map[string]store.JobCounts // by job; without what depends on the time
	withheld int64

	items      tree // by number
	waiting    tree // in claim order, those that are not withheld
	delayed    tree // waiting and not ripened, by ReadyAt
	leases     tree // in flight with a lease that ends, by its end
	untold     tree // with a NextDate, by it
	keys       tree // with a key, by it
	references tree // with a reference, by it and number
}

type tree = *btree.BTreeG[*record]

// record is one item with what belongs to it. A record in a tree is never
// changed, only replaced.
type record struct {
	item    store.Item
	payload []byte
	result  store.Result
}

func newQueue() *queue {
	return &queue{
		tallies:    map[string]store.JobCounts{},
		items:      newTree(func(a, b *store.Item) int { return cmp.Compare(a.Number, b.Number) }),
		waiting:    newTree(claimOrder),
		delayed:    newTree(readyOrder),
		leases:     newTree(leaseOrder),
		untold:     newTree(dateOrder),
		keys:       newTree(func(a, b *store.Item) int { return strings.Compare(a.Key, b.Key) }),
		references: newTree(referenceOrder),
	}
}

func newTree(order func(a, b *store.Item) int) tree {
	return btree.NewG(16, func(a, b *record) bool { return order(&a.item, &b.item) < 0 })
}

func (q *queue) copy() *queue {
	c := *q
	c.tallies = maps.Clone(q.tallies)
	for _, t := range []*tree{&c.items, &c.waiting, &c.delayed, &c.leases, &c.untold, &c.keys, &c.references} {
		*t = (*t).Clone()
	}
	return &c
}

// claimOrder compares two waiting items: those with a due date first, by
// priority and date; then the others by priority; then by number.
func claimOrder(a, b *store.Item) int {
	if (a.DueAt == 0) != (b.DueAt == 0) {
		if a.DueAt != 0 {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(a.Priority, b.Priority), cmp.Compare(a.DueAt, b.DueAt), cmp.Compare(a.Number, b.Number))
}

func readyOrder(a, b *store.Item) int {
	return cmp.Or(cmp.Compare(a.ReadyAt(), b.ReadyAt()), cmp.Compare(a.Number, b.Number))
}

func leaseOrder(a, b *store.Item) int {
	return cmp.Or(cmp.Compare(a.LeaseUntil, b.LeaseUntil), cmp.Compare(a.Number, b.Number))
}

func dateOrder(a, b *store.Item) int {
	return cmp.Or(cmp.Compare(a.NextDate(), b.NextDate()), cmp.Compare(a.Number, b.Number))
}

func referenceOrder(a, b *store.Item) int {
	return cmp.Or(strings.Compare(a.Reference, b.Reference), cmp.Compare(a.Number, b.Number))
}

// all yields a tree's records in order.
func all(t tree) iter.Seq[*record] {
	return func(yield func(*record) bool) { t.Ascend(yield) }
}

func (s *state) queue(name string) (*queue, error) {
	if q := s.queues[name]; q != nil {
		return q, nil
	}
	return nil, store.NoQueue(name)
}

func (s *state) record(id store.ID) (*record, error) {
	q, err := s.queue(id.Queue)
	if err != nil {
		return nil, err
	}
	if r, ok := q.items.Get(&record{item: store.Item{Number: id.Number}}); ok {
		return r, nil
	}
	return nil, store.NoItem(id)
}

// Queues implements store.Reader.
func (s *state) Queues() ([]store.Queue, error) {
	var list []store.Queue
	for _, name := range slices.Sorted(maps.Keys(s.queues)) {
		list = append(list, copySettings(s.queues[name].settings))
	}
	return list, nil
}

// Queue implements store.Reader.
func (s *state) Queue(name string) (store.Queue, error) {
	q, err := s.queue(name)
	if err != nil {
		return store.Queue{}, err
	}
	return copySettings(q.settings), nil
}

// count adds an item to what is said of dates.
func count(stats *store.Stats, i *store.Item, now store.Time) {
	if !i.Status.Waiting() {
		return
	}
	stats.Standings.Add(i, now)
	for _, at := range []store.Time{i.DueAt, i.RiskAt} {
		counts := at == i.DueAt || i.DueAt == 0 || at < i.DueAt // a risk date behind the due date says nothing
		if at > now && counts && (stats.NextDate == 0 || at < stats.NextDate) {
			stats.NextDate = at
		}
	}
}

// Stats implements store.Reader.
func (s *state) Stats(name string, now store.Time) (store.Stats, error) {
	q, err := s.queue(name)
	if err != nil {
		return store.Stats{}, err
	}
	stats := store.Stats{Counts: q.counts, Delayed: int64(q.delayed.Len()), Last: q.last, Withheld: q.withheld}
	tree := q.waiting
	if q.withheld > 0 { // those stand in no order
		tree = q.items
	}
	for r := range all(tree) {
		count(&stats, &r.item, now)
	}
	for r := range all(q.delayed) {
		if at := r.item.ReadyAt(); at > now {
			stats.NextReady = at
			break
		}
		stats.Delayed--
	}
	return stats, nil
}

// Item implements store.Reader.
func (s *state) Item(id store.ID) (store.Item, error) {
	r, err := s.record(id)
	if err != nil {
		return store.Item{}, err
	}
	return copyItem(r.item), nil
}

// Payload implements store.Reader.
func (s *state) Payload(id store.ID) ([]byte, error) {
	r, err := s.record(id)
	if err != nil {
		return nil, err
	}
	return bytes.Clone(r.payload), nil
}

// Result implements store.Reader.
func (s *state) Result(id store.ID) (store.Result, error) {
	r, err := s.record(id)
	if err != nil {
		return store.Result{}, err
	}
	return copyResult(r.result), nil
}

// ByKey implements store.Reader.
func (s *state) ByKey(name, key string) (store.ID, error) {
	q, err := s.queue(name)
	if err != nil {
		return store.ID{}, err
	}
	if r, ok := q.keys.Get(&record{item: store.Item{Key: key}}); ok {
		return r.item.ID(), nil
	}
	return store.ID{}, nil
}

// Groups implements store.Reader: by queue, status, kind and text.
func (s *state) Groups(name string) ([]store.Group, error) {
	if name != "" {
		if _, err := s.queue(name); err != nil {
			return nil, err
		}
	}
	counts := map[store.Group]int64{}
	for _, q := range s.queues {
		if name != "" && q.settings.Name != name {
			continue
		}
		for r := range all(q.items) {
			if i := &r.item; i.Group != "" {
				counts[store.Group{Queue: i.Queue, Status: i.Status, Kind: i.ErrorKind(), Text: i.Group}]++
			}
		}
	}
	var list []store.Group
	for g, n := range counts {
		g.Count = n
		list = append(list, g)
	}
	slices.SortFunc(list, func(a, b store.Group) int {
		return cmp.Or(strings.Compare(a.Queue, b.Queue), cmp.Compare(a.Status, b.Status), strings.Compare(a.Kind, b.Kind), strings.Compare(a.Text, b.Text))
	})
	return list, nil
}

// Ready implements store.Reader.
func (s *state) Ready(name string, now store.Time) iter.Seq2[store.Item, error] {
	return func(yield func(store.Item, error) bool) {
		q, err := s.queue(name)
		if err != nil {
			yield(store.Item{}, err)
			return
		}
		for r := range all(q.waiting) {
			if r.item.ReadyAt() <= now && !yield(copyItem(r.item), nil) {
				return
			}
		}
	}
}

// NextDue implements store.Reader.
func (s *state) NextDue() (store.Time, error) {
	next := store.Time(0)
	for _, q := range s.queues {
		if r, ok := q.delayed.Min(); ok && (next == 0 || r.item.ReadyAt() < next) {
			next = r.item.ReadyAt()
		}
		if r, ok := q.leases.Min(); ok && (next == 0 || r.item.LeaseUntil < next) {
			next = r.item.LeaseUntil
		}
	}
	return next, nil
}

// NextDate implements store.Reader.
func (s *state) NextDate() (store.Time, error) {
	next := store.Time(0)
	for _, q := range s.queues {
		if r, ok := q.untold.Min(); ok && (next == 0 || r.item.NextDate() < next) {
			next = r.item.NextDate()
		}
	}
	return next, nil
}

// History implements store.Reader.
func (s *state) History(id store.ID, limit int) ([]store.Change, error) {
	r, err := s.record(id)
	if err != nil {
		return nil, err
	}
	var list []store.Change
	for seq := r.item.LastChange; seq != 0 && len(list) < limit; {
		c := s.changes[s.from(seq)]
		list = append(list, c)
		seq = c.Prev
	}
	return list, nil
}

// Changes implements store.Reader.
func (s *state) Changes(after uint64, limit int) ([]store.Change, error) {
	list := s.changes[s.from(after+1):]
	return slices.Clone(list[:min(len(list), max(limit, 0))]), nil
}

// from gives the index of the first change with this Seq or a later one.
func (s *state) from(seq uint64) int {
	i, _ := slices.BinarySearchFunc(s.changes, seq, func(c store.Change, seq uint64) int { return cmp.Compare(c.Seq, seq) })
	return i
}

// LastChange implements store.Reader.
func (s *state) LastChange() (uint64, error) {
	if n := len(s.changes); n > 0 {
		return s.changes[n-1].Seq, nil
	}
	return 0, nil
}

// Pool implements store.Reader.
func (s *state) Pool() (store.Pool, error) { return s.pool, nil }

func copyItem(i store.Item) store.Item {
	if i.Error != nil {
		failure := *i.Error
		failure.Details = ""
		i.Error = &failure
	}
	if i.Undo != nil {
		undo := *i.Undo
		undo.Payload = bytes.Clone(undo.Payload)
		i.Undo = &undo
	}
	return i
}

func copyResult(r store.Result) store.Result {
	return store.Result{Output: bytes.Clone(r.Output), Analytics: bytes.Clone(r.Analytics), Details: r.Details}
}

func copySettings(q store.Queue) store.Queue {
	q.Consumer.Argv, q.Consumer.Env = slices.Clone(q.Consumer.Argv), slices.Clone(q.Consumer.Env)
	q.Mask, q.Links = slices.Clone(q.Mask), slices.Clone(q.Links)
	return q
}
