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

// What stands beside keeps its style, and a wide character that is covered by
// half leaves a blank, at whatever column the edges are.
func TestSpliceCutsBetweenCells(t *testing.T) {
	theme := themes.Default(true)
	danger := theme.Prefix(themes.Danger)
	for _, test := range []struct {
		x    int
		want string
	}{
		{0, "XXX" + danger + "家c" + themes.Reset + "d"},
		{1, "aXXX" + danger + " c" + themes.Reset + "d"},
		{2, "a" + danger + "é" + themes.Reset + "XXX" + danger + "c" + themes.Reset + "d"},
		{3, "a" + danger + "éb" + themes.Reset + "XXXd"},
		{4, "a" + danger + "éb " + themes.Reset + "XXX"},
		{5, "a" + danger + "éb家" + themes.Reset + "XXX"},
	} {
		line, over := New(theme, text.Ellipsis, 8, 1), canvas(3, 1)
		for _, put := range []struct {
			to    *Canvas
			plain string
			style text.Safe
		}{{line, "a", "éb家c"}, {line, "d", ""}, {over, "XXX", ""}} {
			put.to.plain()
			put.to.buf = append(put.to.buf, put.plain...)
			put.to.col += len(put.plain)
			put.to.Put(themes.Danger, put.style)
		}
		line.End()
		over.End()
		line.Splice(over, test.x, 0)
		if got := line.String(); got != test.want {
			t.Errorf("at %d: %q, want %q", test.x, got, test.want)
		}
	}
}

// Of what other libraries draw, styles and words pass, up to the edge; all else
// is seen, not obeyed.
func TestStyledLinesPassNothingButStyles(t *testing.T) {
	for _, test := range []struct{ line, want string }{
		{"\x1b[1mab\x1b[m c", "\x1b[1mab\x1b[m c"},
		{"a\x1b[38;2;1;2;3mb", "a\x1b[38;2;1;2;3mb\x1b[m"},
		{"\x1b[2Jab", "␛[2Jab"},
		{"a\x1b]52;c;eA\x07", "a␛]52;c;"},
		{"\x1b[7m12345678\x1b[m9", "\x1b[7m12345678\x1b[m"},
		{"1234567家", "1234567"},
		{"\x1b", "␛"},
		{"\x1b[1", "␛[1"},
		{"a\u202eb\x9b31m", "a‹U+202E"},
	} {
		c := New(themes.Default(true), text.Ellipsis, 8, 1)
		c.Styled(test.line)
		c.End()
		if got := c.String(); got != test.want || c.Used(0) > 8 {
			t.Errorf("%q: %q in %d columns, want %q", test.line, got, c.Used(0), test.want)
		}
	}
	c := canvas(8, 1)
	c.Styled("\x1b[1mab\x1b[m")
	c.End()
	if c.String() != "ab" {
		t.Errorf("a theme without looks has some: %q", c.String())
	}
}
