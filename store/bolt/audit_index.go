package bolt

import (
	"bytes"
	"slices"

	"signalbox/store"
)

// item wants all entries that an item must have.
func (a *audit) item(q *inventory, i *store.Item, at place) {
	q.counted.items[i.Status]++
	q.life.of(i.Number).linked = !i.Previous.IsZero() || !i.Next.IsZero()
	if i.Status.Waiting() && i.Withheld {
		q.counted.withheld++
	}
	a.standing(q, i, at)
	a.dated(q, i)
	if q.untold && i.NextDate() != 0 {
		a.want(q, untold, untoldKey(nil, i), slaValue, i)
	}
	if end := leaseEnd(i); end != 0 {
		a.want(q, leases, appendNumber(appendTime(nil, end), i.Number), nil, i)
	}
	if i.Reference != "" {
		a.want(q, references, appendReference(nil, i.Reference, i.Number), nil, i)
	}
	if i.Key != "" {
		a.key(q, i)
	}
	if i.Group != "" {
		hash := groupHash(i.Group)
		a.want(q, group, appendNumber(hash[:], i.Number), nil, i)
		g := store.Group{Kind: i.ErrorKind(), Text: i.Group}
		key := groupsKey(i.Status, &g)
		g.Count = q.groups[key].Count + 1
		q.groups[key] = g
	}
}

func groupsKey(s store.Status, g *store.Group) string {
	hash := groupHash(g.Kind + "\x00" + g.Text)
	return string(append([]byte{byte(s)}, hash[:]...))
}

// want notes an entry that is there, and finds one that is missing.
func (a *audit) want(q *inventory, s space, key, value []byte, i *store.Item) {
	if q.has(s, key) && bytes.Equal(q.get(s, key), value) {
		q.entries[s]++
		return
	}
	a.found(func(m *mender) error { return m.put(q, s, key, value) }, "item %s is not found by its %s", i.ID(), spaceWords[s]).item(q, i.Number).entry(q, s, key)
}

// spaceWords says what each index finds items by.
var spaceWords = [spaces]string{
	dated: "due date", sla: "due or risk date", untold: "next date", delayed: "delay", leases: "lease", references: "reference", keys: "key", group: "group",
}

// standing wants a waiting item where it is claimed from: as ready, or until it
// was seen to ripen as delayed. One that stands in between is delayed again.
func (a *audit) standing(q *inventory, i *store.Item, at place) {
	is := stands(i, false)
	key := appendNumber(appendTime(nil, i.ReadyAt()), i.Number)
	order := appendOrder(nil, i)
	if is.delayed && !q.has(delayed, key) {
		is = stands(i, true)
	}
	fit := is.rank == at.rank
	if is.dated {
		fit = fit && q.has(dated, appendNumber(order, i.Number))
	}
	a.inJob(q, i, fit && is.delayed)
	switch {
	case fit && is.delayed:
		q.counted.delayed++
		a.want(q, delayed, key, order, i)
	case fit && is.dated:
		q.entries[dated]++
	case fit:
	case i.ReadyAt() != 0 && i.Status.Waiting() && !i.Withheld:
		a.found(func(m *mender) error { return m.stand(q, i, at, standing{delayed: true}) }, "item %s stands neither with the delayed nor with the ready", i.ID()).item(q, i.Number)
	default:
		a.found(func(m *mender) error { return m.stand(q, i, at, stands(i, false)) }, "item %s does not stand where it is claimed from", i.ID()).item(q, i.Number)
	}
}

// dated wants a waiting item where it is counted by its dates.
func (a *audit) dated(q *inventory, i *store.Item) {
	entries := entriesOf(i)
	if !q.dates || len(entries) == 0 {
		return
	}
	q.counted.sla.dated++
	for _, e := range entries {
		a.want(q, sla, e.key(nil, i.Number), slaValue, i)
		if e.at <= q.counted.sla.mark {
			q.counted.sla.add(e.kind, 1)
		}
	}
}

