package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/store/bolt"
	"signalbox/store/storetest"
)

// The benchmarks measure the engine with everything on: every commit synced,
// history, counters, all indexes, payloads of 203 bytes. They say what they
// measure in multiples of D, see storetest.Yardstick; docs/performance.md has
// their results. Run them with -benchtime 1x: each makes its own rounds.

const (
	benchRounds = 5
	benchWindow = time.Second
)

var benchPayload = json.RawMessage(`{"invoice":"INV-1042","text":"` + strings.Repeat("x", 203-32) + `"}`)

func benchEngine(b *testing.B, dir string) *engine.Engine {
	b.Helper()
	debug.SetGCPercent(400) // as the program runs, see main.go
	s, err := bolt.Open(filepath.Join(dir, "bench.db"), bolt.Options{})
	if err != nil {
		b.Fatal(err)
	}
	e, err := engine.Open(context.Background(), s, engine.Options{})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := e.Queue(context.Background(), "q"); err != nil {
		if _, err := e.AddQueue(context.Background(), engine.DefaultQueue("q", store.Transactions)); err != nil {
			b.Fatal(err)
		}
	}
	return e
}

func benchItems(n int) []engine.NewItem {
	items := make([]engine.NewItem, n)
	for i := range items {
		items[i].Payload = benchPayload
	}
	return items
}

func bulk(b *testing.B, e *engine.Engine, n int) {
	for n > 0 {
		size := min(n, 5000)
		if _, err := e.Add(context.Background(), engine.AddRequest{Queue: "q", Items: benchItems(size)}); err != nil {
			b.Fatal(err)
		}
		n -= size
	}
}

// together runs work in n goroutines until the window is over, and counts what
// they say they did.
func together(n int, work func(ctx context.Context) int) (done int, took time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), benchWindow)
	defer cancel()
	var total atomic.Int64
	var wg sync.WaitGroup
	begun := time.Now()
	for range n {
		wg.Go(func() {
			for ctx.Err() == nil {
				total.Add(int64(work(context.Background())))
			}
		})
	}
	wg.Wait()
	return int(total.Load()), time.Since(begun)
}

func BenchmarkEnqueue(b *testing.B) {
	for _, c := range []struct{ callers, size int }{{1, 1}, {64, 1}, {1, 1000}} {
		b.Run(fmt.Sprintf("callers=%d/size=%d", c.callers, c.size), func(b *testing.B) {
			items := benchItems(c.size)
			storetest.Rounds(b, benchRounds, func(dir string) (int, time.Duration) {
				e := benchEngine(b, dir)
				defer e.Close()
				return together(c.callers, func(ctx context.Context) int {
					if _, err := e.Add(ctx, engine.AddRequest{Queue: "q", Items: items}); err != nil {
						b.Error(err)
					}
					return c.size
				})
			})
		})
	}
}

// BenchmarkClaimComplete has robots claim and complete a backlog: in two calls
// an item (or wave), or with each settle and the next claim in one call of Next.
func BenchmarkClaimComplete(b *testing.B) {
	for _, c := range []struct {
		robots, wave int
		next         bool
	}{{1, 1, false}, {64, 1, false}, {64, 16, false}, {1, 1, true}, {64, 1, true}, {64, 16, true}} {
		b.Run(fmt.Sprintf("robots=%d/wave=%d/next=%v", c.robots, c.wave, c.next), func(b *testing.B) {
			storetest.Rounds(b, benchRounds, func(dir string) (int, time.Duration) {
				e := benchEngine(b, dir)
				defer e.Close()
				bulk(b, e, min(400_000, 80_000*c.wave))
				if c.next {
					return together(c.robots, func(ctx context.Context) int { return workOn(b, ctx, e, c.wave) })
				}
				return together(c.robots, func(ctx context.Context) int { return claimAndComplete(b, ctx, e, c.wave, 0) })
			})
		})
	}
}

// workOn is a robot that settles each wave in the call that claims the next,
// for a hundred waves or until nothing has come for a while.
func workOn(b *testing.B, ctx context.Context, e *engine.Engine, wave int) (done int) {
	var settlements []engine.Settlement
	for range 100 {
		_, recs, err := e.Next(ctx, settlements, engine.ClaimRequest{Queue: "q", Robot: "robot", N: wave, Wait: store.Duration(50 * time.Millisecond)})
		settlements = completed(recs)
		done += len(recs)
		if err != nil {
			if store.CodeOf(err) != store.CodeEmpty {
				b.Error(err)
			}
			break
		}
	}
	if _, err := e.Settle(ctx, settlements); err != nil {
		b.Error(err)
	}
	return done
}

func completed(recs []engine.Record) []engine.Settlement {
	settlements := make([]engine.Settlement, len(recs))
	for i, r := range recs {
		settlements[i] = engine.Settlement{Item: r.ID(), Fence: r.Fence, Status: engine.Success}
	}
	return settlements
}

func claimAndComplete(b *testing.B, ctx context.Context, e *engine.Engine, wave int, wait time.Duration) int {
	recs, err := e.Claim(ctx, engine.ClaimRequest{Queue: "q", Robot: "robot", N: wave, Wait: store.Duration(wait)})
	if err != nil {
		if wait == 0 {
			b.Error("the backlog ran out: ", err)
		}
		return 0
	}
	if _, err := e.Settle(ctx, completed(recs)); err != nil {
		b.Error(err)
	}
	return len(recs)
}

