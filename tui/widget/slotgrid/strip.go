package slotgrid

import (
	"strconv"

	"signalbox/engine/lane"
	"signalbox/store"
	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/paint"
	"signalbox/tui/text"
)

// margin is left of the strip.
const margin = 1

// Draw writes the pool as l lays it out.
func (g *Grid) Draw(e env.Env, c *paint.Canvas, l Layout) {
	g.now = store.At(e.Now)
	switch l.Density {
	case Blocks, Tiles:
		n := len(g.State.Slots)
		for from := 0; from < n; from += l.PerRow {
			g.drawRow(e, c, l, from, min(from+l.PerRow, n))
		}
	case Cells:
		g.drawCells(e, c, l)
	default:
		g.drawBars(e, c, l)
	}
}

// drawRow writes the slots from..to of the list between their brackets.
func (g *Grid) drawRow(e env.Env, c *paint.Canvas, l Layout, from, to int) {
	s := g.State
	g.bracket(e, c, l, from, to, s.Fast, lane.Fast)
	for line := range l.lines() {
		for i := from; i < to; i++ {
			c.To(g.left(l, from, i))
			g.drawSlot(e, c, l, &s.Slots[i], line)
		}
		c.End()
	}
	g.bracket(e, c, l, from, to, s.Slow, lane.Slow)
}

// left is the column where slot i of a row that begins with from starts;
// the lanes' borders are set apart.
func (g *Grid) left(l Layout, from, i int) int {
	x := margin + (i-from)*l.Cell
	for _, border := range [3]int{g.State.Fast.Reserve, g.State.Pool - g.State.Slow.Reserve, g.State.Pool} {
		if border > from && border <= i {
			x++
		}
	}
	return x
}

// bracket writes the part of a lane's range that lies in the row. Its ends
// turn down (or up) only where the range itself ends.
func (g *Grid) bracket(e env.Env, c *paint.Canvas, l Layout, from, to int, r lane.LaneState, which lane.Lane) {
	first, last := max(r.First-1, from), min(r.Last-1, to-1)
	if first > last {
		c.End()
		return
	}
	lines := e.Glyphs.Line
	role, open, end := themes.LaneFast, lines.TopLeft, lines.TopRight
	if which == lane.Slow {
		role, open, end = themes.LaneSlow, lines.BottomLeft, lines.BottomRight
	}
	if r.First-1 < from {
		open = lines.H
	}
	if r.Last-1 >= to {
		end = lines.H
	}
	left, right := g.left(l, from, first)+1, g.left(l, from, last)+l.Cell
	c.To(left)
	c.Put(role, text.Safe(open))
	name := longest(&e, which, r)
	name.fit(right - left - 4)
	if name.n > 0 {
		c.Put(role, text.Safe(lines.H))
		c.Put(role, " ")
		name.draw(c, role)
		c.Put(role, " ")
	}
	c.Repeat(role, text.Safe(lines.H), right-1-c.Col())
	c.Put(role, text.Safe(end))
	if name.n == 0 && r.First-1 >= from { // beside a bracket that has no room for it
		name = longest(&e, which, r)
		name.fit(c.Width() - c.Col() - 2)
		c.Gap(1)
		name.draw(c, role)
	}
	c.End()
}

// label is the words on a bracket, in parts, so that none need be joined.
type label struct {
	parts [8]text.Safe
	n     int
}

// The parts of a label that tells the lane, its range, and its line.
const (
	laneOnly = 1
	withSpan = 5
	withLine = 8
)

// longest is all that a bracket may say.
func longest(e *env.Env, which lane.Lane, r lane.LaneState) label {
	l := label{n: withSpan, parts: [8]text.Safe{
		text.Safe(which), " ", text.Safe(strconv.Itoa(r.First)), dash(e), text.Safe(strconv.Itoa(r.Last)),
	}}
	if r.Waiting > 0 {
		l.n = withLine
		l.parts[5], l.parts[6], l.parts[7] = " "+text.Safe(e.Glyphs.Sep)+" ", text.Safe(text.Count(int64(r.Waiting))), " in line"
	}
	return l
}

