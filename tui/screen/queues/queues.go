// Package queues lists the queues with their numbers.
package queues

import (
	tea "charm.land/bubbletea/v2"

	"signalbox/keymap"
	"signalbox/store"
	"signalbox/themes"
	"signalbox/tui/act"
	"signalbox/tui/env"
	"signalbox/tui/paint"
	"signalbox/tui/screen"
	"signalbox/tui/screen/blank"
	"signalbox/tui/screen/firstrun"
	"signalbox/tui/screen/items"
	"signalbox/tui/screen/queueform"
	"signalbox/tui/text"
	"signalbox/tui/widget/filterbar"
	"signalbox/tui/widget/list"
	"signalbox/tui/widget/table"
)

// Queues is the screen.
type Queues struct {
	id       int
	gen      uint64
	desk     act.Desk
	revision uint64
	table    table.Table[row, string]
	filter   filterbar.Bar
	scale    int             // of the sparklines
	grouped  bool            // by folder
	closed   map[string]bool // folders
	first    firstrun.Page   // while there is no queue
}

// New makes the screen.
func New(d act.Desk) *Queues {
	q := &Queues{id: d.Number(), desk: d, scale: least, closed: map[string]bool{}}
	q.table = table.New(q.columns(), (*row).key, nil)
	q.table.Arrange(q.arrange)
	return q
}

// ID implements screen.Screen.
func (q *Queues) ID() int { return q.id }

// Title implements screen.Screen.
func (q *Queues) Title() text.Safe { return "Queues" }

// Scope implements screen.Screen.
func (q *Queues) Scope() keymap.Scope {
	if q.filter.Typing() {
		return keymap.Command
	}
	return keymap.Table
}

// Answers implements screen.Screen.
func (q *Queues) Answers(a keymap.Action) bool {
	switch a {
	case keymap.Up, keymap.Down, keymap.Top, keymap.Bottom, keymap.PageUp, keymap.PageDown,
		keymap.Open, keymap.Filter, keymap.Pause, keymap.CopyIDs, keymap.New, keymap.QueueSet, keymap.Import, keymap.Folders, keymap.Explain:
		return true
	case keymap.Left, keymap.Right:
		return q.grouped
	}
	return list.Answers(a)
}

// Word implements screen.Wording.
func (q *Queues) Word(a keymap.Action) text.Safe {
	switch a {
	case keymap.CopyIDs:
		return "copy name"
	case keymap.Import:
		return "import into it"
	case keymap.Folders:
		if q.grouped {
			return "one list"
		}
	case keymap.Left:
		return "fold"
	case keymap.Right:
		return "unfold"
	case keymap.Open:
		if row := q.table.Row(); row != nil && row.folder != "" {
			return "fold"
		}
	}
	return ""
}

// Footer implements screen.Footing.
func (q *Queues) Footer(e env.Env) []keymap.Action {
	if q.filter.Typing() {
		return []keymap.Action{keymap.Apply, keymap.Back}
	}
	if firstrun.On(e) {
		return []keymap.Action{keymap.Open, keymap.New, keymap.Import}
	}
	actions := []keymap.Action{keymap.Open, keymap.Filter}
	if !e.ReadOnly {
		actions = append(actions, keymap.Pause, keymap.QueueSet, keymap.New, keymap.Import)
	}
	return append(actions, keymap.Folders, keymap.Sort, keymap.Freeze)
}

// Ticks implements screen.Ticking: the oldest waiting item grows older.
func (q *Queues) Ticks(e env.Env) bool {
	if e.Snap == nil {
		return false
	}
	for i := range e.Snap.Queues {
		if !e.Snap.Queues[i].OldestWaitingAt.IsZero() {
			return true
		}
	}
	return false
}

// Holding implements screen.Settling.
func (q *Queues) Holding(e env.Env) bool { return q.table.Holding(e.Now) }

