package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"

	"signalbox/engine/archive"
	"signalbox/store"
)

// Bounds on one step, and so on how long it keeps the writer from others and
// what it holds in memory.
const (
	pruneItems = 500
	pruneBytes = 8 << 20 // of archived items
	pruneLook  = 10_000  // changes of the history
)

// PruneReport says what `queue prune` did, or would do.
type PruneReport struct {
	Queue    string `json:"queue"`
	DryRun   bool   `json:"dry_run,omitempty"`
	Settled  Pruned `json:"settled"`
	Excepted Pruned `json:"excepted"`
}

// Pruned is about one class of a queue's items.
type Pruned struct {
	OlderThan store.Duration `json:"older_than"`
	Then      string         `json:"then"`           // keep, delete or archive
	Items     int            `json:"items"`          // removed; of a dry run, those whose time is over
	File      string         `json:"file,omitempty"` // the archive that got the last of them
}

func (r *PruneReport) of(c class) *Pruned {
	if c == settled {
		return &r.Settled
	}
	return &r.Excepted
}

// Prune applies a queue's retention now: items whose time is over are deleted or
// archived, as its settings say. A dry run changes nothing, and also counts what
// is over its time and kept. CodeNotFound for a queue that is not there,
// CodeInvalid where there is no place for archives.
func (e *Engine) Prune(ctx context.Context, queue string, dryRun bool) (PruneReport, error) {
	report := PruneReport{Queue: queue, DryRun: dryRun}
	e.pruner.working.Lock()
	defer e.pruner.working.Unlock()
	groups, err := e.pruneGroups(ctx, queue, func(p *policy) bool {
		*report.of(p.class) = Pruned{OlderThan: p.age, Then: p.then}
		return dryRun || e.pruner.removes(p)
	})
	if err != nil {
		return report, err
	}
	if !dryRun && e.pruner.archive == nil && (report.Settled.Then == ThenArchive || report.Excepted.Then == ThenArchive) {
		return report, store.Invalid("store "+e.name, "it has no place for an archive", "use a store that is a file, or delete instead")
	}
	step := e.pruneStep
	if dryRun {
		step = e.pruneLook
	}
	for _, g := range groups {
		for {
			found, err := step(ctx, g, &report)
			if err != nil {
				return report, err
			}
			if found.through == g.mark {
				break
			}
			g.mark = found.through
		}
	}
	return report, nil
}

// pruneGroup is policies that look through the same stretch of history.
type pruneGroup struct {
	mark     uint64 // the last change looked at
	age      store.Duration
	policies map[string][classes]*policy // by queue
}

// pruneGroups gives the policies that are wanted, of one queue or, with "", of
// all whose settings can be read.
func (e *Engine) pruneGroups(ctx context.Context, queue string, want func(*policy) bool) (groups []*pruneGroup, err error) {
	err = e.store.View(ctx, func(r store.Reader) error {
		groups = nil
		queues, err := r.Queues()
		if queue != "" {
			queues = make([]store.Queue, 1)
			queues[0], err = r.Queue(queue)
		}
		if err != nil {
			return err
		}
		for n := range queues {
			if queues[n].Revision == 0 { // unreadable
				continue
			}
			for c := range classes {
				p := policyOf(&queues[n], c)
				if !want(&p) {
					continue
				}
				mark, err := r.Mark(p.queue, p.mark())
				if err != nil {
					return err
				}
				groups = group(groups, mark, p)
			}
		}
		return nil
	})
	return groups, err
}

func group(groups []*pruneGroup, mark uint64, p policy) []*pruneGroup {
	for _, g := range groups {
		if g.mark == mark && g.age == p.age {
			of := g.policies[p.queue]
			of[p.class] = &p
			g.policies[p.queue] = of
			return groups
		}
	}
	g := &pruneGroup{mark: mark, age: p.age, policies: map[string][classes]*policy{}}
	return append(groups, group([]*pruneGroup{g}, mark, p)...)
}

// pruneFound is what one look at a stretch of history found.
type pruneFound struct {
	due     []prunable
	lines   map[string]*bytes.Buffer // for the archive, by queue
	held    map[holder]uint64        // the first change passed over
	through uint64                   // the last change looked at
	next    store.Time               // of the first change that is too young; 0 = none
}

type prunable struct {
	id     store.ID
	change uint64 // the item's last
	policy *policy
}

// pruneLook counts what is over its time in the next stretch.
func (e *Engine) pruneLook(ctx context.Context, g *pruneGroup, report *PruneReport) (pruneFound, error) {
	found, err := e.lookForOld(ctx, g, false)
	for _, d := range found.due {
		report.of(d.policy.class).Items++
	}
	return found, err
}

