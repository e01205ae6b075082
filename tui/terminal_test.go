package tui

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/term"

	"signalbox/config"
	"signalbox/engine"
	"signalbox/tui/internal/fake"
)

// childMode names the variable that makes the test binary a console.
const childMode = "SIGNALBOX_TEST_CONSOLE"

// child is the console that the tests below run in a terminal.
func child(mode string) {
	o := Options{Engine: fake.Lifelike(), Title: "child", Config: config.Config{Theme: "dark"}, Terminal: os.Stdout}
	switch mode {
	case "mouse":
		o.Config.Mouse = true
	case "panic":
		o.Engine = panicking{fake.Lifelike()}
	case "broken":
		o.Clock = brokenClock()
	case "astray":
		o.Config.Mouse = true
		told := make(chan os.Signal, 1)
		signal.Notify(told, syscall.SIGUSR1)
		go func() {
			<-told
			panic("a fault astray")
		}()
	}
	if err := Run(context.Background(), o); err != nil {
		fmt.Println("ended:", err)
		os.Exit(1)
	}
	fmt.Println("ended well")
}

// panicking is an engine whose answer breaks the console.
type panicking struct{ *fake.Engine }

func (p panicking) Watch(ctx context.Context, after uint64) (*engine.Snapshot, error) {
	if _, err := p.Engine.Watch(ctx, after); err != nil {
		return nil, err
	}
	panic("a broken engine")
}

// terminal is a pty with a console in it.
type terminal struct {
	t    *testing.T
	file *os.File
	cmd  *exec.Cmd
	mu   sync.Mutex
	out  bytes.Buffer
	news chan struct{}
}

func start(t *testing.T, mode string) *terminal {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a terminal")
	}
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), childMode+"="+mode, "TERM=xterm-256color", "NO_COLOR=")
	file, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 100, Rows: 30})
	if err != nil {
		t.Skip("no pty here: ", err)
	}
	x := &terminal{t: t, file: file, cmd: cmd, news: make(chan struct{}, 1)}
	go x.read()
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = file.Close() })
	return x
}

func (x *terminal) read() {
	buf := make([]byte, 32<<10)
	for {
		n, err := x.file.Read(buf)
		x.mu.Lock()
		x.out.Write(buf[:n])
		x.mu.Unlock()
		select {
		case x.news <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

func (x *terminal) written() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.out.String()
}

// until waits for words on the wire.
func (x *terminal) until(words string) {
	x.t.Helper()
	limit := time.After(10 * time.Second)
	for !strings.Contains(x.written(), words) {
		select {
		case <-x.news:
		case <-limit:
			x.t.Fatalf("never wrote %q:\n%q", words, x.written())
		}
	}
}

// restored says that every mode that was turned on has been turned off.
func (x *terminal) restored() {
	x.t.Helper()
	out := x.written()
	for _, mode := range []string{"1049", "1004", "2004", "1000", "1002", "1003", "1006"} {
		on, off := strings.LastIndex(out, "\x1b[?"+mode+"h"), strings.LastIndex(out, "\x1b[?"+mode+"l")
		if on > off {
			x.t.Errorf("mode %s is left on", mode)
		}
	}
	if hide, show := strings.LastIndex(out, "\x1b[?25l"), strings.LastIndex(out, "\x1b[?25h"); hide > show {
		x.t.Error("the cursor is left hidden")
	}
}

func TestTerminalIsRestored(t *testing.T) {
	for name, end := range map[string]func(*terminal){
		"quit":      func(x *terminal) { _, _ = io.WriteString(x.file, "q") },
		"interrupt": func(x *terminal) { _, _ = io.WriteString(x.file, "\x03") },
		"sigterm":   func(x *terminal) { _ = x.cmd.Process.Signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			x := start(t, "mouse")
			x.until("finance.orders")
			x.until("\x1b[?1002h")
			end(x)
			x.until("ended")
			x.restored()
		})
	}
}

// brokenClock breaks whoever draws, once the console has been up for a while.
func brokenClock() func() time.Time {
	n := 0
	return func() time.Time {
		if n++; n == 8 {
			panic("a broken clock")
		}
		return fake.Epoch()
	}
}

func TestTerminalIsRestoredAfterPanic(t *testing.T) {
	for mode, words := range map[string]string{"panic": "a broken engine", "broken": "a broken clock"} {
		t.Run(mode, func(t *testing.T) {
			x := start(t, mode)
			x.until("ended:")
			x.restored()
			x.until(words + "; the report is in ")
			_, after, _ := strings.Cut(x.written(), "the report is in ")
			path, _, _ := strings.Cut(after, ";")
			report, err := os.ReadFile(strings.TrimSpace(path))
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range []string{words, "screen: slots", "goroutine"} {
				if !strings.Contains(string(report), want) {
					t.Errorf("the report does not say %q:\n%s", want, report)
				}
			}
			_ = os.Remove(path)
		})
	}
}

// What breaks outside the console's reach, or kills it, leaves no more behind
// than what breaks within.
func TestTerminalIsRestoredAfterAnyDeath(t *testing.T) {
	for name, c := range map[string]struct {
		mode   string
		signal syscall.Signal
		report string
	}{
		"panic elsewhere": {"astray", syscall.SIGUSR1, "a fault astray"},
		"SIGSEGV":         {"mouse", syscall.SIGSEGV, "SIGSEGV"},
		"SIGQUIT":         {"mouse", syscall.SIGQUIT, "SIGQUIT"},
		"SIGKILL":         {"mouse", syscall.SIGKILL, ""},
	} {
		t.Run(name, func(t *testing.T) {
			x := start(t, c.mode)
			before, err := term.GetState(int(x.file.Fd()))
			if err != nil {
				t.Fatal(err)
			}
			x.until("finance.orders")
			x.until("\x1b[?1002h")
			_ = x.cmd.Process.Signal(c.signal)
			x.until("\x1b[?1049l")
			if c.report != "" {
				x.until("the report is in ")
				x.until("what you did")
				path, _, _ := strings.Cut(strings.SplitN(x.written(), "the report is in ", 2)[1], ";")
				report, err := os.ReadFile(path)
				if err != nil || !strings.Contains(string(report), c.report) {
					t.Errorf("the report does not say %q: %v\n%s", c.report, err, report)
				}
				_ = os.Remove(path)
			}
			x.restored()
			_ = x.cmd.Wait()
			if after, err := term.GetState(int(x.file.Fd())); err != nil || !reflect.DeepEqual(before, after) {
				t.Errorf("the terminal's modes are %+v, were %+v, %v", after, before, err)
			}
		})
	}
}

func TestSuspendAndResume(t *testing.T) {
	x := start(t, "run")
	x.until("finance.orders")
	_, _ = io.WriteString(x.file, "\x1a")
	x.until("\x1b[?1049l")
	before := len(x.written())
	limit := time.After(10 * time.Second)
	again := time.NewTicker(20 * time.Millisecond) // it may not listen yet
	defer again.Stop()
	for !strings.Contains(x.written()[before:], "finance.orders") {
		select {
		case <-x.news:
		case <-again.C:
			_ = x.cmd.Process.Signal(syscall.SIGCONT)
		case <-limit:
			t.Fatal("nothing is drawn after the program was woken")
		}
	}
	_, _ = io.WriteString(x.file, "q")
	x.until("ended well")
	x.restored()
}
