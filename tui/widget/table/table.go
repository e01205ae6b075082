// Package table shows rows that are known by key.
//
// Cursor, marks and the place on the screen hang on keys, never on indices: new
// rows may come in above, vanish or change places, and the hand stays on the
// row it was on. A table holds the rows it was given, be they all there are or
// a window on a million; where more must be fetched, the screen is told how
// near to the edge of the window the cursor has come.
package table

import (
	"slices"
	"time"

	"signalbox/keymap"
	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/paint"
	"signalbox/tui/text"
)

// hold is how long the order stands still after a cursor key.
const hold = 2 * time.Second

// Cell is what a column shows of a row.
type Cell struct {
	Role themes.Role
	Text text.Safe
}

// Column is a column as data.
type Column[R any] struct {
	Title text.Safe
	Min   int // narrowest useful width
	Ideal int // width beyond which there is nothing to win
	Grow  bool
	Right bool // numbers stand at the right
	Tail  bool // what is too long loses its beginning, unmarked
	Clip  bool // has its Min, with what is too long cut unmarked, or its Ideal
	// Drop says how soon the column gives way when room is short: 0 never,
	// else the highest first.
	Drop int
	// Blank says that a row has nothing to show. A column is left out until a row
	// has, and then keeps its place, for columns that come and go with the data
	// move all others. nil where a column always has its place.
	Blank func(env.Env, *R) bool
	// Apart says that the view as it is now has no place for the column, whatever is
	// in it; nil for one that has its place in all views.
	Apart func() bool
	// Measure gives the text by which the column is measured: with room for it,
	// the longest of the rows held is shown whole, up to Most columns, before
	// columns that may give way get any. nil where Min and Ideal say it all.
	Measure func(*R) string
	Most    int
	Cell    func(env.Env, *R) Cell
	// Draw writes the column itself, in at most w cells, where a text in one
	// role can't say it; exports have the Cell. nil where the Cell is all.
	Draw func(e env.Env, c *paint.Canvas, r *R, w int)
	// Less is the order by the column's value; nil where rows can't be put in
	// order by it here. Ordered says that the list can come in that order.
	Less    func(a, b *R) int
	Ordered bool
}

// Mark is a marked row as it was seen.
type Mark struct {
	Revision uint64
	Filter   string // what the list was filtered by
}

// Table is a list of rows of type R, known by keys of type K.
type Table[R any, K comparable] struct {
	columns  []Column[R]
	key      func(*R) K
	revision func(*R) uint64

	rows    []R
	index   map[K]int
	at      int // the cursor's row
	top     int // the first row shown
	gone    bool
	held    bool
	until   time.Time     // the order stands still before
	loose   bool          // the order never stands still
	arrange func([]R) []R // puts rows under others; nil where none are

	part  bool           // the rows held may not be the list's first
	newer map[K]struct{} // rows that have come above those shown

	longest []int  // by column, of those that are measured; never less than it was
	used    []bool // by column: some row had something to show

	sorted int  // the column in order of which the rows stand, from 1; 0 none
	desc   bool // turned round
	hidden map[text.Safe]bool
	drawn  drawn

	marks    map[K]Mark
	from     *K             // start of the range being marked
	vanished map[K]struct{} // marked rows that have gone
}

// New makes a table. The revision of a row is kept with its mark; nil where
// rows have none.
func New[R any, K comparable](columns []Column[R], key func(*R) K, revision func(*R) uint64) Table[R, K] {
	return Table[R, K]{columns: columns, key: key, revision: revision, index: map[K]int{}, marks: map[K]Mark{}, vanished: map[K]struct{}{}}
}

// SetColumns replaces the columns; rows, order and what is hidden stay.
func (t *Table[R, K]) SetColumns(columns []Column[R]) {
	title := text.Safe("")
	if t.sorted > 0 {
		title = t.columns[t.sorted-1].Title
	}
	t.columns, t.longest, t.used = columns, nil, nil
	t.Order(title, t.desc)
	t.Measure()
}

// Measure finds anew how wide the columns want to be, whose texts have changed
// though the rows have not.
func (t *Table[R, K]) Measure() { t.measure(t.rows) }

// InSight are the rows shown where height of them are; they must not be changed.
func (t *Table[R, K]) InSight(height int) []R {
	top := t.topFor(height)
	return t.rows[min(top, len(t.rows)):min(top+height, len(t.rows))]
}

// Len is the number of rows held.
func (t *Table[R, K]) Len() int { return len(t.rows) }

// Rows are the rows held; they must not be changed.
func (t *Table[R, K]) Rows() []R { return t.rows }

// Row gives the row in hand, nil when there is none.
func (t *Table[R, K]) Row() *R {
	if t.at < 0 || t.at >= len(t.rows) {
		return nil
	}
	return &t.rows[t.at]
}

// Cursor gives the key of the row in hand.
func (t *Table[R, K]) Cursor() (K, bool) {
	if r := t.Row(); r != nil {
		return t.key(r), true
	}
	var none K
	return none, false
}

