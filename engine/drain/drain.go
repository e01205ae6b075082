package drain

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
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
	claimed  bool      // guarded by the scheduler's lock
	end      time.Time // of its time in the slot

	room  atomic.Int64  // for more beside what is worked side by side
	more  chan struct{} // capacity 1: claim that
	stuck stuck
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
	n := int64(len(d.stuck.outs))
	d.s.tally.stuck.Add(n)
	defer d.s.tally.stuck.Add(-n)
	d.s.running.Done()
	for _, out := range d.stuck.outs {
		<-out // what still works keeps its slot
	}
}

// stuck are a drain's consumers that did not stop when told.
type stuck struct {
	mu   sync.Mutex
	outs []<-chan result
}

func (s *stuck) add(out <-chan result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.outs = append(s.outs, out)
}

func (s *stuck) any() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.outs) > 0
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
// The end of one batch and the claim of the next are one change.
func (d *drain) turn() {
	d.end = time.Now().Add(d.s.options.Bound)
	for l := d.claim(); l != nil; {
		var asked bool
		if l, asked = d.work(l); !asked && d.goesOn() {
			l = d.claim()
		}
	}
	d.grant.Update(func(h *lane.Holder) { h.Item, h.Job = "", "" })
}

// load is what a claim brought.
type load struct {
	set     *store.Queue
	records []engine.Record
	sent    time.Time // when it was asked for
	// refused are reports on the batch before that are still to be made: its
	// results were refused for their content.
	refused []refusal
}

// refusal is a claim whose result was refused, and what is said of it instead.
type refusal struct {
	*claim
	instead engine.Settlement
}

// goesOn says that the drain may claim once more: its slot's time is not up, and
// nothing asks for its end.
func (d *drain) goesOn() bool {
	set := d.q.settings.Load()
	return !d.stuck.any() && !d.s.stopping() && d.q.wanted.Load() && time.Now().Before(d.end) &&
		lane.Lane(set.Lane) == d.lane && (set.MaxDrains == 0 || d.number <= set.MaxDrains) && !d.grant.Closing()
}

// claim asks for a first batch, nil when there is none.
func (d *drain) claim() *load {
	if d.s.stopping() {
		return nil
	}
	_, l := d.next(nil, 0)
	return l
}

// next settles what is done and claims the next batch, nil when there is none, of at
// most so many; 0 = as the settings say. No outcomes say that nothing was settled.
func (d *drain) next(done []engine.Settlement, most int) ([]engine.Outcome, *load) {
	l := &load{set: d.q.settings.Load(), sent: time.Now()}
	wakes := d.s.wakes.Load()
	var now store.Queue // so that an item added after a change of settings is never worked by the old ones
	ask := engine.ClaimRequest{Queue: d.queue, Robot: d.robot, N: max(1, l.set.BatchSize), Settings: &now}
	if most > 0 {
		ask.N = min(ask.N, most)
	}
	var outcomes []engine.Outcome
	var err error
	if len(done) == 0 {
		l.records, err = d.s.engine.Claim(d.context(), ask)
	} else {
		outcomes, l.records, err = d.s.engine.Next(d.context(), done, ask)
	}
	d.s.claimed(d, wakes, len(l.records) == 0, most > 0)
	switch store.CodeOf(err) {
	case 0, store.CodeEmpty, store.CodeConflict, store.CodeNotFound: // emptied, paused or deleted meanwhile
	default:
		d.s.log.Error("claim", "queue", d.queue, "error", err)
		d.s.later()
	}
	if len(l.records) == 0 {
		return outcomes, nil
	}
	if now.Name != "" && now.Consumer.Kind != engine.Manual { // what is claimed is still worked
		l.set = &now
	}
	return outcomes, l
}

// context is for calls of the engine made in the drain's name.
func (d *drain) context() context.Context { return engine.WithActor(d.s.base, d.robot) }
