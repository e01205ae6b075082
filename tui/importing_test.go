package tui

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/act"
)

// importFile asks for a file with one bad row among four to be imported, and
// what is to be done about it, by so many steps to the right.
func importFile(t *testing.T, steps int) (c *console, e *engine.Engine, file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "more.csv")
	content := "Reference,Deadline,total\nN-1,,1\nN-2,,2\nN-3,soon,3\nN-4,,4\n"
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	e = realEngine(t, nil)
	c = openOn(t, e, 200, 40)
	c.press("2", "I").text(file).press("down", "down", "down")
	for range steps {
		c.press("right")
	}
	c.press("enter")
	return c, e, file
}

// says is shows for words that a dialog may have broken into lines.
func (c *console) says(words ...string) {
	c.t.Helper()
	whole := strings.Join(strings.Fields(strings.ReplaceAll(c.picture(), "│", " ")), " ")
	for _, w := range words {
		if !strings.Contains(whole, w) {
			c.t.Errorf("the screen does not say %q:\n%s", w, c.picture())
		}
	}
}

func stored(t *testing.T, e *engine.Engine) int64 {
	t.Helper()
	page, err := e.List(t.Context(), engine.ListRequest{Queue: "orders"})
	if err != nil {
		t.Fatal(err)
	}
	return int64(len(page.Items))
}

// What a bad row does is chosen, and told as it was done; what is rejected is
// kept, and can be imported once mended.
func TestImportDoesAboutBadRowsAsChosen(t *testing.T) {
	for steps, want := range []struct {
		stored  int64
		words   string
		rejects string
	}{
		{0, "nothing was stored", "N-3,soon,3"},
		{2, "more.csv line 4", "N-3,soon,3"},
		{3, "3 rows of more.csv in orders; 1 rejected, the first at line 4", "N-3,soon,3"},
	} {
		c, e, file := importFile(t, steps)
		c.says(want.words)
		if got := stored(t, e); got != want.stored {
			t.Errorf("%d steps: %d stored, want %d\n%s", steps, got, want.stored, c.picture())
		}
		kept, err := os.ReadFile(file + ".rejects")
		if (want.rejects == "") != os.IsNotExist(err) || !strings.Contains(string(kept), want.rejects) {
			t.Errorf("%d steps: rejects are %q, %v", steps, kept, err)
		}
		if strings.Contains(string(kept), "N-1") || strings.Contains(string(kept), "N-4") {
			t.Errorf("%d steps: a good row was rejected: %q", steps, kept)
		}
		if want.rejects != "" {
			c.says("more.csv.rejects")
		}
		if steps == 1 {
			c.says("--from-line 4", "stopped after 2 stored rows")
		}
	}
}

// An earlier file of rejects is not written over.
func TestImportKeepsEarlierRejects(t *testing.T) {
	c, _, file := importFile(t, 2)
	c.press("I").text(file).press("down", "down", "down", "right", "right", "enter")
	c.shows(filepath.Base(file) + ".rejects.2")
	if _, err := os.Stat(file + ".rejects.2"); err != nil {
		t.Error(err)
	}
}

// A reference that the engine refuses is named with the line that has it too.
func TestImportNamesTheLineThatTheEngineRefuses(t *testing.T) {
	e := realEngine(t, nil)
	q := engine.DefaultQueue("unique", store.Transactions)
	q.UniqueReferences = true
	if _, err := e.AddQueue(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "twice.csv")
	if err := os.WriteFile(file, []byte("Reference\nA\nB\nA\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := openOn(t, e, 200, 40)
	c.press("2", "down", "I").text(file).press("enter")
	c.says("twice.csv line 4", "line 2 has it too", "nothing was stored")
}

// halting is an engine whose imports wait where the test looks at them.
type halting struct {
	*engine.Engine
	rows, at chan struct{}
}

func (h halting) Import(ctx context.Context, r engine.ImportRequest, rows iter.Seq2[engine.NewItem, error]) (engine.ImportResult, error) {
	return h.Engine.Import(ctx, r, func(yield func(engine.NewItem, error) bool) {
		for item, err := range rows {
			if !yield(item, err) {
				return
			}
			h.at <- struct{}{}
			<-h.rows
		}
	})
}

// How far an import has come is shown, and it can be stopped: then nothing of it
// is stored where all or nothing was wanted.
func TestAnImportUnderWayIsShownAndStopped(t *testing.T) {
	file := filepath.Join(t.TempDir(), "long.csv")
	if err := os.WriteFile(file, []byte("Reference\n"+strings.Repeat("A\n", 10_001)), 0o600); err != nil {
		t.Fatal(err)
	}
	h := halting{realEngine(t, nil), make(chan struct{}), make(chan struct{})}
	c := openOn(t, h, 120, 40)
	var _ act.Keeper = h
	c.press("2", "I").text(file)
	_, cmd := c.app.Update(keyOf("enter"))
	answers := make(chan tea.Msg, 1)
	go func() { answers <- firstAnswer(cmd) }()
	<-h.at
	c.wait(time.Second).send(tickMsg{})
	c.shows("Importing long.csv into orders · 1 row", "X stops it")
	c.press("X")
	c.shows("Stop importing long.csv?")
	c.press("y")
	h.rows <- struct{}{}
	go func() {
		for range h.at {
			h.rows <- struct{}{}
		}
	}()
	c.send(<-answers)
	close(h.at)
	c.shows("stopped, nothing was stored")
	c.hides("stops it")
	if got := stored(t, h.Engine); got != 0 {
		t.Errorf("%d are stored", got)
	}
}

// firstAnswer runs a command, and of a batch those that answer at last.
func firstAnswer(cmd tea.Cmd) tea.Msg {
	msg := cmd()
	batch, ok := msg.(tea.BatchMsg)
	if !ok {
		return msg
	}
	for _, each := range batch {
		if each == nil {
			continue
		}
		if msg := firstAnswer(each); msg != nil {
			return msg
		}
	}
	return nil
}
