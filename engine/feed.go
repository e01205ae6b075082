package engine

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"signalbox/store"
)

// keptNotices is how many notices a snapshot carries.
const keptNotices = 100

// feed makes Snapshots for whoever watches. Changes only mark what they
// touched; a watcher that asks for more than the newest makes the next one, so
// an engine nobody watches draws nothing, and a burst becomes one picture.
type feed struct {
	e *Engine

	build sync.Mutex // held while a snapshot is made

	mu      sync.Mutex
	watched bool // somebody has asked for a snapshot
	current *Snapshot
	dirty   dirt
	notices []Notice
	seq     uint64        // of the newest notice
	changed chan struct{} // closed at the next touch; nil when nobody waits
}

// dirt is what has changed since the current snapshot.
type dirt struct {
	queues map[string]bool
	groups bool
	jobs   bool
	slots  bool
	bulks  bool
	any    bool
}

// touch marks what a committed change did; one that did nothing that shows, as a
// claim of nothing or a renewal, makes no new picture.
func (f *feed) touch(a *effects) {
	if len(a.touched) == 0 && len(a.notices) == 0 && !a.groups && !a.jobsShown {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.add(a.notices...)
	if f.watched { // before the first watcher everything is new anyway
		if f.dirty.queues == nil {
			f.dirty.queues = map[string]bool{}
		}
		for _, t := range a.touched {
			f.dirty.queues[t.queue] = true
		}
	}
	f.dirty.groups = f.dirty.groups || a.groups
	f.dirty.jobs = f.dirty.jobs || a.jobsShown
	f.signal()
}

// touchSlots marks a change of the pool.
func (f *feed) touchSlots() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dirty.slots = true
	f.signal()
}

// touchBulks marks a change of a bulk act.
func (f *feed) touchBulks() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dirty.bulks = true
	f.signal()
}

// touchUpkeep marks that one of the engine's loops began to fail or works again.
func (f *feed) touchUpkeep(n Notice) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.add(n)
	f.signal()
}

// add keeps a notice, and no more than the newest of them.
func (f *feed) add(notices ...Notice) {
	for _, n := range notices {
		f.seq++
		n.Seq = f.seq
		f.notices = append(f.notices, n)
	}
	if extra := len(f.notices) - keptNotices; extra > 0 {
		f.notices = slices.Clone(f.notices[extra:])
	}
}

// wakeForDates makes a new picture due when the next waiting item becomes overdue
// or at risk, which nothing else tells, at most once a second.
func (f *feed) wakeForDates(s *Snapshot) (stop func()) {
	var at store.Time
	for i := range s.Queues {
		if passes := s.Queues[i].datePasses; passes != 0 && (at == 0 || passes < at) {
			at = passes
		}
	}
	if at == 0 {
		return func() {}
	}
	wait := min(max(at.Sub(f.e.now()), time.Second), longestSleep)
	t := f.e.clock.AfterFunc(wait, f.touchDates)
	return func() { t.Stop() }
}

// touchDates marks the queues of which a date has passed.
func (f *feed) touchDates() {
	now := f.e.now()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.current == nil {
		return
	}
	if f.dirty.queues == nil {
		f.dirty.queues = map[string]bool{}
	}
	for i := range f.current.Queues {
		if q := &f.current.Queues[i]; q.datePasses != 0 && q.datePasses <= now {
			f.dirty.queues[q.Name] = true
		}
	}
	f.signal()
}

func (f *feed) signal() {
	f.dirty.any = true
	if f.changed != nil {
		close(f.changed)
		f.changed = nil
	}
}

// Watch gives the newest snapshot as soon as its revision is another than after
// (0 = any), and waits while it is that. A watcher that comes from an earlier
// engine is answered at once: revisions begin with the engine's start time.
// Safe for any number of watchers; each sees the newest, not every one.
func (e *Engine) Watch(ctx context.Context, after uint64) (*Snapshot, error) {
	for {
		s, err := e.feed.newest(ctx)
		if err != nil || s.Revision != after {
			return s, err
		}
		stop := e.feed.wakeForDates(s)
		select {
		case <-ctx.Done():
			stop()
			return nil, ctx.Err()
		case <-e.closed:
			stop()
			return nil, e.stopped()
		case <-e.feed.wait():
			stop()
		}
	}
}

// wait gives a channel that is closed when the current snapshot is outdated.
func (f *feed) wait() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.changed == nil {
		f.changed = make(chan struct{})
	}
	changed := f.changed
	if f.dirty.any {
		f.signal()
	}
	return changed
}

// newest gives the current snapshot, made anew when something has changed.
func (f *feed) newest(ctx context.Context) (*Snapshot, error) {
	f.build.Lock()
	defer f.build.Unlock()
	f.mu.Lock()
	old, dirty := f.current, f.dirty
	if old != nil && !dirty.any {
		f.mu.Unlock()
		return old, nil
	}
	f.dirty, f.watched = dirt{}, true
	notices := f.notices[:len(f.notices):len(f.notices)]
	f.mu.Unlock()

	s, err := f.e.snapshot(ctx, old, dirty)
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil { // what was taken is still to be shown
		f.dirty.merge(dirty)
		return nil, err
	}
	s.Notices = notices
	f.current = s
	return s, nil
}

func (d *dirt) merge(o dirt) {
	if d.queues == nil {
		d.queues = map[string]bool{}
	}
	maps.Copy(d.queues, o.queues)
	d.groups, d.slots, d.bulks, d.jobs, d.any = d.groups || o.groups, d.slots || o.slots, d.bulks || o.bulks, d.jobs || o.jobs, true
}

// snapshot makes the picture that follows old; only what is dirty is read.
func (e *Engine) snapshot(ctx context.Context, old *Snapshot, d dirt) (*Snapshot, error) {
	s := &Snapshot{Store: e.name, ReadOnly: e.readOnly, Revision: uint64(e.now())}
	if old != nil {
		*s = *old
	}
	s.Revision++
	s.At = e.now()
	if old == nil || d.slots {
		s.SlotsRevision = s.Revision
		s.Slots = *e.slots.State()
	}
	if old == nil || d.bulks {
		s.Bulks = e.bulks.states()
	}
	s.Utilisation = e.slots.Utilisation()
	s.Upkeep = e.Upkeep()
	if old != nil && len(d.queues) == 0 && !d.groups && !d.jobs {
		return s, nil
	}
	err := e.store.View(ctx, func(r store.Reader) error {
		if old == nil || d.jobs {
			if err := e.pictureJobs(ctx, r, s); err != nil || old != nil && len(d.queues) == 0 && !d.groups {
				return err
			}
		}
		if old == nil || d.groups {
			groups, err := r.Groups("")
			if err != nil {
				return err
			}
			s.Groups = groups
		}
		s.QueuesRevision = s.Revision
		return e.readQueues(r, s, d)
	})
	return s, err
}

// readQueues takes over the rows of queues that have not changed.
func (e *Engine) readQueues(r store.Reader, s *Snapshot, d dirt) error {
	known := make(map[string]*QueueState, len(s.Queues))
	for i := range s.Queues {
		known[s.Queues[i].Name] = &s.Queues[i]
	}
	queues, err := r.Queues()
	if err != nil {
		return err
	}
	rows := make([]QueueState, len(queues))
	for i, q := range queues {
		if row := known[q.Name]; row != nil && !d.queues[q.Name] {
			rows[i] = *row
			rows[i].In, rows[i].Out = e.rates.of(q.Name, e.now()) // minutes pass without a change
			continue
		}
		if rows[i], err = e.queueRow(r, q); err != nil {
			return err
		}
	}
	s.Queues = rows
	return nil
}
