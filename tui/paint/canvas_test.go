package paint

import (
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"signalbox/themes"
	"signalbox/tui/text"
)

func canvas(w, h int) *Canvas {
	return New(themes.Default(true).For(colorprofile.NoTTY), text.Ellipsis, w, h)
}

func TestWidthAgreesWithTheSlowWay(t *testing.T) {
	for r := rune(0x20); r < 0x3000; r++ {
		if !single(r) {
			continue
		}
		for _, s := range []text.Safe{text.Safe(r), "a" + text.Safe(r), text.Safe(r) + "b", text.Safe(r) + text.Safe(r)} {
			if width(s) != text.Width(s) {
				t.Fatalf("%U: %d, want %d", r, width(s), text.Width(s))
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := text.Clean(rapid.String().Draw(t, "s"))
		if width(s) != text.Width(s) {
			t.Fatalf("%q: %d, want %d", s, width(s), text.Width(s))
		}
	})
}

// Whatever is written, the picture has its lines, none too wide, and the
// canvas knows how wide each is.
func TestNeverBeyondTheEdge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(0, 30).Draw(t, "w"), rapid.IntRange(0, 6).Draw(t, "h")
		c := canvas(w, h)
		for range rapid.IntRange(0, 30).Draw(t, "steps") {
			s := text.Clean(rapid.StringN(0, 12, -1).Draw(t, "s"))
			n := rapid.IntRange(-3, 40).Draw(t, "n")
			switch rapid.IntRange(0, 9).Draw(t, "op") {
			case 0:
				c.Put(themes.Text, s)
			case 1:
				c.Fit(themes.Muted, s, n)
			case 2:
				c.FitLeft(themes.Muted, s, n)
			case 3:
				c.Repeat(themes.Danger, "─", n)
			case 4:
				c.To(n)
			case 5:
				c.Right(themes.Text, s)
			case 6:
				c.Raise(themes.Cursor)
			case 7:
				c.Lower()
			case 8:
				over := canvas(w/2, h)
				over.Text(themes.Text, s)
				c.Splice(over, max(n, 0)%max(w, 1), n%4)
			case 9:
				c.End()
			}
		}
		lines := strings.Split(c.String(), "\n")
		if len(lines) != max(h, 1) {
			t.Fatalf("%d lines, want %d", len(lines), h)
		}
		for i, l := range lines {
			if got := ansi.StringWidth(l); got > w || got > c.Used(i) {
				t.Fatalf("line %d is %d wide of %d, counted %d: %q", i, got, w, c.Used(i), l)
			}
		}
	})
}

func TestSpliceKeepsWhatStandsBeside(t *testing.T) {
	c := canvas(10, 3)
	for range 3 {
		c.Text(themes.Text, "aabb家ccdd")
	}
	over := canvas(3, 1)
	over.Text(themes.Text, "XYZ")
	c.Splice(over, 3, 1)
	want := "aabb家ccdd\naabXYZccdd\naabb家ccdd"
	if c.String() != want {
		t.Fatalf("got\n%s\nwant\n%s", c.String(), want)
	}
}

func TestStylesAreWrittenWhereTheyChange(t *testing.T) {
	theme := themes.Default(true)
	c := New(theme, text.Ellipsis, 40, 1)
	c.Put(themes.Danger, "a")
	c.Put(themes.Danger, "b")
	c.Put(themes.OK, "c")
	c.End()
	want := theme.Prefix(themes.Danger) + "ab" + themes.Reset + theme.Prefix(themes.OK) + "c" + themes.Reset
	if c.String() != want {
		t.Fatalf("%q, want %q", c.String(), want)
	}
}
