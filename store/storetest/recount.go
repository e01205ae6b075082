package storetest

import (
	"context"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/store"
)

// Recount walks every item of a store in one View and fails the test where
// the counts, groups, keys, references, due times or history chains say
// something else.
func Recount(t testing.TB, s store.Store) {
	t.Helper()
	err := s.View(context.Background(), func(r store.Reader) error {
		queues, err := r.Queues()
		if err != nil {
			return err
		}
		c := recount{TB: t, r: r, groups: map[store.Group]int64{}}
		for _, q := range queues {
			if err := c.queue(q.Name); err != nil {
				return err
			}
		}
		if err := c.allGroups(); err != nil {
			return err
		}
		return c.stream()
	})
	if err != nil {
		t.Errorf("recount: %v", err)
	}
}

type recount struct {
	testing.TB
	r      store.Reader
	groups map[store.Group]int64 // by group with Count 0
	linked uint64                // changes reached through items
}

func (c *recount) queue(name string) error {
	var counts store.Counts
	var delayed int64
	var next store.Time
	last := uint64(0)
	for i, err := range c.r.Items(store.Query{Queue: name}) {
		if err != nil {
			return err
		}
		if i.Number <= last {
			c.Errorf("recount: %s follows number %d", i.ID(), last)
		}
		last = i.Number
		counts[i.Status]++
		if at := i.ReadyAt(); i.Status.Waiting() && at > 0 {
			delayed++
			if next == 0 || at < next {
				next = at
			}
		}
		if i.Group != "" {
			c.groups[store.Group{Queue: name, Status: i.Status, Kind: i.ErrorKind(), Text: i.Group}]++
		}
		if err := c.item(&i); err != nil {
			return err
		}
	}
	s, err := c.r.Stats(name, 0)
	if err != nil {
		return err
	}
	if diff := cmp.Diff(counts, s.Counts); diff != "" {
		c.Errorf("recount of %s (-counted +kept):\n%s", name, diff)
	}
	if s.Delayed > delayed || s.Delayed > 0 && s.NextReady < next {
		c.Errorf("recount of %s: %d delayed from %v kept, %d from %v counted", name, s.Delayed, s.NextReady, delayed, next)
	}
	return nil
}

func (c *recount) item(i *store.Item) error {
	again, err := c.r.Item(i.ID())
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(*i, again) {
		c.Errorf("recount: %s differs between list and item:\n%s", i.ID(), cmp.Diff(*i, again))
	}
	if _, err := c.r.Payload(i.ID()); err != nil {
		return err
	}
	if i.Key != "" {
		found, err := c.r.ByKey(i.Queue, i.Key)
		if err != nil {
			return err
		}
		if found.IsZero() {
			c.Errorf("recount: %s is not found by its key %q", i.ID(), i.Key)
		}
	}
	if i.Reference != "" {
		c.finds(i, store.Query{Queue: i.Queue, Reference: i.Reference, Exact: true, After: store.ID{Queue: i.Queue, Number: i.Number - 1}, AfterReference: i.Reference})
	}
	if i.Group != "" {
		c.finds(i, store.Query{Queue: i.Queue, Group: i.Group, After: store.ID{Queue: i.Queue, Number: i.Number - 1}})
	}
	return c.chain(i)
}

// finds wants an item as the first that a query yields.
func (c *recount) finds(i *store.Item, q store.Query) {
	for found, err := range c.r.Items(q) {
		if err != nil || found.ID() != i.ID() {
			c.Errorf("recount: looking for %s with %+v: got %s, %v", i.ID(), q, found.ID(), err)
		}
		return
	}
	c.Errorf("recount: looking for %s with %+v: nothing", i.ID(), q)
}

func (c *recount) chain(i *store.Item) error {
	list, err := c.r.History(i.ID(), 1<<30)
	if err != nil {
		return err
	}
	if len(list) == 0 || list[0].Seq != i.LastChange || list[len(list)-1].Prev != 0 {
		c.Errorf("recount: history of %s has %d changes and does not reach from %d to its start", i.ID(), len(list), i.LastChange)
		return nil
	}
	if to := list[0].To; to != 0 && to != i.Status {
		c.Errorf("recount: %s is %s, its last change says %s", i.ID(), i.Status, to)
	}
	c.linked += uint64(len(list))
	return nil
}

func (c *recount) allGroups() error {
	kept, err := c.r.Groups("")
	if err != nil {
		return err
	}
	for _, g := range kept {
		n := g.Count
		g.Count = 0
		if c.groups[g] != n {
			c.Errorf("recount: group %+v: %d kept, %d counted", g, n, c.groups[g])
		}
		delete(c.groups, g)
	}
	for g, n := range c.groups {
		c.Errorf("recount: group %+v: none kept, %d counted", g, n)
	}
	return nil
}

// stream wants every change from 1 to the last, once.
func (c *recount) stream() error {
	last, err := c.r.LastChange()
	if err != nil {
		return err
	}
	for seq := uint64(0); seq < last; {
		list, err := c.r.Changes(seq, 1000)
		if err != nil {
			return err
		}
		if len(list) == 0 {
			c.Errorf("recount: the stream ends at %d, its last change is %d", seq, last)
			return nil
		}
		for _, change := range list {
			if seq++; change.Seq != seq {
				c.Errorf("recount: change %d where %d belongs", change.Seq, seq)
				return nil
			}
		}
	}
	if c.linked > last {
		c.Errorf("recount: items' histories have %d changes, the stream %d", c.linked, last)
	}
	return nil
}