// BenchmarkEndToEnd has 64 producers and 64 robots at once. With next each robot
// settles an item in the call that claims the next one, as the engine's own
// drains do; without, it makes two calls an item.
func BenchmarkEndToEnd(b *testing.B) {
	for _, next := range []bool{true, false} {
		b.Run(fmt.Sprintf("next=%v", next), func(b *testing.B) {
			storetest.Rounds(b, benchRounds, func(dir string) (int, time.Duration) {
				e := benchEngine(b, dir)
				defer e.Close()
				return endToEnd(b, e, next)
			})
		})
	}
}

// endToEnd counts the items that were completed.
func endToEnd(b *testing.B, e *engine.Engine, next bool) (done int, took time.Duration) {
	var producers atomic.Int32
	items := benchItems(1)
	return together(128, func(ctx context.Context) int {
		if producers.Add(1) <= 64 {
			for end := time.Now().Add(benchWindow); time.Now().Before(end); {
				if _, err := e.Add(ctx, engine.AddRequest{Queue: "q", Items: items}); err != nil {
					b.Error(err)
				}
			}
			return 0
		}
		if next {
			return workOn(b, ctx, e, 1)
		}
		return claimAndComplete(b, ctx, e, 1, 50*time.Millisecond)
	})
}

// BenchmarkPickup paces 200 enqueues a second to 8 idle robots and reports the
// time from the call of Add to the robot holding the item: as multiples of the
// time of one sync in a row of syncs (1/D), and of one sync made at that pace.
func BenchmarkPickup(b *testing.B) {
	var p50, p99, ms, paced []float64
	for range benchRounds {
		dir := b.TempDir()
		before := storetest.Yardstick(b, dir)
		waits := pickups(b, dir)
		d := (before + storetest.Yardstick(b, dir)) / 2
		half := storetest.Median(waits) // sorts
		ms = append(ms, half*1000)
		paced = append(paced, half/storetest.PacedSync(b, dir, 5*time.Millisecond))
		p50, p99 = append(p50, half*d), append(p99, waits[len(waits)*99/100]*d)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(storetest.Median(p50), "p50-syncs")
	b.ReportMetric(storetest.Median(p99), "p99-syncs")
	b.ReportMetric(storetest.Median(ms), "p50-ms")
	b.ReportMetric(storetest.Median(paced), "p50-paced-syncs")
}

func pickups(b *testing.B, dir string) []float64 {
	e := benchEngine(b, dir)
	defer e.Close()
	ctx, cancel := context.WithCancel(context.Background())
	var mu sync.Mutex
	var waits []float64
	var robots sync.WaitGroup
	for range 8 {
		robots.Go(func() {
			for ctx.Err() == nil {
				recs, err := e.Claim(ctx, engine.ClaimRequest{Queue: "q", Robot: "robot", Wait: store.Duration(time.Minute)})
				if err != nil {
					return
				}
				var sent int64
				_ = json.Unmarshal(recs[0].Payload[len(`{"sent":`):strings.IndexByte(string(recs[0].Payload), ',')], &sent)
				mu.Lock()
				waits = append(waits, time.Since(time.UnixMicro(sent)).Seconds())
				mu.Unlock()
				_, _ = e.Settle(ctx, []engine.Settlement{{Item: recs[0].ID(), Fence: recs[0].Fence, Status: engine.Success}})
			}
		})
	}
	pace := time.NewTicker(5 * time.Millisecond)
	defer pace.Stop()
	for range 400 {
		<-pace.C
		payload := fmt.Sprintf(`{"sent":%d,"text":"%s"}`, time.Now().UnixMicro(), strings.Repeat("x", 160))
		if _, err := e.Add(ctx, engine.AddRequest{Queue: "q", Items: []engine.NewItem{{Payload: json.RawMessage(payload)}}}); err != nil {
			b.Fatal(err)
		}
	}
	time.Sleep(50 * time.Millisecond) // the last ones arrive
	cancel()
	robots.Wait()
	mu.Lock()
	defer mu.Unlock()
	return waits
}

// BenchmarkMillion opens a store of a million waiting items and looks around.
func BenchmarkMillion(b *testing.B) {
	dir := b.TempDir()
	e := benchEngine(b, dir)
	const million = 1_000_000
	begun := time.Now()
	bulk(b, e, million)
	b.ReportMetric(million/time.Since(begun).Seconds(), "load-per-s")
	if err := e.Close(); err != nil {
		b.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, "bench.db"))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(info.Size())/million, "B/item")
	ctx := context.Background()
	var opens, pages, counts []float64
	for range benchRounds {
		begun := time.Now()
		e := benchEngine(b, dir)
		if _, err := e.Claim(ctx, engine.ClaimRequest{Queue: "q", Robot: "robot"}); err != nil {
			b.Fatal(err)
		}
		opens = append(opens, time.Since(begun).Seconds()*1000)
		begun = time.Now()
		if _, err := e.List(ctx, engine.ListRequest{Queue: "q", Limit: 50, After: store.ID{Queue: "q", Number: 777_777}}); err != nil {
			b.Fatal(err)
		}
		pages = append(pages, time.Since(begun).Seconds()*1e6)
		begun = time.Now()
		if _, err := e.Queue(ctx, "q"); err != nil {
			b.Fatal(err)
		}
		counts = append(counts, time.Since(begun).Seconds()*1e6)
		e.Close()
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(storetest.Median(opens), "open-to-claim-ms")
	b.ReportMetric(storetest.Median(pages), "page-µs")
	b.ReportMetric(storetest.Median(counts), "counts-µs")
}
