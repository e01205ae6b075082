package table

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"
	"pgregory.net/rapid"

	"signalbox/keymap"
	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/text"
)

type row struct {
	id   int
	name string
}

func columns() []Column[row] {
	return []Column[row]{
		{Title: "id", Min: 4, Right: true, Cell: func(_ env.Env, r *row) Cell { return Cell{themes.Text, text.Safe(fmt.Sprint(r.id))} }},
		{Title: "name", Min: 6, Grow: true, Cell: func(_ env.Env, r *row) Cell { return Cell{themes.Text, text.Clean(r.name)} }},
		{Title: "extra", Min: 8, Drop: 1, Cell: func(env.Env, *row) Cell { return Cell{themes.Muted, "extra"} }},
	}
}

func newTable() Table[row, int] {
	return New(columns(), func(r *row) int { return r.id }, func(r *row) uint64 { return uint64(len(r.name)) })
}

func world() env.Env {
	return env.Env{Theme: themes.Default(true).For(colorprofile.NoTTY), Glyphs: themes.Unicode(), Focused: true}
}

func rows(ids ...int) []row {
	var all []row
	for _, id := range ids {
		all = append(all, row{id: id, name: fmt.Sprint("row", id)})
	}
	return all
}

// start is when the tests begin.
func begin() time.Time { return time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC) }

// Whatever rows come and go, the hand stays on its row while that exists, at
// its height on the screen; marks are rows that were marked; the cursor can be
// seen.
func TestTheHandStaysOnItsRow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := newTable()
		height := rapid.IntRange(1, 9).Draw(t, "height")
		now := begin()
		ids := rapid.SliceOfNDistinct(rapid.IntRange(0, 40), 1, 30, rapid.ID).Draw(t, "ids")
		table.SetRows(rows(ids...), height, now)
		marked := map[int]bool{}
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			now = now.Add(rapid.SampledFrom([]time.Duration{0, time.Second, time.Minute}).Draw(t, "pause"))
			before, had := table.Cursor()
			at := table.at - table.topFor(height)
			switch rapid.IntRange(0, 3).Draw(t, "op") {
			case 0:
				table.Move(rapid.SampledFrom(motions()).Draw(t, "key"), height, now)
			case 1:
				table.Toggle("")
				if had {
					marked[before] = !marked[before]
				}
			default:
				ids = rapid.SliceOfNDistinct(rapid.IntRange(0, 40), 0, 30, rapid.ID).Draw(t, "ids")
				table.SetRows(rows(ids...), height, now)
				checkHand(t, &table, before, had, ids, at, height)
			}
			checkTable(t, &table, marked, height)
		}
	})
}

func motions() []keymap.Action {
	return []keymap.Action{keymap.Up, keymap.Down, keymap.PageUp, keymap.PageDown, keymap.Top, keymap.Bottom}
}

func checkHand(t *rapid.T, table *Table[row, int], before int, had bool, ids []int, at, height int) {
	if !had || !slices.Contains(ids, before) {
		return
	}
	if now, _ := table.Cursor(); now != before {
		t.Fatalf("the hand went from row %d to %d", before, now)
	}
	top := table.topFor(height)
	if got := table.at - top; got != at && top > 0 && top+height < len(ids) {
		t.Fatalf("the row in hand went from line %d to %d", at, got)
	}
}

func checkTable(t *rapid.T, table *Table[row, int], marked map[int]bool, height int) {
	for id := range table.Marks() {
		if !marked[id] {
			t.Fatalf("row %d is marked by nobody", id)
		}
	}
	if table.Len() == 0 {
		return
	}
	top := table.topFor(height)
	if table.at < top || table.at >= top+height || table.Row() == nil {
		t.Fatalf("the cursor %d is out of sight: %d lines from %d", table.at, height, top)
	}
}

