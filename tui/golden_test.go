package tui

import (
	"fmt"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"signalbox/tui/internal/fake"
	"strings"
)

// views are the pictures kept, by the keys that lead to them.
func views() map[string][]string {
	return map[string][]string{
		"slots":     nil,
		"split":     {"S", "right", "right", "shift+left"},
		"queues":    {"2"},
		"items":     {"2", "down", "enter"},
		"item":      {"2", "down", "enter", "G", "up", "up", "up", "enter"},
		"abandoned": {"4"},
		"review":    {"5"},
		"jobs":      {"3"},
		"job":       {"3", "enter"},
		"jobabout":  {"3", "enter", "tab"},
		"jobcancel": {"3", "x", "down", "enter"},
		"jobwhy":    {"3", "w"},
		"group":     {"5", "enter", "space"},
		"confirm":   {"5", "enter", "a", "v"},
		"verbs":     {"5", "enter", "x"},
		"help":      {"5", "?"},
		"events":    {"7"},
		"robots":    {"8"},
		"palette":   {"5", ":"},
		"settings":  {"1", ",", "right", "right", "down"},
		"columns":   {"2", "o", "down", "enter"},
		"sort":      {"2", "down", "enter", "s"},
		"newqueue":  {"2", "N"},
		"queueset":  {"2", "O"},
		"import":    {"2", "I"},
	}
}

func sizes() [][2]int { return [][2]int{{200, 60}, {120, 40}, {80, 24}, {50, 15}} }

func TestPictures(t *testing.T) {
	for name, keys := range views() {
		for _, size := range sizes() {
			title := fmt.Sprintf("%s-%dx%d", name, size[0], size[1])
			t.Run(title, func(t *testing.T) {
				c := open(t, fake.Lifelike(), size[0], size[1])
				c.press(keys...)
				exact(t, c.picture(), size[0], size[1])
				golden(t, title, trimmed(c.picture()))
			})
		}
	}
}

func TestFirstRun(t *testing.T) {
	for _, size := range sizes() {
		c := open(t, fake.New(), size[0], size[1])
		exact(t, c.picture(), size[0], size[1])
		golden(t, fmt.Sprintf("firstrun-%dx%d", size[0], size[1]), trimmed(c.picture()))
	}
}

// Below the least size the lanes are told all the same, whatever is shown.
func TestTooSmall(t *testing.T) {
	for name, keys := range views() {
		c := open(t, fake.Lifelike(), 30, 8)
		c.press(keys...)
		exact(t, c.picture(), 30, 8)
		if want := "too small: 30x8, needs 50x15\npool 23/25\nfast 0 in line\nslow 5 in line\n\n\n\n"; trimmed(c.picture()) != want {
			t.Errorf("%s:\n%s", name, c.picture())
		}
	}
}

// Where a line is too narrow for what is told, it goes on in the next.
func TestFarTooSmallIsToldWhole(t *testing.T) {
	c := open(t, fake.Lifelike(), 20, 6)
	exact(t, c.picture(), 20, 6)
	c.shows("too small: 20x6,", "needs 50x15", "pool 23/25", "slow 5 in line")
}

// exact says that a picture has h lines of at most w columns.
func exact(t testing.TB, picture string, w, h int) {
	t.Helper()
	lines := strings.Split(picture, "\n")
	if len(lines) != h {
		t.Fatalf("%d lines, want %d:\n%s", len(lines), h, picture)
	}
	for i, l := range lines {
		if got := ansi.StringWidth(l); got > w {
			t.Fatalf("line %d is %d wide, want at most %d: %q", i, got, w, l)
		}
	}
}

// trimmed drops the blanks at the ends of lines, which no eye sees.
func trimmed(picture string) string {
	lines := strings.Split(picture, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}
