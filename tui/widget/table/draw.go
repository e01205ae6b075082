package table

import (
	"github.com/charmbracelet/x/ansi"

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

// Hand is where the keyboard is.
type Hand uint8

// The places of the hand.
const (
	Here    Hand = iota // the cursor is shown
	Aside               // and only faintly, while something else has the keys
	Nowhere             // no row is in hand
)

// Draw writes the titles and as many rows as there is room for.
func (t *Table[R, K]) Draw(e env.Env, c *paint.Canvas, hand Hand) {
	widths := t.fit(e, c.Width()-gutter-edge)
	row := c.Row()
	c.Gap(gutter)
	for i := range t.columns {
		if widths[i] > 0 {
			t.drawTitle(e, c, i, widths[i])
		}
	}
	c.End()
	height := c.Left()
	top := t.topFor(height)
	t.drawn = drawn{row: row, top: top, height: height, widths: widths}
	for i := top; i < min(top+height, len(t.rows)); i++ {
		t.drawRow(e, c, i, widths, hand)
	}
}

func (t *Table[R, K]) drawRow(e env.Env, c *paint.Canvas, i int, widths []int, hand Hand) {
	r := &t.rows[i]
	if i == t.at && hand != Nowhere {
		surface := themes.CursorBlur
		if hand == Here && e.Focused {
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
		switch {
		case widths[j] > 0 && col.Draw != nil:
			from := c.Col()
			col.Draw(e, c, r, widths[j])
			c.To(from + widths[j] + spacing)
		case widths[j] > 0:
			put(c, col.Cell(e, r), widths[j], &t.columns[j])
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

func put[R any](c *paint.Canvas, cell Cell, w int, col *Column[R]) {
	if over := text.Width(cell.Text) - w; col.Tail && over > 0 {
		cell.Text = text.Safe(ansi.TruncateLeft(string(cell.Text), over, ""))
	}
	if col.Clip {
		cell.Text = text.Truncate(cell.Text, w, "")
	}
	if col.Right {
		c.FitLeft(cell.Role, cell.Text, w)
	} else {
		c.Fit(cell.Role, cell.Text, w)
	}
	c.Gap(spacing)
}

// blank says that no row has had anything to show in a column so far.
func (t *Table[R, K]) blank(e env.Env, i int) bool {
	col := &t.columns[i]
	if len(t.used) != len(t.columns) {
		t.used = make([]bool, len(t.columns))
	}
	if col.Blank == nil || t.used[i] {
		return false
	}
	for n := range t.rows {
		if !col.Blank(e, &t.rows[n]) {
			t.used[i] = true
			break
		}
	}
	return !t.used[i]
}

// apart says that a column has no place in the view as it is.
func (t *Table[R, K]) apart(i int) bool { return t.columns[i].Apart != nil && t.columns[i].Apart() }

// least is the width below which column i is not drawn in w. Where there is
// little room a measured column has its Min, so that others stay.
func (t *Table[R, K]) least(i, w int) int {
	col := &t.columns[i]
	if col.Measure == nil || i >= len(t.longest) {
		return col.Min
	}
	return max(col.Min, min(t.longest[i], col.Most, w/4))
}

// fit gives each column its width in w; 0 for those that had to give way.
func (t *Table[R, K]) fit(e env.Env, w int) []int {
	columns := t.columns
	widths := make([]int, len(columns))
	need := -spacing
	for i := range columns {
		if !t.hidden[columns[i].Title] && !t.apart(i) && !t.blank(e, i) {
			widths[i] = t.least(i, w)
			need += widths[i] + spacing
		}
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
	return t.spread(widths, w-need)
}

// most is how wide a growing column gets at most, 0 for no end. A measured one
// ends with its longest text: more would only part it from its neighbour.
func (t *Table[R, K]) most(i int) int {
	if col := &t.columns[i]; col.Measure != nil && i < len(t.longest) {
		return max(min(t.longest[i], col.Most), col.Ideal, col.Min)
	}
	return t.columns[i].Most
}

// spread shares out what is left: first up to each column's ideal, then to
// those that grow, as far as they do.
func (t *Table[R, K]) spread(widths []int, left int) []int {
	columns := t.columns
	growing := 0
	for i, col := range columns { // a word cut without a mark comes first
		if col.Clip && widths[i] > 0 {
			if more := col.Ideal - widths[i]; more > 0 && more <= left {
				widths[i] += more
				left -= more
			}
		}
	}
	for i, col := range columns {
		if widths[i] == 0 || col.Clip {
			continue
		}
		more := max(min(col.Ideal-widths[i], left), 0)
		widths[i] += more
		left -= more
		if col.Grow {
			growing++
		}
	}
	for i, col := range columns {
		if col.Grow && widths[i] > 0 && left > 0 {
			share := left / growing
			if most := t.most(i); most > 0 {
				share = max(min(share, most-widths[i]), 0)
			}
			widths[i] += share
			left -= share
			growing--
		}
	}
	return widths
}