func entriesOf(i *store.Item) (list []slaEntry) {
	for _, e := range slaEntries(i) {
		if e.at != 0 {
			list = append(list, e)
		}
	}
	return list
}

// key wants an item to be found by its key, unless another has taken that.
func (a *audit) key(q *inventory, i *store.Item) {
	v := q.get(keys, []byte(i.Key))
	if number := numberOf(v); number != 0 && len(v) == numberLen {
		if number == i.Number {
			q.entries[keys]++
			return
		}
		if o, _, _ := q.find(number, nil); o != nil && o.Key == i.Key {
			return
		}
	}
	a.found(func(m *mender) error { return m.put(q, keys, []byte(i.Key), numberKey(i.Number)) }, "item %s is not found by its key", i.ID()).item(q, i.Number).entry(q, keys, []byte(i.Key))
}

// strays finds entries that no item wants; as long as there are no more than
// are wanted there is no need to look at each.
func (a *audit) strays(q *inventory, s space) {
	n := 0
	q.each(s, func(k, v []byte) { n++ })
	if n == q.entries[s] {
		return
	}
	q.each(s, func(k, v []byte) {
		number := numberOf(k)
		if s == keys {
			number = numberOf(v)
		}
		i, key, _ := q.find(number, nil)
		if i != nil && belongs(q, s, k, v, i, place{i.Status, key[1]}) {
			return
		}
		stray := bytes.Clone(k)
		a.found(func(m *mender) error { return m.remove(q, s, stray) }, "queue %s: an entry finds item %s by a %s that it does not have", q.name, q.id(number), spaceWords[s]).item(q, number).entry(q, s, stray)
	})
}

// belongs says that an entry is one that an item must have.
func belongs(q *inventory, s space, k, v []byte, i *store.Item, at place) bool {
	switch s {
	case dated:
		return at.rank == 0 && i.Status.Waiting() && !i.Withheld && i.DueAt != 0 && bytes.Equal(k, appendNumber(appendOrder(nil, i), i.Number)) &&
			!q.has(delayed, appendNumber(appendTime(nil, i.ReadyAt()), i.Number))
	case delayed:
		return at.rank == 0 && i.Status.Waiting() && !i.Withheld && i.ReadyAt() != 0 && bytes.Equal(k, appendNumber(appendTime(nil, i.ReadyAt()), i.Number))
	case leases:
		return leaseEnd(i) != 0 && bytes.Equal(k, appendNumber(appendTime(nil, leaseEnd(i)), i.Number))
	case references:
		return i.Reference != "" && bytes.Equal(k, appendReference(nil, i.Reference, i.Number))
	case keys:
		return i.Key == string(k)
	case sla:
		return slices.ContainsFunc(entriesOf(i), func(e slaEntry) bool { return bytes.Equal(k, e.key(nil, i.Number)) && bytes.Equal(v, slaValue) })
	case untold:
		return i.NextDate() != 0 && bytes.Equal(k, untoldKey(nil, i)) && bytes.Equal(v, slaValue)
	case group:
		hash := groupHash(i.Group)
		return i.Group != "" && bytes.Equal(k, appendNumber(hash[:], i.Number))
	}
	return true
}

// groups holds the counts of groups against the items.
func (a *audit) groups(q *inventory) {
	left := map[string]bool{}
	for key := range q.groups {
		left[key] = true
	}
	q.each(groups, func(k, v []byte) {
		key := string(k)
		want, is := q.groups[key]
		delete(left, key)
		var g store.Group
		switch err := decode(v, counted, &g); {
		case !is:
			a.found(func(m *mender) error { return m.recountGroup(q, key, g, 0, err == nil) }, "queue %s: it counts items under a reason that none has", q.name)
		case err != nil || g != want:
			a.recountGroup(q, key, g, want, err == nil && g.Text == want.Text && g.Kind == want.Kind)
		}
	})
	for key := range left {
		a.recountGroup(q, key, store.Group{}, q.groups[key], true)
	}
}