// pruneStep removes what is over its time in the next stretch. What is archived
// is on disk before it is removed. The report, if there is one, is brought up to
// date.
func (e *Engine) pruneStep(ctx context.Context, g *pruneGroup, report *PruneReport) (pruneFound, error) {
	found, err := e.lookForOld(ctx, g, true)
	if err != nil || found.through == g.mark {
		return found, err
	}
	files := map[string]string{}
	for queue, lines := range found.lines {
		if files[queue], err = e.pruner.archive.Append(queue, e.now(), lines.Bytes()); err != nil {
			return found, err
		}
	}
	var removed map[*policy]int
	err = e.change(ctx, func(t *tx) (err error) {
		removed, err = t.prune(g, &found, files)
		return err
	})
	if err == nil && report != nil {
		for p, n := range removed {
			of := report.of(p.class)
			of.Items += n
			if p.then == ThenArchive {
				of.File = files[p.queue]
			}
		}
	}
	return found, err
}

// lookForOld looks through the history behind the group's mark for last changes
// of items that the group's policies are about and that are old enough.
func (e *Engine) lookForOld(ctx context.Context, g *pruneGroup, whole bool) (found pruneFound, err error) {
	cut := cutoff(e.now(), g.age)
	err = e.store.View(ctx, func(r store.Reader) error {
		found = pruneFound{through: g.mark, lines: map[string]*bytes.Buffer{}, held: map[holder]uint64{}}
		size := 0
		for looked := 0; looked < pruneLook; {
			changes, err := r.Changes(found.through, 1000)
			if err != nil || len(changes) == 0 {
				return err
			}
			looked += len(changes)
			for n := range changes {
				c := &changes[n]
				if c.At > cut {
					found.next = c.At
					return nil
				}
				if len(found.due) == pruneItems || size > pruneBytes {
					return nil
				}
				found.through = c.Seq
				n, err := found.consider(r, g, c, whole, e.now())
				if size += n; err != nil {
					return err
				}
			}
		}
		return nil
	})
	return found, err
}

// consider adds the item of a change if it is due: it is of one of the
// policies, and the change is its last. One that can't be read whole stays.
// The size is that of its line for the archive.
func (f *pruneFound) consider(r store.Reader, g *pruneGroup, c *store.Change, whole bool, now store.Time) (size int, err error) {
	of, ours := g.policies[c.Queue]
	if !ours || c.Number == 0 || c.To.Waiting() || c.To.InFlight() {
		return 0, nil
	}
	i, err := r.Item(store.ID{Queue: c.Queue, Number: c.Number})
	if err != nil || i.LastChange != c.Seq {
		return 0, nil
	}
	class, is := classOf(&i)
	if !is || of[class] == nil {
		return 0, nil
	}
	p := of[class]
	if jobIsOpen(r, &i) {
		f.hold(p, i.Job, c.Seq)
		return 0, nil
	}
	if whole {
		history, err := r.History(i.ID(), math.MaxInt)
		if err != nil {
			return 0, nil
		}
		if p.then == ThenArchive {
			if f.lines[i.Queue] == nil {
				f.lines[i.Queue] = &bytes.Buffer{}
			}
			before := f.lines[i.Queue].Len()
			if err := archiveLine(f.lines[i.Queue], r, i, history, now); err != nil {
				f.lines[i.Queue].Truncate(before)
				return 0, nil
			}
			size = f.lines[i.Queue].Len() - before
		}
	}
	f.due = append(f.due, prunable{i.ID(), c.Seq, p})
	return size, nil
}

func archiveLine(b *bytes.Buffer, r store.Reader, i store.Item, history []store.Change, now store.Time) error {
	rec, _, err := kept(r, i)
	if err != nil {
		return err
	}
	rec.Item.MaxAttempts = i.MaxAttempts // its own, not its queue's
	l := archive.Line{Item: rec.Item, Payload: rec.Payload, Output: rec.Output, Analytics: rec.Analytics, ArchivedAt: now}
	for n := range history {
		l.History = append(l.History, history[len(history)-1-n])
	}
	return l.Encode(b)
}

