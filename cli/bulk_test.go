package cli_test

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"syscall"
	"testing"

	"signalbox/cli"
)

func TestRetryOfTheFirst(t *testing.T) {
	r := newRig(t)
	exceptions(r, 10)
	retry := []string{"item", "retry", "--filter", "queue:q status:exception", "--first", "3", "--rate", "1000/s"}
	r.fails(2, "add --yes", retry...)
	r.terminal, r.stdin = true, "n\n"
	if got := r.run(retry...); got.code != 1 || !strings.Contains(got.stderr, "Retry 3 items of 10 that match, the first q/1? [y/N]") {
		t.Errorf("exit %d, %s", got.code, got.stderr)
	}
	r.stdin = "y\n"
	if out := r.ok(retry...); out != "retry: 3 of 3 done\n" {
		t.Errorf("printed %q", out)
	}
	r.terminal = false
	out := parse[[]outcome](t, r.ok("item", "retry", "--queue", "q", "--status", "exception", "--first", "2", "--yes"))
	if len(out) != 2 || out[0].Item != "q/4" || out[0].Result != "ok" || out[0].Next != "q/14" {
		t.Errorf("retried %+v", out)
	}
	for _, bad := range [][]string{{"--rate", "50"}, {"--rate", "0/s"}, {"--first", "-1"}, {"--first", "0"}} {
		r.fails(2, "write it as", append([]string{"item", "retry", "--queue", "q", "--all", "--yes"}, bad...)...)
	}
	r.fails(2, "add --all, or --first 100", "item", "retry", "--queue", "q")
	r.fails(2, "nothing says which items", "item", "retry", "--first", "3")
}

// The item that a question names is one that is acted on.
func TestTheQuestionNamesWhatIsActedOn(t *testing.T) {
	r := newRig(t)
	exceptions(r, 4)
	r.ok("item", "review", "q/1", "q/2", "--verify")
	r.terminal, r.stdin = true, "n\n"
	for words, args := range map[string][]string{
		"Review 1 item of 4 that match, the first q/3?": {"review", "--queue", "q", "--assign", "kim", "--first", "1"},
		"Review 4 items, the first q/3?":                {"review", "--queue", "q", "--verify", "--all"},
		"Review 4 items, the first q/1?":                {"review", "--queue", "q", "--clear", "--all"},
		"Delete 2 items, the first q/4?":                {"delete", "q/99", "q/4"},
	} {
		if got := r.run(append([]string{"item"}, args...)...); !strings.Contains(got.stderr, words) {
			t.Errorf("%v asks %q, want %q", args, got.stderr, words)
		}
	}
}

func TestTimesOfBulkActsAreThoseOfTheZone(t *testing.T) {
	r := newRig(t)
	exceptions(r, 1)
	r.serve()
	r.ok("item", "retry", "--queue", "q", "--status", "exception", "--all", "--yes")
	if list := r.ok("item", "bulk", "list", "--tz", "Asia/Kolkata"); strings.Count(list, "\n") != 2 || strings.Contains(list, "Z\n") {
		t.Errorf("the list is\n%s", list)
	}
}

func TestBulkTellsWhatWasNotDone(t *testing.T) {
	r := newRig(t)
	exceptions(r, 4)
	r.ok("item", "review", "q/1", "--verify")
	got := r.run("item", "retry", "--queue", "q", "--status", "exception", "--all", "--yes")
	if out := parse[[]outcome](t, got.stdout); got.code != 5 || len(out) != 4 || out[0].Result != "refused" || !strings.Contains(got.stderr, `retry: 1 of 4 items refused, the first: item "q/1": verified by kim`) {
		t.Errorf("exit %d, %+v, %s", got.code, out, got.stderr)
	}
	r.terminal = true
	r.ok("item", "delete", "q/2", "--yes")
	got = r.run("item", "undo", "q/1", "q/2", "q/3", "q/9", "--rate", "500/s")
	want := "undo: 3 of 4 done, 1 gone\n  item \"q/9\": not found"
	if got.code != 3 || !strings.HasPrefix(got.stdout, want) {
		t.Errorf("exit %d, %s", got.code, got.stdout)
	}
}

