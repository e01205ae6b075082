package storetest

import (
	"os"
	"path/filepath"
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
	f, err := os.Create(filepath.Join(dir, "yardstick"))
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
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
	n, begun := 0, time.Now()
	for time.Since(begun) < window {
		overwrite()
		n++
	}
	return float64(n) / time.Since(begun).Seconds()
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
