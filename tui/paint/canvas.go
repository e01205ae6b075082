// Package paint writes styled lines of an exact size.
//
// A Canvas is written from top left like on a typewriter: styled text, gaps,
// ends of lines. It never holds more lines than it is high nor more columns
// than it is wide, so whoever draws on it cannot break the layout around it.
// Styles are the theme's ready escape sequences, written only where they
// change; nothing is measured or laid out twice.
package paint

import (
	"strconv"

	"github.com/charmbracelet/x/ansi"

	"signalbox/themes"
	"signalbox/tui/text"
)

// Canvas is a picture of w by h cells in one theme.
type Canvas struct {
	theme   *themes.Theme
	tail    string // of text that was cut
	w, h    int
	buf     []byte
	lines   []line
	start   int
	col     int
	styled  bool
	cur     themes.Role
	surface themes.Role
	raised  bool // surface applies
}

type line struct {
	start, end int // in buf
	width      int
}

// New makes an empty canvas; negative sizes count as 0. Tail ends text that
// was cut.
func New(theme *themes.Theme, tail string, w, h int) *Canvas {
	w, h = max(w, 0), max(h, 0)
	return &Canvas{theme: theme, tail: tail, w: w, h: h, buf: make([]byte, 0, 3*w*h), lines: make([]line, 0, h)}
}

// Reset empties the canvas and gives it another size and theme, keeping its
// memory. Strings taken from it stay good.
func (c *Canvas) Reset(theme *themes.Theme, tail string, w, h int) {
	*c = Canvas{theme: theme, tail: tail, w: max(w, 0), h: max(h, 0), buf: c.buf[:0], lines: c.lines[:0]}
}

// Width and Height are the size in cells.
func (c *Canvas) Width() int { return c.w }

// Height is the number of lines there is room for.
func (c *Canvas) Height() int { return c.h }

// Left is the number of lines still free, the one being written included.
func (c *Canvas) Left() int { return c.h - len(c.lines) }

// Row is the number of lines ended so far.
func (c *Canvas) Row() int { return len(c.lines) }

// Col is the column that the next text goes to.
func (c *Canvas) Col() int { return c.col }

// Raise puts all that is written until Lower on the surface of a role; the row
// under the cursor is drawn so.
func (c *Canvas) Raise(surface themes.Role) {
	c.plain()
	c.surface, c.raised = surface, true
}

// Lower ends Raise.
func (c *Canvas) Lower() {
	c.plain()
	c.raised = false
}

// Put writes text and cuts what goes beyond the right edge.
func (c *Canvas) Put(r themes.Role, t text.Safe) {
	room := c.w - c.col
	if room <= 0 || t == "" || c.Left() <= 0 {
		return
	}
	w := width(t)
	if w > room {
		t = text.Safe(ansi.Truncate(string(t), room, ""))
		w = width(t)
	}
	c.use(r)
	c.buf = append(c.buf, t...)
	c.col += w
}

// Fit writes text in exactly w columns.
func (c *Canvas) Fit(r themes.Role, t text.Safe, w int) {
	from := c.col
	c.Put(r, c.cut(t, w))
	c.To(min(from+max(w, 0), c.w))
}

// FitLeft is Fit with the text at the right.
func (c *Canvas) FitLeft(r themes.Role, t text.Safe, w int) {
	t = c.cut(t, w)
	c.Gap(w - width(t))
	c.Put(r, t)
}

// Number writes a number at the right of w columns, without making a text of
// it. One that is wider is written whole.
func (c *Canvas) Number(r themes.Role, n, w int) {
	var digits [20]byte
	word := strconv.AppendInt(digits[:0], int64(n), 10)
	c.Gap(w - len(word))
	if len(word) > c.w-c.col || c.Left() <= 0 {
		return
	}
	c.use(r)
	c.buf = append(c.buf, word...)
	c.col += len(word)
}

// cut shortens text to w columns.
func (c *Canvas) cut(t text.Safe, w int) text.Safe {
	if width(t) <= w {
		return t
	}
	return text.Truncate(t, w, c.tail)
}

// Repeat writes a one-column glyph n times.
func (c *Canvas) Repeat(r themes.Role, glyph text.Safe, n int) {
	n = min(n, c.w-c.col)
	if n <= 0 || c.Left() <= 0 {
		return
	}
	c.use(r)
	for range n {
		c.buf = append(c.buf, glyph...)
	}
	c.col += n
}

// Gap writes n blanks.
func (c *Canvas) Gap(n int) {
	n = min(n, c.w-c.col)
	if n <= 0 || c.Left() <= 0 {
		return
	}
	if c.raised {
		c.use(themes.Text)
	} else {
		c.plain()
	}
	c.blank(n)
}

// Space writes n blanks in the style in force, so that a run of marks in one
// style stays one run. The style must not show on a blank.
func (c *Canvas) Space(n int) {
	n = min(n, c.w-c.col)
	if n > 0 && c.Left() > 0 {
		c.blank(n)
	}
}

func (c *Canvas) blank(n int) {
	for range n {
		c.buf = append(c.buf, ' ')
	}
	c.col += n
}

// To writes blanks up to column col.
func (c *Canvas) To(col int) { c.Gap(col - c.col) }

// Right writes text so that it ends at the right edge, if there is room.
func (c *Canvas) Right(r themes.Role, t text.Safe) {
	w := width(t)
	if w > c.w-c.col {
		return
	}
	c.To(c.w - w)
	c.Put(r, t)
}

// use switches to a role.
func (c *Canvas) use(r themes.Role) {
	if c.styled && r == c.cur {
		return
	}
	c.plain()
	prefix := c.theme.Prefix(r)
	if c.raised {
		prefix = c.theme.On(c.surface, r)
	}
	if prefix == "" {
		return
	}
	c.buf = append(c.buf, prefix...)
	c.cur, c.styled = r, true
}

// plain ends the style in force.
func (c *Canvas) plain() {
	if c.styled {
		c.buf = append(c.buf, themes.Reset...)
		c.styled = false
	}
}

// End ends the line; a raised line goes to the right edge.
func (c *Canvas) End() {
	if c.Left() <= 0 {
		return
	}
	if c.raised {
		c.To(c.w)
	}
	c.plain()
	c.lines = append(c.lines, line{c.start, len(c.buf), c.col})
	c.start, c.col = len(c.buf), 0
}

// Text writes a line and ends it.
func (c *Canvas) Text(r themes.Role, t text.Safe) {
	c.Put(r, t)
	c.End()
}

// Skip ends n lines.
func (c *Canvas) Skip(n int) {
	for range min(n, c.Left()) {
		c.End()
	}
}

// Line gives line i with its escape sequences; "" for one never written.
func (c *Canvas) Line(i int) string {
	if i < 0 || i >= len(c.lines) {
		return ""
	}
	l := c.lines[i]
	return string(c.buf[l.start:l.end])
}
