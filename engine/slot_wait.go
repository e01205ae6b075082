package engine

import (
	"fmt"

	"signalbox/engine/lane"
	"signalbox/store"
)

// SlotWait is how work stands that is ready but for a slot: its queue's place in the
// line of its lane.
type SlotWait struct {
	Lane  lane.Lane `json:"lane"`
	Busy  int       `json:"busy"`  // slots in use
	Pool  int       `json:"pool"`  // slots there are
	Place int       `json:"place"` // in the lane's line, from 1
	Ahead int       `json:"ahead"` // turns of both lanes that come first
	// Expected is how much longer it should take, 0 when recent holds don't tell.
	Expected store.Duration `json:"expected,omitzero"`
	Since    store.Time     `json:"since"`
}

// String words it for people.
func (w *SlotWait) String() string {
	f := lane.Full{Busy: w.Busy, Pool: w.Pool, Place: w.Place, Ahead: w.Ahead, Expected: w.Expected}
	return fmt.Sprintf("waiting for a slot of the %s lane: %s", w.Lane, f.Error())
}

// slotWait gives the first place in line of a queue for one of its jobs, or for
// whichever of its items comes next; nil when it has none.
func (e *Engine) slotWait(queue, job string) *SlotWait {
	s := e.slots.State()
	for i := range s.Waiting {
		if w := &s.Waiting[i]; w.Queue == queue && (w.Job == "" || w.Job == job) {
			return &SlotWait{Lane: w.Lane, Busy: s.Busy, Pool: s.Pool, Place: w.Place, Ahead: w.Ahead, Expected: w.Expected, Since: w.Since}
		}
	}
	return nil
}

// itemWait is that of an item that could be worked now.
func (e *Engine) itemWait(i *store.Item) *SlotWait {
	if !i.Status.Waiting() || i.ReadyAt() > e.now() {
		return nil
	}
	return e.slotWait(i.Queue, i.Job)
}
