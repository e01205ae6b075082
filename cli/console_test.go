package cli_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"
)

// screen is a process on a terminal of its own.
type screen struct {
	t    *testing.T
	cmd  *exec.Cmd
	tty  *os.File
	seen bytes.Buffer
}

func (r *rig) screen(t *testing.T, args ...string) *screen {
	t.Helper()
	cmd := r.process(args...)
	cmd.Env = append(cmd.Env, "TERM=xterm-256color")
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 120})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = tty.Close()
	})
	return &screen{t: t, cmd: cmd, tty: tty}
}

// wait reads what is drawn until it holds the words.
func (s *screen) wait(words string) {
	s.t.Helper()
	b := make([]byte, 4096)
	for !strings.Contains(s.seen.String(), words) {
		n, err := s.tty.Read(b)
		s.seen.Write(b[:n])
		if err != nil {
			s.t.Fatalf("the screen ended before %q: %q", words, s.seen.String())
		}
	}
}

func (s *screen) press(key string) {
	s.t.Helper()
	if _, err := s.tty.WriteString(key); err != nil {
		s.t.Fatal(err)
	}
}

// quit leaves by the key and gives the exit code.
func (s *screen) quit() int {
	s.t.Helper()
	s.press("q")
	return s.end()
}

func (s *screen) signal(sig syscall.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
}

// end waits for the end and gives the exit code.
func (s *screen) end() int {
	s.t.Helper()
	_, _ = io.Copy(&s.seen, s.tty) // ends with an error when the process does
	_ = s.cmd.Wait()
	return s.cmd.ProcessState.ExitCode()
}

// The console runs the store's engine, and others reach it there; a second one
// shows the first one's engine.
func TestConsole(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "invoices", "--", "true")
	first := r.screen(t)
	first.wait("Signalbox")
	r.ok("item", "add", "--queue", "invoices", "--payload", "{}")
	if _, err := os.Stat(filepath.Join(r.dir, "s.db.sock")); err != nil {
		t.Error("the console answers on no socket")
	}
	second := r.screen(t)
	second.wait("Signalbox")
	second.press("2")
	second.wait("invoices")
	if code := second.quit(); code != 0 {
		t.Errorf("the second console left with %d", code)
	}
	if code := first.quit(); code != 0 || !strings.Contains(first.seen.String(), "stopped; ") {
		t.Errorf("the first console left with %d", code)
	}
	if got := parse[item](t, r.ok("item", "show", "invoices/1")); got.Status != "completed" {
		t.Errorf("the console's engine left the item %s", got.Status)
	}
}

// A console that only reads keeps nobody from the store, and shows the engine
// that comes.
func TestReadOnlyConsole(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "early")
	s := r.screen(t, "--read-only")
	s.wait("no engine runs")
	s.press("2")
	s.wait("early")
	r.ok("queue", "add", "later")
	s.wait("later")

	engine := r.serve()
	r.ok("queue", "add", "served")
	s.wait("served")
	engine.stop()
	r.ok("queue", "add", "afterwards")
	s.wait("afterwards")
	if code := s.quit(); code != 0 {
		t.Errorf("the console left with %d", code)
	}
	r.fails(7, "there is no store", "queue", "list", "--store", "bolt:"+filepath.Join(r.dir, "none"), "--read-only")
}

// A hangup ends what is on a terminal as other signals do: in good order, the
// terminal as it was.
func TestHangup(t *testing.T) {
	for _, args := range [][]string{nil, {"--read-only"}, {"demo"}} {
		for name, hangUp := range map[string]func(*screen){
			"signal":   func(s *screen) { s.signal(syscall.SIGHUP) },
			"terminal": func(s *screen) { _ = s.tty.Close() },
		} {
			t.Run(strings.Join(append(args, name), " "), func(t *testing.T) {
				r := newRig(t)
				r.ok("queue", "add", "q")
				s := r.screen(t, args...)
				s.wait("Signalbox")
				hangUp(s)
				if code := s.end(); code != 0 {
					t.Errorf("it left with %d: %s", code, s.seen.String())
				}
				if name == "signal" && !strings.Contains(s.seen.String(), "\x1b[?1049l") {
					t.Error("the terminal is not as it was")
				}
				r.leftNothing()
			})
		}
	}
}

func TestDemo(t *testing.T) {
	r := newRig(t)
	s := r.screen(t, "demo", "--speed", "20")
	s.wait("Signalbox")
	if code := s.quit(); code != 0 {
		t.Errorf("the demo left with %d", code)
	}
	if left, err := os.ReadDir(r.dir); err != nil || len(left) != 0 {
		t.Errorf("the demo left %v, %v", left, err)
	}
	r.terminal = true
	r.fails(2, "there is none of this name", "demo", "nonsense")
}