// shorten takes the last thing away; of the shortest nothing is left.
func (l *label) shorten() {
	switch l.n {
	case withLine:
		l.n = withSpan
	case withSpan:
		l.n = laneOnly
	default:
		l.n = 0
	}
}

// fit shortens the label until it takes no more than w columns.
func (l *label) fit(w int) {
	for l.n > 0 && l.width() > w {
		l.shorten()
	}
}

func (l *label) width() (w int) {
	for _, p := range l.parts[:l.n] {
		w += text.Width(p)
	}
	return w
}

func (l *label) draw(c *paint.Canvas, r themes.Role) {
	for _, p := range l.parts[:l.n] {
		c.Put(r, p)
	}
}

// Span words a range of slots.
func Span(e env.Env, first, last int) string {
	return strconv.Itoa(first) + string(dash(&e)) + strconv.Itoa(last)
}

// dash stands between the ends of a range.
func dash(e *env.Env) text.Safe {
	if e.Glyphs.Line.H == "-" {
		return "-"
	}
	return "–"
}

func (g *Grid) drawSlot(e env.Env, c *paint.Canvas, l Layout, s *lane.SlotState, line int) {
	k := g.look(&e, s)
	w := l.Cell - 1
	selected := s.Number == g.Selected
	if selected && line == 1 {
		c.Put(themes.Accent, text.Safe(e.Glyphs.Focus))
	} else {
		c.Gap(1)
	}
	if selected && line > 0 && g.Focus {
		c.Raise(themes.Cursor)
		defer c.Lower()
	}
	if line == 0 {
		g.drawLever(e, c, s, k, w)
		return
	}
	if l.Density == Blocks {
		drawBlock(c, s, k, w, line)
		return
	}
	word, role := text.Safe(strconv.Itoa(s.Number)), numberRole(s)
	if line == 2 {
		word, role = "", k.role
		if s.Holder != nil {
			word = coarse(k.held)
		}
	}
	middle := w - (w-text.Width(word))/2
	c.FitLeft(role, word, middle)
	c.Gap(w - middle)
}

func numberRole(s *lane.SlotState) themes.Role {
	if s.Holder == nil {
		return themes.Muted
	}
	return themes.Text
}

// drawLever writes the slot's lever: up for fast work, down for slow. A stuck
// or closing one bears its sign.
func (g *Grid) drawLever(e env.Env, c *paint.Canvas, s *lane.SlotState, k look, w int) {
	sign := g.sign(&e, s, k)
	if sign == k.lever {
		c.Repeat(k.role, k.lever, w)
		return
	}
	side := (w - 1) / 2
	c.Repeat(k.role, k.lever, side)
	c.Put(k.role, sign)
	c.Repeat(k.role, k.lever, w-side-1)
}

func drawBlock(c *paint.Canvas, s *lane.SlotState, k look, w, line int) {
	h := s.Holder
	edge := c.Col() + w
	switch {
	case line == 1 && h == nil:
		c.Put(themes.Muted, text.Safe(strconv.Itoa(s.Number)))
	case line == 1:
		c.Put(themes.Text, text.Safe(strconv.Itoa(s.Number)))
		c.Put(k.role, " "+text.Truncate(text.Clean(string(h.Lane)), max(w-9, 0), ""))
		c.To(edge - 4)
		c.FitLeft(k.role, coarse(k.held), 4)
	case line == 2 && h == nil:
		c.Put(themes.Muted, "free")
	case line == 2:
		c.Fit(themes.Text, text.Clean(h.Queue), w-1)
	case h != nil:
		c.Fit(themes.Muted, text.Clean(work(h)), w-1)
	}
	c.To(edge)
}

// work names what a holder is at, without its queue.
func work(h *lane.Holder) string {
	for _, name := range []string{h.Item, h.Job, h.Robot} {
		if name != "" {
			if i := len(h.Queue); len(name) > i && name[:i] == h.Queue && name[i] == '/' {
				return "item " + name[i+1:]
			}
			return name
		}
	}
	return ""
}
