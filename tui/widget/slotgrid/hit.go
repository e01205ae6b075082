package slotgrid

import "strconv"

// At gives the number of the slot that is drawn at a cell, counted from the top
// left of the strip; 0 where there is none.
func (g *Grid) At(l Layout, x, y int) int {
	switch l.Density {
	case Blocks, Tiles:
		return g.inRows(l, x, y)
	case Cells:
		return g.inCells(l, x, y)
	}
	return 0
}

func (g *Grid) inRows(l Layout, x, y int) int {
	lines := l.lines() + brackets
	from := y / lines * l.PerRow
	if line := y % lines; y < 0 || line == 0 || line == lines-1 { // a bracket
		return 0
	}
	for i := from; i < min(from+l.PerRow, len(g.State.Slots)); i++ {
		if left := g.left(l, from, i); x >= left && x < left+l.Cell {
			return g.State.Slots[i].Number
		}
	}
	return 0
}

func (g *Grid) inCells(l Layout, x, y int) int {
	digits := len(strconv.Itoa(g.number(len(g.State.Slots))))
	x -= margin + 2 + digits + 1
	if x < 0 || x/l.Cell >= l.PerRow {
		return 0
	}
	row := 1 // below the bracket
	for _, p := range l.parts {
		for from := p.first; from <= p.last; from += l.PerRow {
			if n := from + x/l.Cell; row == y && n <= p.last {
				return g.number(n)
			}
			row++
		}
	}
	return 0
}