// At is the place of the row in hand among the rows held.
func (t *Table[R, K]) At() int { return t.at }

// Lost says, once, that the row in hand has gone and its neighbour taken its
// place.
func (t *Table[R, K]) Lost() bool {
	gone := t.gone
	t.gone = false
	return gone
}

// Holding says that rows wait to change places until the hand rests.
func (t *Table[R, K]) Holding(now time.Time) bool { return t.held && now.Before(t.until) }

// Loose has rows always stand in the order they come in, as those of a window
// on a longer list must.
func (t *Table[R, K]) Loose() { t.loose = true }

// Arrange has rows stand under others as arrange puts them. Those beside each
// other must keep the order in which it is given them.
func (t *Table[R, K]) Arrange(arrange func([]R) []R) { t.arrange = arrange }

// Settle lets rows change their places at once, whatever the hand has just done.
func (t *Table[R, K]) Settle() { t.until = time.Time{} }

// Held says that the order shown is not the order of the rows.
func (t *Table[R, K]) Held() bool { return t.held }

// SetRows replaces the rows of a table that shows height of them. The row in
// hand stays at its place on the screen; where it has gone, its next neighbour
// that is left takes it.
func (t *Table[R, K]) SetRows(rows []R, height int, now time.Time) {
	t.held = false
	rows = t.inSortOrder(rows)
	if t.arrange != nil {
		rows = t.arrange(rows)
	}
	if now.Before(t.until) && !t.loose {
		rows = t.inOldOrder(rows)
		if t.arrange != nil { // new ones to their places
			rows = t.arrange(rows)
		}
	}
	t.measure(rows)
	old, oldAt, line := t.rows, t.at, t.at-t.topFor(height)
	known := t.index
	t.rows = rows
	t.index = make(map[K]int, len(rows))
	for i := range rows {
		t.index[t.key(&rows[i])] = i
	}
	t.at = t.survivor(old, oldAt)
	t.at = max(min(t.at, len(rows)-1), 0)
	t.top = t.at - line
	t.top = t.topFor(height)
	t.arrive(known)
}

// measure finds the longest text of the columns that want it known. What was
// once as long keeps its room, so that rows which come and go move no column.
func (t *Table[R, K]) measure(rows []R) {
	if len(t.longest) != len(t.columns) {
		t.longest = make([]int, len(t.columns))
	}
	for i := range t.columns {
		if of := t.columns[i].Measure; of != nil {
			for j := range rows {
				t.longest[i] = max(t.longest[i], text.Width(text.Clean(of(&rows[j]))))
			}
		}
	}
}

// survivor finds where the row in hand is now, or who takes its place.
func (t *Table[R, K]) survivor(old []R, at int) int {
	if at >= len(old) {
		return 0
	}
	if i, ok := t.index[t.key(&old[at])]; ok {
		return i
	}
	t.gone = len(t.rows) > 0
	for i := at + 1; i < len(old); i++ {
		if j, ok := t.index[t.key(&old[i])]; ok {
			return j
		}
	}
	for i := at - 1; i >= 0; i-- {
		if j, ok := t.index[t.key(&old[i])]; ok {
			return j + 1
		}
	}
	return at
}

// inOldOrder puts rows in the order in which they stand; new ones follow.
func (t *Table[R, K]) inOldOrder(rows []R) []R {
	place := func(r *R) int {
		if i, ok := t.index[t.key(r)]; ok {
			return i
		}
		return len(t.rows)
	}
	ordered := slices.Clone(rows)
	slices.SortStableFunc(ordered, func(a, b R) int { return place(&a) - place(&b) })
	for i := range rows {
		if t.key(&rows[i]) != t.key(&ordered[i]) {
			t.held = true
			break
		}
	}
	return ordered
}

// Select moves the cursor to a key, if it is there.
func (t *Table[R, K]) Select(k K) bool {
	i, ok := t.index[k]
	if ok {
		t.at = i
	}
	return ok
}

// Move carries out a cursor action on a table that shows height rows, and says
// whether it was one.
func (t *Table[R, K]) Move(a keymap.Action, height int, now time.Time) bool {
	at := t.at
	switch a {
	case keymap.Up:
		at--
	case keymap.Down:
		at++
	case keymap.PageUp:
		at -= max(height-1, 1)
	case keymap.PageDown:
		at += max(height-1, 1)
	case keymap.Top:
		at = 0
	case keymap.Bottom:
		at = len(t.rows) - 1
	default:
		return false
	}
	t.at = max(min(at, len(t.rows)-1), 0)
	t.top = t.topFor(height)
	t.until = now.Add(hold)
	t.look()
	return true
}

// topFor is the first row shown when height rows are, so that the cursor is
// among them and no room is wasted.
func (t *Table[R, K]) topFor(height int) int {
	top := min(t.top, t.at)
	top = max(top, t.at-max(height, 1)+1)
	return max(min(top, len(t.rows)-height), 0)
}
