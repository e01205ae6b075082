package cli_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func (r *rig) statuses(queue string) string {
	r.t.Helper()
	var all []string
	for _, i := range parse[[]item](r.t, r.ok("item", "list", "--queue", queue, "-o", "json")) {
		all = append(all, i.Status)
	}
	return strings.Join(all, " ")
}

func (r *rig) adds(queue string, payloads ...string) {
	r.t.Helper()
	for _, p := range payloads {
		r.ok("item", "add", "--queue", queue, "--payload", p)
	}
}

func TestARobotWorksUntilNothingIsLeft(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q", "--family", "transactions", "--retries", "1", "--retry-floor", "0s", "--retry-window", "0s")
	work := func(args ...string) []string {
		return append([]string{"robot", "--queue", "q", "--robot", "r1", "--wait", "0s"}, args...)
	}
	r.fails(4, "nothing to claim", work("--", "true")...)
	r.adds("q", `{"do":"well"}`, `{"do":"badly"}`, `{"do":"crash"}`, `{"do":"well"}`)
	script := `read -r item || exit 9; echo "$SIGNALBOX_ITEM"
		case $item in *badly*) echo "no such customer" >&2; exit 65;; *crash*) exit 1;; esac`
	lines := strings.Split(strings.TrimSpace(r.ok(work("--", "sh", "-c", script)...)), "\n")
	if len(lines) != 5 {
		t.Errorf("it told of %d items: %q", len(lines), lines)
	}
	if got := r.statuses("q"); got != "successful business-exception retried successful system-exception" {
		t.Errorf("they are %s", got)
	}
	first := parse[item](t, r.ok("item", "show", "q/1", "-o", "json"))
	if first.ClaimedBy != "r1" || first.Output["text"] != "q/1" {
		t.Errorf("%+v", first)
	}
	if bad := parse[item](t, r.ok("item", "show", "q/2", "-o", "json")); bad.Error.Reason != "no such customer" {
		t.Errorf("%+v", bad.Error)
	}
	r.ok("check")
}

func TestARobotTakesWhatItIsAskedTo(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q")
	r.adds("q", `{"n":1}`, `{"n":2}`, `{"n":3}`, `{"n":4}`, `{"n":5}`)
	seen := filepath.Join(t.TempDir(), "seen")
	script := `cat >>"$1"; echo '[{"id":"q/3","status":"business","error":{"reason":"odd"}},{"id":"q/4","status":"success"},{"id":"q/5","status":"success"}]'`
	told := r.ok("robot", "--queue", "q", "--wait", "0s", "--n", "10", "--filter", `number:>2`, "--format", "table", "--", "sh", "-c", script, "sh", seen)
	if told != "q/3  failed: odd\nq/4  completed\nq/5  completed\n" {
		t.Errorf("it told\n%s", told)
	}
	if got := r.statuses("q"); got != "queued queued failed completed completed" {
		t.Errorf("they are %s", got)
	}
	if runs := strings.Count(r.read(seen), `"items":[`); runs != 1 {
		t.Errorf("%d runs for one wave: %s", runs, r.read(seen))
	}
}

func TestRobotsThatAreRefused(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q")
	r.adds("q", `{}`)
	for _, c := range []struct {
		code  int
		words string
		args  []string
	}{
		{2, "it needs --queue", []string{"--", "true"}},
		{2, "it needs CMD", []string{"--queue", "q"}},
		{2, "the command stands after --", []string{"--queue", "q", "now", "--", "true"}},
		{2, `command "no-such-program"`, []string{"--queue", "q", "--", "no-such-program"}},
		{2, "a run takes at least 1 item", []string{"--queue", "q", "--n", "0", "--", "true"}},
		{2, "from 1 to 1000 runs at once", []string{"--queue", "q", "--parallel", "0", "--", "true"}},
		{2, "--wait", []string{"--queue", "q", "--wait", "soon", "--", "true"}},
		{2, "--timeout", []string{"--queue", "q", "--timeout", "long", "--", "true"}},
		{2, "no table", []string{"--queue", "q", "-o", "csv", "--", "true"}},
		{2, `there is no key "nope"`, []string{"--queue", "q", "--filter", "nope:1", "--", "true"}},
		{2, "1001 items", []string{"--queue", "q", "--n", "1001", "--", "true"}},
		{3, `queue "none"`, []string{"--queue", "none", "--", "true"}},
		{6, "opened read-only", []string{"--queue", "q", "--read-only", "--", "true"}},
	} {
		r.fails(c.code, c.words, append([]string{"robot"}, c.args...)...)
	}
	if got := r.statuses("q"); got != "queued" {
		t.Errorf("it is %s", got)
	}
}

