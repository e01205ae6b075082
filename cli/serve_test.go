package cli_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"signalbox/cli"
	"signalbox/client"
	"signalbox/engine"
	"signalbox/store"
	"signalbox/store/bolt"
)

// served is a running `signalbox serve`.
type served struct {
	t      testing.TB
	errs   *bufio.Reader
	code   chan int
	cancel context.CancelFunc
	cmd    *exec.Cmd // nil when it runs in this process
}

// serve runs the engine in this process until stop.
func (r *rig) serve() *served {
	r.t.Helper()
	in, out := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	s := &served{t: r.t, errs: bufio.NewReader(in), code: make(chan int, 1), cancel: cancel}
	go func() {
		code := cli.Run(ctx, r.world(io.Discard, out), []string{"serve"})
		_ = out.Close()
		s.code <- code
	}()
	r.t.Cleanup(func() {
		cancel()
		_, _ = io.Copy(io.Discard, s.errs)
	})
	s.wait("serving bolt:")
	return s
}

// serveProcess runs the engine as a process of its own.
func (r *rig) serveProcess() *served {
	r.t.Helper()
	cmd := r.process("serve")
	out, err := cmd.StderrPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = cmd.Process.Kill() })
	s := &served{t: r.t, errs: bufio.NewReader(out), cmd: cmd}
	s.wait("serving bolt:")
	return s
}

// wait reads stderr up to a line that holds the words.
func (s *served) wait(words string) {
	s.t.Helper()
	for {
		line, err := s.errs.ReadString('\n')
		if strings.Contains(line, words) {
			return
		}
		if err != nil {
			s.t.Fatalf("stderr ended with %q before %q", line, words)
		}
	}
}

// stop tells it to stop and gives its exit code and last words.
func (s *served) stop() (int, string) {
	s.t.Helper()
	s.cancel()
	words, err := io.ReadAll(s.errs)
	if err != nil {
		s.t.Fatal(err)
	}
	return <-s.code, string(words)
}

// end waits for the process's end and gives its exit code and last words.
func (s *served) end() (int, string) {
	s.t.Helper()
	words, err := io.ReadAll(s.errs)
	if err != nil {
		s.t.Fatal(err)
	}
	_ = s.cmd.Wait() // an exit code is no error here
	return s.cmd.ProcessState.ExitCode(), string(words)
}

func (s *served) signal(sig syscall.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
}

// until watches the engine on the rig's socket until its queue is as wanted.
func (r *rig) until(queue string, wanted func(engine.QueueState) bool) engine.QueueState {
	r.t.Helper()
	c, err := client.Connect(r.t.Context(), filepath.Join(r.dir, "s.db.sock"), client.Options{})
	if err != nil {
		r.t.Fatal(err)
	}
	defer c.Close()
	for after := uint64(0); ; {
		snapshot, err := c.Watch(r.t.Context(), after)
		if err != nil {
			r.t.Fatal(err)
		}
		after = snapshot.Revision
		for _, q := range snapshot.Queues {
			if q.Name == queue && wanted(q) {
				return q
			}
		}
	}
}

func TestCommandsGoThroughARunningEngine(t *testing.T) {
	r := newRig(t)
	s := r.serve()
	r.ok("queue", "add", "q")
	r.ok("item", "add", "--queue", "q", "--payload", `{"a":1}`)
	if got := parse[[]item](t, r.ok("item", "list", "-o", "json")); got[0].CreatedBy != "kim" {
		t.Errorf("added %+v", got)
	}
	r.fails(3, `queue "none": not found; see`, "queue", "show", "none")
	r.fails(4, "queue q: nothing to claim", "claim", "--queue", "q", "--robot", "r", "--reference", "none")
	held := r.claimed("--queue", "q", "--robot", "r")[0]
	r.fails(5, "fence 99", "complete", held.ID, "--fence", "99")
	r.fails(6, "read-only", "queue", "pause", "q", "--read-only")
	r.ok("queue", "list", "--read-only")
	if out := r.ok("snapshot", "queues", "--size", "100x24"); !strings.Contains(out, "q ") {
		t.Errorf("the snapshot is\n%s", out)
	}
	r.fails(7, fmt.Sprintf("process %d serves it already", os.Getpid()), "serve")

	socket := "unix:" + filepath.Join(r.dir, "s.db.sock")
	other := newRig(t)
	if out := other.ok("queue", "list", "--connect", socket); !strings.Contains(out, "q ") {
		t.Errorf("by --connect the list is\n%s", out)
	}
	other.env["SIGNALBOX_CONNECT"] = socket
	delete(other.env, "SIGNALBOX_STORE")
	other.ok("complete", held.ID, "--fence", strconv.FormatUint(held.Fence, 10))

	code, words := s.stop()
	if code != 0 || !strings.Contains(words, "stopped; 0 items finished while stopping, 0 given back") {
		t.Errorf("exit %d, %s", code, words)
	}
	other.fails(7, "signalbox serve", "queue", "list")
	if got := parse[item](t, r.ok("item", "show", held.ID)); got.Status != "completed" {
		t.Errorf("afterwards the item is %+v", got)
	}
	if info, err := os.Stat(filepath.Join(r.dir, "s.db.log")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the log is %v, %v", info, err)
	}
}

