package cli_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"signalbox/client"
	"signalbox/engine"
)

// in starts a command of its own in a slot, whose script prints a line when it
// has begun.
func (r *rig) in(args ...string) (*exec.Cmd, *bufio.Reader) {
	r.t.Helper()
	cmd := r.process(append([]string{"slot", "run"}, args...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd, bufio.NewReader(out)
}

func line(t testing.TB, r *bufio.Reader) string {
	t.Helper()
	text, err := r.ReadString('\n')
	if err != nil {
		t.Fatalf("%q, %v", text, err)
	}
	return strings.TrimSpace(text)
}

// slots waits until so many slots are busy.
func (r *rig) slots(busy int) {
	r.t.Helper()
	c, err := client.Connect(r.t.Context(), filepath.Join(r.dir, "s.db.sock"), client.Options{})
	if err != nil {
		r.t.Fatal(err)
	}
	defer c.Close()
	for after := uint64(0); ; {
		snap, err := c.Watch(r.t.Context(), after)
		if err != nil {
			r.t.Fatal(err)
		}
		if after = snap.Revision; snap.Slots.Busy == busy {
			return
		}
	}
}

func TestSlotRunIsTheCommand(t *testing.T) {
	r := newRig(t)
	r.ok("slot", "set", "3")
	r.serve()
	for script, want := range map[string]int{
		"exit 0": 0, "exit 7": 7, "exit 255": 255, "kill -TERM $$": 143, "kill -KILL $$": 137,
	} {
		if got := r.run("slot", "run", "--", "sh", "-c", script); got.code != want || got.stderr != "" {
			t.Errorf("%s: exit %d, %s", script, got.code, got.stderr)
		}
	}
	r.stdin = "in\n"
	if got := r.run("slot", "run", "--lane", "fast", "--", "sh", "-c", "cat; echo err >&2"); got.stdout != "in\n" || got.stderr != "err\n" {
		t.Errorf("got %q and %q", got.stdout, got.stderr)
	}
	r.slots(0)
	r.fails(127, "not found in $PATH; name a program that is here, with its path", "slot", "run", "--", "no-such-program-here")
	plain := filepath.Join(r.dir, "plain")
	if err := os.WriteFile(plain, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.fails(126, "permission denied", "slot", "run", "--", plain)
	r.fails(2, "a lane is fast or slow", "slot", "run", "--lane", "middle", "--", "true")
	r.fails(2, "it needs CMD", "slot", "run")
	r.fails(2, "stands after --", "slot", "run", "true", "--", "x")
	r.fails(2, "the engine's own", "slot", "run", "--robot", "engine/1", "--", "true")
}

func TestSlotRunNeedsARunningEngine(t *testing.T) {
	r := newRig(t)
	r.fails(7, "there is no running engine", "slot", "run", "--", "true")
	r.ok("slot", "set", "3")
	r.fails(7, "there is no running engine", "slot", "run", "--", "true")
	r.fails(2, "in memory", "slot", "run", "--store", "memory:", "--", "true")
}

func TestSlotRunShowsAndWaitsAndNests(t *testing.T) {
	r := newRig(t)
	r.ok("slot", "set", "3", "--fast", "1", "--slow", "1")
	r.serve()
	const wait = "echo $SIGNALBOX_SLOT; read line; echo done"
	var held []io.WriteCloser
	var tokens []string
	for range 2 {
		cmd := r.process("slot", "run", "--robot", "bot", "--", "sh", "-c", wait)
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Wait() })
		t.Cleanup(func() { _ = in.Close() })
		tokens = append(tokens, line(t, bufio.NewReader(out)))
		held = append(held, in)
	}
	if out := r.ok("slot", "show", "-o", "table"); strings.Count(out, "bot/sh") != 2 || !strings.Contains(out, "2 of 3 slots busy") {
		t.Errorf("the slots are\n%s", out)
	}
	r.fails(5, "pool in use (2 of 3), place 1 in line, 0 turns ahead", "slot", "run", "--no-wait", "--", "true")
	r.env["SIGNALBOX_SLOT"] = tokens[0]
	if got := r.run("slot", "run", "--no-wait", "--", "true"); got.code != 0 {
		t.Errorf("nested: exit %d, %s", got.code, got.stderr)
	}
	r.env["SIGNALBOX_SLOT"] = "long gone"
	r.fails(5, "pool in use", "slot", "run", "--no-wait", "--", "true")
	delete(r.env, "SIGNALBOX_SLOT")

	cmd := r.process("slot", "run", "--", "echo", "got it")
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if said := line(t, bufio.NewReader(errs)); !strings.Contains(said, "waiting for a slot of the slow lane: pool in use (2 of 3), place 1 in line, 0 turns ahead") {
		t.Errorf("it says %q", said)
	}
	_ = held[0].Close()
	if err := cmd.Wait(); err != nil || out.String() != "got it\n" {
		t.Errorf("got %q, %v", out.String(), err)
	}
	_ = held[1].Close()
	r.slots(0)
}

func TestAKilledSlotRunFreesItsSlotAndEndsItsCommand(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux ends a command with its parent")
	}
	r := newRig(t)
	r.ok("slot", "set", "3")
	r.serve()
	cmd, out := r.in("--", "sh", "-c", "echo begun; exec sleep 600")
	line(t, out)
	r.slots(1)
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	r.slots(0)
	if rest, err := io.ReadAll(out); err != nil || len(rest) > 0 { // the command held it open
		t.Errorf("%q, %v", rest, err)
	}
}