// A program that can't be run any more would fail all items of the queue.
func TestARobotStopsWhenItsProgramHasGone(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q")
	r.adds("q", `{}`, `{}`, `{}`)
	program := r.file("once.sh", "#!/bin/sh\nrm \"$0\"\n")
	if err := os.Chmod(program, 0o700); err != nil {
		t.Fatal(err)
	}
	r.fails(1, "what it held was given back", "robot", "--queue", "q", "--wait", "0s", "--", program)
	if got := r.statuses("q"); got != "completed queued queued" {
		t.Errorf("they are %s", got)
	}
}

func TestARobotEndsWorkThatTakesTooLong(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q")
	r.adds("q", `{}`)
	r.ok("robot", "--queue", "q", "--wait", "0s", "--timeout", "50ms", "--", "sleep", "60")
	if i := parse[item](t, r.ok("item", "show", "q/1", "-o", "json")); i.Error.Reason != "timed out after 50ms" || i.Status != "failed" {
		t.Errorf("%+v", i)
	}
}

// fifo makes a pipe with a name, open at both ends so that no open of it waits.
func fifo(t testing.TB) (path string, pipe *os.File) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	pipe, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pipe.Close() })
	return path, pipe
}

// robotProcess starts a robot whose command tells when it begins, and gives
// what it says on stderr and what the command tells.
func (r *rig) robotProcess(name, after string, args ...string) (cmd *exec.Cmd, errs, begun *bufio.Reader) {
	r.t.Helper()
	begins, told := fifo(r.t)
	args = append([]string{"robot", "--queue", "q", "--robot", name}, args...)
	cmd = r.process(append(args, "--", "sh", "-c", `echo $SIGNALBOX_ITEM >"$1"; `+after, "sh", begins)...)
	out, err := cmd.StderrPipe()
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
	return cmd, bufio.NewReader(out), bufio.NewReader(told)
}

// Told to stop twice, a robot gives back what runs, at no cost.
func TestARobotGivesBackWhatItIsNotToFinish(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q")
	r.adds("q", `{}`, `{}`)
	cmd, errs, begun := r.robotProcess("r1", "exec sleep 60")
	line(t, begun)
	for range 2 {
		if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		line(t, errs) // that it stops, and at the end what was left
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ended by %v", err)
	}
	for _, i := range parse[[]item](t, r.ok("item", "list", "--queue", "q", "-o", "json")) {
		if i.Status != "queued" || i.Error.Reason != "" {
			t.Errorf("%+v", i)
		}
	}
	r.ok("check")
}

// A robot outlives the engine it found, which here is another robot's, and
// reports to its own what it did meanwhile.
func TestARobotGoesOnWhenItsEngineHasGone(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q")
	r.adds("q", `{}`, `{}`, `{}`)
	host, _, begun := r.robotProcess("host", "exec sleep 60")
	taken := line(t, begun)
	leave, gives := fifo(t)
	other, errs, begun := r.robotProcess("other", "read -r go <"+leave, "--wait", "1s")
	if mine := line(t, begun); mine == taken {
		t.Fatalf("both work %s", mine)
	}
	if err := host.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = host.Wait()
	if _, err := gives.WriteString("go\ngo\n"); err != nil {
		t.Fatal(err)
	}
	if told := line(t, errs); !strings.Contains(told, "goes on when an engine answers") {
		t.Errorf("it said %s", told)
	}
	if told := line(t, errs); !strings.Contains(told, "2 items settled") {
		t.Errorf("it ended with %s", told)
	}
	if err := other.Wait(); err != nil {
		t.Error(err)
	}
	if got := r.statuses("q"); got != "claimed completed completed" {
		t.Errorf("they are %s", got)
	}
	r.ok("check")
}

// What a robot could not give back, since its engine has gone, is not passed over.
func TestARobotTellsWhatItCouldNotGiveBack(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q")
	r.adds("q", `{}`, `{}`)
	host, _, begun := r.robotProcess("host", "exec sleep 60")
	line(t, begun)
	other, errs, begun := r.robotProcess("other", "exec sleep 60")
	line(t, begun)
	if err := host.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = host.Wait()
	for _, want := range []string{"stopping", "1 not given back, held until their leases end"} {
		if err := other.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		if told := line(t, errs); !strings.Contains(told, want) {
			t.Errorf("it said %s, want %q", told, want)
		}
	}
	if err := other.Wait(); err == nil {
		t.Error("it ended as if all was well")
	}
}

// When its engine has gone and another has come while something ran, a robot goes on
// with as many runs at once as before.
func TestARobotGoesOnWithAllItsRuns(t *testing.T) {
	s := server{rig: newRig(t)}
	s.ok("queue", "add", "q")
	s.start()
	leave, gives := fifo(t)
	_, _, begun := s.robotProcess("r1", "read -r go <"+leave, "--parallel", "2")
	s.adds("q", `{}`)
	line(t, begun)
	s.kill()
	s.start()
	s.adds("q", `{}`, `{}`, `{}`)
	if _, err := gives.WriteString("go\n"); err != nil {
		t.Fatal(err)
	}
	line(t, begun)
	line(t, begun) // of two that run at once
	s.kill()
}
