package store

import (
	"fmt"
	"reflect"
	"strings"
)

// maxProblems bounds what one Check reports; one cause can touch every item.
const maxProblems = 1000

// Check reads every queue, item and change and reports where the counts, the
// groups, the indexes, the due times or the history chains say something else
// than the records do, or where a record can't be read. No problem: the list
// is empty. The error is of a store that can't be read on.
func Check(r Reader) (problems []string, err error) {
	queues, err := r.Queues()
	if err != nil {
		return nil, err
	}
	c := checker{r: r, groups: map[Group]int64{}, items: map[string]numbers{}, jobs: map[string]*jobTally{}}
	for _, q := range queues {
		if err := c.queue(q.Name); err != nil {
			return c.problems, err
		}
	}
	if err := c.allGroups(); err != nil {
		return c.problems, err
	}
	c.allJobs()
	for _, err := range r.Holds(0) {
		if err != nil {
			c.found("%v", err)
		}
	}
	return c.problems, c.stream()
}

type checker struct {
	r        Reader
	groups   map[Group]int64 // by group with Count 0
	items    map[string]numbers
	jobs     map[string]*jobTally
	linked   uint64 // changes reached through items
	problems []string
}

func (c *checker) found(format string, args ...any) {
	if len(c.problems) < maxProblems {
		c.problems = append(c.problems, fmt.Sprintf(format, args...))
	}
}

// numbers is a set of items' numbers, a bit for each.
type numbers []uint64

func (n *numbers) add(number uint64) {
	for uint64(len(*n)) <= number/64 {
		*n = append(*n, 0)
	}
	(*n)[number/64] |= 1 << (number % 64)
}

func (n numbers) has(number uint64) bool {
	return number/64 < uint64(len(n)) && n[number/64]&(1<<(number%64)) != 0
}

func (c *checker) queue(name string) error {
	s, err := c.r.Stats(name, 0)
	if err != nil {
		return err
	}
	t, seen := tally{}, numbers{}
	for i, err := range c.r.Items(Query{Queue: name}) {
		if err != nil {
			c.found("%v", err)
			continue
		}
		if i.Number <= t.last {
			c.found("item %s is listed behind number %d", i.ID(), t.last)
		}
		if i.Number > s.Last {
			c.found("item %s has a number above the last given out, %d", i.ID(), s.Last)
			continue
		}
		t.count(&i)
		seen.add(i.Number)
		if i.Group != "" {
			c.groups[Group{Queue: name, Status: i.Status, Kind: i.ErrorKind(), Text: i.Group}]++
		}
		c.tallyJob(&i)
		c.item(&i)
	}
	c.items[name] = seen
	for status, n := range t.counts {
		if s.Counts[status] != n {
			c.found("queue %s: its counter of %s items says %d, there are %d", name, Status(status), s.Counts[status], n)
		}
	}
	if s.Standings.Total() != t.dated.Total() {
		c.found("queue %s: its counters of items with dates say %d, there are %d", name, s.Standings.Total(), t.dated.Total())
	}
	if s.Delayed > t.delayed || s.Delayed > 0 && s.NextReady < t.next {
		c.found("queue %s: its counter of delayed items says %d from %s, there are %d from %s", name, s.Delayed, s.NextReady, t.delayed, t.next)
	}
	if s.Withheld != t.withheld {
		c.found("queue %s: its counter of withheld items says %d, there are %d", name, s.Withheld, t.withheld)
	}
	return nil
}

// tally counts one queue's items.
type tally struct {
	counts  Counts
	dated   Standings
	delayed int64
	next    Time
	last    uint64

	withheld int64
}

func (t *tally) count(i *Item) {
	t.last = i.Number
	t.counts[i.Status]++
	t.dated.Add(i, 0)
	if i.Status.Waiting() && i.Withheld {
		t.withheld++
		return
	}
	if at := i.ReadyAt(); i.Status.Waiting() && at > 0 {
		t.delayed++
		if t.next == 0 || at < t.next {
			t.next = at
		}
	}
}

