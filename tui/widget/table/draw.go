package table

import (
	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/paint"
	"signalbox/tui/text"
)

// gutter is the columns left of the first: the cursor's, the mark's, a gap.
const gutter = 3

// spacing is the gap between columns, edge the one right of the last.
const (
	spacing = 2
	edge    = 1
)

// Draw writes the titles and as many rows as there is room for. A table
// without focus shows its cursor, but faintly.
func (t *Table[R, K]) Draw(e env.Env, c *paint.Canvas, focus bool) {
	widths := fit(t.columns, c.Width()-gutter-edge)
	c.Gap(gutter)
	for i, col := range t.columns {
		if widths[i] > 0 {
			put(c, Cell{themes.Muted, col.Title}, widths[i], col.Right)
		}
	}
	c.End()
	height := c.Left()
	top := t.topFor(height)
	for i := top; i < min(top+height, len(t.rows)); i++ {
		t.drawRow(e, c, i, widths, focus)
	}
}

func (t *Table[R, K]) drawRow(e env.Env, c *paint.Canvas, i int, widths []int, focus bool) {
	r := &t.rows[i]
	if i == t.at {
		surface := themes.CursorBlur
		if focus && e.Focused {
			surface = themes.Cursor
		}
		c.Raise(surface)
		c.Put(themes.Accent, text.Safe(e.Glyphs.Cursor))
	}
	c.To(1)
	if _, ok := t.marks[t.key(r)]; ok || t.inRange(i) {
		c.Put(themes.Mark, text.Safe(e.Glyphs.Mark))
	}
	c.To(gutter)
	for j, col := range t.columns {
		if widths[j] > 0 {
			put(c, col.Cell(e, r), widths[j], col.Right)
		}
	}
	c.End()
	c.Lower()
}

func (t *Table[R, K]) inRange(i int) bool {
	if t.from == nil {
		return false
	}
	start, ok := t.index[*t.from]
	return ok && i >= min(start, t.at) && i <= max(start, t.at)
}

func put(c *paint.Canvas, cell Cell, w int, right bool) {
	if right {
		c.FitLeft(cell.Role, cell.Text, w)
	} else {
		c.Fit(cell.Role, cell.Text, w)
	}
	c.Gap(spacing)
}

// fit gives each column its width in w; 0 for those that had to give way.
func fit[R any](columns []Column[R], w int) []int {
	widths := make([]int, len(columns))
	need := -spacing
	for i, col := range columns {
		widths[i] = col.Min
		need += col.Min + spacing
	}
	for need > w {
		victim := -1
		for i, col := range columns {
			if widths[i] > 0 && col.Drop > 0 && (victim < 0 || col.Drop > columns[victim].Drop) {
				victim = i
			}
		}
		if victim < 0 {
			break
		}
		need -= widths[victim] + spacing
		widths[victim] = 0
	}
	return spread(columns, widths, w-need)
}

// spread shares out what is left: first up to each column's ideal, then to
// those that grow.
func spread[R any](columns []Column[R], widths []int, left int) []int {
	growing := 0
	for i, col := range columns {
		if widths[i] == 0 {
			continue
		}
		more := max(min(col.Ideal-col.Min, left), 0)
		widths[i] += more
		left -= more
		if col.Grow {
			growing++
		}
	}
	for i, col := range columns {
		if col.Grow && widths[i] > 0 && left > 0 {
			share := left / growing
			widths[i] += share
			left -= share
			growing--
		}
	}
	return widths
}
