package drain

import (
	"context"
	"math/rand/v2"
	"sync/atomic"

	"signalbox/engine"
	"signalbox/engine/lane"
	"signalbox/store"
)

// queue is a queue as the scheduler knows it. Its plain fields are guarded by
// the scheduler's lock.
type queue struct {
	settings atomic.Pointer[store.Queue] // as last listed
	wanted   atomic.Bool                 // listed by the newest look
	health   health
	drains   map[int]*drain // by number
	fresh    int            // drains that have not claimed yet
	waiting  *drain         // the one in line for a slot
	dry      uint64         // the count of wakes at which a claim found nothing
}

// scan starts drains where there is work for more of them, and calls back those
// in line for nothing. It says how many queues it found available.
func (s *Scheduler) scan() int {
	wakes := s.wakes.Load()
	listed, err := s.engine.Available(s.base)
	s.engine.Tended(engine.DrainLoop, err)
	if err != nil {
		s.later()
		return 0
	}
	rand.Shuffle(len(listed), func(i, j int) { listed[i], listed[j] = listed[j], listed[i] })
	queues := s.note(listed)
	full := map[string]bool{}
	for i, q := range queues {
		if l := listed[i].Lane; !s.fill(q, wakes, full[l]) {
			full[l] = true
		}
	}
	return len(listed)
}

// note takes over which queues are available with which settings.
func (s *Scheduler) note(listed []store.Queue) []*queue {
	s.mu.Lock()
	defer s.mu.Unlock()
	queues := make([]*queue, len(listed))
	wanted := make(map[string]bool, len(listed))
	for i := range listed {
		set := &listed[i]
		q := s.queues[set.Name]
		if q == nil {
			q = &queue{drains: map[int]*drain{}, health: health{told: set.ConsumerError}}
			s.queues[set.Name] = q
		}
		q.settings.Store(set)
		queues[i], wanted[set.Name] = q, true
	}
	for name, q := range s.queues {
		q.wanted.Store(wanted[name])
		if d := q.waiting; d != nil && (!wanted[name] || string(d.lane) != q.settings.Load().Lane) {
			d.withdraw()
		}
		if !wanted[name] && len(q.drains) == 0 {
			delete(s.queues, name)
		}
	}
	return queues
}

// fill starts drains of an available queue: as many again as it has, each in a
// slot of its own, and one in line when no slot is free; none where one has room for
// more in its slot. While one has yet to
// claim it starts none, for that one may take all there is. It says whether a
// slot of the lane may still be free.
func (s *Scheduler) fill(q *queue, wakes uint64, full bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping() || q.fresh > 0 || q.dry == wakes {
		return !full
	}
	for _, d := range q.drains {
		if d.hasRoom() {
			d.claimMore()
			return !full
		}
	}
	set := q.settings.Load()
	for range max(1, len(q.drains)) {
		if set.MaxDrains > 0 && len(q.drains) >= set.MaxDrains {
			return !full
		}
		d := s.newDrain(q, set)
		if !full {
			d.grant, _ = s.engine.Slots().TryTake(d.holder())
		}
		stands := d.grant == nil // from here on the drain's own
		s.launch(d)
		if stands {
			return false
		}
	}
	return true
}

// newDrain makes a drain with the lowest number free in its queue, so that the
// names of robots stay few.
func (s *Scheduler) newDrain(q *queue, set *store.Queue) *drain {
	number := 1
	for q.drains[number] != nil {
		number++
	}
	return &drain{s: s, q: q, number: number, lane: lane.Lane(set.Lane), queue: set.Name, robot: Robot(s.engine.Incarnation(), set.Name, number), more: make(chan struct{}, 1)}
}

func (s *Scheduler) launch(d *drain) {
	d.line, d.withdraw = context.WithCancel(s.line)
	d.q.drains[d.number] = d
	d.q.fresh++
	if d.grant == nil {
		d.q.waiting = d
	}
	s.running.Add(1)
	s.all.Go(d.run)
}

// seated says that the drain has its slot.
func (s *Scheduler) seated(d *drain) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d.q.waiting == d {
		d.q.waiting = nil
	}
}

// claimed says that the drain has claimed for the first time, or more beside what it
// works, and whether there was nothing at that count of wakes. Each claim changes what
// others have use for.
func (s *Scheduler) claimed(d *drain, wakes uint64, empty, beside bool) {
	s.mu.Lock()
	if empty && (!d.claimed || beside) {
		d.q.dry = wakes
	}
	if !d.claimed {
		d.claimed = true
		d.q.fresh--
	}
	s.mu.Unlock()
	s.again()
}

// ended takes the drain off its queue.
func (s *Scheduler) ended(d *drain) {
	s.mu.Lock()
	delete(d.q.drains, d.number)
	if !d.claimed {
		d.q.fresh--
	}
	if d.q.waiting == d {
		d.q.waiting = nil
	}
	s.mu.Unlock()
	d.withdraw()
	s.again()
}
