package engine

import "signalbox/store"

// Items of an open job stay whatever their age, since the job's numbers are those
// of its items. Retention passes over them and notes where the first one's last
// change stands in the history; when a job ends it goes back there.

func jobIsOpen(r store.Reader, i *store.Item) bool {
	if !inJob(i) {
		return false
	}
	j, err := r.Job(i.Job)
	return err == nil && j.EndedAt == 0
}

// hold notes a change whose item is passed over.
func (f *pruneFound) hold(p *policy, change uint64) {
	if first := f.held[p]; first == 0 || change < first {
		f.held[p] = change
	}
}

func (p *policy) heldMark() string { return "held-" + p.class.String() }

// held keeps the first change that is passed over; 0 = none.
func (t *tx) held(p *policy, change uint64) error {
	if change == 0 {
		return nil
	}
	before, err := t.Mark(p.queue, p.heldMark())
	if err != nil || before != 0 && before <= change {
		return err
	}
	return t.PutMark(p.queue, p.heldMark(), change)
}

// unhold has retention look again at what it passed over in a queue.
func (t *tx) unhold(queue string) error {
	for c := range classes {
		p := policy{queue: queue, class: c}
		first, err := t.Mark(queue, p.heldMark())
		if err != nil {
			return unlessGone(err)
		}
		if first == 0 {
			continue
		}
		mark, err := t.Mark(queue, p.mark())
		if err != nil {
			return err
		}
		t.after.settings = true // wakes the pruner
		if err := firstOf(t.PutMark(queue, p.mark(), min(mark, first-1)), t.PutMark(queue, p.heldMark(), 0)); err != nil {
			return err
		}
	}
	return nil
}
