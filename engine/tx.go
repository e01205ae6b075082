package engine

import (
	"context"

	"signalbox/store"
)

// tx is one change under way: the store's transaction, when and by whom it is
// made, and what must follow once it is committed.
type tx struct {
	store.Tx
	e     *Engine
	read  *store.Queue // settings read last
	now   store.Time
	actor string
	// staging says that new items are part of an import under way.
	staging bool
	outcome string // what the completion hook said that this change runs
	after   effects
}

// effects is gathered while a change runs and carried out after its commit.
type effects struct {
	touched    []touch
	available  []gain       // queues that gained claimable items
	due        store.Time   // earliest lease end or delay end written, 0 = none
	deliveries []delivery   // parked claims served by this change
	parked     *parkedClaim // in its line through this run
	joined     *parkedClaim // the one this call parks, through all runs
	notices    []Notice
	groups     bool      // an item's Group was set or cleared
	settings   bool      // a queue's were
	jobs       []string  // jobs touched
	jobsShown  bool      // what a picture shows of jobs has changed
	hooks      []string  // jobs that have run out and have a hook
	revoked    []Holding // claims that others ended
}

// gain is what became claimable in one queue.
type gain struct {
	queue string
	items []uint64
	whole bool // more than items, or nobody knows what
}

// touch counts what a change did to one queue.
type touch struct {
	queue   string
	in, out int
	events  []eventCount
}

// eventCount is how often something happened to items.
type eventCount struct {
	event Event
	n     uint64
}

func (t *touch) count(event Event) {
	for i := range t.events {
		if t.events[i].event == event {
			t.events[i].n++
			return
		}
	}
	t.events = append(t.events, eventCount{event, 1})
}

// change runs fn as one durable change, serves parked claims from what it made
// available in the same commit, and after it wakes whoever waits for it.
func (e *Engine) change(ctx context.Context, fn func(*tx) error) error {
	if e.readOnly {
		return &store.Error{Code: store.CodeForbidden, Thing: e.name, Rule: "opened read-only", Mend: "open it without --read-only"}
	}
	t := tx{e: e, actor: Actor(ctx)}
	err := e.store.Update(ctx, func(s store.Tx) error {
		t.restart(s)
		err := fn(&t)
		if err == nil {
			err = t.endJobs()
		}
		if err == nil {
			err = t.serveParked()
		}
		if err != nil { // at once, so that who runs next sees the lines as they are
			t.e.parking.takeBack(&t.after)
		}
		return err
	})
	if err != nil {
		e.failed(&t.after)
		return err
	}
	e.committed(&t.after)
	return nil
}

// look reads what is asked for again and again while much is changed: among the
// changes, where it costs the store nothing. It holds them up, so fn reads little.
func (e *Engine) look(ctx context.Context, fn func(store.Reader) error) error {
	if e.readOnly {
		return e.store.View(ctx, fn)
	}
	return e.store.Update(ctx, func(t store.Tx) error { return fn(t) })
}

// failed undoes what a change that was not committed did to the lines of parked
// claims: one it parked is not served any more, and what was handed to it
// meanwhile is given back; those it had reserved are offered anew.
func (e *Engine) failed(a *effects) {
	reserved := a.deliveries
	e.parking.takeBack(a)
	e.giveBackOrphans(e.parking.orphaned(a.joined))
	if len(reserved) == 0 {
		return
	}
	_ = e.change(context.Background(), func(t *tx) error { // fails only where the store does
		for _, d := range reserved {
			t.offer(d.claim.ask.Queue)
		}
		return nil
	})
}

// giveBackOrphans releases items that were claimed for a caller who is gone.
func (e *Engine) giveBackOrphans(records []Record) {
	if len(records) == 0 {
		return
	}
	hs := make([]Holding, len(records))
	for i, r := range records {
		hs[i] = Holding{r.ID(), r.Fence}
	}
	if _, err := e.Release(context.Background(), hs); err != nil {
		e.log.Error("items claimed for nobody wait for their lease", "items", len(hs), "err", err)
	}
}

// restart begins a run of the change; an earlier one may have been rolled back.
func (t *tx) restart(s store.Tx) {
	t.e.parking.takeBack(&t.after)
	t.Tx, t.now, t.read, t.outcome = sealingTx{s, &t.e.vault}, t.e.now(), nil, ""
	t.after = effects{touched: t.after.touched[:0], available: t.after.available[:0], jobs: t.after.jobs[:0], joined: t.after.joined}
}

// committed carries out what a change left to do.
func (e *Engine) committed(a *effects) {
	e.giveBackOrphans(e.parking.deliver(a.deliveries))
	e.rates.add(a.touched, e.now())
	e.expirer.due(a.due)
	e.pruner.committed(a.settings)
	e.flagGains(a.available)
	e.revoke(a.revoked)
	e.finish(a.hooks)
	e.feed.touch(a)
}

// settings reads a queue's settings, which whoever gets them leaves as they are:
// those of one queue are read once for all items of a call.
func (t *tx) settings(queue string) (*store.Queue, error) {
	if t.read == nil || t.read.Name != queue {
		q, err := t.Queue(queue)
		if err != nil {
			return nil, err
		}
		t.read = &q
	}
	return t.read, nil
}