// prune removes what was found, unless something has happened to it or its
// queue's policy has changed since, and moves the marks on.
func (t *tx) prune(g *pruneGroup, found *pruneFound, files map[string]string) (removed map[*policy]int, err error) {
	removed = map[*policy]int{}
	still, err := t.unchanged(g)
	if err != nil {
		return nil, err
	}
	var ids []store.ID
	jobs := map[string]store.JobCounts{}
	for _, d := range found.due {
		i, err := t.Item(d.id)
		if err != nil || i.LastChange != d.change || !still[d.policy] {
			continue
		}
		if jobIsOpen(t, &i) { // reopened since
			found.hold(d.policy, i.Job, d.change)
			continue
		}
		ids = append(ids, d.id)
		removed[d.policy]++
		t.after.groups = t.after.groups || i.Group != ""
		if inJob(&i) {
			c := jobs[i.Job]
			c.Add(&i, 1)
			jobs[i.Job] = c
		}
	}
	if len(ids) > 0 {
		if err := firstOf(t.leave(jobs), t.Purge(ids)); err != nil {
			return nil, err
		}
	}
	for p := range still {
		through, err := t.held(p, found)
		if err != nil {
			return nil, err
		}
		if err := t.pruned(p, removed[p], files[p.queue], through); err != nil {
			return nil, err
		}
	}
	return removed, nil
}

// unchanged gives those of the group's policies that their queues still have, and
// that nobody has taken back since.
func (t *tx) unchanged(g *pruneGroup) (map[*policy]bool, error) {
	still := map[*policy]bool{}
	for name, of := range g.policies {
		q, err := t.Queue(name)
		if err != nil {
			if code := store.CodeOf(err); code == store.CodeNotFound || code == store.CodeUnavailable {
				continue
			}
			return nil, err
		}
		for _, p := range of {
			if p == nil || policyOf(&q, p.class) != *p {
				continue
			}
			mark, err := t.Mark(name, p.mark())
			if err != nil {
				return nil, err
			}
			if mark == g.mark {
				still[p] = true
			}
		}
	}
	return still, nil
}

// pruned records how many items a policy removed, and how far it has looked.
func (t *tx) pruned(p *policy, n int, file string, through uint64) error {
	if err := t.PutMark(p.queue, p.mark(), through); err != nil || n == 0 {
		return err
	}
	t.touch(p.queue)
	items := "items"
	if n == 1 {
		items = "item"
	}
	why := fmt.Sprintf("%d %s %s, untouched for %s", n, p.class, items, p.age)
	if p.then == ThenArchive {
		why += ", archived in " + filepath.Base(file)
	}
	return t.Append(t.record(p.queue, "purge", why))
}

// trim forgets changes that are of no item that is there, when they are older
// than the longest retention: of queues, of the pool, of what was removed with
// its queue, and of removals themselves. Where nothing is removed it forgets
// nothing.
func (e *Engine) trim(ctx context.Context, groups []*pruneGroup) error {
	longest := store.Duration(-1)
	for _, g := range groups {
		longest = max(longest, g.age)
	}
	if longest < 0 {
		return nil
	}
	for {
		var orphans []uint64
		var mark, through uint64
		cut := cutoff(e.now(), longest)
		err := e.store.View(ctx, func(r store.Reader) (err error) {
			if mark, err = r.Mark("", trimMark); err != nil {
				return err
			}
			orphans, through, err = orphansBehind(r, mark, cut)
			return err
		})
		if err != nil || through == mark {
			return err
		}
		err = e.change(ctx, func(t *tx) error {
			return errors.Join(t.Forget(orphans), t.PutMark("", trimMark, through))
		})
		if err != nil {
			return err
		}
	}
}

const trimMark = "trim"

func orphansBehind(r store.Reader, mark uint64, cut store.Time) (orphans []uint64, through uint64, err error) {
	changes, err := r.Changes(mark, pruneLook)
	through = mark
	for n := range changes {
		c := &changes[n]
		if c.At > cut {
			break
		}
		through = c.Seq
		if c.Number != 0 {
			if _, err := r.Item(store.ID{Queue: c.Queue, Number: c.Number}); store.CodeOf(err) != store.CodeNotFound {
				continue
			}
		}
		orphans = append(orphans, c.Seq)
	}
	return orphans, through, err
}

// gone tells an item that was removed from one that never was.
func gone(r store.Reader, id store.ID, err error) error {
	if store.CodeOf(err) != store.CodeNotFound {
		return err
	}
	s, e := r.Stats(id.Queue, 0)
	if e != nil || id.Number > s.Last {
		return err
	}
	return &store.Error{
		Code: store.CodeNotFound, Thing: fmt.Sprintf("item %q", id.String()), Rule: "it was removed by its queue's retention",
		Mend: "look for it in the archive beside the store, if the queue has one",
	}
}
