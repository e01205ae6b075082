package drain_test

import (
	"context"
	"sync/atomic"
	"testing"

	"signalbox/engine"
	"signalbox/engine/drain"
	"signalbox/store"
)

// BenchmarkHandler works items that cost nothing: what is measured is the
// engine on a store in memory, and the drains.
func BenchmarkHandler(b *testing.B) {
	for name, batch := range map[string]int{"one": 1, "batch": 100} {
		b.Run(name, func(b *testing.B) {
			benchmark(b, func(q *store.Queue) { q.BatchSize = batch })
		})
	}
}

// BenchmarkProgram starts a program per item.
func BenchmarkProgram(b *testing.B) {
	benchmark(b, func(q *store.Queue) {
		q.Consumer = store.Consumer{Kind: engine.Command, Argv: []string{"true"}}
	})
}

func benchmark(b *testing.B, change func(*store.Queue)) {
	r := newRig(b)
	defer r.close()
	r.queue("orders", change)
	for n := b.N; n > 0; n -= 1000 {
		r.addN("orders", min(n, 1000))
	}
	var settled atomic.Int64
	done := make(chan struct{})
	count := func(outcomes []engine.Outcome) {
		if n := int64(len(outcomes)); settled.Add(n) == int64(b.N) {
			close(done)
		}
	}
	r.settle = func(ctx context.Context, ss []engine.Settlement) ([]engine.Outcome, error) {
		outcomes, err := r.Engine.Settle(ctx, ss)
		count(outcomes)
		return outcomes, err
	}
	r.next = func(ctx context.Context, ss []engine.Settlement, c engine.ClaimRequest) ([]engine.Outcome, []engine.Record, error) {
		outcomes, records, err := r.Engine.Next(ctx, ss, c)
		count(outcomes)
		return outcomes, records, err
	}
	b.ResetTimer()
	r.start(drain.Options{Handlers: map[string]drain.Handler{"orders": succeed}})
	<-done
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "items/s")
}