// PutQueue implements store.Tx.
func (t *tx) PutQueue(q *store.Queue) error {
	t.read = nil
	return t.Tx.PutQueue(q)
}

// DeleteQueue implements store.Tx.
func (t *tx) DeleteQueue(name string) error {
	t.read = nil
	return t.Tx.DeleteQueue(name)
}

// touch marks the queue as changed.
func (t *tx) touch(queue string) *touch {
	for i := range t.after.touched {
		if t.after.touched[i].queue == queue {
			return &t.after.touched[i]
		}
	}
	if n := len(t.after.touched); n < cap(t.after.touched) { // what an earlier run left has room for events
		t.after.touched = t.after.touched[:n+1]
		t.after.touched[n] = touch{queue: queue, events: t.after.touched[n].events[:0]}
	} else {
		t.after.touched = append(t.after.touched, touch{queue: queue})
	}
	return &t.after.touched[len(t.after.touched)-1]
}

// offer says that the queue may have gained items that can be claimed now.
func (t *tx) offer(queue string) { t.gain(queue).whole = true }

// offerItem says that the item can be claimed now.
func (t *tx) offerItem(i *store.Item) {
	g := t.gain(i.Queue)
	g.items = append(g.items, i.Number)
}

func (t *tx) gain(queue string) *gain {
	for n := range t.after.available {
		if g := &t.after.available[n]; g.queue == queue {
			return g
		}
	}
	t.after.available = append(t.after.available, gain{queue: queue})
	return &t.after.available[len(t.after.available)-1]
}

// remind keeps the earliest instant at which time itself changes an item.
func (t *tx) remind(at store.Time) {
	if at != 0 && (t.after.due == 0 || at < t.after.due) {
		t.after.due = at
	}
}

func (t *tx) notice(level, text string, id store.ID) {
	t.after.notices = append(t.after.notices, Notice{At: t.now, Level: level, Text: text, Item: itemOnly(id), Queue: id.Queue})
}

func itemOnly(id store.ID) store.ID {
	if id.Number == 0 {
		return store.ID{}
	}
	return id
}

// addQueue stores a new queue. None of its items is of a job in name only.
func (t *tx) addQueue(q *store.Queue, why string) error {
	return firstOf(t.putQueue(q, "queue-add", why), t.PutMark(q.Name, jobsMark, jobsWhole))
}

// putQueue writes a queue's settings with their history.
func (t *tx) putQueue(q *store.Queue, event, why string) error {
	t.touch(q.Name)
	t.offer(q.Name) // a pause too: drains in line for the queue look again
	t.after.settings = true
	if err := t.PutQueue(q); err != nil {
		return err
	}
	return t.Append(t.record(q.Name, event, why))
}

// put writes an item that the event took from an earlier status to its present
// one, with its history, and notes what follows from it.
func (t *tx) put(i *store.Item, from store.Status, event Event, why string) error {
	if i.Undo != nil && i.Undo.Left != i.Revision+1 { // of an act before this one
		i.Undo = nil
	}
	t.withhold(i)
	t.follow(i, from, event)
	if from.InFlight() && !i.Status.InFlight() && t.actor != i.ClaimedBy {
		t.after.revoked = append(t.after.revoked, Holding{i.ID(), i.Fence})
	}
	return t.Put(i, t.itemChange(i, from, event, why))
}

// add stores a new item with its history.
func (t *tx) add(i *store.Item, payload []byte, event, why string) error {
	i.CreatedAt, i.CreatedBy = t.now, t.actor
	t.withhold(i)
	t.touch(i.Queue).in++
	if err := t.Add(i, payload, store.Change{At: t.now, Actor: t.actor, Event: event, To: i.Status, Why: why}); err != nil {
		return err
	}
	t.follow(i, 0, "add")
	return nil
}

func (t *tx) follow(i *store.Item, from store.Status, event Event) {
	touched := t.touch(i.Queue)
	touched.count(event)
	workedOff := event != EventUndo && event != EventWithdraw
	if workedOff && Final(i.Status) && !Final(from) {
		touched.out++
	}
	if i.Group != "" || Reviewable(from) {
		t.after.groups = true
	}
	if inJob(i) {
		t.touchJob(i.Job)
	}
	t.remind(i.NextDate())
	switch {
	case i.Withheld:
	case i.Status.InFlight():
		t.remind(i.LeaseUntil)
	case i.Status.Waiting() && i.ReadyAt() > t.now:
		t.remind(i.ReadyAt())
	case i.Status.Waiting() && !t.staging:
		t.offerItem(i)
	}
}

// itemChange records who did it: for a robot's own reports the robot.
func (t *tx) itemChange(i *store.Item, from store.Status, event Event, why string) *store.Change {
	actor := t.actor
	if (from.InFlight() || i.Status.InFlight()) && event != EventCancel {
		actor = i.ClaimedBy
	}
	if event == EventExpire {
		actor = "engine"
	}
	return &store.Change{At: t.now, Actor: actor, Queue: i.Queue, Number: i.Number, Event: string(event), From: from, To: i.Status, Fence: i.Fence, Why: why}
}

func (t *tx) record(queue, event, why string) store.Change {
	return store.Change{At: t.now, Actor: t.actor, Queue: queue, Event: event, Why: why}
}
