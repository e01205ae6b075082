package builtin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"signalbox/engine"
	"signalbox/engine/builtin"
	"signalbox/engine/drain"
	"signalbox/store"
	"signalbox/store/bolt"
	"signalbox/store/storetest"
)

// The benchmarks here run the engine as `signalbox serve` does: bolt store,
// drains, built-in jobs. Run them with -benchtime 1x.

const (
	turns      = 10_000                 // of an agent, on the slow lane
	turn       = 200 * time.Millisecond // each
	exported   = 200_000                // items of an export, which the fast lane does
	fastStarts = 500
)

type works struct {
	*engine.Engine
	b      *testing.B
	ctx    context.Context
	turned atomic.Int64
	mu     sync.Mutex
	began  map[uint64]time.Time // of the fast items
}

// open gives an engine with its drains: the queue "agent" takes a turn an item
// on the lane, "quick" notes when its items start, and "source" only holds what
// is exported. Exports and quick items are for the fast lane.
func open(b *testing.B, lane string) *works {
	debug.SetGCPercent(400) // as the program runs, see main.go
	s, err := bolt.Open(filepath.Join(b.TempDir(), "bench.db"), bolt.Options{})
	if err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	e, err := engine.Open(ctx, s, engine.Options{})
	if err != nil {
		b.Fatal(err)
	}
	w := &works{Engine: e, b: b, ctx: ctx, began: map[uint64]time.Time{}}
	w.queue("source", "fast", engine.Manual)
	w.queue("agent", lane, engine.Handler)
	w.queue("quick", "fast", engine.Handler)
	handlers := builtin.Handlers(e)
	handlers["agent"] = func(ctx context.Context, _ engine.Record) (json.RawMessage, error) {
		defer w.turned.Add(1)
		select {
		case <-time.After(turn):
		case <-ctx.Done():
		}
		return nil, ctx.Err()
	}
	handlers["quick"] = func(_ context.Context, r engine.Record) (json.RawMessage, error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.began[r.Number] = time.Now()
		return nil, nil
	}
	drains := drain.Start(ctx, e, drain.Options{Handlers: handlers})
	unhook, err := e.RunHooks(e.BuiltinHooks())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		hurry, cancel := context.WithCancel(ctx)
		cancel()
		drains.Stop(hurry)
		unhook()
		if err := e.Close(); err != nil {
			b.Error(err)
		}
	})
	return w
}

func (w *works) queue(name, lane, kind string) {
	q := engine.DefaultQueue(name, store.Jobs)
	q.Lane, q.Consumer.Kind = lane, kind
	if _, err := w.AddQueue(w.ctx, q); err != nil {
		w.b.Fatal(err)
	}
}

func (w *works) add(queue string, n int) {
	for ; n > 0; n -= 5000 {
		items := make([]engine.NewItem, min(n, 5000))
		for i := range items {
			items[i].Payload = json.RawMessage(`{"invoice":"INV-1042","text":"` + strings.Repeat("x", 171) + `"}`)
		}
		if _, err := w.Add(w.ctx, engine.AddRequest{Queue: queue, Items: items}); err != nil {
			w.b.Fatal(err)
		}
	}
}

// export has the engine export the source, and says how long after its call the
// first of its work began, and how long all of it took.
func (w *works) export() (start, whole time.Duration) {
	begun, pause := time.Now(), time.Millisecond
	j, err := w.StartBuiltin(w.ctx, engine.BuiltinRequest{Kind: engine.ExportKind, Request: json.RawMessage(`{"queue":"source","format":"csv"}`)})
	if err != nil {
		w.b.Fatal(err)
	}
	for {
		switch s, err := w.Job(w.ctx, j.ID); {
		case err != nil:
			w.b.Fatal(err)
		case start == 0 && s.InFlight+s.Done > 0:
			start, pause = time.Since(begun), 10*time.Millisecond // a look costs a checkpoint
		case s.Status == store.JobDone:
			return start, time.Since(begun)
		}
		time.Sleep(pause)
	}
}