// Update implements screen.Screen.
func (q *Queues) Update(e env.Env, msg tea.Msg) screen.Effects {
	switch msg := msg.(type) {
	case screen.Fed, screen.Shown:
		if e.Snap != nil && (e.Snap.QueuesRevision != q.revision || q.table.Held()) {
			q.take(e)
		}
	case screen.Typed, screen.Pasted:
		if q.filter.Edit(msg) {
			q.take(e)
		}
	case act.QueueExplained:
		return msg.Show(e)
	case act.Paused:
		return msg.Tell()
	case act.Exported:
		return msg.Tell()
	case act.Kept:
		return msg.Tell()
	case screen.Click:
		if firstrun.On(e) {
			return q.first.Click(e, q.desk, q.address(), msg)
		}
		return q.click(e, msg)
	case screen.Wheel:
		q.table.Wheel(msg.By, height(e), e.Now)
	case screen.Key:
		return q.key(e, msg.Action)
	}
	return screen.Effects{}
}

// take shows the queues that the filter lets through.
func (q *Queues) take(e env.Env) {
	if e.Snap == nil {
		return
	}
	q.revision = e.Snap.QueuesRevision
	q.scale = scaleOf(e.Snap.Queues)
	business := businessIn(e.Snap.Groups)
	q.filter.Check("queue", "folder", "family", "lane", "consumer", "description")
	var rows []row
	for i := range e.Snap.Queues {
		queue := &e.Snap.Queues[i]
		if q.filter.Matches(filterbar.Fields{
			"queue", queue.Name, "folder", queue.Folder, "family", queue.Family.String(), "lane", queue.Lane,
			"consumer", queue.Consumer.Kind, "description", queue.Description,
		}) {
			rows = append(rows, row{QueueState: queue, business: business[queue.Name]})
		}
	}
	if q.grouped {
		rows = byFolder(rows)
	}
	q.table.SetRows(rows, height(e), e.Now)
}

// businessIn counts the business exceptions that are failed items by status.
func businessIn(groups []store.Group) map[string]int64 {
	n := map[string]int64{}
	for i := range groups {
		if g := &groups[i]; g.Status == store.Failed && env.Business(g.Status, g.Kind) {
			n[g.Queue] += g.Count
		}
	}
	return n
}

func (q *Queues) address() screen.Addr { return screen.Addr{Screen: q.id, Gen: q.gen} }

func (q *Queues) key(e env.Env, a keymap.Action) screen.Effects {
	if firstrun.On(e) {
		return q.first.Key(e, q.desk, q.address(), a)
	}
	if q.filter.Key(a) {
		q.take(e)
		return screen.Effects{}
	}
	switch a {
	case keymap.Back:
		return screen.Want(screen.Leave{})
	case keymap.Folders:
		q.group(e)
	case keymap.Explain:
		if row := q.table.Row(); row != nil && row.folder == "" {
			return screen.Do(q.desk.ExplainQueue(q.address(), *row.QueueState))
		}
	case keymap.Left, keymap.Right:
		if row := q.table.Row(); row != nil {
			q.fold(e, row, a == keymap.Left)
		}
	case keymap.Open:
		switch row := q.table.Row(); {
		case row == nil:
		case row.folder != "":
			q.fold(e, row, !q.closed[row.folder])
		default:
			return screen.Want(screen.Push{Screen: items.New(q.desk, items.Queue(row.Name))})
		}
	case keymap.CopyIDs:
		if row := q.table.Row(); row != nil {
			return act.Copy(row.Name, row.Name)
		}
	case keymap.Pause:
		return q.pause(e)
	case keymap.New:
		return queueform.New(e, q.desk, q.address())
	case keymap.QueueSet:
		return q.settings(e)
	case keymap.Import:
		name := ""
		if row := q.table.Row(); row != nil && row.folder == "" {
			name = row.Name
		}
		return queueform.Import(e, q.desk, q.address(), name)
	case keymap.Sort:
		return list.Sort(e, &q.table, q.sort)
	case keymap.Columns:
		return list.Columns(&q.table)
	case keymap.Export:
		titles, rows := q.table.Shown(e)
		return q.desk.AskExport(e, screen.Addr{Screen: q.id, Gen: q.gen}, "queues", act.Sheet{Titles: titles, Rows: rows})
	default:
		q.table.Move(a, height(e), e.Now)
	}
	return screen.Effects{}
}

