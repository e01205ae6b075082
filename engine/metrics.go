package engine

import (
	"context"
	"slices"

	"signalbox/engine/lane"
	"signalbox/store"
)

// Metrics are the numbers that a monitoring system asks for.
type Metrics struct {
	Queues []QueueMetrics
	Pool   lane.State
	// Jobs counts the open jobs by status.
	Jobs map[store.JobStatus]int
	// Upkeep is how the engine's own loops fare.
	Upkeep []Upkeep
}

// QueueMetrics are those of one queue.
type QueueMetrics struct {
	QueueState
	// Events counts what happened to its items since the engine started, by the
	// events of their history. What an import brought along is counted once, as
	// the import.
	Events map[Event]uint64
}

// Metrics reads all numbers as of now, none of them by a scan. CodeUnavailable
// when the store fails; a queue that can't be read has its settings alone.
func (e *Engine) Metrics(ctx context.Context) (m Metrics, err error) {
	queues, err := e.Queues(ctx)
	if err != nil {
		return m, err
	}
	m.Queues = make([]QueueMetrics, len(queues))
	for i, q := range queues {
		m.Queues[i] = QueueMetrics{q, e.rates.eventsOf(q.Name)}
	}
	m.Upkeep = e.Upkeep()
	m.Jobs = map[store.JobStatus]int{store.JobRunning: 0, store.JobPaused: 0}
	err = e.store.View(ctx, func(r store.Reader) error {
		for j, err := range r.Jobs(store.JobQuery{Live: true}) {
			if err == nil {
				m.Jobs[j.Status]++
			}
		}
		return nil
	})
	if err != nil {
		return m, err
	}
	m.Pool, err = e.Pool(ctx)
	return m, err
}

// StatusesOf are the statuses that items of a family can have, in their order.
func StatusesOf(f store.Family) (all []store.Status) {
	for _, t := range transitions {
		if t.family == f {
			all = append(append(all, t.from...), t.to)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
