package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"signalbox/engine"
	"signalbox/engine/lane"
	"signalbox/tui/internal/fake"
)

// A filter on its way to a field's name leaves the rows as they are; a word that
// is none, and one that is applied, filter at once.
func TestRowsStayWhileAFilterIsHalfTyped(t *testing.T) {
	c := openOn(t, realEngine(t, map[string]int{"no order": 12}), 120, 40)
	c.press("2", "enter", "/")
	for _, typed := range "status:suc" {
		c.text(string(typed)).shows("INV-11")
		c.hides("not understood", "Nothing matches")
	}
	c.text("cessful").shows("Nothing matches status:successful")
	c.press("esc", "/").text("sta").press("enter").shows("Nothing matches sta")
	c.press("esc", "/").text("INV-1").shows("3 items")
}

// A field without its value yet is not called wrong before it is applied.
func TestAFieldWithoutItsValueIsNotWrongYet(t *testing.T) {
	c := openOn(t, realEngine(t, map[string]int{"no order": 3}), 120, 40)
	c.press("7").shows("business-exception")
	c.press("/").text("actor:").shows("business-exception")
	c.hides("looks for nothing")
	c.press("enter").shows("looks for nothing")
}

// What is wrong with a filter is told whole under the rows, which stay.
func TestWrongFilterKeepsTheRowsAndIsToldWhole(t *testing.T) {
	c := openOn(t, realEngine(t, map[string]int{"no order": 12}), 80, 24)
	c.press("2", "enter", "/").send(tea.PasteMsg{Content: "statsu:failed"})
	c.shows("INV-11")
	c.says("there is no key", "put it in quotes to look for the word")
}

// The footer of a list without rows offers nothing that needs one, and says how
// the filter that hides them is taken away.
func TestFooterOfAnEmptyListOffersNothingForRows(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	for _, keys := range []string{"2", "2 down enter", "3", "4", "5", "5 enter", "7", "8"} {
		c.press(strings.Fields(keys)...)
		c.press("/").send(tea.PasteMsg{Content: "zzzz"})
		c.press("enter").shows("Nothing matches")
		foot := c.footer()
		for _, word := range []string{"open", "retry", "verify", "assign", "note", "mark", "sort", "verbs", "settings", "w why", "its items"} {
			if strings.Contains(foot, word) {
				t.Errorf("%s: %q in %s", keys, word, foot)
			}
		}
		if !strings.Contains(foot, "esc clear filter") {
			t.Errorf("%s: %s", keys, foot)
		}
		c.press("esc", "esc")
	}
}

// What the row in hand does not allow is dim in the footer, and has its place.
func TestFooterDimsWhatTheRowDoesNotAllow(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40, func(o *Options) { o.Config.Theme = "mono" })
	c.send(tea.ColorProfileMsg{Profile: colorprofile.ASCII})
	c.press("2", "down", "enter", "left", "left")
	c.shows("INV-10263") // abandoned
	able := c.footer()
	c.press("left", "left", "left").hides("INV-10263")
	if barred := c.footer(); barred == able || !strings.Contains(able, "retry") {
		t.Errorf("nothing tells that a waiting item can't be retried: %q", barred)
	}
}

// A column that has been needed once stays, and one that was as wide keeps its
// width: what comes and goes moves nothing else.
func TestColumnsStayAsHoldersComeAndGo(t *testing.T) {
	e := fake.Lifelike()
	c := open(t, e, 120, 40)
	before := c.titles("slot")
	if !strings.Contains(before, "job") {
		t.Fatalf("no job: %s", before)
	}
	e.Change(func(s *engine.Snapshot) {
		s.Slots.Slots = append([]lane.SlotState(nil), s.Slots.Slots...)
		for i := range s.Slots.Slots {
			if h := s.Slots.Slots[i].Holder; h != nil {
				held := *h
				held.Job, held.Queue, held.Item = "", "a", "a/1"
				s.Slots.Slots[i].Holder = &held
			}
		}
	})
	c.feed()
	if after := c.titles("slot"); after != before {
		t.Errorf("the columns moved:\n%s\n%s", before, after)
	}
}

// A column chosen for which there is no place says why it can't be seen.
func TestColumnsDialogTellsWhatHasNoRoom(t *testing.T) {
	c := open(t, fake.Lifelike(), 80, 24)
	c.press("2", "o").shows("consumer     no room", "waiting     ")
	c.press("down", "down", "down", "enter") // which makes none
	if strings.Contains(c.line("lane"), "no room") {
		t.Errorf("one that is off: %s", c.line("lane"))
	}
}

// Large pools are told with their thousands apart.
func TestPoolIsCountedInThousands(t *testing.T) {
	e := fake.Lifelike()
	e.Change(func(s *engine.Snapshot) { s.Slots = fake.Pool(lane.Auto(2000)) })
	open(t, e, 120, 40).shows("pool 0/2,000", "All 2,000 slots are free.")
}

// line is the line of the screen on which words stand.
func (c *console) line(words string) string {
	for line := range strings.Lines(c.picture()) {
		if strings.Contains(line, words) {
			return line
		}
	}
	return ""
}

// footer is the last line of the screen.
func (c *console) footer() string {
	lines := strings.Split(c.picture(), "\n")
	return lines[len(lines)-1]
}

// What begins alike is a place before it is the way out.
func TestPaletteOffersPlacesBeforeQuitting(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.press(":").text("qu").press("enter")
	if c.quit {
		t.Fatal("it quit")
	}
	c.shows("2 Queues")
}

// On the narrowest screen a status filter stands there whole, with its number,
// or not at all; the one chosen always does.
func TestStatusFiltersAreNeverCut(t *testing.T) {
	c := open(t, fake.Lifelike(), 50, 15)
	c.press("2", "down", "enter")
	for range 8 {
		line := strings.Split(c.picture(), "\n")[3]
		for _, name := range []string{"waiting", "running", "done", "excepted", "failed", "abandoned"} { // none of which is without items there
			at := strings.Index(line, " "+name)
			if at < 0 {
				continue
			}
			if rest := strings.TrimSpace(line[at+1+len(name):]); rest == "" || rest[0] < '0' || rest[0] > '9' {
				t.Errorf("%q has lost its number: %q", name, line)
			}
		}
		c.press("right")
	}
	c.press("left").says("other")
}

// Robots whose names differ at their ends can be told apart on the narrowest
// screen.
func TestRobotsAreToldApartOnNarrowScreens(t *testing.T) {
	e := fake.Lifelike()
	e.Crew = []engine.Robot{{Name: "invoice-robot-1", Queues: []string{"finance.orders"}}, {Name: "invoice-robot-2", Queues: []string{"finance.orders"}}}
	open(t, e, 50, 15).press("8").shows("invoice-robot-1", "invoice-robot-2")
}

// While a filter is typed, esc goes back to the one before and does not say that
// it clears it.
func TestFooterOfAFilterBeingTyped(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.press("2", "/").text("zzz")
	if foot := c.footer(); !strings.Contains(foot, "esc back") || strings.Contains(foot, "clear") {
		t.Errorf("footer: %s", foot)
	}
}

// The footer of the settings names each of its keys' uses once.
func TestSettingsFooterSaysChangeOnce(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.press(",")
	if foot := c.footer(); strings.Count(foot, "change") != 1 || !strings.Contains(foot, "save") {
		t.Errorf("footer: %s", foot)
	}
}
