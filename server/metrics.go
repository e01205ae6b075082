package server

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"signalbox/engine"
	"signalbox/engine/lane"
)

// metricsType is the text format of Prometheus, as its documentation of
// exposition formats names it.
const metricsType = "text/plain; version=0.0.4; charset=utf-8"

// serveMetrics answers with the numbers of an engine in Prometheus's text format.
func serveMetrics(read func(context.Context) (engine.Metrics, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		m, err := read(r.Context())
		if err != nil {
			refuse(w, err)
			return
		}
		w.Header().Set("Content-Type", metricsType)
		out := bufio.NewWriter(w)
		writeMetrics(out, &m, time.Now())
		metrics.WriteProcessMetrics(out)
		_ = out.Flush() // who asked has gone
	}
}

// family is one metric with all its labels.
type family struct {
	w    io.Writer
	name string
}

// newFamily begins a metric: its help and its type, counter or gauge.
func newFamily(w io.Writer, name, kind, help string) family {
	fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
	return family{w, name}
}

// is gives the value under labels, which come as names and values in turn. All
// values are of alphabets that need no quoting.
func (f family) is(value float64, labels ...string) {
	var sample strings.Builder
	sample.WriteString(f.name)
	before := '{'
	for i := 0; i < len(labels); i += 2 {
		fmt.Fprintf(&sample, "%c%s=%q", before, labels[i], labels[i+1])
		before = ','
	}
	if len(labels) > 0 {
		sample.WriteByte('}')
	}
	metrics.WriteGaugeFloat64(f.w, sample.String(), value)
}

func writeMetrics(w io.Writer, m *engine.Metrics, now time.Time) {
	queueMetrics(w, m.Queues, now)
	poolMetrics(w, &m.Pool)
	upkeepMetrics(w, m.Upkeep)
	jobs := newFamily(w, "signalbox_jobs", "gauge", "Open queue jobs by status.")
	for _, status := range slices.Sorted(maps.Keys(m.Jobs)) {
		jobs.is(float64(m.Jobs[status]), "status", status.String())
	}
}

func queueMetrics(w io.Writer, queues []engine.QueueMetrics, now time.Time) {
	each := func(name, kind, help string, tell func(family, *engine.QueueMetrics)) {
		f := newFamily(w, name, kind, help)
		for i := range queues {
			tell(f, &queues[i])
		}
	}
	each("signalbox_items", "gauge", "Items by status.", func(f family, q *engine.QueueMetrics) {
		for _, s := range engine.StatusesOf(q.Family) {
			f.is(float64(q.Counts[s]), "queue", q.Name, "status", s.String())
		}
	})
	each("signalbox_items_delayed", "gauge", "Waiting items that are not to be claimed yet: deferred, or delayed for a retry.", func(f family, q *engine.QueueMetrics) {
		f.is(float64(q.Delayed), "queue", q.Name)
	})
	each("signalbox_items_sla", "gauge", "Waiting items with a due or risk date, by how they stand.", func(f family, q *engine.QueueMetrics) {
		f.is(float64(q.SLA.OnTime), "queue", q.Name, "standing", "ok")
		f.is(float64(q.SLA.AtRisk), "queue", q.Name, "standing", "risk")
		f.is(float64(q.SLA.Overdue), "queue", q.Name, "standing", "overdue")
	})
	each("signalbox_oldest_waiting_seconds", "gauge", "Age of the oldest waiting item, 0 when none waits.", func(f family, q *engine.QueueMetrics) {
		age := 0.0
		if q.OldestWaitingAt != 0 {
			age = max(0, now.Sub(q.OldestWaitingAt.Time()).Seconds())
		}
		f.is(age, "queue", q.Name)
	})
	each("signalbox_queue_paused", "gauge", "1 while the queue is paused.", func(f family, q *engine.QueueMetrics) {
		f.is(one(q.Paused), "queue", q.Name)
	})
	each("signalbox_queue_consumer_error", "gauge", "1 while the queue's consumer does not work.", func(f family, q *engine.QueueMetrics) {
		f.is(one(q.ConsumerError != ""), "queue", q.Name)
	})
	each("signalbox_item_events_total", "counter", "What happened to items since the engine started, by the events of their history.", func(f family, q *engine.QueueMetrics) {
		for _, e := range slices.Sorted(maps.Keys(q.Events)) {
			f.is(float64(q.Events[e]), "queue", q.Name, "event", string(e))
		}
	})
}

func poolMetrics(w io.Writer, p *lane.State) {
	counts := map[string]int{lane.Free: 0, lane.Busy: 0, lane.Closing: 0}
	held := map[lane.Lane]int{lane.Fast: 0, lane.Slow: 0}
	for i := range p.Slots {
		counts[p.Slots[i].State]++
		if h := p.Slots[i].Holder; h != nil {
			held[h.Lane]++
		}
	}
	slots := newFamily(w, "signalbox_slots", "gauge", "Slots of the pool by state; closing ones are above its size.")
	for _, state := range slices.Sorted(maps.Keys(counts)) {
		slots.is(float64(counts[state]), "state", state)
	}
	busy := newFamily(w, "signalbox_slots_held", "gauge", "Slots held by the work of a lane.")
	busy.is(float64(held[lane.Fast]), "lane", "fast")
	busy.is(float64(held[lane.Slow]), "lane", "slow")
	reserve := newFamily(w, "signalbox_slots_reserve", "gauge", "Slots that only a lane may use.")
	reserve.is(float64(p.Fast.Reserve), "lane", "fast")
	reserve.is(float64(p.Slow.Reserve), "lane", "slow")
	waiting := newFamily(w, "signalbox_slots_waiting", "gauge", "Turns that wait in a lane's line.")
	waiting.is(float64(p.Fast.Waiting), "lane", "fast")
	waiting.is(float64(p.Slow.Waiting), "lane", "slow")
}

func upkeepMetrics(w io.Writer, loops []engine.Upkeep) {
	failing := newFamily(w, "signalbox_upkeep_failing", "gauge", "1 while a loop of the engine fails: leases, retention, drains, slot-history.")
	for _, u := range loops {
		failing.is(one(u.Failing()), "loop", u.Loop)
	}
	ran := newFamily(w, "signalbox_upkeep_success_timestamp_seconds", "gauge", "When a loop of the engine last came to its end without a failure; one with nothing to do sleeps.")
	for _, u := range loops {
		if u.RanAt != 0 {
			ran.is(float64(u.RanAt)/1000, "loop", u.Loop)
		}
	}
}

func one(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