// sort puts the queues in order of a column.
func (q *Queues) sort(e env.Env, title text.Safe) screen.Effects {
	q.table.Sort(title)
	q.take(e)
	return screen.Effects{}
}

// click takes a click of the mouse. Above the table stands the filter's line.
func (q *Queues) click(e env.Env, msg screen.Click) screen.Effects {
	switch hit := q.table.Click(msg.X, msg.Y-1, e.Now); {
	case hit.Row && msg.Twice:
		return q.key(e, keymap.Open)
	case hit.Title != "":
		return q.sort(e, hit.Title)
	}
	return screen.Effects{}
}

// Narrow implements screen.Filtering.
func (q *Queues) Narrow(e env.Env, filter string) screen.Effects {
	q.filter.Set(filter)
	q.take(e)
	return screen.Effects{}
}

// Refuses implements screen.Refusing.
func (q *Queues) Refuses(e env.Env, a keymap.Action) text.Safe {
	switch {
	case q.table.Row() == nil && (a == keymap.Open || a == keymap.Pause || a == keymap.CopyIDs):
		return "there is no row"
	case q.table.Row() != nil && q.table.Row().folder != "" && (a == keymap.Pause || a == keymap.QueueSet || a == keymap.Explain):
		return "this is a folder; go to a queue"
	case a == keymap.Pause || a == keymap.New || a == keymap.QueueSet || a == keymap.Import:
		return text.Clean(act.Barred(e))
	}
	return ""
}

// height is the number of rows that can be seen: around them stand the root's
// lines, the filter, the titles and the detail.
func height(e env.Env) int { return max(e.Height-4-3, 1) }

func (q *Queues) settings(e env.Env) screen.Effects {
	row := q.table.Row()
	if row == nil {
		return screen.Effects{}
	}
	if why := q.Refuses(e, keymap.QueueSet); why != "" {
		return screen.Want(screen.Say{Toast: screen.Toast{Level: screen.Warning, Text: "Can't change settings: " + why}})
	}
	return queueform.Settings(e, q.desk, q.address(), row.Queue)
}

func (q *Queues) pause(e env.Env) screen.Effects {
	row := q.table.Row()
	if row == nil {
		return screen.Effects{}
	}
	if why := q.Refuses(e, keymap.Pause); why != "" {
		return screen.Want(screen.Say{Toast: screen.Toast{Level: screen.Warning, Text: "Can't pause or resume: " + why}})
	}
	q.gen++
	effects := screen.Do(q.desk.Pause(screen.Addr{Screen: q.id, Gen: q.gen}, row.Name, !row.Paused))
	effects.Want(screen.Started{})
	return effects
}

// Draw implements screen.Screen.
func (q *Queues) Draw(e env.Env, c *paint.Canvas) {
	switch {
	case e.Snap == nil:
		blank.Opening(e, c)
		return
	case len(e.Snap.Queues) == 0:
		q.first.Draw(e, c)
		return
	}
	q.filter.Draw(e, c, "")
	if q.table.Len() == 0 {
		blank.Filtered(e, c, text.Clean(q.filter.Text()))
		return
	}
	body := e.Canvas(c.Width(), c.Left()-1)
	q.table.Draw(e, body, q.filter.Hand())
	for i := range body.Height() {
		c.Draw(body, i)
		c.End()
	}
	q.drawDetail(e, c)
}

// drawDetail tells what does not fit a row: a consumer that broke, who paused.
func (q *Queues) drawDetail(e env.Env, c *paint.Canvas) {
	row := q.table.Row()
	if row == nil {
		return
	}
	c.Gap(3)
	switch {
	case row.folder != "":
		drawFolder(e, c, row)
	case row.ConsumerError != "":
		c.Put(themes.Danger, text.Safe(e.Glyphs.Danger)+" consumer error "+e.When(row.ConsumerErrorAt)+": ")
		c.Put(themes.Text, text.Clean(row.ConsumerError))
	case row.Paused:
		words := "paused"
		if row.PausedBy != "" {
			words += " by " + row.PausedBy
		}
		c.Put(themes.Warn, text.Safe(e.Glyphs.Paused)+" "+text.Clean(words))
	default:
		c.Put(themes.Muted, text.Clean(row.Description))
	}
	c.End()
}
