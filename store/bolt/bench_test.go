package bolt_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"signalbox/store"
	"signalbox/store/bolt"
	"signalbox/store/storetest"
)

// Benchmarks measure in rounds: first D on the same disk, see
// storetest.Yardstick; then the work for a second. They report the median
// rate and the median of its ratio to D (xD), which is what may be compared
// between machines and hours. Run them with -benchtime 1x.
const (
	rounds    = 5
	roundTime = time.Second
)

// payload has the size the disk targets are stated for.
var payload = []byte(`{"note":"` + strings.Repeat("x", 192) + `"}`)

// measure runs work in rounds and reports its rate. Each call of work is one
// caller's whole round: it goes on until the deadline and says how many
// things it did.
func measure(b *testing.B, dir string, callers int, work func(caller int, until time.Time) (int, error)) {
	b.Helper()
	var rates, ratios, ds []float64
	for range max(rounds, b.N) {
		d := storetest.Yardstick(b, dir)
		var done atomic.Int64
		var wg sync.WaitGroup
		start := time.Now()
		for n := range callers {
			wg.Go(func() {
				k, err := work(n, start.Add(roundTime))
				if err != nil {
					b.Error(err)
				}
				done.Add(int64(k))
			})
		}
		wg.Wait()
		rate := float64(done.Load()) / time.Since(start).Seconds()
		rates, ratios, ds = append(rates, rate), append(ratios, rate/d), append(ds, d)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(storetest.Median(rates), "/s")
	b.ReportMetric(storetest.Median(ratios), "xD")
	b.ReportMetric(storetest.Median(ds), "D")
}

// durable opens a store that syncs, with one queue in it.
func durable(b *testing.B) (*bolt.Store, string) {
	b.Helper()
	path := filepath.Join(b.TempDir(), "signalbox.db")
	s, err := bolt.Open(path, bolt.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	err = s.Update(context.Background(), func(tx store.Tx) error {
		return tx.PutQueue(&store.Queue{Name: "orders", Family: store.Transactions, BatchSize: 1, Lease: store.Duration(5 * time.Minute)})
	})
	if err != nil {
		b.Fatal(err)
	}
	return s, path
}

// BenchmarkBbolt is the roof over the others: bare bbolt with one sequential
// put of a payload for each thing done, from one goroutine.
func BenchmarkBbolt(b *testing.B) {
	for _, puts := range []int{1, 64, 1000} {
		b.Run(fmt.Sprintf("puts=%d", puts), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "bare.db")
			db, err := bbolt.Open(path, 0o600, &bbolt.Options{NoFreelistSync: true, FreelistType: bbolt.FreelistMapType})
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			key := uint64(0)
			commit := func(tx *bbolt.Tx) error {
				bucket, err := tx.CreateBucketIfNotExists([]byte("items"))
				for n := 0; err == nil && n < puts; n++ {
					key++
					err = bucket.Put(binary.BigEndian.AppendUint64(nil, key), payload)
				}
				return err
			}
			measure(b, filepath.Dir(path), 1, func(_ int, until time.Time) (n int, err error) {
				for ; err == nil && time.Now().Before(until); n += puts {
					err = db.Update(commit)
				}
				return n, err
			})
		})
	}
}

// enqueue adds n items in one call.
func enqueue(s store.Store, n int) error {
	return s.Update(context.Background(), func(tx store.Tx) error {
		if _, err := tx.Queue("orders"); err != nil {
			return err
		}
		now := store.At(time.Now())
		for range n {
			i := store.Item{Queue: "orders", Family: store.Transactions, Status: store.Pending, Retryable: true, MaxAttempts: 4, CreatedAt: now, CreatedBy: "bench"}
			if err := tx.Add(&i, payload, store.Change{At: now, Actor: "bench", Event: "add", To: store.Pending}); err != nil {
				return err
			}
		}
		return nil
	})
}

func BenchmarkEnqueue(b *testing.B) {
	for _, callers := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			s, path := durable(b)
			measure(b, filepath.Dir(path), callers, func(_ int, until time.Time) (n int, err error) {
				for ; err == nil && time.Now().Before(until); n++ {
					err = enqueue(s, 1)
				}
				return n, err
			})
		})
	}
	b.Run("bulk=1000", func(b *testing.B) {
		s, path := durable(b)
		measure(b, filepath.Dir(path), 1, func(_ int, until time.Time) (n int, err error) {
			for ; err == nil && time.Now().Before(until); n += 1000 {
				err = enqueue(s, 1000)
			}
			return n, err
		})
	})
}

