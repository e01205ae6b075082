package tui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"signalbox/engine"
	"signalbox/engine/lane"
	"signalbox/tui/internal/fake"
)

// A job that has ended tells when it did, not since when it is there.
func TestEndedJobTellsWhenItEnded(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.press("3", "down", "down", "down", "down", "enter")
	c.shows("triage-0301", "✓ done", "ended ")
	c.hides("since ")
}

// What is wrong with a filter is told whole below, where the bar has no room for
// it, and what the bar cuts is marked.
func TestFilterFaultIsToldWhole(t *testing.T) {
	for _, list := range []struct{ keys, words string }{{"2 enter", "or put it in quotes to look for the word"}, {"7", "or plain words"}} {
		c := openOn(t, realEngine(t, nil), 80, 24)
		c.press(strings.Fields(list.keys + " /")...).text("statsu:queued")
		c.feed()
		c.says(list.words)
		if bar := strings.Split(c.picture(), "\n")[2]; !strings.HasSuffix(strings.TrimRight(bar, " "), "…") {
			t.Errorf("%s: what is cut is not marked: %q", list.keys, bar)
		}
	}
	c := open(t, fake.Lifelike(), 80, 24)
	c.press("8", "/").text("statsu:what-is-not-there")
	if bar := strings.Split(c.picture(), "\n")[2]; !strings.HasSuffix(strings.TrimRight(bar, " "), "…") {
		t.Errorf("what is cut is not marked: %q", bar)
	}
}

// What is longer than its box says how much is below, and can be read to its end.
func TestLongTextsSayThatThereIsMore(t *testing.T) {
	for _, size := range [][2]int{{50, 15}, {80, 24}, {120, 40}} {
		c := open(t, fake.Lifelike(), size[0], size[1])
		c.press("5", "?")
		c.shows(" more ╯")
		c.press("G")
		c.says("Quit from anywhere")
		c.hides(" more ╯")
	}
}

// The keys that end an edit of the split have their place in any footer.
func TestSplitFooterTellsHowItEnds(t *testing.T) {
	for _, w := range []int{50, 80, 120} {
		c := open(t, fake.Lifelike(), w, 15)
		c.press("S")
		c.shows("↵ apply", "esc back")
	}
}

// The job of a slot is told also while slots are stuck.
func TestSlotsTellTheJobBesideWhatIsStuck(t *testing.T) {
	for _, w := range []int{80, 120, 200} {
		c := open(t, fake.Lifelike(), w, 40)
		c.shows("▲ stuck")
		if titles := c.titles("slot"); !strings.Contains(titles, "job") {
			t.Errorf("%d columns: %s", w, titles)
		}
	}
}

// A refused import tells each kind of fault on a line of its own.
func TestImportFaultsStandInLines(t *testing.T) {
	file := filepath.Join(t.TempDir(), "bad.csv")
	if err := os.WriteFile(file, []byte("Reference,Deadline,Priority\nA,soon,\nB,,huge\nC,soon,\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := openOn(t, realEngine(t, nil), 200, 40)
	c.press("2", "I").text(file).press("enter")
	for line := range strings.Lines(c.picture()) {
		if strings.Count(line, "•") > 1 || strings.Contains(line, " · ") && strings.Contains(line, "│") {
			t.Errorf("faults run on: %s", line)
		}
	}
	if n := strings.Count(c.picture(), "│   • "); n != 2 {
		t.Errorf("%d faults in lines:\n%s", n, c.picture())
	}
}

// What can be done about rejected rows that can't be kept is said in the
// console's words.
func TestImportSaysWhatHelpsWhereRejectsCantBeKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), strings.Repeat("n", 250)) // to which nothing can be added
	if err := os.WriteFile(file, []byte("Reference,Deadline\nA,soon\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := openOn(t, realEngine(t, nil), 200, 40)
	c.press("2", "I").text(file).press("enter")
	c.says("it can't be written", "make its folder writable")
	c.hides("--rejects")
}

// Of the smallest pool in the smallest terminal it can be seen which slots are
// whose.
func TestSmallPoolNamesItsLanes(t *testing.T) {
	for n := range 10 {
		e := fake.Lifelike()
		e.Change(func(s *engine.Snapshot) { s.Slots = fake.Pool(lane.Auto(3 + n)) })
		c := open(t, e, 50, 15)
		c.shows("fast", "slow")
	}
}
