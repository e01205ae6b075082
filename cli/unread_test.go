package cli_test

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"signalbox/cli"
)

// full runs a command whose stdout takes nothing.
func (r *rig) full(args ...string) result {
	r.t.Helper()
	out, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		r.t.Fatal(err)
	}
	defer out.Close()
	var errs bytes.Buffer
	code := cli.Run(r.t.Context(), r.world(out, &errs), args)
	return result{code: code, stderr: errs.String()}
}

// What can't be told is an error that says what to do, whatever the command.
func TestStdoutThatIsFull(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q")
	r.adds("q", "1")
	for _, args := range [][]string{
		{"queue", "list"}, {"queue", "show", "q"}, {"queue", "dump"}, {"item", "list"}, {"item", "list", "--explain"}, {"item", "list", "-o", "csv"},
		{"item", "show", "q/1"}, {"item", "explain", "q/1"}, {"item", "history", "q/1"}, {"item", "add", "--queue", "q", "--payload", "2"},
		{"export", "--queue", "q", "--format", "jsonl"}, {"export", "--queue", "q", "--format", "xml"}, {"backup", "-"}, {"check"},
		{"slot", "show"}, {"snapshot", "queues"}, {"key", "list"}, {"key", "check"}, {"theme", "list"}, {"theme", "check"}, {"theme", "show", "dark"},
		{"completion", "bash"}, {"--version"}, {"--help"}, {"item", "--help"}, {"help", "item"}, {"item"},
	} {
		got := r.full(args...)
		if want := "signalbox: stdout: it can't be written: no space left on device; make room there"; got.code != 1 || !strings.HasPrefix(got.stderr, want) || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("signalbox %s: exit %d and %q", strings.Join(args, " "), got.code, got.stderr)
		}
	}
}

// A claim that its robot is never told of holds nothing.
func TestAClaimThatCantBeTold(t *testing.T) {
	both(t, func(t *testing.T, r *rig) {
		r.ok("queue", "add", "tx", "--family", "transactions")
		r.adds("tx", "{}", "{}", "{}")
		got := r.full("claim", "--queue", "tx", "--robot", "r", "--n", "2")
		if got.code != 1 || !strings.Contains(got.stderr, "stdout: it can't be written: no space left on device; 2 claimed items given back") {
			t.Errorf("exit %d and %q", got.code, got.stderr)
		}
		if got := r.statuses("tx"); got != "pending pending pending" {
			t.Errorf("the items are %s", got)
		}
	})
	t.Run("nobody reads", func(t *testing.T) {
		r := newRig(t)
		r.ok("queue", "add", "q", "--family", "transactions")
		r.adds("q", "{}")
		cmd := r.process("claim", "--queue", "q", "--robot", "r")
		var errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = unread(t), &errs
		_ = cmd.Run() // an exit code is no error here
		if cmd.ProcessState.ExitCode() != 1 || !strings.Contains(errs.String(), "broken pipe; 1 claimed item given back") {
			t.Errorf("%v, %s", cmd.ProcessState, errs.String())
		}
		if got := r.statuses("q"); got != "pending" {
			t.Errorf("the item is %s", got)
		}
	})
}

// unread is the end to write to of a pipe whose reader has gone.
func unread(t testing.TB) *os.File {
	t.Helper()
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = out.Close() })
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	return out
}

// Told to stop when nobody reads any more what it says, as behind a tee that
// ctrl-c ended first, an engine and a robot finish their work all the same.
func TestWorkOutlivesWhoReadsOfIt(t *testing.T) {
	for _, who := range []string{"serve", "robot", "run", "--plain"} {
		t.Run(who, func(t *testing.T) {
			r := newRig(t)
			begins, told := fifo(t)
			goes, leave := fifo(t)
			work := []string{"sh", "-c", `echo >"$1"; read -r go <"$2"`, "sh", begins, goes}
			var args []string
			switch who {
			case "serve", "--plain":
				r.ok(append([]string{"queue", "add", "q", "--family", "transactions", "--"}, work...)...)
				r.adds("q", "{}")
				args = []string{who}
			case "robot":
				r.ok("queue", "add", "q", "--family", "transactions")
				r.adds("q", "{}")
				args = append([]string{"robot", "--queue", "q", "--"}, work...)
			case "run":
				r.ok(append([]string{"queue", "add", "q", "--family", "transactions", "--"}, work...)...)
				args = []string{"run", r.file("def.json", `{"queue": "q", "payload": {}}`)}
			}
			cmd := r.process(args...)
			in, out, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			cmd.Stdout, cmd.Stderr = out, out
			if who == "--plain" {
				if _, err := cmd.StdinPipe(); err != nil { // nobody types
					t.Fatal(err)
				}
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = cmd.Process.Kill() })
			line(t, bufio.NewReader(told))
			if err := out.Close(); err != nil {
				t.Fatal(err)
			}
			if who == "serve" { // it has said where it serves, and says no more until it stops
				line(t, bufio.NewReader(in))
			}
			if err := in.Close(); err != nil {
				t.Fatal(err)
			}
			if who != "run" {
				if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := io.WriteString(leave, "go\n"); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // an exit code is no error here
			if cmd.ProcessState.ExitCode() < 0 {
				t.Errorf("it ended by %v", cmd.ProcessState)
			}
			if got := r.statuses("q"); got != "successful" {
				t.Errorf("the item is %s", got)
			}
		})
	}
}
