package table

import (
	"slices"
	"time"

	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/paint"
	"signalbox/tui/text"
)

// Choice is a column as it can be chosen: to be shown, to be sorted by.
type Choice struct {
	Title text.Safe
	Shown bool
	Lack  text.Safe // why it can't be seen though it is shown, "" where it can
	Order bool      // rows can be put in order by it
	Now   bool      // and are
	Desc  bool      // turned round
}

// Choices lists the columns that have a title.
func (t *Table[R, K]) Choices() []Choice {
	var all []Choice
	for i := range t.columns {
		if c := &t.columns[i]; c.Title != "" {
			all = append(all, Choice{c.Title, !t.hidden[c.Title], t.lack(i), c.Less != nil || c.Ordered, t.sorted == i+1, t.desc})
		}
	}
	return all
}

// lack says why a column that was chosen has no place.
func (t *Table[R, K]) lack(i int) text.Safe {
	switch {
	case t.hidden[t.columns[i].Title] || i >= len(t.drawn.widths) || t.drawn.widths[i] > 0:
		return ""
	case t.apart(i):
		return "not in this view"
	case i < len(t.used) && t.columns[i].Blank != nil && !t.used[i]:
		return "nothing in it yet"
	}
	return "no room"
}

// Show shows or hides a column. The last one that is left stays.
func (t *Table[R, K]) Show(title text.Safe, shown bool) {
	if t.hidden == nil {
		t.hidden = map[text.Safe]bool{}
	}
	left := 0
	for i := range t.columns {
		if c := &t.columns[i]; c.Title != title && c.Title != "" && !t.hidden[c.Title] {
			left++
		}
	}
	if shown || left > 0 {
		t.hidden[title] = !shown
	}
}

// Sort puts the rows in order of a column's value, or turns that order round
// where they are already. The next SetRows does it; the order may then change
// at once, whatever the hand has just done.
func (t *Table[R, K]) Sort(title text.Safe) {
	for i := range t.columns {
		if c := &t.columns[i]; c.Title == title && c.Less != nil {
			t.desc = t.sorted == i+1 && !t.desc
			t.sorted = i + 1
			t.Settle()
		}
	}
}

// Order sets the order without moving rows, for a list that comes in order;
// "" is none.
func (t *Table[R, K]) Order(title text.Safe, desc bool) {
	t.sorted, t.desc = 0, desc
	for i := range t.columns {
		if title != "" && t.columns[i].Title == title {
			t.sorted = i + 1
		}
	}
}

// inSortOrder gives rows in the order chosen.
func (t *Table[R, K]) inSortOrder(rows []R) []R {
	if t.sorted == 0 || t.columns[t.sorted-1].Less == nil {
		return rows
	}
	less := t.columns[t.sorted-1].Less
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b R) int {
		if t.desc {
			return less(&b, &a)
		}
		return less(&a, &b)
	})
	return rows
}

// drawTitle writes a column's title. The sign of the order stands behind it, in
// the gap to the next column where the title takes all the width.
func (t *Table[R, K]) drawTitle(e env.Env, c *paint.Canvas, i, w int) {
	col := &t.columns[i]
	if t.sorted != i+1 {
		put(c, Cell{themes.Muted, col.Title}, w, col)
		return
	}
	sign := text.Safe(e.Glyphs.SortUp)
	if t.desc {
		sign = text.Safe(e.Glyphs.SortDown)
	}
	edge := c.Col() + w + spacing
	if col.Right {
		c.FitLeft(themes.Accent, col.Title, w)
	} else {
		c.Put(themes.Accent, text.Truncate(col.Title, w, ""))
	}
	c.Put(themes.Accent, sign)
	c.To(edge)
}

// drawn is where the rows were drawn last.
type drawn struct {
	row    int // of the titles, on the canvas
	top    int // the first row shown
	height int
	widths []int
}

// Hit is what stands at a cell of the canvas last drawn on: a row, or the title
// of a column.
type Hit struct {
	Row   bool
	Title text.Safe
}

// Click puts the cursor on the row at a cell, and says what was hit.
func (t *Table[R, K]) Click(x, y int, now time.Time) Hit {
	y -= t.drawn.row
	if y == 0 {
		return Hit{Title: t.titleAt(x)}
	}
	if i := t.drawn.top + y - 1; y > 0 && y <= t.drawn.height && i < len(t.rows) {
		t.at, t.until = i, now.Add(hold)
		return Hit{Row: true}
	}
	return Hit{}
}

func (t *Table[R, K]) titleAt(x int) text.Safe {
	x -= gutter
	for i, w := range t.drawn.widths {
		if w == 0 {
			continue
		}
		if x >= 0 && x < w+spacing-1 {
			return t.columns[i].Title
		}
		x -= w + spacing
	}
	return ""
}

// Wheel moves the cursor by rows, as far as there are any.
func (t *Table[R, K]) Wheel(by, height int, now time.Time) {
	t.at = max(min(t.at+by, len(t.rows)-1), 0)
	t.top = t.topFor(height)
	t.until = now.Add(hold)
	t.look()
}

// Shown gives the titles and the texts of the rows held, as far as columns are
// chosen, for export.
func (t *Table[R, K]) Shown(e env.Env) (titles []string, rows [][]string) {
	var columns []int
	for i := range t.columns {
		if c := &t.columns[i]; c.Title != "" && !t.hidden[c.Title] {
			columns = append(columns, i)
			titles = append(titles, string(c.Title))
		}
	}
	for i := range t.rows {
		row := make([]string, len(columns))
		for j, at := range columns {
			row[j] = string(t.columns[at].Cell(e, &t.rows[i]).Text)
		}
		rows = append(rows, row)
	}
	return titles, rows
}
