package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"signalbox/store"
)

// bulkSlice bounds how long one commit is taken up by a bulk act.
const bulkSlice = 10 * time.Millisecond

// bulkVerbs are the bulk acts there are.
var bulkVerbs = []string{BulkRetry, Verify, Assign, Note, Clear, BulkDelete, BulkDefer, BulkUndo}

func noVerb(verb string, verbs []string) error {
	last := len(verbs) - 1
	return store.Invalid(fmt.Sprintf("bulk act %q", verb), "there is none of this name", "use "+strings.Join(verbs[:last], ", ")+" or "+verbs[last])
}

// act is what the request does to one item. It refuses a request that makes no
// sense, before anything is frozen.
func (r *BulkRequest) act() (func(*tx, *store.Queue, *store.Item) (store.ID, error), error) {
	ways := 0
	for _, given := range []bool{len(r.Targets) > 0 || len(r.Select) > 0, r.Of != 0} {
		if given {
			ways++
		}
	}
	for n := range r.Select {
		if err := r.Select[n].selects(); err != nil {
			return nil, err
		}
	}
	switch {
	case r.First < 0:
		return nil, store.Invalid(fmt.Sprintf("first %d", r.First), "it is 0 (all) or more", "write it as 100")
	case slices.ContainsFunc(r.Select, func(l ListRequest) bool {
		return l.Queue == "" && l.Group == "" && l.Kind == "" && l.Filter == "" && len(l.Statuses) == 0
	}):
		return nil, store.Invalid("a bulk act", "a selection names nothing", "give a queue, a status, a group or a filter; an empty selection never means all")
	case slices.ContainsFunc(r.Select, func(l ListRequest) bool { return !l.After.IsZero() || l.AfterReference != "" }):
		return nil, store.Invalid("after", "a selection is of all that match", "leave it out, or narrow the filter")
	case ways == 0:
		return nil, store.Invalid("a bulk act", "it names no items", "give targets, or what selects them; an empty set never means all")
	case ways > 1 || r.Of != 0 && r.Verb != BulkUndo:
		return nil, store.Invalid("a bulk act", "only undo is of another bulk act, and of nothing else", "give targets, or what selects them")
	}
	r.Note = cleanText(r.Note, maxReason)
	switch r.Verb {
	case BulkRetry:
		return func(t *tx, q *store.Queue, i *store.Item) (store.ID, error) { return t.retry(q, i, nil, r.Note) }, nil
	case BulkDelete:
		return func(t *tx, q *store.Queue, i *store.Item) (store.ID, error) {
			return store.ID{}, t.delete(q, i, r.Note)
		}, nil
	case BulkUndo:
		return func(t *tx, q *store.Queue, i *store.Item) (store.ID, error) { return store.ID{}, t.undo(q, i, r.Note) }, nil
	case BulkDefer:
		edit := EditRequest{DeferUntil: &r.Until}
		return func(t *tx, q *store.Queue, i *store.Item) (store.ID, error) { return store.ID{}, t.edit(q, i, &edit) }, nil
	}
	review := ReviewRequest{Action: r.Verb, Reviewer: r.Reviewer, Note: r.Note}
	if err := review.validate(); err != nil {
		if r.Verb != Note {
			err = noVerb(r.Verb, bulkVerbs)
		}
		return nil, err
	}
	return func(t *tx, _ *store.Queue, i *store.Item) (store.ID, error) { return store.ID{}, t.review(i, &review) }, nil
}

// Allows says whether the act is allowed on an item in the state that it is in.
func (r *BulkRequest) Allows(i *store.Item) bool {
	lacking := func(event Event) bool {
		_, err := next(&store.Queue{}, i, event) // what persons do hangs on no setting
		return err != nil
	}
	switch r.Verb {
	case BulkRetry:
		return !lacking(EventRetry)
	case BulkDelete:
		return !lacking(EventDelete)
	case BulkUndo:
		return undoable(i)
	case BulkDefer:
		return i.Status.Waiting()
	}
	return Reviewable(i.Status) && !decided(i, r.Verb)
}

// allowedLooks is how many items are looked at for those that a question names.
const allowedLooks = 1000