// A consumer sorts the orders by their flaws: what a person must look at, what
// a retry may mend, and what is done. Then somebody decides on both groups.
func TestOrdersEndToEnd(t *testing.T) {
	r := newRig(t)
	text, ragged, sound := orders(300)
	script := r.file("work.sh", `#!/bin/sh
order=$(cat)
case $order in
*'"shippedDate":"NULL"'*) echo looking >&2; echo "not shipped" >&2; exit 65 ;;
*'"shipPostalCode":"NULL"'*) echo "no postal code" >&2; exit 65 ;;
*'"freight":"900'*) exit 75 ;;
esac
echo "{\"worked\": \"$SIGNALBOX_ITEM\"}"
`)
	var unshipped, homeless, heavy int
	for n := range ragged + sound {
		switch {
		case n%5 == 2:
		case n%7 == 6:
			unshipped++
		case n%11 == 10:
			homeless++
		case n%13 == 12:
			heavy++
		}
	}
	r.ok("queue", "add", "orders", "--family", "transactions", "--", script)
	s := r.serve()
	done := parse[imported](t, r.ok("item", "import", "--queue", "orders", "--reference", "orderID", "--due", "requiredDate", "--mode", "independent", r.file("orders.csv", text)))
	if done.Stored != sound || done.Rejected != ragged {
		t.Fatalf("imported %+v", done)
	}
	q := r.until("orders", func(q engine.QueueState) bool { return q.Counts.Waiting()+q.Counts.InFlight() == 0 })
	c := q.Counts
	if c[store.BusinessException] != int64(unshipped+homeless) || c[store.SystemException] != int64(heavy) || c[store.Successful] != int64(sound-unshipped-homeless-heavy) {
		t.Errorf("the counts are %v; want %d and %d business, %d system exceptions", c, unshipped, homeless, heavy)
	}
	if got := parse[item](t, r.ok("item", "show", "orders/1")); got.Output["worked"] != "orders/1" {
		t.Errorf("the first item is %+v", got)
	}

	group := func(reason string) []string {
		return []string{"--queue", "orders", "--group", reason, "--all", "--yes"}
	}
	verified := parse[[]outcome](t, r.ok(append([]string{"item", "review", "--verify"}, group("no postal code")...)...))
	if len(verified) != homeless {
		t.Errorf("%d verified, want %d", len(verified), homeless)
	}
	retried := parse[[]outcome](t, r.ok(append([]string{"item", "retry"}, group("not shipped")...)...))
	if len(retried) != unshipped || retried[0].Next == "" {
		t.Errorf("%d retried, want %d", len(retried), unshipped)
	}
	q = r.until("orders", func(q engine.QueueState) bool { return q.Counts.Waiting()+q.Counts.InFlight() == 0 })
	if q.Counts[store.Retried] != int64(unshipped) || q.Counts[store.BusinessException] != int64(unshipped+homeless) {
		t.Errorf("after the retries the counts are %v", q.Counts)
	}
	var life []string
	for _, line := range strings.Split(strings.TrimSpace(r.ok("item", "history", retried[0].Item, "-o", "jsonl")), "\n") {
		event := parse[struct{ Event string }](t, line).Event
		if event != engine.OverdueEvent { // the orders are of another year
			life = append(life, event)
		}
	}
	if got := strings.Join(life, " "); got != "retry business-exception claim add" && got != "retry business claim add" {
		t.Errorf("the life of a retried item is %q", got)
	}
	if code, words := s.stop(); code != 0 {
		t.Errorf("exit %d, %s", code, words)
	}
}

