package tui

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"signalbox/engine"
	"signalbox/engine/lane"
	"signalbox/store"
	"signalbox/tui/internal/fake"
)

func TestNotBuiltIsSaidAndGoesWithTheNextKey(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.press("6")
	c.shows("Not built yet: timeline")
	c.press("down")
	c.hides("Not built yet")
	c.press("?")
	c.hides("Show timeline")
}

func TestRefusedSplitSaysItsMend(t *testing.T) {
	c := open(t, fake.Lifelike(), 80, 24)
	c.press("S")
	for range 8 {
		c.press("left")
	}
	split := strings.Join(strings.Fields(c.picture()), " ")
	if !strings.Contains(split, lane.Split{Size: 25, Slow: 6}.Validate().Error()) {
		t.Fatal(c.picture())
	}
}

func TestQuestionIsWholeInASmallTerminal(t *testing.T) {
	c := open(t, fake.Lifelike(), 50, 15)
	c.press("5", "v").wait(time.Second)
	c.shows("queue:finance.orders", "retried.", "c adds one", "▸ No")
}

func TestHelpIsWholeInASmallTerminal(t *testing.T) {
	c := open(t, fake.Lifelike(), 50, 15)
	c.press("5", "?", "/").text("back").press("enter")
	help := strings.Join(strings.Fields(strings.ReplaceAll(c.picture(), "│", "")), " ")
	if !strings.Contains(help, "never quits") {
		t.Fatal(c.picture())
	}
}

// The history keeps its columns however long its words are, and leaves out
// the reason that stands above.
func TestHistoryKeepsItsColumns(t *testing.T) {
	e := fake.Lifelike()
	id := store.ID{Queue: "finance.orders", Number: 4}
	e.Tell(id, store.Change{Event: "business-exception", From: store.Processing, To: store.BusinessException, Actor: engine.DrainPrefix + "895965dc/finance.orders/7", Why: "no postal code"})
	e.Tell(id, store.Change{Event: "review-note", Actor: "grace", Why: strings.Repeat("asked the customer twice ", 6)})
	c := open(t, e, 120, 60)
	c.press("5", "enter", "enter")
	c.shows("business-exception  by drain 7", "review-note         ")
	if n := strings.Count(c.picture(), "no postal code"); n != 1 {
		t.Fatalf("the reason stands there %d times", n)
	}
	for _, line := range strings.Split(c.picture(), "\n") {
		if strings.Contains(line, "asked the customer") && strings.Index(line, "asked") < 88 && !strings.Contains(line, "by grace") {
			t.Fatalf("out of its column: %q", line)
		}
	}
}

func TestErrorDetailsAreASectionOfTheirOwn(t *testing.T) {
	e := fake.Lifelike()
	e.Edit(store.ID{Queue: "finance.orders", Number: 4}, func(r *engine.Record) {
		r.Error.Details = strings.Repeat("a line of stderr\n", 60) + "the last line"
	})
	c := open(t, e, 80, 24)
	c.press("5", "enter", "enter", "tab")
	c.shows("Details", "a line of stderr")
	for range 70 {
		if strings.Contains(c.picture(), "the last line") {
			return
		}
		c.press("down")
	}
	t.Fatal("the end of the details is out of reach")
}

// A column is there with its whole title or not at all, at every width.
func TestTitlesAreNeverCut(t *testing.T) {
	for first, keys := range map[string][]string{
		"slot": nil, "queue ": {"2"}, "number": {"2", "down", "enter"}, "job": {"3"}, "items": {"4"}, "number ": {"5", "enter"}, "when": {"7"}, "robot": {"8"},
	} {
		c := open(t, fake.Lifelike(), 300, 60)
		c.press(keys...)
		titles := strings.Fields(c.titles(first))
		for w := 50; w < 300; w++ {
			c.send(tea.WindowSizeMsg{Width: w, Height: 40})
			for _, word := range strings.Fields(c.titles(first)) {
				if !slices.Contains(titles, word) {
					t.Errorf("%d columns: %q is no title of %v:\n%s", w, word, titles, c.picture())
					return
				}
			}
		}
	}
}

// titles is the line of the columns' titles, which begins with the first.
func (c *console) titles(first string) string {
	for _, line := range strings.Split(c.picture(), "\n")[2:] {
		if strings.HasPrefix(strings.TrimSpace(line), strings.TrimSpace(first)) && !strings.Contains(line, "items ·") {
			words, _, _ := strings.Cut(line, "   » ") // what stands beside the table
			words, _, _ = strings.Cut(words, "   ≈ ")
			return words
		}
	}
	c.t.Fatalf("there is no title %q:\n%s", first, c.picture())
	return ""
}

// What a question means for the items is said however long the reason is.
func TestQuestionSaysWhatItDoesInASmallTerminal(t *testing.T) {
	e := fake.Lifelike()
	reason := "the supplier's bank account differs from the one on file since the last audit"
	for range 12 {
		e.Put(engine.Record{Item: store.Item{Queue: "finance.orders", Status: store.BusinessException, Group: reason, Error: &store.Failure{Kind: "business", Reason: reason}}})
	}
	e.Change(nil)
	c := open(t, e, 50, 15)
	c.press("5", "/").text("supplier").press("enter", "v").wait(time.Second)
	c.shows("Verify 12 matching items?", "can no longer be", "c adds one", "▸ No")
}

// The slot in hand says what is out of the ordinary first, and marks a cut.
func TestSlotInHandMarksWhatIsCut(t *testing.T) {
	c := open(t, fake.Lifelike(), 60, 24)
	for range 30 {
		for line := range strings.SplitSeq(c.picture(), "\n") {
			if strings.Contains(line, " work for ") && !strings.Contains(line, "drain-7f3a") && !strings.HasSuffix(line, "…") {
				t.Errorf("cut without a mark: %q", line)
			}
			if strings.Contains(line, "▸ slot 24 ") && !strings.Contains(line, "stuck") {
				t.Errorf("not said to be stuck: %q", line)
			}
		}
		c.press("right")
	}
}