func TestUndo(t *testing.T) {
	r := newRig(t)
	exceptions(r, 3)
	r.ok("item", "retry", "q/1", "--note", "again")
	out := parse[[]item](t, r.ok("item", "undo", "q/1", "--note", "a slip"))
	if out[0].Status != "business-exception" || out[0].Review.Status != "none" {
		t.Errorf("stands as %+v", out[0])
	}
	r.fails(5, "undo by kim", "item", "undo", "q/1")
	r.ok("item", "delete", "--queue", "q", "--status", "exception", "--all", "--yes")
	r.ok("item", "undo", "--queue", "q", "--status", "deleted", "--first", "2", "--yes")
	if q := parse[queue](t, r.ok("queue", "show", "q")); q.Counts["deleted"] != 2 || q.Counts["business-exception"] != 2 {
		t.Errorf("the counts are %v", q.Counts)
	}
	r.fails(2, "leave out the one or the other", "item", "undo", "q/1", "--bulk", "7")
	r.fails(3, "bulk act 7", "item", "undo", "--bulk", "7")
	if out := r.ok("item", "bulk", "list", "-o", "json"); out != "[]\n" {
		t.Errorf("listed %s", out)
	}
	r.fails(3, "bulk act 7", "item", "bulk", "cancel", "7")
	r.fails(2, "it is named by its number", "item", "bulk", "watch", "x")
}

func TestDeferMany(t *testing.T) {
	r := newRig(t)
	exceptions(r, 2)
	r.stdin = "{}\n{}\n{}\n"
	r.ok("item", "import", "--queue", "q", "-")
	out := parse[[]outcome](t, r.ok("item", "defer", "--queue", "q", "--status", "pending", "--all", "--yes", "--until", "+1h"))
	if len(out) != 3 {
		t.Errorf("deferred %+v", out)
	}
	r.fails(4, "nothing to claim", "claim", "--queue", "q", "--robot", "r")
	r.ok("item", "undo", "--queue", "q", "--status", "pending", "--first", "1", "--yes")
	r.claimed("--queue", "q", "--robot", "r")
}

// interrupter interrupts a command when it shows how far it is.
type interrupter struct {
	bytes.Buffer
	interrupt context.CancelFunc
}

func (i *interrupter) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte("1 of 4")) {
		i.interrupt()
	}
	return i.Buffer.Write(p)
}

func TestInterruptCancelsABulkAct(t *testing.T) {
	r := newRig(t)
	exceptions(r, 4)
	ctx, cancel := context.WithCancel(t.Context())
	var out bytes.Buffer
	errs := interrupter{interrupt: cancel}
	r.terminal = true
	code := cli.Run(ctx, r.world(&out, &errs), []string{"item", "retry", "--queue", "q", "--status", "exception", "--all", "--yes", "--rate", "1/h"})
	if code != 1 || out.String() != "retry: 1 of 4 done\n" || !strings.Contains(errs.String(), "retry: cancelled after 1 of 4 items; what is done stays done") {
		t.Errorf("exit %d, %s, %s", code, &out, &errs)
	}
	if q := parse[queue](t, r.ok("queue", "show", "q", "-o", "json")); q.Counts["retried"] != 1 || q.Counts["business-exception"] != 3 {
		t.Errorf("the counts are %v", q.Counts)
	}
}

// What had come when the engine died is still an array, and told.
func TestABulkActThatLosesItsEngine(t *testing.T) {
	r := newRig(t)
	served := r.serveProcess()
	exceptions(r, 4)
	var out bytes.Buffer
	errs := interrupter{interrupt: sync.OnceFunc(func() {
		served.signal(syscall.SIGKILL)
		_ = served.cmd.Wait()
	})}
	r.terminal = true
	code := cli.Run(t.Context(), r.world(&out, &errs), []string{"item", "retry", "--queue", "q", "--status", "exception", "--all", "--yes", "--rate", "1/h", "-o", "json"})
	if code != 7 || !strings.Contains(errs.String(), "retry: its engine is gone, and had come to at least 1 of 4 items") {
		t.Errorf("exit %d, %s", code, &errs)
	}
	if rows := parse[[]outcome](t, out.String()); len(rows) > 1 {
		t.Errorf("%d rows of 1", len(rows))
	}
}
