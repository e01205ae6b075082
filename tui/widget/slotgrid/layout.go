// Package slotgrid draws the pool as one strip of slots in order of number, in
// which the lanes' ranges are brackets that overlap on the commons.
//
// How large a slot is drawn follows from the room there is: labelled blocks or
// tiles between brackets above (fast) and below (slow); cells in rows between
// brackets at the sides; or, where even these don't fit, a meter for each part
// of the pool. In every density the ranges can be read off.
package slotgrid

import (
	"strconv"

	"signalbox/engine/lane"
)

// Density is how large a slot is drawn.
type Density uint8

// The densities, the largest first.
const (
	Blocks Density = iota // lever, number, lane, time held, queue, item
	Tiles                 // lever, number, time held
	Cells                 // lever
	Bars                  // a meter for each part
)

const (
	blockMin, blockMax = 12, 26
	tileMin, tileMax   = 3, 7
	timed              = 4 // the narrowest tile that can tell the time held
	blockLines         = 4
	brackets           = 2 // lines
)

// Layout is how a pool is drawn in a given room.
type Layout struct {
	Density Density
	Cell    int // columns a slot takes
	PerRow  int
	Height  int // lines in all
	parts   []part
}

// part is a run of slots, by their places in the list from 1: the fast
// reserve, the commons, the slow reserve, or those that are closing.
type part struct {
	lane        lane.Lane // closing: no lane's
	first, last int
}

const closing lane.Lane = ""

func (p part) size() int { return max(p.last-p.first+1, 0) }

// Plan chooses the largest density that fits w by h cells.
func Plan(s *lane.State, w, h int) Layout {
	l := Layout{parts: partsOf(s)}
	n := len(s.Slots)
	if n == 0 || w < 10 {
		l.Density, l.Height = Bars, min(len(l.parts), h)
		return l
	}
	// One row tells the ranges best, so it is preferred to larger slots.
	if cell := (w - 4) / n; cell >= tileFor(n) {
		if cell >= blockMin && h >= blockLines+brackets {
			return l.strip(Blocks, min(cell, blockMax), n, n)
		}
		if h >= tileLines(cell)+brackets {
			return l.strip(Tiles, min(cell, tileMax), n, n)
		}
	}
	for _, try := range []struct {
		density Density
		cell    int
	}{{Blocks, blockMin + 2}, {Tiles, tileFor(n) + 2}, {Tiles, tileFor(n) + 1}, {Tiles, tileFor(n)}} {
		if per := (w - 4) / try.cell; per > 0 {
			if wrapped := l.strip(try.density, try.cell, per, n); wrapped.Height <= h {
				return wrapped
			}
		}
	}
	for cell := 2; cell >= 1; cell-- {
		if packed := l.cells(cell, w, n); packed.Height <= h {
			return packed
		}
	}
	l.Density, l.Height = Bars, len(l.parts)
	return l
}

// tileFor is the narrowest tile that shows the numbers up to n.
func tileFor(n int) int { return max(len(strconv.Itoa(n))+1, tileMin) }

func (l Layout) strip(d Density, cell, per, n int) Layout {
	rows := (n + per - 1) / per
	l.Density, l.Cell, l.PerRow = d, cell, per
	l.Height = rows * (l.lines() + brackets)
	return l
}

// lines is how many lines a slot takes between the brackets.
func (l Layout) lines() int {
	if l.Density == Blocks {
		return blockLines
	}
	return tileLines(l.Cell)
}

func tileLines(cell int) int {
	if cell < timed {
		return 2
	}
	return 3
}

func (l Layout) cells(cell, w, n int) Layout {
	per := (w - len(strconv.Itoa(n)) - 9) / cell
	if per >= 20 {
		per -= per % 10 // so that rows begin with round numbers
	}
	longest := 1
	for _, p := range l.parts {
		longest = max(longest, p.size())
	}
	per = max(min(per, longest), 1)
	rows := 0
	for _, p := range l.parts {
		rows += (p.size() + per - 1) / per
	}
	l.Density, l.Cell, l.PerRow, l.Height = Cells, cell, per, rows+brackets
	return l
}

// partsOf cuts the pool at the lanes' borders.
func partsOf(s *lane.State) []part {
	var parts []part
	add := func(l lane.Lane, first, last int) {
		if last >= first && first > 0 {
			parts = append(parts, part{l, first, last})
		}
	}
	if s.Fast.Reserve+s.Commons.Size+s.Slow.Reserve == 0 {
		return nil
	}
	add(lane.Fast, 1, s.Fast.Reserve)
	add(lane.Commons, s.Fast.Reserve+1, s.Pool-s.Slow.Reserve)
	add(lane.Slow, s.Pool-s.Slow.Reserve+1, s.Pool)
	add(closing, s.Pool+1, len(s.Slots))
	return parts
}
