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
	"signalbox/tui/screen/list"
	"signalbox/tui/screen/queueform"
	"signalbox/tui/text"
	"signalbox/tui/widget/filterbar"
	"signalbox/tui/widget/table"
)

// Queues is the screen.
type Queues struct {
	list.List[row, string]
	revision uint64
	scale    int             // of the sparklines
	grouped  bool            // by folder
	closed   map[string]bool // folders
	first    firstrun.Page   // while there is no queue
}

// words are what rows are filtered by.
var words = filterbar.Words{
	Names:  []string{"queue", "folder", "family", "lane", "consumer", "description"},
	Values: map[string][]string{"family": {"jobs", "transactions"}, "lane": {"fast", "slow"}, "consumer": {"manual", "command", "http"}},
}

// New makes the screen.
func New(d act.Desk) *Queues {
	q := &Queues{scale: least, closed: map[string]bool{}}
	rows := table.New(q.columns(), (*row).key, nil)
	rows.Arrange(q.arrange)
	q.List = list.New(d, rows, list.Own{Height: q.height, Anew: q.take, Key: q.key, Footer: q.footer, Words: words, Name: list.Named("queues")})
	return q
}

// Title implements screen.Screen.
func (q *Queues) Title() text.Safe { return "Queues" }

// Answers implements screen.Screen.
func (q *Queues) Answers(a keymap.Action) bool {
	switch a {
	case keymap.Pause, keymap.CopyIDs, keymap.New, keymap.QueueSet, keymap.Import, keymap.Folders, keymap.Explain:
		return true
	case keymap.Left, keymap.Right:
		return q.grouped
	}
	return q.List.Answers(a)
}

// Word implements screen.Wording.
func (q *Queues) Word(a keymap.Action) text.Safe {
	switch a {
	case keymap.CopyIDs:
		return "copy name"
	case keymap.Import:
		if row := q.Table.Row(); row != nil && row.folder == "" {
			return "import into it"
		}
	case keymap.Pause:
		if row := q.Table.Row(); row != nil && row.folder == "" && row.Paused {
			return "resume"
		}
	case keymap.Folders:
		if q.grouped {
			return "one list"
		}
	case keymap.Left:
		return "fold"
	case keymap.Right:
		return "unfold"
	case keymap.Open:
		if row := q.Table.Row(); row != nil && row.folder != "" {
			return "fold"
		}
	}
	return q.List.Word(a)
}

// Footer implements screen.Footing.
func (q *Queues) Footer(e env.Env) []keymap.Action {
	if firstrun.On(e) {
		return []keymap.Action{keymap.Open, keymap.New, keymap.Import}
	}
	return q.List.Footer(e)
}