func TestNeighbourTakesThePlaceOfAVanishedRow(t *testing.T) {
	table := newTable()
	table.SetRows(rows(1, 2, 3, 4), 5, begin())
	table.Select(2)
	table.SetRows(rows(1, 3, 4), 5, begin())
	if k, _ := table.Cursor(); k != 3 || !table.Lost() {
		t.Fatalf("the hand is on %d", k)
	}
	table.SetRows(rows(1), 5, begin())
	if k, _ := table.Cursor(); k != 1 {
		t.Fatalf("the hand is on %d", k)
	}
}

func TestOrderStandsStillUnderTheHand(t *testing.T) {
	table := newTable()
	table.SetRows(rows(1, 2, 3), 5, begin())
	table.Move(keymap.Down, 5, begin())
	table.SetRows(rows(3, 2, 1, 4), 5, begin().Add(time.Second))
	if got := order(&table); got != "[1 2 3 4]" || !table.Held() || !table.Holding(begin().Add(time.Second)) {
		t.Fatalf("%s held %t", got, table.Held())
	}
	table.SetRows(rows(3, 2, 1, 4), 5, begin().Add(3*time.Second))
	if got := order(&table); got != "[3 2 1 4]" || table.Held() {
		t.Fatalf("%s held %t", got, table.Held())
	}
	if k, _ := table.Cursor(); k != 2 {
		t.Fatalf("the hand is on %d", k)
	}
}

func order(t *Table[row, int]) string {
	var ids []int
	for _, r := range t.Rows() {
		ids = append(ids, r.id)
	}
	return fmt.Sprint(ids)
}

func TestMarks(t *testing.T) {
	table := newTable()
	table.SetRows(rows(1, 2, 3, 4, 5), 5, begin())
	table.Select(2)
	table.Range("a")
	table.Select(4)
	table.Range("a")
	if table.Marked() != 3 || table.Marks()[3].Revision != 4 {
		t.Fatalf("%v", table.Marks())
	}
	table.SetRows(rows(1, 4, 5), 5, begin())
	if n := table.Hidden("b"); n != 2 {
		t.Fatalf("%d hidden by another filter", n)
	}
	if n := table.Hidden("a"); n != 0 {
		t.Fatalf("%d hidden by their own filter", n)
	}
	table.Vanish(2)
	table.Vanish(3)
	table.Vanish(9)
	if table.Marked() != 1 || table.Vanished() != 2 {
		t.Fatalf("%d marked, %d vanished", table.Marked(), table.Vanished())
	}
}

func TestColumnsGiveWay(t *testing.T) {
	table := newTable()
	table.SetRows(rows(1), 5, begin())
	for _, test := range []struct {
		w    int
		want string
	}{
		{40, "     id  name                  extra"},
		{20, "     id  name"},
		{9, "     id"},
	} {
		c := world().Canvas(test.w, 1)
		table.Draw(world(), c, Here)
		if got := c.String(); len(got) > test.w+4 || got[:min(len(got), len(test.want))] != test.want[:min(len(got), len(test.want))] {
			t.Errorf("in %d columns: %q, want %q", test.w, got, test.want)
		}
	}
}

func BenchmarkDraw(b *testing.B) {
	table := newTable()
	var many []int
	for i := range 500 {
		many = append(many, i)
	}
	table.SetRows(rows(many...), 5, begin())
	e := world()
	b.ReportAllocs()
	for b.Loop() {
		table.Draw(e, e.Canvas(200, 51), Here)
	}
}

// A picture costs by what is seen: rows beyond it take no memory, though a column is
// looked for in all of them.
func TestAPictureCostsNoMemoryForRowsUnseen(t *testing.T) {
	e := world()
	cost := func(n int) float64 {
		columns := columns()
		columns[2].Blank = func(env.Env, *row) bool { return true }
		table := New(columns, func(r *row) int { return r.id }, nil)
		held := make([]row, n)
		for i := range held {
			held[i].id = i
		}
		table.SetRows(held, 10, begin())
		return testing.AllocsPerRun(5, func() { table.Draw(e, e.Canvas(60, 12), Here) })
	}
	if few, many := cost(20), cost(2000); many > few+10 {
		t.Errorf("a picture of 20 rows takes %v allocations, one of 2,000 takes %v", few, many)
	}
}
