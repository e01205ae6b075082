// Package queues lists the queues with their numbers.
package queues

import (
	tea "charm.land/bubbletea/v2"

	"signalbox/engine"
	"signalbox/keymap"
	"signalbox/themes"
	"signalbox/tui/act"
	"signalbox/tui/env"
	"signalbox/tui/paint"
	"signalbox/tui/screen"
	"signalbox/tui/screen/blank"
	"signalbox/tui/screen/items"
	"signalbox/tui/text"
	"signalbox/tui/widget/filterbar"
	"signalbox/tui/widget/table"
)

// Queues is the screen.
type Queues struct {
	id       int
	gen      uint64
	desk     act.Desk
	revision uint64
	table    table.Table[engine.QueueState, string]
	filter   filterbar.Bar
}

// New makes the screen.
func New(d act.Desk) *Queues {
	return &Queues{
		id: d.Number(), desk: d,
		table: table.New(columns(), func(q *engine.QueueState) string { return q.Name }, nil),
	}
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
		keymap.Open, keymap.Filter, keymap.Pause:
		return true
	}
	return false
}

// Footer implements screen.Footing.
func (q *Queues) Footer(e env.Env) []keymap.Action {
	if q.filter.Typing() {
		return []keymap.Action{keymap.Apply, keymap.Back}
	}
	actions := []keymap.Action{keymap.Open, keymap.Filter}
	if !e.ReadOnly {
		actions = append(actions, keymap.Pause)
	}
	return append(actions, keymap.Freeze, keymap.Zone)
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
	case act.Paused:
		return paused(msg)
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
	var rows []engine.QueueState
	for _, queue := range e.Snap.Queues {
		if q.filter.Matches(queue.Name, queue.Folder, queue.Family.String(), queue.Lane, queue.Description) {
			rows = append(rows, queue)
		}
	}
	q.table.SetRows(rows, height(e), e.Now)
}

func (q *Queues) key(e env.Env, a keymap.Action) screen.Effects {
	if q.filter.Key(a) {
		q.take(e)
		return screen.Effects{}
	}
	switch a {
	case keymap.Back:
		return screen.Want(screen.Leave{})
	case keymap.Open:
		if row := q.table.Row(); row != nil {
			return screen.Want(screen.Push{Screen: items.New(q.desk, items.Queue(row.Name))})
		}
	case keymap.Pause:
		return q.pause(e)
	default:
		q.table.Move(a, height(e), e.Now)
	}
	return screen.Effects{}
}

// height is the number of rows that can be seen: around them stand the root's
// lines, the filter, the titles and the detail.
func height(e env.Env) int { return max(e.Height-4-3, 1) }

func (q *Queues) pause(e env.Env) screen.Effects {
	row := q.table.Row()
	switch {
	case row == nil:
		return screen.Effects{}
	case e.ReadOnly:
		return act.Refuse(act.NoVerb, "this console is read-only")
	}
	q.gen++
	effects := screen.Do(q.desk.Pause(screen.Addr{Screen: q.id, Gen: q.gen}, row.Name, !row.Paused))
	effects.Want(screen.Started{})
	return effects
}

func paused(msg act.Paused) screen.Effects {
	if msg.Err != nil {
		return act.Fail("pause or resume the queue", msg.Err)
	}
	words := "Resumed " + msg.Queue.Name
	if msg.Queue.Paused {
		words = "Paused " + msg.Queue.Name + ": what runs goes on, nothing new is taken"
	}
	return screen.Want(screen.Say{Toast: screen.Toast{Level: screen.Good, Text: text.Clean(words)}})
}

// Draw implements screen.Screen.
func (q *Queues) Draw(e env.Env, c *paint.Canvas) {
	switch {
	case e.Snap == nil:
		blank.Opening(e, c)
		return
	case len(e.Snap.Queues) == 0:
		blank.FirstRun(e, c)
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