// FirstAllowed gives the first n of targets that the act is allowed on, as far as
// they are among the first thousand: those that a person is told of who is asked
// for consent, and with which an act on the first few begins.
func (r *BulkRequest) FirstAllowed(ctx context.Context, item func(context.Context, store.ID) (Record, error), targets []Target, n int) ([]store.ID, error) {
	var ids []store.ID
	for _, t := range targets[:min(allowedLooks, len(targets))] {
		if len(ids) == n {
			break
		}
		record, err := item(ctx, t.Item)
		switch code := store.CodeOf(err); {
		case code == 0 && r.Allows(&record.Item):
			ids = append(ids, t.Item)
		case code != 0 && code != store.CodeNotFound:
			return nil, err
		}
	}
	return ids, nil
}

// freeze makes the set of items that the request is about. Where only the first of
// them are wanted, those that the act is allowed on come before the others.
func (e *Engine) freeze(ctx context.Context, r *BulkRequest) (*frozen, error) {
	set, err := e.freezeAll(ctx, r)
	if err != nil || r.First == 0 {
		return set, err
	}
	sorted, others := &frozen{}, &frozen{}
	err = e.store.View(ctx, func(rd store.Reader) error {
		for n := range set.len() {
			t, to := set.target(n), others
			if sorted.len() < r.First {
				i, err := rd.Item(t.Item)
				switch code := store.CodeOf(err); {
				case code != 0 && code != store.CodeNotFound && code != store.CodeUnavailable:
					return err
				case code == 0 && r.Allows(&i):
					to = sorted
				}
			}
			to.add(t.Item, t.Revision)
		}
		return ctx.Err()
	})
	sorted.able = sorted.len()
	for n := range others.len() {
		t := others.target(n)
		sorted.add(t.Item, t.Revision)
	}
	return sorted, err
}

func (e *Engine) freezeAll(ctx context.Context, r *BulkRequest) (*frozen, error) {
	set := &frozen{}
	switch {
	case r.Of != 0:
		return set, e.freezeDone(r.Of, set)
	case len(r.Targets) > MaxSelection:
		return nil, tooMany()
	case len(r.Targets) > 0:
		set.numbers, set.revisions = make([]uint64, 0, len(r.Targets)), make([]uint32, 0, len(r.Targets))
		for _, t := range r.Targets {
			set.add(t.Item, t.Revision)
		}
		return set, nil
	}
	err := e.selected(ctx, r.Select, func(i *store.Item) bool {
		set.add(i.ID(), i.Revision)
		return set.len() <= MaxSelection
	})
	if set.len() > MaxSelection {
		return nil, tooMany()
	}
	return set, err
}

func tooMany() error {
	return store.Invalid("the selection", fmt.Sprintf("more than %d items match", MaxSelection), "narrow the filter")
}

// freezeDone takes what another bulk act did, as that left it.
func (e *Engine) freezeDone(id uint64, set *frozen) error {
	of, err := e.bulks.find(id)
	if err != nil {
		return err
	}
	of.mu.Lock()
	defer of.mu.Unlock()
	thing := fmt.Sprintf("bulk act %d", id)
	switch {
	case of.state.Running():
		return store.Conflict(thing, "it is under way", "cancel it first")
	case of.set == nil:
		return store.Conflict(thing, "its items are kept no more", "take its items back by a filter, as in `signalbox item undo --filter … --all`")
	}
	for i := range of.state.Tried() {
		if of.set.results[i] == wasDone {
			t := of.set.target(i)
			set.add(t.Item, t.Revision)
		}
	}
	return nil
}

