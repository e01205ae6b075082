//go:build unix

package drain_test

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"signalbox/engine"
	"signalbox/engine/drain"
	"signalbox/store"
)

// lifeline is a named pipe that programs hold open: it ends when the last of
// them has died.
type lifeline struct {
	t    *testing.T
	path string
	r    *bufio.Reader
}

func newLifeline(t *testing.T) *lifeline {
	t.Helper()
	l := &lifeline{t: t, path: filepath.Join(t.TempDir(), "life")}
	if err := unix.Mkfifo(l.path, 0o600); err != nil {
		t.Fatal(err)
	}
	return l
}

// line waits for a program to say something.
func (l *lifeline) line() string {
	l.t.Helper()
	if l.r == nil {
		f, err := os.Open(l.path) // waits for a writer
		if err != nil {
			l.t.Fatal(err)
		}
		l.t.Cleanup(func() { _ = f.Close() })
		l.r = bufio.NewReader(f)
	}
	s, err := l.r.ReadString('\n')
	if err != nil {
		l.t.Fatal(err)
	}
	return strings.TrimSpace(s)
}

// ended waits until no program lives.
func (l *lifeline) ended() {
	l.t.Helper()
	if _, err := io.Copy(io.Discard, l.r); err != nil {
		l.t.Fatal(err)
	}
}

func TestTimeoutEndsAProgramWithItsChildren(t *testing.T) {
	for _, script := range []string{"hang.sh", "stubborn.sh"} {
		life := newLifeline(t)
		r := program(t, func(q *store.Queue) { q.AttemptTimeout = store.Duration(time.Second) }, script, life.path)
		id := r.add("orders", `{}`)[0]
		r.start(drain.Options{KillDelay: 100 * time.Millisecond})
		life.line()
		r.done("orders", store.SystemException, 1)
		r.want(id, store.SystemException, "timed out after 1s")
		life.ended()
	}
}

func TestChildrenLeftBehindAreEndedAndDontHoldTheDrain(t *testing.T) {
	life := newLifeline(t)
	r := program(t, nil, "orphan.sh", life.path)
	id := r.add("orders", `{}`)[0]
	r.start(drain.Options{})
	life.line()
	r.done("orders", store.Successful, 1)
	if got := string(r.item(id).Output); got != `{"done":true}` {
		t.Errorf("output %s", got)
	}
	life.ended()
}

func TestADaemonThatKeepsThePipesDoesntHoldTheDrain(t *testing.T) {
	life := newLifeline(t)
	r := program(t, nil, "daemon.sh", life.path)
	id := r.add("orders", `{}`)[0]
	r.start(drain.Options{})
	pid, err := strconv.Atoi(life.line())
	if err != nil {
		t.Fatal(err)
	}
	r.done("orders", store.Successful, 1)
	if got := string(r.item(id).Output); got != `{"done":true}` {
		t.Errorf("output %s", got)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Errorf("what left the group was ended too: %v", err)
	}
	life.ended()
}

func TestStopEndsProgramsAndGivesTheirItemsBack(t *testing.T) {
	life := newLifeline(t)
	r := program(t, nil, "hang.sh", life.path)
	id := r.add("orders", `{}`)[0]
	r.start(drain.Options{Grace: 10 * time.Millisecond})
	life.line()
	if left := r.Stop(r.ctx); left != (drain.Left{GivenBack: 1}) {
		t.Errorf("left %+v", left)
	}
	life.ended()
	r.want(id, store.Pending, "")
}

func TestAbortKillsWhatIgnoresSigterm(t *testing.T) {
	life := newLifeline(t)
	r := program(t, nil, "stubborn.sh", life.path)
	id := r.add("orders", `{}`)[0]
	r.start(drain.Options{KillDelay: time.Hour})
	life.line()
	if left := r.Abort(); left != (drain.Left{GivenBack: 1}) {
		t.Errorf("left %+v", left)
	}
	life.ended()
	r.want(id, store.Pending, "")
}

func TestALostLeaseEndsTheProgram(t *testing.T) {
	life := newLifeline(t)
	r := program(t, func(q *store.Queue) { q.Lease = store.Duration(time.Second) }, "hang.sh", life.path)
	r.renew = func(_ context.Context, hs []engine.Holding) ([]engine.Outcome, error) {
		return []engine.Outcome{{Item: hs[0].Item, Result: engine.Stale}}, nil
	}
	r.add("orders", `{}`)
	r.start(drain.Options{})
	life.line()
	life.ended()
	r.Abort()
	if n := r.settles.Load(); n != 0 {
		t.Errorf("settled %d times", n)
	}
}

// Programs are made to die with the thread that started them: threads that come
// and go must not matter.
func TestProgramsOutliveThreads(t *testing.T) {
	life := newLifeline(t)
	r := program(t, func(q *store.Queue) {
		q.Consumer.Argv, q.Consumer.Shell = []string{"echo", "started", ">", life.path, "&&", "read", "x", "<", life.path}, true
	}, "text.sh")
	id := r.add("orders", `{}`)[0]
	r.start(drain.Options{})
	life.line()
	var threads sync.WaitGroup
	for range 100 {
		threads.Go(runtime.LockOSThread) // ends the thread with the goroutine
	}
	threads.Wait()
	if err := os.WriteFile(life.path, []byte("go on\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.done("orders", store.Successful, 1)
	r.want(id, store.Successful, "")
}

func TestProgramsDieWithTheEngine(t *testing.T) {
	life := newLifeline(t)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), victim+"=read item; exec 3>'"+life.path+"'; echo started >&3; exec sleep 1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	life.line()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	life.ended()
}