// quick adds items one after the other, and gives the times from the call that
// adds one to its start, sorted, in milliseconds.
func (w *works) quick(n int) []float64 {
	sent := make(map[uint64]time.Time, n)
	for range n {
		begun := time.Now()
		added, err := w.Add(w.ctx, engine.AddRequest{Queue: "quick", Items: []engine.NewItem{{Payload: json.RawMessage(`{}`)}}})
		if err != nil {
			w.b.Fatal(err)
		}
		sent[added[0].Item.Number] = begun
		time.Sleep(10 * time.Millisecond)
	}
	for {
		w.mu.Lock()
		all := len(w.began) >= n
		w.mu.Unlock()
		if all {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	var waits []float64
	for number, at := range sent {
		waits = append(waits, w.began[number].Sub(at).Seconds()*1000)
	}
	slices.Sort(waits)
	return waits
}

// BenchmarkLanes starts an export and single quick items after 10,000 agent's
// turns that hold every slot they may: with the export and the items on a lane of
// their own, with all on one lane (as a pool without lanes), and, for comparison,
// with no turns at all.
func BenchmarkLanes(b *testing.B) {
	for _, c := range []struct {
		name, lane string
		turns      int
	}{{"alone", "slow", 0}, {"lanes", "slow", turns}, {"one-lane", "fast", turns}} {
		b.Run(c.name, func(b *testing.B) {
			w := open(b, c.lane)
			w.add("source", exported)
			w.add("agent", c.turns)
			time.Sleep(2 * time.Second) // the turns have taken all slots they may
			turned, begun := w.turned.Load(), time.Now()
			start, whole := w.export()
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(start.Seconds()*1000, "export-start-ms")
			b.ReportMetric(exported/whole.Seconds(), "rows/s")
			waits := w.quick(fastStarts)
			b.ReportMetric(waits[len(waits)/2], "start-p50-ms")
			b.ReportMetric(waits[len(waits)*99/100], "start-p99-ms")
			b.ReportMetric(float64(w.turned.Load()-turned)/time.Since(begun).Seconds(), "turns/s")
			b.ReportMetric(peak(b), "anon-MiB")
		})
	}
}

// peak is the process's own memory now, without mapped files, in MiB.
func peak(b *testing.B) float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Skip("the system tells no memory")
	}
	var kib float64
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "RssAnon:"); ok {
			_, _ = fmt.Sscan(rest, &kib)
		}
	}
	return kib / 1024
}

// BenchmarkProgramStart tells how long after the call that adds an item its
// program runs, on an idle lane, and the same for a program started by itself.
func BenchmarkProgramStart(b *testing.B) {
	w := open(b, "fast")
	q := engine.DefaultQueue("dates", store.Jobs)
	q.Consumer = store.Consumer{Kind: engine.Command, Argv: []string{"date", "+%s.%N"}}
	if _, err := w.AddQueue(w.ctx, q); err != nil {
		b.Fatal(err)
	}
	var own, ours []float64
	for range 200 {
		begun := time.Now()
		out, err := exec.Command("date", "+%s.%N").Output()
		if err != nil {
			b.Fatal(err)
		}
		own = append(own, since(b, begun, string(out)))
		begun = time.Now()
		added, err := w.Add(w.ctx, engine.AddRequest{Queue: "dates", Items: []engine.NewItem{{Payload: json.RawMessage(`{}`)}}})
		if err != nil {
			b.Fatal(err)
		}
		ours = append(ours, since(b, begun, w.output(added[0].Item.ID())))
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(storetest.Median(own), "own-p50-ms")
	b.ReportMetric(storetest.Median(ours), "p50-ms")
	b.ReportMetric(storetest.Median(ours)-storetest.Median(own), "beyond-p50-ms")
}

// output waits for an item's output.
func (w *works) output(id store.ID) string {
	for {
		r, err := w.Item(w.ctx, id)
		if err != nil {
			w.b.Fatal(err)
		}
		if r.Status == store.Completed {
			var o struct{ Text json.Number }
			if err := json.Unmarshal(r.Output, &o); err != nil {
				return string(r.Output)
			}
			return o.Text.String()
		}
		time.Sleep(time.Millisecond)
	}
}

func since(b *testing.B, begun time.Time, told string) float64 {
	var seconds, nanos int64
	if _, err := fmt.Sscanf(strings.TrimSpace(told), "%d.%d", &seconds, &nanos); err != nil {
		b.Fatalf("date told %q: %v", told, err)
	}
	return time.Unix(seconds, nanos).Sub(begun).Seconds() * 1000
}
