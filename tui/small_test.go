package tui

import (
	"strings"
	"testing"
	"time"

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
