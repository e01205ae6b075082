// Package list is what every screen of rows is made of: a table, the bar that
// filters it, and all that is done with both alike, which is to find, to go
// through, to put in order, to choose columns and to export. A screen embeds a
// List and gives its columns, where rows come from, and its verbs.
package list

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"signalbox/keymap"
	"signalbox/themes"
	"signalbox/tui/act"
	"signalbox/tui/env"
	"signalbox/tui/paint"
	"signalbox/tui/screen"
	"signalbox/tui/text"
	"signalbox/tui/widget/filterbar"
	"signalbox/tui/widget/table"
)

// List is the table and its bar. Gen is the generation of its last question.
type List[R any, K comparable] struct {
	Table  table.Table[R, K]
	Filter filterbar.Bar
	Desk   act.Desk
	Gen    uint64

	id    int
	own   Own
	above int // rows of the screen over the canvas that the table was drawn on
}

// Own is what a screen of rows has of its own.
type Own struct {
	// Height is how many rows can be seen.
	Height func(env.Env) int
	// Anew shows the rows as they are by the filter or the order, which has changed.
	Anew func(env.Env) screen.Effects
	// Key carries out an action, or leaves it to the list's Key.
	Key    func(env.Env, keymap.Action) screen.Effects
	Footer func(env.Env) []keymap.Action
	// Moved is told that the hand has moved to another row; may be nil.
	Moved func() screen.Effects
	// Order puts the rows in order of a column where the table can't; may be nil.
	Order func(title text.Safe)
	// Words are what the bar completes.
	Words filterbar.Words
	// Name is what an export is called. Sheet is what it holds where that is more
	// than the rows held.
	Name  func() string
	Sheet func() act.Sheet
}

// New makes a list of a table.
func New[R any, K comparable](d act.Desk, t table.Table[R, K], own Own) List[R, K] {
	return List[R, K]{Table: t, Filter: filterbar.Bar{Words: own.Words}, Desk: d, id: d.Number(), own: own}
}

// Named is the name of an export that is always the same.
func Named(name string) func() string { return func() string { return name } }

// ID implements screen.Screen.
func (l *List[R, K]) ID() int { return l.id }

// Address is where answers to the last question go.
func (l *List[R, K]) Address() screen.Addr { return screen.Addr{Screen: l.id, Gen: l.Gen} }

// Scope implements screen.Screen.
func (l *List[R, K]) Scope() keymap.Scope {
	if l.Filter.Typing() {
		return keymap.Command
	}
	return keymap.Table
}

// Answers implements screen.Screen, for what all lists answer to.
func (l *List[R, K]) Answers(a keymap.Action) bool {
	switch a {
	case keymap.Up, keymap.Down, keymap.Top, keymap.Bottom, keymap.PageUp, keymap.PageDown,
		keymap.Open, keymap.Filter, keymap.Columns, keymap.Export:
		return true
	case keymap.Sort:
		return len(orders(&l.Table)) > 0
	}
	return false
}

// Footer implements screen.Footing.
func (l *List[R, K]) Footer(e env.Env) []keymap.Action {
	if l.Filter.Typing() {
		return []keymap.Action{keymap.Apply, keymap.Complete, keymap.Back}
	}
	actions := l.own.Footer(e)
	if l.Table.Len() == 0 {
		actions = slices.DeleteFunc(actions, ofRows)
	}
	if l.Filter.Text() != "" && !slices.Contains(actions, keymap.Back) {
		actions = append(actions, keymap.Back)
	}
	return actions
}

// Word implements screen.Wording, for what is called alike on all lists.
func (l *List[R, K]) Word(a keymap.Action) text.Safe {
	if a == keymap.Back && l.Filter.Text() != "" && !l.Filter.Typing() {
		return "clear filter"
	}
	return ""
}

// ofRows says that an action is about rows, and can do nothing where there are
// none.
func ofRows(a keymap.Action) bool {
	switch a {
	case keymap.Open, keymap.Sort, keymap.Export, keymap.Mark, keymap.MarkAll, keymap.Verbs, keymap.Explain, keymap.QueueSet:
		return true
	}
	_, verb := act.Of(a)
	return verb
}

// Holding implements screen.Settling.
func (l *List[R, K]) Holding(e env.Env) bool { return l.Table.Holding(e.Now) }

// Narrow implements screen.Filtering.
func (l *List[R, K]) Narrow(e env.Env, filter string) screen.Effects {
	l.Filter.Set(filter)
	return l.own.Anew(e)
}

