package engine

import (
	"maps"
	"sync"

	"signalbox/store"
)

// rateMinutes is how many minutes of rates are kept.
const rateMinutes = 15

// rates counts what came into and went out of each queue by the minute, since
// the engine started. It is memory only: a picture for people, not a record.
type rates struct {
	mu     sync.Mutex
	by     map[string]*minutes
	claims map[string]store.Time // when a queue was last asked for work
	events map[string]map[Event]uint64
}

// minutes is a ring of counts; last is the minute of the newest.
type minutes struct {
	first, last int64
	in, out     [rateMinutes]int
}

func (r *rates) add(touched []touch, now store.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range touched {
		r.happened(&t)
		if t.in == 0 && t.out == 0 {
			continue
		}
		m := r.by[t.queue]
		if m == nil {
			m = &minutes{first: minuteOf(now), last: minuteOf(now)}
			if r.by == nil {
				r.by = map[string]*minutes{}
			}
			r.by[t.queue] = m
		}
		m.advance(minuteOf(now))
		m.in[m.last%rateMinutes] += t.in
		m.out[m.last%rateMinutes] += t.out
	}
}

// happened counts the events of one queue.
func (r *rates) happened(t *touch) {
	if len(t.events) == 0 {
		return
	}
	counts := r.events[t.queue]
	if counts == nil {
		counts = map[Event]uint64{}
		if r.events == nil {
			r.events = map[string]map[Event]uint64{}
		}
		r.events[t.queue] = counts
	}
	for _, e := range t.events {
		counts[e.event] += e.n
	}
}

// eventsOf gives how often what happened to items of a queue, by event.
func (r *rates) eventsOf(queue string) map[Event]uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.events[queue])
}

// forget drops what is known of a queue that was deleted.
func (r *rates) forget(queue string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.by, queue)
	delete(r.claims, queue)
	delete(r.events, queue)
}

// of gives a queue's counts per minute, oldest first, the running one last.
func (r *rates) of(queue string, now store.Time) (in, out []int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := r.by[queue]
	if m == nil {
		return nil, nil
	}
	m.advance(minuteOf(now))
	for at := max(m.first, m.last-rateMinutes+1); at <= m.last; at++ {
		in = append(in, m.in[at%rateMinutes])
		out = append(out, m.out[at%rateMinutes])
	}
	return in, out
}

func (m *minutes) advance(minute int64) {
	for step := 0; m.last < minute && step < rateMinutes; step++ {
		m.last++
		m.in[m.last%rateMinutes], m.out[m.last%rateMinutes] = 0, 0
	}
	if m.last < minute { // all of it is older than the ring
		m.in, m.out, m.last = [rateMinutes]int{}, [rateMinutes]int{}, minute
	}
}

func minuteOf(t store.Time) int64 { return int64(t) / 60_000 }

// claimed notes that a queue was asked for work, with or without success.
func (r *rates) claimed(queue string, now store.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.claims == nil {
		r.claims = map[string]store.Time{}
	}
	r.claims[queue] = now
}

// lastClaim is when a queue was last asked for work; 0 = not since the start.
func (r *rates) lastClaim(queue string) store.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.claims[queue]
}
