package engine

import (
	"maps"
	"slices"

	"signalbox/store"
)

// Items of an open job stay whatever their age, since the job's numbers are those
// of its items. Retention passes over them and notes where the first one's last
// change stands in the history; when a job ends it goes back there. What it removes
// then stays with the job as numbers, for one that goes on later.

// leave keeps what jobs counted of items that are about to be removed.
func (t *tx) leave(removed map[string]store.JobCounts) error {
	for _, id := range slices.Sorted(maps.Keys(removed)) {
		j, err := t.Job(id)
		if err == nil {
			j.Gone = j.Gone.Plus(removed[id])
			err = t.PutJob(&j)
		}
		if unlessGone(err) != nil {
			return err
		}
	}
	return nil
}

func jobIsOpen(r store.Reader, i *store.Item) bool { return inJob(i) && isOpen(r, i.Job) }

func isOpen(r store.Reader, job string) bool {
	j, err := r.Job(job)
	return err == nil && j.EndedAt == 0
}

// holder is an open job for which a policy passes over changes.
type holder struct {
	policy *policy
	job    string
}

// hold notes a change that is passed over.
func (f *pruneFound) hold(p *policy, job string, change uint64) {
	by := holder{p, job}
	if first := f.held[by]; first == 0 || change < first {
		f.held[by] = change
	}
}

func (p *policy) heldMark() string { return "held-" + p.class.String() }

// held keeps the first change that a policy passed over, and says how far it has
// looked: not beyond one whose job has ended since, as that went back to none.
func (t *tx) held(p *policy, found *pruneFound) (through uint64, err error) {
	through = found.through
	first := uint64(0)
	for by, change := range found.held {
		switch {
		case by.policy != p:
		case !isOpen(t, by.job):
			through = min(through, change-1)
			t.after.settings = true // wakes the pruner
		case first == 0 || change < first:
			first = change
		}
	}
	if first == 0 {
		return through, nil
	}
	before, err := t.Mark(p.queue, p.heldMark())
	if err != nil || before != 0 && before <= first {
		return through, err
	}
	return through, t.PutMark(p.queue, p.heldMark(), first)
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
