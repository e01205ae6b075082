package engine

import (
	"fmt"
	"slices"

	"signalbox/store"
)

// A queue's jobsMark is jobsWhole as long as each of its items that names a job
// counts for it, and so is in the index of jobs. Items from an archive need not,
// nor do those of queues from before there was the mark.
const (
	jobsMark  = "jobs"
	jobsWhole = 1
)

// nameOnly notes that an item names a job for which it does not count.
func (t *tx) nameOnly(queue string) error {
	mark, err := t.Mark(queue, jobsMark)
	if err != nil || mark != jobsWhole {
		return err
	}
	return t.PutMark(queue, jobsMark, 0)
}

// byJob takes the index of jobs if it has all that name the job, and fewer items
// than have the statuses.
func (p *path) byJob(r store.Reader) (taken bool, err error) {
	if p.job == "" {
		return false, nil
	}
	j, err := r.Job(p.job)
	switch store.CodeOf(err) {
	case 0:
	case store.CodeNotFound:
		p.refuse("job", "there is no such job any more, so items are asked for its name")
		return false, nil
	default:
		p.refuse("job", "the job can't be read, so items are asked for its name")
		return false, nil
	}
	for _, name := range p.names {
		mark, err := r.Mark(name, jobsMark)
		if err != nil {
			return false, err
		}
		if mark != jobsWhole {
			p.refuse("job", "queue "+name+" may have items that only bear the job's name, from an archive or an older store")
			return false, nil
		}
	}
	p.names = slices.DeleteFunc(p.names, func(name string) bool { return name != j.Queue })
	if len(p.names) == 0 {
		p.index = "none"
		return true, nil
	}
	others, err := countIn(r, p.names, p.statuses)
	if err != nil {
		return false, err
	}
	if size, err := r.JobCounts(p.job, 0); err != nil || size.Total >= others {
		return false, err
	}
	p.index = "job"
	return true, nil
}

// byReason takes the index of folded reasons if it has all items that are
// wanted, and fewer of those that may match than have the statuses.
func (p *path) byReason(r store.Reader) error {
	if len(p.reasons) == 0 && p.kind == "" {
		return nil
	}
	if slices.ContainsFunc(p.statuses, func(s store.Status) bool { return !Reviewable(s) }) {
		p.refuseReason("is indexed only of items that wait for a person's decision; add status:failed,abandoned to look at no others")
		return nil
	}
	var grouped, matching int64
	groups := []string{}
	for _, name := range p.names {
		list, err := r.Groups(name)
		if err != nil {
			return err
		}
		for n := range list {
			g := &list[n]
			if !slices.Contains(p.statuses, g.Status) {
				continue
			}
			if grouped += g.Count; p.mayHold(g) {
				groups, matching = append(groups, g.Text), matching+g.Count
			}
		}
	}
	every, err := countIn(r, p.names, p.statuses)
	switch {
	case err != nil:
		return err
	case grouped != every:
		p.refuseReason(fmt.Sprintf("is indexed only of items that wait for a person's decision, and %d of these were verified", every-grouped))
	case matching < every:
		slices.Sort(groups)
		p.index, p.groups = "group", slices.Compact(groups)
	}
	return nil
}

// mayHold says whether a group may have items of the reason and kind wanted.
func (p *path) mayHold(g *store.Group) bool {
	for _, text := range p.reasons {
		if !mayFold(g.Text, text) {
			return false
		}
	}
	return p.kind == "" || p.kind == g.Kind
}

// passing says that the index taken may lose an item that goes on to match, so
// that each look at the store takes its own.
func (p *path) passing() bool { return p.index == "group" && p.group == "" }

func (p *path) refuse(key, why string) {
	if p.why == nil {
		p.why = map[string]string{}
	}
	p.why[key] = why
}

func (p *path) refuseReason(why string) {
	p.refuse("reason", "a reason "+why)
	p.refuse("kind", "the kind of an error "+why)
}