// A robot dies; its item is abandoned when the lease ends, its word counts no
// more, and a person gives the item another life.
func TestARobotDies(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ok("queue", "add", "q", "--family", "transactions", "--lease", "1s")
	r.ok("item", "add", "--queue", "q", "--payload", "{}")
	s := r.serve()
	held := r.claimed("--queue", "q", "--robot", "dead")[0]
	r.until("q", func(q engine.QueueState) bool { return q.Counts[store.Abandoned] == 1 })
	r.fails(5, held.ID, "complete", held.ID, "--fence", strconv.FormatUint(held.Fence, 10))
	next := parse[[]outcome](t, r.ok("item", "retry", "--status", "abandoned", "--queue", "q", "--all", "--yes"))[0].Next
	again := r.claimed("--item", next, "--robot", "alive")[0]
	r.ok("complete", next, "--fence", strconv.FormatUint(again.Fence, 10))
	s.stop()
}

// An engine that was killed leaves its socket and its claims; neither blocks
// what comes after.
func TestAfterAKill(t *testing.T) {
	r := newRig(t)
	s := r.serveProcess()
	r.ok("queue", "add", "q")
	s.signal(syscall.SIGKILL)
	s.end()
	if _, err := os.Lstat(filepath.Join(r.dir, "s.db.sock")); err != nil {
		t.Fatal("no socket was left")
	}
	if out := r.ok("queue", "list"); !strings.Contains(out, "q ") {
		t.Errorf("what was acknowledged is gone:\n%s", out)
	}
	s = r.serveProcess()
	r.ok("item", "add", "--queue", "q", "--payload", `{"n":1}`)
	s.signal(syscall.SIGTERM)
	if code, words := s.end(); code != 0 || !strings.Contains(words, "stopped; ") {
		t.Errorf("exit %d, %s", code, words)
	}
	if _, err := os.Lstat(filepath.Join(r.dir, "s.db.sock")); err == nil {
		t.Error("a socket was left")
	}
}

// The first signal lets work finish, the second gives it back.
func TestStopping(t *testing.T) {
	for name, hurry := range map[string]bool{"in peace": false, "at once": true} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			begun, gate := filepath.Join(r.dir, "begun"), filepath.Join(r.dir, "gate")
			for _, pipe := range []string{begun, gate} {
				if err := syscall.Mkfifo(pipe, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			r.ok("queue", "add", "q", "--", "sh", "-c", "echo yes > "+begun+"; read go < "+gate)
			r.ok("item", "add", "--queue", "q", "--payload", `{"n":1}`)
			r.ok("item", "add", "--queue", "q", "--payload", `{"n":2}`)
			r.ok("queue", "set", "q", "--max-drains", "1")
			s := r.serveProcess()
			if _, err := os.ReadFile(begun); err != nil { // what has not begun would be given back
				t.Fatal(err)
			}
			s.signal(syscall.SIGTERM)
			s.wait("stopping")
			want, status := "1 item finished while stopping, 0 given back", "completed"
			if hurry {
				s.signal(syscall.SIGTERM)
				want, status = "0 items finished while stopping, 1 given back", "queued"
			} else if err := os.WriteFile(gate, []byte("go\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if code, words := s.end(); code != 0 || !strings.Contains(words, want) {
				t.Errorf("exit %d, %s", code, words)
			}
			if got := parse[item](t, r.ok("item", "show", "q/1")); got.Status != status {
				t.Errorf("the item is %s, want %s", got.Status, status)
			}
			if got := parse[item](t, r.ok("item", "show", "q/2")); got.Status != "queued" {
				t.Errorf("the other item is %s", got.Status)
			}
		})
	}
}

// Whoever waits for work in a store nobody serves lets others add it.
func TestWaitingLetsOthersIn(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q")
	claims := make(chan string, 2)
	for _, robot := range []string{"r1", "r2"} {
		go func() { claims <- r.run("claim", "--queue", "q", "--robot", robot, "--wait", "1m").stdout }()
	}
	r.ok("item", "add", "--queue", "q", "--payload", `{"n":1}`)
	r.ok("item", "add", "--queue", "q", "--payload", `{"n":2}`)
	got := parse[[]item](t, <-claims)[0].ID + " " + parse[[]item](t, <-claims)[0].ID
	if got != "q/1 q/2" && got != "q/2 q/1" {
		t.Errorf("claimed %s", got)
	}
}

