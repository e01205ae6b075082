package slotgrid

import (
	"fmt"
	"strconv"

	"signalbox/engine/lane"
	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/paint"
	"signalbox/tui/text"
)

// drawCells writes rows of one-glyph slots. Each part of the pool begins a row
// of its own, so that the brackets at the sides tell the ranges: fast on the
// left, slow on the right.
func (g *Grid) drawCells(e env.Env, c *paint.Canvas, l Layout) {
	lines := e.Glyphs.Line
	digits := len(strconv.Itoa(g.number(len(g.State.Slots))))
	edge := margin + 2 + digits + 1 + l.PerRow*l.Cell + 1
	c.Gap(margin)
	c.Put(themes.LaneFast, text.Safe(lines.TopLeft))
	c.Put(themes.LaneFast, " ")
	name := longest(&e, lane.Fast, g.State.Fast)
	name.draw(c, themes.LaneFast)
	c.End()
	for _, p := range l.parts {
		for from := p.first; from <= p.last; from += l.PerRow {
			left, right := g.sides(e, p, from, l.PerRow)
			c.Gap(margin)
			c.Put(themes.LaneFast, left)
			c.To(margin + 2)
			c.Number(themes.Muted, g.number(from), digits)
			c.Gap(1)
			for n := from; n < from+l.PerRow && n <= p.last; n++ {
				g.drawCell(&e, c, &l, n)
			}
			c.To(edge)
			c.Put(themes.LaneSlow, right)
			c.End()
		}
	}
	name = longest(&e, lane.Slow, g.State.Slow)
	c.To(edge - name.width() - 1)
	name.draw(c, themes.LaneSlow)
	c.Put(themes.LaneSlow, " ")
	c.Put(themes.LaneSlow, text.Safe(lines.BottomRight))
	c.End()
}

// sides gives the brackets beside the row of a part that begins with from: each
// lane's runs along the rows of its range, and turns in where that ends.
func (g *Grid) sides(e env.Env, p part, from, per int) (left, right text.Safe) {
	lines := e.Glyphs.Line
	fastEnd, slowBegin := g.State.Pool-g.State.Slow.Reserve, g.State.Fast.Reserve+1
	switch {
	case p.lane != lane.Fast && p.lane != lane.Commons:
	case from+per > fastEnd:
		left = text.Safe(lines.BottomLeft)
	default:
		left = text.Safe(lines.V)
	}
	switch {
	case p.lane != lane.Slow && p.lane != lane.Commons:
	case from == slowBegin:
		right = text.Safe(lines.TopRight)
	default:
		right = text.Safe(lines.V)
	}
	return left, right
}

func (g *Grid) side(c *paint.Canvas, in bool, r themes.Role, glyph string) {
	if in {
		c.Put(r, text.Safe(glyph))
	}
}

// number is the number of the slot at a place in the list.
func (g *Grid) number(place int) int {
	if place < 1 || place > len(g.State.Slots) {
		return place
	}
	return g.State.Slots[place-1].Number
}

func (g *Grid) drawCell(e *env.Env, c *paint.Canvas, l *Layout, n int) {
	if n > len(g.State.Slots) {
		return
	}
	s := &g.State.Slots[n-1]
	k := g.look(e, s)
	if s.Number == g.Selected {
		c.Raise(themes.Selection)
	}
	c.Repeat(k.role, g.sign(e, s, k), 1)
	if s.Number == g.Selected {
		c.Lower()
	}
	c.Space(l.Cell - 1)
}

// drawBars writes a meter for each part of the pool, with the numbers.
func (g *Grid) drawBars(e env.Env, c *paint.Canvas, l Layout) {
	const before = margin + 3 + 10 + 10 + 2 // sides, name, span
	words, longest := g.told(e, l.parts, c.Width()-before)
	for i, p := range l.parts {
		busy, fast, _ := g.count(e, p)
		c.Gap(margin)
		g.side(c, p.lane == lane.Fast || p.lane == lane.Commons, themes.LaneFast, e.Glyphs.Line.V)
		c.To(margin + 1)
		g.side(c, p.lane == lane.Slow || p.lane == lane.Commons, themes.LaneSlow, e.Glyphs.Line.V)
		c.To(margin + 3)
		c.Fit(themes.Text, partName(p.lane), 10)
		c.FitLeft(themes.Muted, text.Safe(Span(e, g.number(p.first), g.number(p.last))), 10)
		c.Gap(2)
		width := max(c.Width()-c.Col()-longest-3, 0)
		split := width * fast / max(p.size(), 1)
		for at := range width {
			role := themes.LaneSlow
			if at < split {
				role = themes.LaneFast
			}
			cell := e.Glyphs.Meter(at, width, float64(busy)/float64(max(p.size(), 1)))
			if cell == e.Glyphs.Track {
				role = themes.MeterTrack
			}
			c.Put(role, text.Safe(cell))
		}
		if width > 0 {
			c.Gap(2)
		}
		c.Put(themes.Text, words[i])
		c.End()
	}
}

// told words how busy each part is, in short where that is all there is room
// for, and gives the width of the longest.
func (g *Grid) told(e env.Env, parts []part, room int) (words []text.Safe, longest int) {
	for _, form := range []string{"%d of %d busy", "%d/%d busy", "%d/%d"} {
		words, longest = words[:0], 0
		for _, p := range parts {
			busy, _, stuck := g.count(e, p)
			w := fmt.Sprintf(form, busy, p.size())
			if stuck > 0 {
				w += fmt.Sprintf(", %d stuck", stuck)
			}
			words, longest = append(words, text.Safe(w)), max(longest, len(w))
		}
		if longest <= room {
			break
		}
	}
	return words, longest
}

func partName(l lane.Lane) text.Safe {
	switch l {
	case lane.Fast:
		return "fast only"
	case lane.Slow:
		return "slow only"
	case closing:
		return "closing"
	}
	return "commons"
}

func (g *Grid) count(e env.Env, p part) (busy, fast, stuck int) {
	for n := p.first; n <= min(p.last, len(g.State.Slots)); n++ {
		s := &g.State.Slots[n-1]
		if s.Holder == nil {
			continue
		}
		busy++
		if s.Holder.Lane == lane.Fast {
			fast++
		}
		if g.look(&e, s).stuck {
			stuck++
		}
	}
	return busy, fast, stuck
}
