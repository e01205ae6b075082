package coop_test

import (
	"context"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"signalbox/engine/coop"
	"signalbox/engine/coop/bolt"
	"signalbox/store/storetest"
)

func nothing(context.Context, coop.Task[int]) (int, error) { return 0, nil }

// BenchmarkTasks is what a task that does nothing costs, at concurrency 8.
func BenchmarkTasks(b *testing.B) {
	q, err := coop.New(nothing, coop.Options{Concurrency: 8})
	if err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := q.Enqueue(ctx, 1); err != nil {
			b.Fatal(err)
		}
	}
	if err := q.Wait(ctx); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tasks/s")
	_ = q.Destroy(ctx)
}

// BenchmarkDurableTasks is how many tasks a second go through a bolt store, saved
// and removed, in multiples of D.
func BenchmarkDurableTasks(b *testing.B) {
	storetest.Rounds(b, 3, func(dir string) (int, time.Duration) {
		const callers, each = 64, 40
		s, err := bolt.Open(filepath.Join(dir, "coop.db"))
		if err != nil {
			b.Fatal(err)
		}
		defer s.Close()
		q, err := coop.New(nothing, coop.Options{Concurrency: 64, Store: s})
		if err != nil {
			b.Fatal(err)
		}
		begun := time.Now()
		var all sync.WaitGroup
		for range callers {
			all.Go(func() {
				for range each {
					if _, err := q.Enqueue(context.Background(), 1); err != nil {
						b.Error(err)
					}
				}
			})
		}
		all.Wait()
		_ = q.Wait(context.Background())
		took := time.Since(begun)
		_ = q.Destroy(context.Background())
		return callers * each, took
	})
}