// take claims up to n items.
func take(s store.Store, robot string, n int) (got []store.Item, err error) {
	now := store.At(time.Now())
	err = s.Update(context.Background(), func(tx store.Tx) error {
		q, err := tx.Queue("orders")
		if err != nil {
			return err
		}
		got = got[:0]
		for i, err := range tx.Ready("orders", now) {
			if err != nil {
				return err
			}
			if got = append(got, i); len(got) == n {
				break
			}
		}
		for k := range got {
			i := &got[k]
			i.Status, i.ClaimedBy, i.ClaimedAt, i.LeaseUntil = store.Processing, robot, now, now.Add(time.Duration(q.Lease))
			i.StartedAt = now
			i.Attempts++
			i.Fence++
			if err := tx.Put(i, &store.Change{At: now, Actor: robot, Event: "claim", From: store.Pending, To: i.Status, Fence: i.Fence}); err != nil {
				return err
			}
		}
		return nil
	})
	return got, err
}

// finish settles claimed items.
func finish(s store.Store, robot string, claimed []store.Item) error {
	now := store.At(time.Now())
	return s.Update(context.Background(), func(tx store.Tx) error {
		for k := range claimed {
			i, err := tx.Item(claimed[k].ID())
			if err != nil {
				return err
			}
			i.Status, i.LeaseUntil, i.EndedAt = store.Successful, 0, now
			if err := tx.Put(&i, &store.Change{At: now, Actor: robot, Event: "complete", From: store.Processing, To: i.Status, Fence: i.Fence}); err != nil {
				return err
			}
		}
		return nil
	})
}

func BenchmarkClaimSettle(b *testing.B) {
	for _, c := range []struct{ callers, wave, preload int }{{1, 1, 50_000}, {8, 1, 150_000}, {64, 1, 500_000}, {8, 16, 1_000_000}, {64, 16, 1_500_000}} {
		b.Run(fmt.Sprintf("callers=%d/wave=%d", c.callers, c.wave), func(b *testing.B) {
			s, path := durable(b)
			for range c.preload / 10_000 {
				if err := enqueue(s, 10_000); err != nil {
					b.Fatal(err)
				}
			}
			measure(b, filepath.Dir(path), c.callers, func(caller int, until time.Time) (n int, err error) {
				robot := fmt.Sprint("robot-", caller)
				for time.Now().Before(until) {
					got, err := take(s, robot, c.wave)
					if err != nil || len(got) == 0 {
						return n, err
					}
					if err := finish(s, robot, got); err != nil {
						return n, err
					}
					n += len(got)
				}
				return n, nil
			})
			pending := 0
			_ = s.View(context.Background(), func(r store.Reader) error {
				stats, err := r.Stats("orders", 1)
				pending = int(stats.Counts[store.Pending])
				return err
			})
			if pending == 0 {
				b.Log("the backlog ran out: the rate is a lower bound")
			}
		})
	}
}

// BenchmarkMillion measures what depth costs: file size, memory, opening after
// a close and after a crash, paging.
func BenchmarkMillion(b *testing.B) {
	const items = 1_000_000
	s, path := durable(b)
	for range items / 1000 {
		if err := enqueue(s, 1000); err != nil {
			b.Fatal(err)
		}
	}
	crashed := path + ".crashed"
	if err := exec.Command("cp", path, crashed).Run(); err != nil { // as a crash leaves it: without the list of free pages
		b.Fatal(err)
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	b.Run("open=closed", func(b *testing.B) { benchOpen(b, path) })
	b.Run("open=crashed", func(b *testing.B) { benchOpen(b, crashed) })
	s, err := bolt.Open(path, bolt.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	b.Run("page", func(b *testing.B) { benchPage(b, s, items) })
	b.Run("size", func(b *testing.B) {
		info, err := os.Stat(path)
		if err != nil {
			b.Fatal(err)
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(float64(info.Size())/items, "B/item")
		b.ReportMetric(float64(m.HeapInuse)/(1<<20), "heap-MiB")
	})
}

// benchOpen opens the store and reads the first ready item.
func benchOpen(b *testing.B, path string) {
	for range b.N {
		b.StartTimer()
		s, err := bolt.Open(path, bolt.Options{})
		if err != nil {
			b.Fatal(err)
		}
		err = s.Update(context.Background(), func(tx store.Tx) error {
			for _, err := range tx.Ready("orders", store.At(time.Now())) {
				return err
			}
			return errors.New("nothing is ready")
		})
		b.StopTimer()
		if err != nil {
			b.Fatal(err)
		}
		_ = s.Close()
	}
}

// benchPage reads pages of 50 items from all over the queue.
func benchPage(b *testing.B, s store.Store, items uint64) {
	at := uint64(0)
	for b.Loop() {
		at = (at + items/7) % items
		err := s.View(context.Background(), func(r store.Reader) error {
			n := 0
			for _, err := range r.Items(store.Query{Queue: "orders", After: store.ID{Queue: "orders", Number: at}}) {
				if n++; err != nil || n == 50 {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}
