package engine_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"signalbox/engine"
	"signalbox/store/storetest"
)

// BenchmarkClaimCompleteInJob has robots claim and complete a backlog of which every
// item is in one job, beside one without jobs, in turns. It tells how much of the rate
// without jobs is left.
func BenchmarkClaimCompleteInJob(b *testing.B) {
	for _, wave := range []int{1, 16} {
		b.Run(fmt.Sprintf("robots=64/wave=%d", wave), func(b *testing.B) {
			var plain, inJob, share []float64
			for n := range b.N * (2*benchRounds + 1) {
				var p, j float64
				if n%2 == 0 {
					p, j = worked(b, wave, ""), worked(b, wave, "j")
				} else { // the second of a pair has what the first left to the disk
					j, p = worked(b, wave, "j"), worked(b, wave, "")
				}
				plain, inJob, share = append(plain, p), append(inJob, j), append(share, 100*j/p)
			}
			b.ReportMetric(0, "ns/op") // the loop is ours; its time says nothing
			b.ReportMetric(storetest.Median(plain), "without/s")
			b.ReportMetric(storetest.Median(inJob), "within/s")
			b.ReportMetric(storetest.Median(share), "%")
		})
	}
}

// worked says how many items a second 64 robots get through.
func worked(b *testing.B, wave int, job string) float64 {
	dir, err := os.MkdirTemp(b.TempDir(), "round")
	if err != nil {
		b.Fatal(err)
	}
	defer os.RemoveAll(dir)
	e := benchEngine(b, dir)
	defer e.Close()
	items := benchItems(5000)
	for n := range items {
		items[n].Job = job
	}
	for range min(80, 16*wave) {
		if _, err := e.Add(context.Background(), engine.AddRequest{Queue: "q", Items: items}); err != nil {
			b.Fatal(err)
		}
	}
	done, took := together(64, func(ctx context.Context) int { return claimAndComplete(b, ctx, e, wave, 0) })
	return float64(done) / took.Seconds()
}