func (a *audit) recountGroup(q *inventory, key string, has, want store.Group, sound bool) {
	had := has.Count
	has.Text, has.Kind = want.Text, want.Kind
	has.Count = had
	a.found(func(m *mender) error { return m.recountGroup(q, key, has, want.Count, sound) },
		"queue %s: its counter of %s items with %q does not say %d", q.name, store.Status(key[0]), want.Text, want.Count)
}

// counters holds a queue's counters against its records and indexes.
func (a *audit) counters(q *inventory) {
	has, want := &q.counters, &q.counted
	mend := func(m *mender) error { return m.recount(q) }
	found := func(format string, args ...any) {
		a.found(mend, format, args...).when(func() bool { return q.root != nil }).once = "counters of " + q.name
	}
	for s := store.Status(1); int(s) < store.Statuses; s++ {
		if has.items[s] != want.items[s] {
			found("queue %s: its counter of %s items says %d, there are %d", q.name, s, has.items[s], want.items[s])
		}
	}
	if has.delayed != want.delayed {
		found("queue %s: its counter of delayed items says %d, there are %d", q.name, has.delayed, want.delayed)
	}
	if has.withheld != want.withheld {
		found("queue %s: its counter of withheld items says %d, there are %d", q.name, has.withheld, want.withheld)
	}
	if has.sla != want.sla {
		found("queue %s: its counters of items with dates do not say %d, of them %d overdue", q.name, want.sla.dated, want.sla.standings().Overdue)
	}
	if has.last < want.last {
		found("queue %s: its last number is %d, but there is an item %d", q.name, has.last, want.last)
	}
	for _, due := range []struct {
		kind      byte
		word      string
		has, want store.Time
	}{{lease, "lease ends", has.nextLease, want.nextLease}, {ripe, "delay ends", has.nextRipe, want.nextRipe}, {passes, "date comes", has.nextDate, want.nextDate}} {
		if due.has != due.want {
			found("queue %s: its next %s at %q, not at %q", q.name, due.word, due.want, due.has)
		}
	}
}

// dues notes what the due index must have of a queue.
func (a *audit) dues(q *inventory) {
	want := &q.counted
	want.nextLease, want.nextRipe, want.nextDate = q.soonest(leases), q.soonest(delayed), q.soonest(untold)
	if q.unknown {
		want.nextLease = 0 // as flushDue has it
	}
	if want.nextLease != 0 {
		a.due[string(dueKey(want.nextLease, lease, q.name))] = true
	}
	if want.nextRipe != 0 {
		a.due[string(dueKey(want.nextRipe, ripe, q.name))] = true
	}
	if want.nextDate != 0 {
		a.due[string(dueKey(want.nextDate, passes, q.name))] = true
	}
}

func (q *inventory) soonest(s space) (at store.Time) {
	if b := q.bucket(s); b != nil {
		k, _ := b.Cursor().First()
		at = timeOf(k)
	}
	return at
}

// dueIndex wants the due index to have the next instants of all queues, and no
// others.
func (a *audit) dueIndex() {
	left := a.due
	c := a.b.Bucket(dueBucket).Cursor()
	for k, _ := c.First(); k != nil; k, _ = c.Next() {
		key := string(k)
		if left[key] {
			delete(left, key)
			continue
		}
		a.found(func(m *mender) error { return m.removeTop(dueBucket, []byte(key)) }, "the index of what is due next has an entry of nothing").when(func() bool { return !a.isDue(key) })
	}
	for key := range left {
		a.found(func(m *mender) error { return m.putTop(dueBucket, []byte(key), nil) }, "queue %s: the index of what is due next lacks it", key[9:]).when(func() bool { return a.isDue(key) })
	}
}

// isDue says that a key of the due index is one that a queue must have.
func (a *audit) isDue(key string) bool {
	if len(key) <= 9 {
		return false
	}
	q, s := a.queues[key[9:]], delayed
	switch key[8] {
	case lease:
		s = leases
	case passes:
		s = untold
	}
	if q == nil || q.root == nil || s == leases && q.unknown {
		return false
	}
	at := q.soonest(s)
	return at != 0 && key == string(dueKey(at, key[8], q.name))
}
