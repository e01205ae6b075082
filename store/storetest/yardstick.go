package storetest

import (
	"os"
	"slices"
	"testing"
	"time"
)

// Yardstick measures D on the disk that holds dir: how often a second 4 KiB can
// be overwritten in place and synced, one after the other. What a store does in
// a second is told in multiples of it, because D itself differs from machine
// to machine and from hour to hour.
func Yardstick(t testing.TB, dir string) float64 {
	t.Helper()
	const window = 250 * time.Millisecond
	overwrite := overwriter(t, dir)
	n, begun := 0, time.Now()
	for time.Since(begun) < window {
		overwrite()
		n++
	}
	return float64(n) / time.Since(begun).Seconds()
}

// PacedSync gives the median time in seconds of one such overwrite and sync
// when one is made every so often, with rest between them. A disk that sleeps,
// or a machine whose idle cores do, answers a lone sync far later than D says.
func PacedSync(t testing.TB, dir string, every time.Duration) float64 {
	t.Helper()
	overwrite := overwriter(t, dir)
	pace := time.NewTicker(every)
	defer pace.Stop()
	took := make([]float64, 100)
	for i := range took {
		<-pace.C
		begun := time.Now()
		overwrite()
		took[i] = time.Since(begun).Seconds()
	}
	return Median(took)
}

func overwriter(t testing.TB, dir string) func() {
	f, err := os.CreateTemp(dir, "yardstick")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = f.Close()
		_ = os.Remove(f.Name())
	})
	page := make([]byte, 4096)
	overwrite := func() {
		if _, err := f.WriteAt(page, 0); err != nil {
			t.Fatal(err)
		}
		if err := datasync(f); err != nil {
			t.Fatal(err)
		}
	}
	overwrite() // the first one grows the file
	return overwrite
}

// Rounds runs a phase several times, each with D measured before and after it,
// and reports the median of what the phase did per second in multiples of D,
// as the metric "xD". The phase gets an empty folder of its own.
func Rounds(b *testing.B, rounds int, phase func(dir string) (done int, took time.Duration)) {
	b.Helper()
	var ratios, rates []float64
	for range rounds {
		dir, err := os.MkdirTemp(b.TempDir(), "round")
		if err != nil {
			b.Fatal(err)
		}
		before := Yardstick(b, dir)
		done, took := phase(dir)
		d := (before + Yardstick(b, dir)) / 2
		rate := float64(done) / took.Seconds()
		rates, ratios = append(rates, rate), append(ratios, rate/d)
		_ = os.RemoveAll(dir)
	}
	b.ReportMetric(0, "ns/op") // the loop is ours; its time says nothing
	b.ReportMetric(Median(ratios), "xD")
	b.ReportMetric(Median(rates), "per-s")
}

// Median gives the middle of the values.
func Median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}
