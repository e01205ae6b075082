package paint

import (
	"bytes"
	"strings"
	"unicode/utf8"

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
		out.part(c, i, 0, x)
		out.To(x)
		out.Draw(over, row)
		out.To(x + over.w)
		out.part(c, i, x+over.w, c.w)
		out.End()
	}
	*c = *out
}

// part writes the columns of a line of another picture from first to before last,
// in their styles. Of a wide character that stands across either, blanks are left.
func (c *Canvas) part(from *Canvas, i, first, last int) {
	if i >= len(from.lines) || from.lines[i].width <= first {
		return
	}
	c.plain()
	text := from.buf[from.lines[i].start:from.lines[i].end]
	style := make([]byte, 0, 64) // in force since the last reset
	for col, begun := 0, false; len(text) > 0 && col < last; {
		if n := escape(text); n > 0 {
			if style = append(style, text[:n]...); string(text[:n]) == themes.Reset {
				style = style[:0]
			}
			if begun {
				c.buf = append(c.buf, text[:n]...)
			}
			text = text[n:]
			continue
		}
		n, w := cluster(text)
		if !begun && col+w > first {
			begun = true
			c.buf = append(c.buf, style...)
		}
		switch {
		case !begun:
		case col < first:
			c.blank(col + w - first)
		case col+w > last:
			c.blank(last - col)
		default:
			c.buf = append(c.buf, text[:n]...)
			c.col += w
		}
		text, col = text[n:], col+w
	}
	if len(style) > 0 {
		c.buf = append(c.buf, themes.Reset...)
	}
}

// escape is the length of the style's sequence that text begins with, 0 for none.
func escape(text []byte) int {
	if text[0] != '\x1b' {
		return 0
	}
	return bytes.IndexByte(text, 'm') + 1
}

// cluster is the length and the width of the character that text begins with.
func cluster(text []byte) (n, w int) {
	r, n := utf8.DecodeRune(text)
	if next, _ := utf8.DecodeRune(text[n:]); plain(r) && (n == len(text) || plain(next)) {
		return n, 1
	}
	got, w := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
	return len(got), w
}

// plain says that r is one column wide beside others of its kind.
func plain(r rune) bool { return r < utf8.RuneSelf || single(r) }

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
