package engine_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/store/bolt"
)

// BenchmarkFirstPage measures the first page of lists of a store of a million
// items. Run it with -benchtime 20x: most of its time makes the store.
func BenchmarkFirstPage(b *testing.B) {
	e := million(b)
	for _, filter := range []string{
		"", "status:failed", "status:failed queue:q1,q2", "reference:INV-00012", "reference:=INV-0001234", "reference:INV- status:failed",
		`group:"no zip"`, "id:q1/5,q2/7", "number:>700000", "key:K-77", "!status:pending",
		"attempts:>5", // no index: the budget ends it
	} {
		b.Run(filter, func(b *testing.B) {
			var most time.Duration
			for b.Loop() {
				begun := time.Now()
				page, err := e.List(context.Background(), engine.ListRequest{Filter: filter, Order: engine.AnyOrder, Budget: store.Duration(100 * time.Millisecond)})
				if err != nil {
					b.Fatal(err)
				}
				most = max(most, time.Since(begun))
				b.ReportMetric(float64(page.Looked), "looked")
			}
			b.ReportMetric(float64(most.Microseconds())/1000, "ms-most")
		})
	}
}

// million makes a store of a million items in two queues.
func million(b *testing.B) *engine.Engine {
	b.Helper()
	s, err := bolt.Open(filepath.Join(b.TempDir(), "million.db"), bolt.Options{NoSync: true})
	if err != nil {
		b.Fatal(err)
	}
	e, err := engine.Open(context.Background(), s, engine.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = e.Close() })
	ctx := context.Background()
	for _, name := range []string{"q1", "q2"} {
		if _, err := e.AddQueue(ctx, engine.DefaultQueue(name, store.Transactions)); err != nil {
			b.Fatal(err)
		}
		for n := 0; n < 500_000; n += 5000 {
			items := benchItems(5000)
			for k := range items {
				items[k].Reference = fmt.Sprintf("INV-%07d", n+k)
			}
			items[77].Key = fmt.Sprintf("K-%d", n+77)
			if _, err := e.Add(ctx, engine.AddRequest{Queue: name, Items: items}); err != nil {
				b.Fatal(err)
			}
		}
		for range 5 {
			recs, err := e.Claim(ctx, engine.ClaimRequest{Queue: name, Robot: "r", N: 1000})
			if err != nil {
				b.Fatal(err)
			}
			settlements := make([]engine.Settlement, len(recs))
			for k, rec := range recs {
				settlements[k] = engine.Settlement{Item: rec.ID(), Fence: rec.Fence, Status: engine.Business, Reason: "no zip"}
			}
			if _, err := e.Settle(ctx, settlements); err != nil {
				b.Fatal(err)
			}
		}
	}
	return e
}