func (q *Queues) footer(e env.Env) []keymap.Action {
	actions := []keymap.Action{keymap.Open, keymap.Filter}
	if !e.ReadOnly && q.Table.Len() > 0 {
		actions = append(actions, keymap.Pause)
	}
	if !e.ReadOnly {
		actions = append(actions, keymap.QueueSet, keymap.New, keymap.Import)
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

// Update implements screen.Screen.
func (q *Queues) Update(e env.Env, msg tea.Msg) screen.Effects {
	switch msg := msg.(type) {
	case screen.Fed, screen.Shown:
		if e.Snap != nil && (e.Snap.QueuesRevision != q.revision || q.Table.Held()) {
			return q.take(e)
		}
		return screen.Effects{}
	case act.QueueExplained:
		return msg.Show(e, func(e env.Env, a keymap.Action) screen.Effects { return q.set(e, a, msg.Queue.Queue) })
	case screen.Click:
		if firstrun.On(e) {
			return q.first.Click(e, q.Desk, q.Address(), msg)
		}
	case screen.Key:
		if firstrun.On(e) {
			return q.first.Key(e, q.Desk, q.Address(), msg.Action)
		}
	}
	return q.List.Update(e, msg)
}

// take shows the queues that the filter lets through.
func (q *Queues) take(e env.Env) screen.Effects {
	if e.Snap == nil {
		return screen.Effects{}
	}
	q.revision = e.Snap.QueuesRevision
	q.scale = scaleOf(e.Snap.Queues)
	business := businessIn(e.Snap.Groups)
	q.Filter.Check()
	var rows []row
	for i := range e.Snap.Queues {
		queue := &e.Snap.Queues[i]
		if q.Filter.Matches(filterbar.Fields{
			"queue", queue.Name, "folder", queue.Folder, "family", queue.Family.String(), "lane", queue.Lane,
			"consumer", queue.Consumer.Kind, "description", queue.Description,
		}) {
			rows = append(rows, row{QueueState: queue, business: business[queue.Name]})
		}
	}
	if q.grouped {
		rows = byFolder(rows)
	}
	q.Show(e, rows)
	return screen.Effects{}
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

func (q *Queues) key(e env.Env, a keymap.Action) screen.Effects {
	switch a {
	case keymap.Folders:
		q.group(e)
	case keymap.Explain:
		if row := q.Table.Row(); row != nil && row.folder == "" {
			return screen.Do(q.Desk.ExplainQueue(q.Address(), *row.QueueState))
		}
	case keymap.Left, keymap.Right:
		if row := q.Table.Row(); row != nil {
			q.fold(e, row, a == keymap.Left)
		}
	case keymap.Open:
		switch row := q.Table.Row(); {
		case row == nil:
		case row.folder != "":
			q.fold(e, row, !q.closed[row.folder])
		default:
			return screen.Want(screen.Push{Screen: items.New(q.Desk, items.Queue(row.Name))})
		}
	case keymap.CopyIDs:
		if row := q.Table.Row(); row != nil {
			return act.Copy(row.Name, row.Name)
		}
	case keymap.Pause:
		return q.pause(e)
	case keymap.New:
		return queueform.New(e, q.Desk, q.Address())
	case keymap.QueueSet:
		return q.settings(e)
	case keymap.Import:
		name := ""
		if row := q.Table.Row(); row != nil && row.folder == "" {
			name = row.Name
		}
		return queueform.Import(e, q.Desk, q.Address(), name)
	default:
		return q.Key(e, a)
	}
	return screen.Effects{}
}

// Refuses implements screen.Refusing.
func (q *Queues) Refuses(e env.Env, a keymap.Action) text.Safe {
	switch {
	case q.Table.Row() == nil && (a == keymap.Open || a == keymap.Pause || a == keymap.CopyIDs):
		return "there is no row"
	case q.Table.Row() != nil && q.Table.Row().folder != "" && (a == keymap.Pause || a == keymap.QueueSet || a == keymap.Explain):
		return "this is a folder; go to a queue"
	case a == keymap.Pause || a == keymap.New || a == keymap.QueueSet || a == keymap.Import:
		var names []string
		if row := q.Table.Row(); row != nil && row.folder == "" && a != keymap.New {
			names = append(names, row.Name)
		}
		return text.Clean(act.Barred(e, a, names...))
	}
	return ""
}

// height is the number of rows that can be seen: around them stand the root's
// lines, the filter, the titles and the detail.
func (q *Queues) height(e env.Env) int {
	if q.pane(e) {
		return max(q.Table.Len(), 1)
	}
	return room(e)
}

// room is the height without the picture of the queue in hand.
func room(e env.Env) int { return max(e.Height-4-3, 1) }

func (q *Queues) settings(e env.Env) screen.Effects {
	row := q.Table.Row()
	if row == nil {
		return screen.Effects{}
	}
	if why := q.Refuses(e, keymap.QueueSet); why != "" {
		return screen.Want(screen.Say{Toast: screen.Toast{Level: screen.Warning, Text: "Can't change settings: " + why}})
	}
	return q.set(e, keymap.QueueSet, row.Queue)
}

// set asks for what is to change of a queue: its settings, or its items.
func (q *Queues) set(e env.Env, a keymap.Action, of store.Queue) screen.Effects {
	if a == keymap.Import {
		return queueform.Import(e, q.Desk, q.Address(), of.Name)
	}
	if now, ok := e.Queue(of.Name); ok {
		of = now.Queue
	}
	return queueform.Settings(e, q.Desk, q.Address(), of)
}

func (q *Queues) pause(e env.Env) screen.Effects {
	row := q.Table.Row()
	if row == nil {
		return screen.Effects{}
	}
	if why := q.Refuses(e, keymap.Pause); why != "" {
		return screen.Want(screen.Say{Toast: screen.Toast{Level: screen.Warning, Text: "Can't pause or resume: " + why}})
	}
	q.Gen++
	effects := screen.Do(q.Desk.Pause(q.Address(), row.Name, !row.Paused))
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
	q.Filter.Draw(e, c, "")
	if q.Table.Len() == 0 {
		blank.Filtered(e, c, text.Clean(q.Filter.Text()))
		return
	}
	if q.pane(e) {
		q.List.Draw(e, c, c.Left()-1-q.Table.Len())
		q.drawPane(e, c)
		return
	}
	q.List.Draw(e, c, 1)
	row := q.Table.Row()
	if row == nil {
		return
	}
	c.Gap(3)
	if row.folder != "" {
		drawFolder(e, c, row)
	} else {
		drawStanding(e, c, row)
	}
	c.End()
}

// drawStanding tells what does not fit a row: a consumer that broke, who paused.
func drawStanding(e env.Env, c *paint.Canvas, row *row) {
	switch {
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
}