// selected visits all that requests select, each item once for each.
func (e *Engine) selected(ctx context.Context, requests []ListRequest, visit func(*store.Item) bool) error {
	more := true
	for _, r := range requests {
		r.Budget = 0
		w, err := e.walk(&r)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		err = w.run(ctx, func(i store.Item) bool {
			more = visit(&i)
			return more
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// run acts on all of the set, at its pace.
func (b *bulks) run(ctx context.Context, n *bulk) {
	defer n.cancel()
	pace := pace{rate: n.request.Rate}
	at, err := 0, error(nil)
	for of := len(n.set.results); at < of && err == nil; {
		count, wait := pace.next(b.e.clock.Now(), of-at)
		if wait > 0 {
			err = b.e.sleep(ctx, wait)
			continue
		}
		var outcomes []Outcome
		if outcomes, err = b.e.step(ctx, n, at, count); err == nil {
			at += len(outcomes)
			pace.given += len(outcomes)
			b.advance(n, at-len(outcomes), outcomes)
		}
	}
	arrived := -1
	if err == nil {
		arrived = b.arrived(n)
	}
	b.end(n, arrived, err)
}

// step acts on the items of a set from one on, at most so many, in one durable
// change, and answers for those it came to. A set and how far one has come are
// all it needs: whoever is interrupted after a step and takes it again changes
// nothing twice, since the items have moved on from the revisions in the set.
func (e *Engine) step(ctx context.Context, n *bulk, from, count int) ([]Outcome, error) {
	outcomes := make([]Outcome, 0, count)
	err := e.change(ctx, func(t *tx) error {
		outcomes = outcomes[:0]
		began := e.clock.Now()
		for i := from; i < from+count && (i == from || e.clock.Now().Sub(began) < bulkSlice); i++ {
			o, err := t.onTarget(n.set.target(i), n.act)
			if err != nil {
				return err
			}
			outcomes = append(outcomes, o)
		}
		return nil
	})
	return outcomes, err
}

// sleep waits by the engine's clock.
func (e *Engine) sleep(ctx context.Context, d time.Duration) error {
	over := make(chan struct{})
	timer := e.clock.AfterFunc(d, func() { close(over) })
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-over:
		return nil
	}
}

// advance counts what a step did.
func (b *bulks) advance(n *bulk, from int, outcomes []Outcome) {
	now := b.e.now()
	n.mu.Lock()
	s := &n.state
	for i := range outcomes {
		o := &outcomes[i]
		n.set.note(from+i, o)
		switch o.Result {
		case OK:
			s.Done++
			continue
		case Stale:
			s.Stale++
		case Gone:
			s.Gone++
		default:
			s.Refused++
		}
		if len(n.trouble) < troubleKept {
			n.trouble[from+i] = *o
		}
		if len(s.Trouble) < troubleShown {
			s.Trouble = append(slices.Clip(s.Trouble), *o)
		}
	}
	if took := now.Sub(s.Began).Seconds(); took > 0 {
		s.Speed = float64(s.Tried()) / took
	}
	n.tell()
	n.mu.Unlock()
	b.e.feed.touchBulks()
}

// tell wakes whoever watches the act.
func (b *bulk) tell() {
	b.state.Revision++
	close(b.changed)
	b.changed = make(chan struct{})
}

// arrived counts what matches now and was not frozen.
func (b *bulks) arrived(n *bulk) int {
	if len(n.request.Select) == 0 {
		return -1
	}
	count, err := b.e.arrived(b.ctx, n.request.Select, n.set)
	if err != nil {
		return -1 // the act is done; this was only for information
	}
	return count
}

// arrived counts what requests select now and is not in a set.
func (e *Engine) arrived(ctx context.Context, requests []ListRequest, set *frozen) (count int, err error) {
	frozen := set.index()
	err = e.selected(ctx, requests, func(i *store.Item) bool {
		made := i.Revision == 1 && frozen(i.Previous) // by the act itself
		if !made && !frozen(i.ID()) {
			count++
		}
		return true
	})
	return count, err
}

// end says how it ended.
func (b *bulks) end(n *bulk, arrived int, err error) {
	n.mu.Lock()
	s := &n.state
	s.State, s.Ended, s.Arrived = BulkDone, b.e.now(), arrived
	s.Undoable = s.Verb != BulkUndo && s.Done > 0
	switch {
	case err == nil:
		s.EndedBy = ""
	case s.EndedBy != "":
		s.State = BulkCancelled
	case b.ctx.Err() != nil:
		s.State, s.Error = BulkCancelled, "the engine stopped"
	default:
		s.State, s.Error = BulkFailed, err.Error()
		b.e.log.Error("a bulk act failed", "id", s.ID, "verb", s.Verb, "err", err)
	}
	n.tell()
	n.mu.Unlock()
	close(n.ended)
	b.forget()
	b.e.feed.touchBulks()
}