// item looks for an item in every way in which it must be found.
func (c *checker) item(i *Item) {
	switch again, err := c.r.Item(i.ID()); {
	case err != nil:
		c.found("item %s is listed, but: %v", i.ID(), err)
		return
	case !reflect.DeepEqual(*i, again):
		c.found("item %s differs between the list and itself", i.ID())
	}
	if _, err := c.r.Payload(i.ID()); err != nil {
		c.found("%v", err)
	}
	if i.Key != "" {
		if id, err := c.r.ByKey(i.Queue, i.Key); err != nil || id.IsZero() {
			c.found("item %s is not found by its key %q", i.ID(), i.Key)
		}
	}
	before := ID{Queue: i.Queue, Number: i.Number - 1}
	if i.Reference != "" {
		c.finds(i, "reference", Query{Queue: i.Queue, Reference: i.Reference, Exact: true, After: before, AfterReference: i.Reference})
	}
	if i.Group != "" {
		c.finds(i, "group", Query{Queue: i.Queue, Groups: []string{i.Group}, After: before})
	}
	c.linkedTo(i, "next", i.Next, func(o *Item) ID { return o.Previous })
	c.linkedTo(i, "previous", i.Previous, func(o *Item) ID { return o.Next })
	c.chain(i)
}

// linkedTo wants the item that another names as its next or previous to name it
// in turn. One that retention removed is missing, and rightly so; a deleted copy
// is one whose retry was taken back.
func (c *checker) linkedTo(i *Item, as string, other ID, back func(*Item) ID) {
	if other.IsZero() {
		return
	}
	o, err := c.r.Item(other)
	switch {
	case CodeOf(err) == CodeNotFound:
		if s, err := c.r.Stats(other.Queue, 0); err == nil && other.Number > s.Last {
			c.found("item %s names %s as its %s, which never was", i.ID(), other, as)
		}
	case err == nil && as == "previous" && i.Status == Deleted:
	case err == nil && back(&o) != i.ID():
		c.found("item %s names %s as its %s, which does not name it in turn", i.ID(), other, as)
	}
}

// finds wants an item as the first that a query yields.
func (c *checker) finds(i *Item, by string, q Query) {
	for found, err := range c.r.Items(q) {
		if err != nil || found.ID() != i.ID() {
			c.found("item %s is not found by its %s", i.ID(), by)
		}
		return
	}
	c.found("item %s is not found by its %s", i.ID(), by)
}

// chain follows an item's history to its start.
func (c *checker) chain(i *Item) {
	list, err := c.r.History(i.ID(), 1<<30)
	switch {
	case err != nil:
		c.found("history of item %s: %v", i.ID(), err)
		return
	case len(list) == 0 || list[0].Seq != i.LastChange || list[len(list)-1].Prev != 0:
		c.found("history of item %s has %d changes and does not reach from change %d to its start", i.ID(), len(list), i.LastChange)
		return
	}
	if to := list[0].To; to != 0 && to != i.Status {
		c.found("item %s is %s, its last change says %s", i.ID(), i.Status, to)
	}
	c.linked += uint64(len(list))
}

func (c *checker) allGroups() error {
	kept, err := c.r.Groups("")
	if err != nil {
		return err
	}
	for _, g := range kept {
		n := g.Count
		g.Count = 0
		if c.groups[g] != n {
			c.found("queue %s: its counter of %s items with %q says %d, there are %d", g.Queue, g.Status, g.Text, n, c.groups[g])
		}
		delete(c.groups, g)
	}
	for g, n := range c.groups {
		c.found("queue %s: it has no counter of its %d %s items with %q", g.Queue, n, g.Status, g.Text)
	}
	return nil
}

// stream wants the changes in order, and those of items all in their histories.
func (c *checker) stream() error {
	last, err := c.r.LastChange()
	if err != nil {
		return err
	}
	of := uint64(0)
	for seq := uint64(0); seq < last; {
		list, err := c.r.Changes(seq, 1000)
		if err != nil {
			c.found("history after change %d: %v", seq, err)
			return nil
		}
		if len(list) == 0 {
			c.found("the history ends at change %d, its last is %d", seq, last)
			return nil
		}
		for _, change := range list {
			if change.Seq <= seq {
				c.found("change %d stands behind change %d", change.Seq, seq)
				return nil
			}
			seq = change.Seq
			if c.items[change.Queue].has(change.Number) {
				of++
			}
		}
	}
	if c.linked != of {
		c.found("the items' histories have %d changes, the whole history has %d of these items", c.linked, of)
	}
	return nil
}

// Problems words a Check's findings as one error of a damaged store, nil when
// there are none.
func Problems(name string, found []string) error {
	if len(found) == 0 {
		return nil
	}
	rule := fmt.Sprintf("%d problems, the first: %s", len(found), found[0])
	if len(found) == 1 {
		rule = strings.TrimSpace(found[0])
	}
	return &Error{Code: CodeUnavailable, Thing: name, Rule: rule, Mend: "put it right with `signalbox check --repair`, or restore a backup"}
}
