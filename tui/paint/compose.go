package paint

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"signalbox/themes"
)

// Used is the number of columns written on line i.
func (c *Canvas) Used(i int) int {
	if i < 0 || i >= len(c.lines) {
		return 0
	}
	return c.lines[i].width
}

// Draw writes line i of another picture, and cuts what goes beyond the edge.
func (c *Canvas) Draw(from *Canvas, i int) { c.draw(from, i, "") }

// DrawLine is Draw for a line of words, where a mark stands for what was cut.
func (c *Canvas) DrawLine(from *Canvas, i int) { c.draw(from, i, c.tail) }

func (c *Canvas) draw(from *Canvas, i int, tail string) {
	if i >= len(from.lines) {
		return
	}
	l := from.lines[i]
	c.plain()
	if room := c.w - c.col; l.width > room {
		cut := ansi.Truncate(string(from.buf[l.start:l.end]), max(room, 0), tail)
		c.buf = append(c.buf, cut...)
		c.col += ansi.StringWidth(cut)
		return
	}
	c.buf = append(c.buf, from.buf[l.start:l.end]...)
	c.col += l.width
}

// Append writes the lines of pictures side by side, gap columns apart, as
// many lines as the highest has.
func (c *Canvas) Append(gap int, parts ...*Canvas) {
	rows := 0
	for _, p := range parts {
		rows = max(rows, len(p.lines))
	}
	for i := range rows {
		if c.Left() <= 0 {
			return
		}
		edge := 0
		for _, p := range parts {
			c.To(edge)
			c.Draw(p, i)
			edge += p.w + gap
		}
		c.End()
	}
}

// Splice lays a picture over this one with its top left cell at x, y. What
// stands beside it stays.
func (c *Canvas) Splice(over *Canvas, x, y int) {
	out := New(c.theme, c.tail, c.w, c.h)
	for i := range c.h {
		row := i - y
		if row < 0 || row >= len(over.lines) {
			out.Draw(c, i)
			out.End()
			continue
		}
		base := c.Line(i)
		out.raw(ansi.Truncate(base, max(x, 0), ""))
		out.To(x)
		out.Draw(over, row)
		out.To(x + over.w)
		if width := ansi.StringWidth(base); width > x+over.w {
			out.raw(ansi.TruncateLeft(base, x+over.w, ""))
		}
		out.End()
	}
	*c = *out
}

// raw writes text that carries its own escape sequences and ends them.
func (c *Canvas) raw(s string) {
	if s == "" {
		return
	}
	c.buf = append(c.buf, s...)
	if strings.IndexByte(s, '\x1b') >= 0 {
		c.buf = append(c.buf, themes.Reset...)
	}
	c.col += ansi.StringWidth(s)
}

// String gives exactly Height lines joined by line feeds.
func (c *Canvas) String() string {
	var b strings.Builder
	b.Grow(len(c.buf) + c.h)
	for i := range c.h {
		if i > 0 {
			b.WriteByte('\n')
		}
		if i < len(c.lines) {
			b.Write(c.buf[c.lines[i].start:c.lines[i].end])
		}
	}
	return b.String()
}