// A store that is held by one who answers on no socket is waited for, not for
// ever.
func TestHeldStore(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ok("queue", "add", "q")
	s, err := bolt.Open(filepath.Join(r.dir, "s.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	r.fails(7, fmt.Sprintf("is held by process %d (waited 5s); use that signalbox, or stop it first; an engine whose socket %s.sock was deleted has to be restarted", os.Getpid(), filepath.Join(r.dir, "s.db")), "queue", "list")
	if waited := time.Since(began); waited < 4*time.Second {
		t.Errorf("waited only %s", waited)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	r.ok("queue", "list")
}

func TestReadOnly(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q")
	r.ok("queue", "list", "--read-only")
	for _, change := range []string{
		"queue add x", "queue set q --retries 1", "queue pause q", "queue delete q", "item add --queue q --payload 1",
		"claim --queue q --robot r", "complete q/1 --fence 1", "item retry q/1", "slot set 9",
	} {
		got := r.run(append(strings.Fields(change), "--read-only")...)
		if got.code != 6 {
			t.Errorf("%s: exit %d, %s", change, got.code, got.stderr)
		}
	}
}

// What reads makes no store, and says where it looked for one.
func TestNoStore(t *testing.T) {
	r := newRig(t)
	path := filepath.Join(r.dir, "s.db")
	commands := []string{
		"queue list", "queue show q", "queue set q --retries 1", "queue pause q", "queue resume q", "queue delete q",
		"item list", "item show q/1", "item history q/1", "item retry q/1", "item review q/1 --verify",
		"item add --queue q --payload 1", "item import --queue q " + r.file("a.csv", "a\n1\n"),
		"claim --queue q --robot r", "start q/1 --fence 1", "complete q/1 --fence 1", "settle",
		"slot show", "snapshot slots", "check", "backup x", "compact", "queue dump", "queue add q --read-only", "slot set 9 --read-only",
	}
	r.stdin = `{"item":"q/1","fence":1,"status":"success"}`
	for _, command := range commands {
		r.fails(7, "there is no store at "+path+"; create it with `signalbox queue add …` or check --store", strings.Fields(command)...)
	}
	if left, err := filepath.Glob(path + "*"); err != nil || len(left) != 0 {
		t.Errorf("%v were made, %v", left, err)
	}
	r.file("s.db", "")
	r.fails(7, "there is no store at "+path+": the file is empty", "queue", "list")
	r.fails(7, "there is no store at "+path+": the file is empty", "queue", "list", "--read-only")
	r.fails(7, "it is a folder", "queue", "list", "--store", "bolt:"+r.dir)
	r.ok("slot", "set", "9")
	r.ok("slot", "show", "--read-only")
}

func TestNotAStore(t *testing.T) {
	r := newRig(t)
	for _, text := range []string{"a few words", strings.Repeat("this is no store ", 1000)} {
		r.file("s.db", text)
		r.fails(7, "it is not a signalbox store", "queue", "list")
		r.fails(7, "it is not a signalbox store", "queue", "list", "--read-only")
	}
}

// An engine that sleeps under ctrl-z holds its store and answers nobody.
func TestSuspendedHolder(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.serveProcess()
	s.signal(syscall.SIGSTOP)
	if !stopped(t, s.cmd.Process.Pid) {
		t.Skip("where there is no /proc it can't be told")
	}
	pid := s.cmd.Process.Pid
	r.fails(7, fmt.Sprintf("is held by process %d (waited 5s), which is suspended; resume it with fg or `kill -CONT %d`", pid, pid), "queue", "list")
	r.fails(7, "its engine did not answer", "queue", "list", "--connect", "unix:"+filepath.Join(r.dir, "s.db.sock"), "--store", "")
	s.signal(syscall.SIGCONT)
	r.ok("queue", "list")
}

// stopped waits until a process has stopped.
func stopped(t *testing.T, pid int) bool {
	t.Helper()
	for {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return false
		}
		if strings.Contains(string(b), ") T ") {
			return true
		}
		time.Sleep(time.Millisecond)
	}
}

// Each signal to end lets serve end in good order and leaves nothing behind.
func TestSignalsToEnd(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		r := newRig(t)
		s := r.serveProcess()
		s.signal(signal)
		if code, words := s.end(); code != 0 || !strings.Contains(words, "stopped; ") {
			t.Errorf("%s: exit %d, %s", signal, code, words)
		}
		r.leftNothing()
	}
}

// leftNothing checks that no process id and no socket are left.
func (r *rig) leftNothing() {
	r.t.Helper()
	for _, name := range []string{"s.db.pid", "s.db.sock"} {
		if _, err := os.Lstat(filepath.Join(r.dir, name)); err == nil {
			r.t.Errorf("%s was left", name)
		}
	}
}
