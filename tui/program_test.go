package tui

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"go.uber.org/goleak"

	"signalbox/config"
	"signalbox/engine"
	"signalbox/engine/lane"
	"signalbox/tui/internal/fake"
)

// program is the real program with a terminal emulator behind it.
type program struct {
	t      *testing.T
	tea    *tea.Program
	engine *fake.Engine
	screen *vt.SafeEmulator
	news   chan struct{}
	ended  chan error
	mu     sync.Mutex
	raw    bytes.Buffer
}

// Write gives the emulator what the program writes. Without a terminal the
// program ends lines with a bare line feed.
func (p *program) Write(b []byte) (int, error) {
	p.mu.Lock()
	p.raw.Write(b)
	p.mu.Unlock()
	if _, err := p.screen.Write(bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n"))); err != nil {
		return 0, err
	}
	select {
	case p.news <- struct{}{}:
	default:
	}
	return len(b), nil
}

func run(t *testing.T, e *fake.Engine, w, h int) *program {
	t.Helper()
	ignore := goleak.IgnoreCurrent()
	ctx, cancel := context.WithCancel(context.Background())
	p := &program{t: t, engine: e, screen: vt.NewSafeEmulator(w, h), news: make(chan struct{}, 1), ended: make(chan error, 1)}
	drained := make(chan struct{})
	go func() { // answers to queries, which nobody wants
		_, _ = io.Copy(io.Discard, p.screen)
		close(drained)
	}()
	o := Options{
		Engine: e, Actor: "ada", Config: config.Config{Theme: "dark"}, Place: time.UTC, Clock: fake.Epoch, Output: p,
		Environ: []string{"TERM=xterm-256color"},
	}
	a, err := newApp(ctx, &o)
	if err != nil {
		t.Fatal(err)
	}
	options := append(a.options(ctx, &o), tea.WithInput(nil), tea.WithWindowSize(w, h),
		tea.WithColorProfile(colorprofile.TrueColor), tea.WithoutSignalHandler())
	p.tea = tea.NewProgram(a, options...)
	go func() {
		_, err := a.run(p.tea)
		p.ended <- err
	}()
	t.Cleanup(func() {
		p.tea.Send(keyOf("ctrl+c"))
		if err := <-p.ended; err != nil {
			t.Error("the program ended with", err)
		}
		cancel()
		if c, ok := p.screen.InputPipe().(io.Closer); ok {
			_ = c.Close()
		}
		<-drained
		goleak.VerifyNone(t, ignore)
	})
	return p
}

// press sends keys and waits until the program has dealt with them.
func (p *program) press(keys ...string) {
	p.t.Helper()
	for _, k := range keys {
		p.tea.Send(keyOf(k))
	}
	done := make(chan struct{})
	p.tea.Send(barrierMsg{done})
	<-done
}

func (p *program) text() string { return ansi.Strip(p.screen.Render()) }

// until waits for a condition on the whole screen.
func (p *program) until(what string, ok func(string) bool) {
	p.t.Helper()
	limit := time.After(10 * time.Second)
	for !ok(p.text()) {
		select {
		case <-p.news:
		case <-limit:
			p.t.Fatalf("never: %s\n%s", what, p.text())
		}
	}
}

func (p *program) shows(words string) {
	p.t.Helper()
	p.until("shows "+words, func(s string) bool { return strings.Contains(s, words) })
}

func TestProgramFollowsTheEngineAndTheHand(t *testing.T) {
	p := run(t, fake.Lifelike(), 100, 30)
	p.shows("pool 23/25")
	p.engine.Change(func(s *engine.Snapshot) { s.Slots = fake.Pool(lane.Auto(12)) })
	p.shows("pool 0/12")
	p.press("5", "enter")
	p.shows("INV-10251")
	p.press("r")
	p.shows("Retried finance.orders/4")
	p.shows("4 items")
}

func TestProgramKeepsUpWithABusyEngine(t *testing.T) {
	p := run(t, fake.Lifelike(), 120, 40)
	p.shows("pool 23/25")
	stop := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				p.engine.Change(func(s *engine.Snapshot) { s.Slots = fake.Pool(lane.Auto(10 + i%50)) })
			}
		}
	})
	for _, keys := range [][]string{{"2"}, {"down"}, {"enter"}, {"down", "down"}, {"esc"}, {"1"}} {
		p.press(keys...)
	}
	close(stop)
	group.Wait()
	p.engine.Change(func(s *engine.Snapshot) { s.Slots = fake.Pool(lane.Auto(77)) })
	p.shows("pool 0/77")
}

func TestProgramDrawsWideCharactersInPlace(t *testing.T) {
	e := fake.Lifelike()
	e.Change(func(s *engine.Snapshot) {
		s.Queues = append([]engine.QueueState(nil), s.Queues...)
		s.Queues[1].Description = "注文 🙂 ｗｉｄｅ"
		s.Queues[0].ConsumerError = "家族👨‍👩‍👧 ❤️ broke"
	})
	p := run(t, e, 80, 24)
	p.shows("pool 23/25")
	p.press("2", "down")
	p.shows("注文 🙂 ｗｉｄｅ")
	p.press("up")
	p.shows("broke")
	p.until("the footer whole", func(s string) bool { return strings.Contains(s, "? help") })
}

func TestUnchangedPictureWritesNothing(t *testing.T) {
	e := fake.New()
	e.Change(func(s *engine.Snapshot) { s.Queues = []engine.QueueState{{}} })
	p := run(t, e, 80, 24)
	p.shows("All 25 slots are free")
	for i := range 3 {
		before := p.written()
		e.Change(nil) // a revision that shows nothing new
		p.press()
		p.press(fmt.Sprint(1))
		if got := p.written()[len(before):]; strings.Contains(got, "slots") {
			t.Fatalf("round %d wrote %q", i, got)
		}
	}
}

func (p *program) written() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.raw.String()
}