func TestSlotRunHandsSignalsOn(t *testing.T) {
	r := newRig(t)
	r.ok("slot", "set", "3")
	r.serve()
	cmd, out := r.in("--", "sh", "-c", "trap 'echo term; exit 3' TERM; trap 'echo usr' USR1; echo begun; while :; do sleep 0.05; done")
	line(t, out)
	for sig, said := range map[syscall.Signal]string{syscall.SIGUSR1: "usr"} {
		_ = cmd.Process.Signal(sig)
		if got := line(t, out); got != said {
			t.Errorf("it says %q", got)
		}
	}
	_ = cmd.Process.Signal(syscall.SIGTERM)
	if got := line(t, out); got != "term" {
		t.Errorf("it says %q", got)
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 3 {
		t.Errorf("exit %d", code)
	}
	r.slots(0)
}

func TestACommandOutlivesItsEngine(t *testing.T) {
	r := newRig(t)
	r.ok("slot", "set", "3")
	s := r.serve()
	cmd := r.process("slot", "run", "--", "sh", "-c", "echo begun; read line; echo done")
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	errs, _ := cmd.StderrPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := bufio.NewReader(out)
	line(t, said)
	if code, words := s.stop(); code != 0 {
		t.Errorf("exit %d, %s", code, words)
	}
	if got := line(t, bufio.NewReader(errs)); !strings.Contains(got, "the engine has gone; the command goes on") {
		t.Errorf("it says %q", got)
	}
	_ = in.Close()
	if got := line(t, said); got != "done" {
		t.Errorf("the command says %q", got)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// A program that a drain runs works in the drain's slot already.
func TestSlotRunWithinADrain(t *testing.T) {
	r := newRig(t)
	r.ok("slot", "set", "3", "--fast", "1", "--slow", "1")
	self := r.process().Path
	script := r.file("turn.sh", fmt.Sprintf("#!/bin/sh\nexport %s=1\nexec %s slot run --no-wait -- echo '{\"turn\": \"'$SIGNALBOX_SLOT'\"}'\n", asSignalbox, self))
	r.ok("queue", "add", "turns", "--lane", "slow", "--max-drains", "2", "--", script)
	cmd, out := (*exec.Cmd)(nil), (*bufio.Reader)(nil)
	r.serve()
	cmd, out = r.in("--", "sh", "-c", "echo begun; exec sleep 600") // one slow slot is left
	line(t, out)
	r.ok("item", "add", "--queue", "turns", "--payload", "{}")
	r.until("turns", func(q engine.QueueState) bool {
		return q.Counts.Total() == 1 && q.Counts.Waiting()+q.Counts.InFlight() == 0
	})
	if got := parse[item](t, r.ok("item", "show", "turns/1")); got.Status != "completed" || got.Output["turn"] == "" {
		t.Errorf("it is %+v", got)
	}
	_ = cmd.Process.Kill()
}

func TestAFullPoolAnswers529(t *testing.T) {
	r := newRig(t)
	r.ok("slot", "set", "3", "--fast", "1", "--slow", "1")
	r.serve()
	http1 := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", filepath.Join(r.dir, "s.db.sock"))
	}}}
	defer http1.CloseIdleConnections()
	ask := func(body string) *http.Response {
		answer, err := http1.Post("http://signalbox/v1/slots", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = answer.Body.Close() })
		return answer
	}
	var held []*http.Response
	for range 2 {
		a := ask(`{"lane":"slow","robot":"r","no_wait":true}`)
		var n engine.SlotNotice
		if err := json.NewDecoder(a.Body).Decode(&n); err != nil || a.StatusCode != 200 || n.Slot == 0 || a.Header.Get("Content-Type") != "application/x-ndjson" {
			t.Fatalf("status %d, %+v, %v", a.StatusCode, n, err)
		}
		held = append(held, a)
	}
	full := ask(`{"lane":"slow","robot":"r","no_wait":true}`)
	text, _ := io.ReadAll(full.Body)
	if full.StatusCode != 529 || full.Header.Get("Retry-After") != "1" || !strings.Contains(string(text), "pool in use (2 of 3)") {
		t.Errorf("status %d, %v, %s", full.StatusCode, full.Header, text)
	}
	for _, a := range held {
		_ = a.Body.Close() // hangs up
	}
	r.slots(0)
}

func TestSlotHistory(t *testing.T) {
	both(t, func(t *testing.T, r *rig) {
		if out := r.ok("slot", "history", "-o", "json"); out != "[]\n" {
			t.Errorf("of nothing: %s", out)
		}
		r.fails(2, "--since", "slot", "history", "--since", "soon")
		r.fails(2, "--limit", "slot", "history", "--limit", "-1")
		r.fails(2, "out of range", "slot", "history", "--slot", "9999")
	})
	r := newRig(t)
	r.ok("slot", "set", "3")
	r.serve()
	r.ok("slot", "run", "--robot", "bot", "--", "true")
	r.ok("slot", "run", "--lane", "fast", "--robot", "bot", "--", "true")
	type hold struct {
		Slot              int
		Lane, Robot, From string
		Times             int
	}
	holds := parse[[]hold](t, r.ok("slot", "history", "--since", "1h", "-o", "json"))
	if len(holds) != 2 || holds[0].Lane != "slow" || holds[1].Lane != "fast" || holds[0].Robot != "bot/true" || holds[0].Times != 1 {
		t.Errorf("got %+v", holds)
	}
	if out := r.ok("slot", "history", "--limit", "1"); strings.Count(out, "\n") != 2 || !strings.Contains(out, "bot/true") {
		t.Errorf("the table is\n%s", out)
	}
}
