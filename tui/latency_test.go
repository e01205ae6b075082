package tui

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"signalbox/config"
	"signalbox/engine"
	"signalbox/store"
	"signalbox/store/memory"
)

// BenchmarkKeyToFrame measures from a key to the bytes of its picture, while the
// engine makes so many changes a second. An op is a key.
func BenchmarkKeyToFrame(b *testing.B) {
	for _, rate := range []int{0, 5000} {
		b.Run(fmt.Sprintf("changes=%d", rate), func(b *testing.B) {
			e, err := engine.Open(context.Background(), memory.New(), engine.Options{Name: "memory:"})
			if err != nil {
				b.Fatal(err)
			}
			w := work{b: b, engine: e}
			w.begin(rate)
			s := startStopwatch(b, e)
			for range b.N {
				time.Sleep(time.Duration(20+rand.IntN(80)) * time.Millisecond) // anywhere between two frames
				s.key()
			}
			s.stop()
			w.end()
			slices.Sort(s.took)
			b.ReportMetric(float64(s.took[len(s.took)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(s.took[len(s.took)*99/100].Microseconds())/1000, "p99-ms")
			b.ReportMetric(w.rate(), "changes/s")
			b.ReportMetric(0, "ns/op")
			if err := e.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// work is robots and those who give them work.
type work struct {
	b       *testing.B
	engine  *engine.Engine
	cancel  context.CancelFunc
	group   sync.WaitGroup
	began   time.Time
	took    time.Duration
	changes atomic.Int64
}

// begin fills a queue and has it worked on: each wave adds, claims and settles
// items, four changes each.
func (w *work) begin(rate int) {
	const wave = 20
	ctx, cancel := context.WithCancel(context.Background())
	w.cancel, w.began = cancel, time.Now()
	if _, err := w.engine.AddQueue(ctx, engine.DefaultQueue("orders", store.Transactions)); err != nil {
		w.b.Fatal(err)
	}
	w.add(ctx, 2000)
	if rate == 0 {
		return
	}
	w.group.Go(func() {
		tick := time.NewTicker(time.Second * 4 * wave / time.Duration(rate))
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				w.add(ctx, wave)
				w.settle(ctx, wave)
			}
		}
	})
}

func (w *work) add(ctx context.Context, n int) {
	items := make([]engine.NewItem, n)
	for i := range items {
		items[i].Payload = []byte(`{"order":4711}`)
	}
	if _, err := w.engine.Add(ctx, engine.AddRequest{Queue: "orders", Items: items}); err == nil {
		w.changes.Add(int64(n))
	}
}

func (w *work) settle(ctx context.Context, n int) {
	held, err := w.engine.Claim(ctx, engine.ClaimRequest{Queue: "orders", Robot: "r1", N: n})
	if err != nil {
		return
	}
	settled := make([]engine.Settlement, len(held))
	for i, r := range held {
		settled[i] = engine.Settlement{Item: r.ID(), Fence: r.Fence, Status: engine.Success}
	}
	if _, err := w.engine.Settle(ctx, settled); err == nil {
		w.changes.Add(int64(3 * len(held)))
	}
}

func (w *work) end() {
	w.cancel()
	w.group.Wait()
	w.took = time.Since(w.began)
}

func (w *work) rate() float64 { return float64(w.changes.Load()) / w.took.Seconds() }

// stopwatch is a console whose terminal tells when it is written to.
type stopwatch struct {
	app   *app
	tea   *tea.Program
	ended chan error
	wrote chan time.Time
	armed atomic.Bool // a key has been dealt with, its picture not yet written
	took  []time.Duration
	turn  int
}

func startStopwatch(b *testing.B, e *engine.Engine) *stopwatch {
	s := &stopwatch{ended: make(chan error, 1), wrote: make(chan time.Time, 1)}
	o := Options{Engine: e, Config: config.Config{Theme: "dark"}, Place: time.UTC, Output: s, Environ: []string{"TERM=xterm-256color"}}
	a, err := newApp(context.Background(), &o)
	if err != nil {
		b.Fatal(err)
	}
	s.app = a
	options := append(a.options(context.Background(), &o), tea.WithInput(nil), tea.WithWindowSize(120, 40),
		tea.WithColorProfile(colorprofile.TrueColor), tea.WithoutSignalHandler())
	s.tea = tea.NewProgram(s, options...)
	go func() {
		_, err := s.app.run(s.tea)
		s.ended <- err
	}()
	for _, key := range []string{"2", "enter", "down"} { // the list of items, which follows the queue
		s.tea.Send(keyOf(key))
		<-s.wrote
	}
	return s
}

// Init implements tea.Model.
func (s *stopwatch) Init() tea.Cmd { return s.app.Init() }

// Update implements tea.Model.
func (s *stopwatch) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	_, cmd := s.app.Update(msg)
	if _, ok := msg.(tea.KeyPressMsg); ok {
		s.armed.Store(true)
	}
	return s, cmd
}

// View implements tea.Model.
func (s *stopwatch) View() tea.View { return s.app.View() }

// Write implements io.Writer.
func (s *stopwatch) Write(p []byte) (int, error) {
	if s.armed.CompareAndSwap(true, false) {
		s.wrote <- time.Now()
	}
	return io.Discard.Write(p)
}

// key presses a key that moves the cursor, and waits for what it changed.
func (s *stopwatch) key() {
	s.turn++
	began := time.Now()
	s.tea.Send(keyOf([]string{"down", "up"}[s.turn%2]))
	s.took = append(s.took, (<-s.wrote).Sub(began))
}

func (s *stopwatch) stop() {
	s.tea.Send(keyOf("ctrl+c"))
	<-s.ended
}