// Update implements screen.Screen, for what all lists take in alike.
func (l *List[R, K]) Update(e env.Env, msg tea.Msg) screen.Effects {
	switch msg := msg.(type) {
	case screen.Key:
		return l.press(e, msg.Action)
	case screen.Typed, screen.Pasted:
		if l.Filter.Edit(msg) {
			return l.own.Anew(e)
		}
	case screen.Click:
		return l.click(e, msg)
	case screen.Wheel:
		l.Table.Wheel(msg.By, l.own.Height(e), e.Now)
		return l.moved()
	case act.Explained:
		return msg.Show(e)
	case screen.Teller:
		return msg.Tell()
	}
	return screen.Effects{}
}

// press gives an action to the bar, which has the keyboard while it is typed in,
// or else to the screen.
func (l *List[R, K]) press(e env.Env, a keymap.Action) screen.Effects {
	before := l.Filter.Text()
	switch {
	case a == keymap.Complete && l.Filter.Typing():
		if l.Filter.Complete(e) {
			return l.own.Anew(e)
		}
	case !l.Filter.Key(a):
		return l.own.Key(e, a)
	case l.Filter.Text() != before:
		return l.own.Anew(e)
	}
	return screen.Effects{}
}

// Key carries out an action as all lists do.
func (l *List[R, K]) Key(e env.Env, a keymap.Action) screen.Effects {
	switch a {
	case keymap.Back:
		return screen.Want(screen.Leave{})
	case keymap.Sort:
		return Sort(e, &l.Table, l.sort)
	case keymap.Columns:
		return Columns(&l.Table)
	case keymap.Export:
		return l.Desk.AskExport(e, l.Address(), l.own.Name(), l.sheet(e))
	}
	return l.Move(e, a)
}

// Move moves the hand.
func (l *List[R, K]) Move(e env.Env, a keymap.Action) screen.Effects {
	if l.Table.Move(a, l.own.Height(e), e.Now) {
		return l.moved()
	}
	return screen.Effects{}
}

func (l *List[R, K]) moved() screen.Effects {
	if l.own.Moved == nil {
		return screen.Effects{}
	}
	return l.own.Moved()
}

// Show replaces the rows.
func (l *List[R, K]) Show(e env.Env, rows []R) { l.Table.SetRows(rows, l.own.Height(e), e.Now) }

func (l *List[R, K]) sheet(e env.Env) act.Sheet {
	if l.own.Sheet != nil {
		return l.own.Sheet()
	}
	titles, rows := l.Table.Shown(e)
	return act.Sheet{Titles: titles, Rows: rows}
}

// sort puts the rows in order of a column.
func (l *List[R, K]) sort(e env.Env, title text.Safe) screen.Effects {
	if l.own.Order != nil {
		l.own.Order(title)
	} else {
		l.Table.Sort(title)
	}
	return l.own.Anew(e)
}

// click takes a click of the mouse: on a row, twice to open it, or on a title to
// sort by it.
func (l *List[R, K]) click(e env.Env, msg screen.Click) screen.Effects {
	switch hit := l.Table.Click(msg.X, msg.Y-l.above, e.Now); {
	case hit.Row && msg.Twice:
		return l.own.Key(e, keymap.Open)
	case hit.Row:
		return l.moved()
	default:
		for _, c := range orders(&l.Table) {
			if c.Title == hit.Title {
				return l.sort(e, c.Title)
			}
		}
	}
	return screen.Effects{}
}

// Draw writes the rows in the room that is left but for some lines below, and
// under the rows what is wrong with the filter, where the bar can't say it all.
func (l *List[R, K]) Draw(e env.Env, c *paint.Canvas, below int) {
	fault := l.fault(e, c)
	defer func() {
		for _, part := range fault {
			c.Gap(3)
			c.Text(themes.Danger, part)
		}
	}()
	below += len(fault)
	if l.above = 0; below == 0 {
		l.Table.Draw(e, c, l.Filter.Hand())
		return
	}
	l.above = c.Row()
	body := e.Canvas(c.Width(), max(c.Left()-below, 2))
	l.Table.Draw(e, body, l.Filter.Hand())
	for i := range body.Height() {
		c.Draw(body, i)
		c.End()
	}
}

// fault is what is wrong with the filter in lines, none where the bar says it.
func (l *List[R, K]) fault(e env.Env, c *paint.Canvas) []text.Safe {
	err := l.Filter.Fault(e)
	if err == nil || !l.Filter.Cuts(e, c.Width()) {
		return nil
	}
	lines := paint.Wrap(text.Clean(err.Error()), max(min(c.Width()-6, 90), 10))
	return lines[:min(len(lines), max(c.Left()/2, 1))]
}
