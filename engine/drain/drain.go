package drain

import (
	"context"
	"fmt"
	"time"

	"signalbox/engine"
	"signalbox/engine/lane"
	"signalbox/store"
)

// Robot is the name under which a drain claims: engine/INCARNATION/QUEUE/NUMBER,
// with its number among the queue's drains from 1.
func Robot(incarnation, queue string, number int) string {
	return fmt.Sprintf("%s%s/%s/%d", engine.DrainPrefix, incarnation, queue, number)
}

// drain is one run of a queue's consumer inside one slot.
type drain struct {
	s      *Scheduler
	q      *queue
	queue  string
	number int
	lane   lane.Lane
	robot  string

	line     context.Context // ends when it is called back from the waiting line
	withdraw context.CancelFunc
	grant    *lane.Grant
	claimed  bool // guarded by the scheduler's lock

	stuck <-chan result // set when a consumer did not stop when told
}

func (d *drain) holder() lane.Holder {
	return lane.Holder{Lane: d.lane, Queue: d.queue, Robot: d.robot}
}

func (d *drain) run() {
	defer d.s.ended(d)
	if d.seat() {
		defer d.grant.Release()
		d.turn()
	}
	if d.stuck != nil {
		d.s.tally.stuck.Add(1)
		defer d.s.tally.stuck.Add(-1)
	}
	d.s.running.Done()
	if d.stuck != nil {
		<-d.stuck // what still works keeps its slot
	}
}

// seat waits for a slot where the drain has none yet.
func (d *drain) seat() bool {
	if d.grant == nil {
		g, err := d.s.engine.Slots().Take(d.line, d.holder())
		if err != nil {
			return false
		}
		d.grant = g
	}
	d.s.seated(d)
	return true
}

// turn claims and works batches until nothing is left, or the slot's time is up.
func (d *drain) turn() {
	end := time.Now().Add(d.s.options.Bound)
	for {
		set := d.q.settings.Load()
		sent := time.Now()
		records, ok := d.claim(set)
		if !ok {
			return
		}
		set = d.settings(set)
		d.work(set, records, sent)
		if d.stuck != nil || d.s.stopping() || !d.q.wanted.Load() || !time.Now().Before(end) {
			return
		}
		if lane.Lane(d.q.settings.Load().Lane) != d.lane {
			return
		}
	}
}

func (d *drain) claim(set *store.Queue) (records []engine.Record, ok bool) {
	if d.s.stopping() {
		return nil, false
	}
	wakes := d.s.wakes.Load()
	records, err := d.s.engine.Claim(d.context(), engine.ClaimRequest{Queue: d.queue, Robot: d.robot, N: max(1, set.BatchSize)})
	switch store.CodeOf(err) {
	case 0:
		d.s.claimed(d, wakes, len(records) == 0)
		return records, len(records) > 0
	case store.CodeEmpty, store.CodeConflict, store.CodeNotFound: // emptied, paused or deleted meanwhile
	default:
		d.s.log.Error("claim", "queue", d.queue, "error", err)
		d.s.later()
	}
	d.s.claimed(d, wakes, true)
	return nil, false
}

// settings reads the queue's settings after a claim, so that an item added after
// a change of them is never worked by the old ones. Where they can't be read the
// last known ones stand.
func (d *drain) settings(known *store.Queue) *store.Queue {
	q, err := d.s.engine.Settings(d.context(), d.queue)
	if err != nil || q.Consumer.Kind == engine.Manual { // what is claimed is still worked
		return known
	}
	return &q
}

// context is for calls of the engine made in the drain's name.
func (d *drain) context() context.Context { return engine.WithActor(d.s.base, d.robot) }
