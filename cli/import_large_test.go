package cli_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"signalbox/cli"
	"signalbox/client"
	"signalbox/engine"
	"signalbox/store"
)

// large is a file of more rows than an import holds in memory; change gives the
// reference of a row.
func large(rows int, change func(n int) string) string {
	var b strings.Builder
	b.WriteString("Reference,n\n")
	for n := range rows {
		reference := fmt.Sprintf("R%d", n)
		if other := change(n); other != "" {
			reference = other
		}
		fmt.Fprintf(&b, "%s,%d\n", reference, n)
	}
	return b.String()
}

func unchanged(int) string { return "" }

func TestLargeImportIsStoredAsAWhole(t *testing.T) {
	both(t, func(t *testing.T, r *rig) {
		r.ok("queue", "add", "big", "--unique-references")
		text := large(12_000, unchanged)
		path := r.file("big.csv", text)
		if done := parse[imported](t, r.ok("item", "import", "--queue", "big", path)); done.Stored != 12_000 {
			t.Errorf("imported %+v", done)
		}
		if out := r.ok("item", "history", "big/1"); !strings.Contains(out, "add") {
			t.Errorf("history %s", out)
		}
		// Again, and from stdin, which is read only once: nothing of it is stored.
		r.fails(5, `big.csv line 2: reference "R0": it is already in queue big (those behind it were not tried; `, "item", "import", "--queue", "big", path)
		r.stdin = strings.ReplaceAll(text, "R", "S")
		if done := parse[imported](t, r.ok("item", "import", "--queue", "big", "-")); done.Stored != 12_000 {
			t.Errorf("imported %+v", done)
		}
		r.stdin = large(12_000, func(n int) string { return fmt.Sprintf("T%d", n%11_000) })
		r.fails(5, `stdin line 11002: reference "T0": it stands twice in this file (those behind it were not tried; line 2 has it too): nothing was stored`,
			"item", "import", "--queue", "big", "--rejects", os.DevNull, "-")
		if out := r.ok("queue", "show", "big", "-o", "json"); !strings.Contains(out, `"queued":24000`) {
			t.Errorf("the queue is %s", out)
		}
		// A bad row is found before anything is stored.
		r.stdin = large(12_000, unchanged) + "x\n"
		r.fails(2, "stdin line 12002: 1 field, the header has 2 (1 such row): nothing was stored", "item", "import", "--queue", "big", "--rejects", os.DevNull, "-")
		if out := r.ok("check"); !strings.Contains(out, "nothing wrong") {
			t.Error(out)
		}
	})
}

// A large import that is interrupted while it is stored leaves nothing.
func TestInterruptedLargeImport(t *testing.T) {
	both(t, func(t *testing.T, r *rig) {
		path := r.file("big.csv", large(60_000, unchanged))
		r.terminal = true // the bar tells how far it is
		ctx, cancel := context.WithCancel(t.Context())
		var out bytes.Buffer
		bar := &trigger{words: "stored", pull: cancel}
		code := cli.Run(ctx, r.world(&out, bar), []string{"item", "import", "--queue", "q", path})
		if code != 1 || !strings.Contains(bar.all.String(), "interrupted, nothing was stored") {
			t.Fatalf("exit %d, %s %s", code, out.String(), bar.all.String())
		}
		r.terminal = false
		if out := r.ok("queue", "show", "q", "-o", "json"); !strings.Contains(out, `"counts":{"queued":1}`) {
			t.Errorf("the queue is %s", out)
		}
	})
}

// trigger pulls when the words are written.
type trigger struct {
	words string
	pull  func()
	all   bytes.Buffer
}

func (t *trigger) Write(p []byte) (int, error) {
	if t.all.Write(p); bytes.Contains(p, []byte(t.words)) {
		t.pull()
	}
	return len(p), nil
}

// An engine that is killed in the midst of an import leaves nothing of it, and
// neither does a caller that hangs up.
func TestImportIntoAKilledEngine(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q")
	s := r.serveProcess()
	c, err := client.Connect(t.Context(), filepath.Join(r.dir, "s.db.sock"), client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	rows := func(stop int, at func() error) func(func(engine.NewItem, error) bool) {
		return func(yield func(engine.NewItem, error) bool) {
			for n := range 30_000 {
				var err error
				if n == stop {
					err = at()
				}
				if !yield(engine.NewItem{Payload: fmt.Appendf(nil, `{"n":%d}`, n)}, err) || err != nil {
					return
				}
			}
		}
	}
	hungUp := errors.New("hung up")
	if _, err := c.Import(t.Context(), engine.ImportRequest{Queue: "q"}, rows(20_000, func() error { return hungUp })); !errors.Is(err, hungUp) {
		t.Errorf("it ended with %v", err)
	}
	if q, err := c.Queue(t.Context(), "q"); err != nil || q.Counts.Total() != 0 {
		t.Errorf("%d items are left of an import that was given up, %v", q.Counts.Total(), err)
	}
	// What the engine has not read yet waits in the pipe, so at row 20,000 it has
	// stored some thousands.
	_, err = c.Import(t.Context(), engine.ImportRequest{Queue: "q"}, rows(20_000, func() error {
		q, err := c.Queue(t.Context(), "q")
		if err != nil || q.Counts.Total() == 0 {
			t.Errorf("%d items so far, %v", q.Counts.Total(), err)
		}
		s.signal(syscall.SIGKILL)
		s.end()
		return nil
	}))
	if store.CodeOf(err) != store.CodeUnavailable {
		t.Errorf("it ended with %v", err)
	}
	if out := r.ok("queue", "show", "q", "-o", "json"); !strings.Contains(out, `"counts":{}`) {
		t.Errorf("the queue is %s", out)
	}
	if out := r.ok("check"); !strings.Contains(out, "nothing wrong") {
		t.Error(out)
	}
}

// A file that is no regular one is imported too, and nothing is left of the
// copy that is made of it.
func TestImportOfAPipe(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q")
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	fifo := filepath.Join(r.dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	go func() {
		if f, err := os.OpenFile(fifo, os.O_WRONLY, 0); err == nil {
			_, _ = io.WriteString(f, large(11_000, unchanged))
			_ = f.Close()
		}
	}()
	if done := parse[imported](t, r.ok("item", "import", "--queue", "q", fifo)); done.Stored != 11_000 {
		t.Errorf("imported %+v", done)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}
