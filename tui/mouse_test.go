package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"signalbox/tui/internal/fake"
)

// at finds a text on the screen.
func (c *console) at(words string) (x, y int) {
	c.t.Helper()
	for y, line := range strings.Split(c.picture(), "\n") {
		if i := strings.Index(line, words); i >= 0 {
			return len([]rune(line[:i])), y
		}
	}
	c.t.Fatalf("%q is nowhere:\n%s", words, c.picture())
	return 0, 0
}

func (c *console) click(words string) {
	c.t.Helper()
	x, y := c.at(words)
	c.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
}

func withMouse(o *Options) { o.Config.Mouse = true }

func TestMouseIsOffUntilAskedFor(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.click("queues")
	c.hides("2 Queues")
	if c.app.View().MouseMode != tea.MouseModeNone {
		t.Fatal("the terminal is asked for the mouse")
	}
	c.press("m")
	c.shows("Mouse on")
	if c.app.View().MouseMode != tea.MouseModeCellMotion {
		t.Fatal("the terminal is not asked for the mouse")
	}
	c.click("queues")
	c.shows("2 Queues")
	c.press("f")
	if c.app.View().MouseMode != tea.MouseModeNone {
		t.Fatal("a frozen picture takes text selection away")
	}
}

func TestClicksOnRowsAndTitles(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40, withMouse)
	c.press("2")
	c.click("insurance.claims")
	c.shows("▌  insurance.claims")
	c.click("insurance.claims")
	c.shows("Queues ▸ insurance.claims")
	c.press("esc")
	c.click("waiting")
	c.shows("waiting▴")
	c.click("waiting▴")
	c.shows("waiting▾")
	c.press(":").text("queue finance").press("enter")
	c.click("reference")
	c.shows("reference▴")
	c.click("INV-10250")
	c.shows("▌          3")
}

func TestTwoSlowClicksDoNotOpen(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40, withMouse)
	c.press("2")
	c.click("insurance.claims")
	c.wait(time.Second)
	c.click("insurance.claims")
	c.hides("▸ insurance.claims")
}

func TestWheelScrolls(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40, withMouse)
	c.press("2", "down", "enter")
	c.send(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
	c.shows("▌         57")
	for range 3 { // within one frame
		c.app.route(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
	}
	c.shows("▌         57")
	c.wait(time.Second)
	c.send(turnMsg{})
	c.shows("▌         48")
	for range 3 {
		c.wait(time.Second)
		c.send(tea.MouseWheelMsg{Button: tea.MouseWheelUp})
	}
	c.wait(time.Second)
	c.send(tea.MouseWheelMsg{Button: tea.MouseWheelUp})
	c.shows("▌         60")
}

func TestSlotClickSelectsAndOpens(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40, withMouse)
	x, y := c.at("3   4")
	press := tea.MouseClickMsg{X: x + 4, Y: y, Button: tea.MouseLeft}
	c.send(press)
	c.shows("slot 4")
	c.send(press)
	c.shows("Slots ▸ finance.orders/33")
}

func TestDialogsAreModalForTheMouse(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40, withMouse)
	c.press("5", "enter", "x")
	c.click("2 queues")
	c.shows("Verbs for finance.orders/4")
	c.hides("2 Queues")
	c.press("esc", ",")
	c.click("Mouse")
	c.shows("Mouse    ← off")
}

// The click that brings the window to the front does nothing else.
func TestTheClickThatFocusesDoesNothingElse(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40, withMouse)
	c.send(tea.BlurMsg{})
	c.send(tea.FocusMsg{})
	c.click("queues")
	c.hides("2 Queues")
	c.click("queues")
	c.shows("2 Queues")
}
