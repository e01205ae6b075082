package act

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"signalbox/engine"
	"signalbox/engine/lane"
	"signalbox/store"
	"signalbox/tui/screen"
	"signalbox/tui/text"
)

// Desk takes what screens want of the engine. It is a value; its commands run
// beside the program's loop and end with the program.
type Desk struct {
	ctx     context.Context
	engine  Engine
	numbers *screen.Numbers
	imports *imports
	exec    Exec
	place   *time.Location // in which reports tell times
}

// Exec hands the terminal to a program until it ends.
type Exec func(*exec.Cmd, tea.ExecCallback) tea.Cmd

// NewDesk makes a desk for one program. Acts are written down under actor.
func NewDesk(ctx context.Context, e Engine, actor string, run Exec) Desk {
	if run == nil {
		run = tea.ExecProcess
	}
	return Desk{ctx: engine.WithActor(ctx, actor), engine: e, numbers: &screen.Numbers{}, imports: &imports{}, exec: run, place: time.UTC}
}

// In gives the desk whose reports tell times as they are at a place.
func (d Desk) In(place *time.Location) Desk {
	d.place = place
	return d
}

// Number is an id for a new screen.
func (d Desk) Number() int { return d.numbers.Next() }

// Windowed answers Window.
type Windowed struct {
	screen.Addr
	Window Window
	Took   time.Duration
	Err    error
}

// Window is a stretch of a list around a place in it.
type Window struct {
	Rows    []store.Item
	AtStart bool // nothing comes before
	AtEnd   bool // nothing follows
	Total   int64
	Damaged int
	// Partial says that the rows are not all: those behind Next are still to be
	// looked at. Looked is how many items were looked at so far.
	Partial bool
	Next    store.ID
	Looked  int64
}

// Stretch says which rows of a list are wanted: Before rows up to the item At,
// exclusive, and After rows from it on. The item need not exist any more; the
// zero ID is the beginning.
type Stretch struct {
	List          engine.ListRequest
	At            store.ID
	Before, After int
	FromEnd       bool // the list's last rows instead
	// Have is a partial window to go on with.
	Have *Window
}

// patience is how long a window may be on its way before its rows so far come.
const patience = store.Duration(200 * time.Millisecond)

// Window reads a stretch of a list.
func (d Desk) Window(to screen.Addr, want Stretch) tea.Cmd {
	return func() tea.Msg {
		start := time.Now()
		w, err := d.window(want)
		return Windowed{to, w, time.Since(start), err}
	}
}

func (d Desk) window(want Stretch) (Window, error) {
	if want.Have != nil {
		return d.onwards(*want.Have, want)
	}
	var w Window
	if want.FromEnd || !want.At.IsZero() {
		back := want.List
		back.Desc, back.Limit, back.After = !back.Desc, want.Before, want.At
		if want.FromEnd {
			back.Limit, back.After = want.Before+want.After, store.ID{}
		}
		page, err := d.engine.List(d.ctx, back)
		if err != nil {
			return w, err
		}
		slices.Reverse(page.Items)
		w = Window{Rows: page.Items, AtStart: !page.More, AtEnd: want.FromEnd, Total: page.Total, Damaged: page.Damaged}
		if want.FromEnd {
			return w, nil
		}
	}
	w.AtStart = w.AtStart || want.At.IsZero()
	if len(w.Rows) > 0 {
		w.Next = w.Rows[len(w.Rows)-1].ID()
	}
	want.After += len(w.Rows)
	return d.onwards(w, want)
}

// onwards reads the rows that follow a window's.
func (d Desk) onwards(w Window, want Stretch) (Window, error) {
	front := want.List
	front.Limit, front.After, front.Budget = want.After-len(w.Rows), w.Next, patience
	page, err := d.engine.List(d.ctx, front)
	if err != nil {
		return w, err
	}
	w.Rows = append(w.Rows[:len(w.Rows):len(w.Rows)], page.Items...)
	w.AtEnd, w.Total, w.Damaged = !page.More, page.Total, w.Damaged+page.Damaged
	w.Partial, w.Next, w.Looked = page.More && len(page.Items) < front.Limit, page.Next, w.Looked+page.Looked
	return w, nil
}

// Selected answers Select.
type Selected struct {
	screen.Addr
	Verb     Verb // what the selection is for; NoVerb to mark it
	Requests []engine.ListRequest
	Targets  []engine.Target
	Named    []store.ID // those that a question names
	Err      error
}

// Awaited implements screen.Awaited, for what is asked about.
func (s Selected) Awaited() bool { return s.Verb != NoVerb }

// Select freezes all that requests select.
func (d Desk) Select(to screen.Addr, verb Verb, requests ...engine.ListRequest) tea.Cmd {
	return func() tea.Msg {
		var all []engine.Target
		for _, req := range requests {
			targets, err := d.engine.Select(d.ctx, req)
			if err != nil {
				return Selected{Addr: to, Verb: verb, Requests: requests, Err: err}
			}
			all = append(all, targets...)
		}
		done := Selected{Addr: to, Verb: verb, Requests: requests, Targets: all}
		if verb != NoVerb {
			r := engine.BulkRequest{Verb: verb.bulk()}
			done.Named, done.Err = r.FirstAllowed(d.ctx, d.engine.Item, all, sample)
		}
		return done
	}
}

// Loaded answers Load.
type Loaded struct {
	screen.Addr
	Record  engine.Record
	History []store.Change
	Err     error
}

// Load reads an item whole, with its history.
func (d Desk) Load(to screen.Addr, id store.ID, changes int) tea.Cmd {
	return func() tea.Msg {
		record, err := d.engine.Item(d.ctx, id)
		if err != nil {
			return Loaded{Addr: to, Err: err}
		}
		history, err := d.engine.History(d.ctx, id, changes)
		return Loaded{to, record, history, err}
	}
}

// Paused answers Pause.
type Paused struct {
	screen.Addr
	Queue engine.QueueState
	Err   error
	undo  screen.Undo
}

// Finishes implements screen.Finisher.
func (Paused) Finishes() {}

// Pause pauses or resumes a queue.
func (d Desk) Pause(to screen.Addr, queue string, paused bool) tea.Cmd {
	return func() tea.Msg {
		state, err := d.engine.PauseQueue(d.ctx, queue, paused)
		p := Paused{Addr: to, Queue: state, Err: err}
		if !state.Unchanged { // else it is another's act, and not to be taken back here
			p.undo = d.unpause(queue, paused, state.PausedBy)
		}
		return p
	}
}

// unpause takes a pause or its end back, as long as the queue stands as that
// left it.
func (d Desk) unpause(queue string, paused bool, by string) screen.Undo {
	what := text.Clean("resumed " + queue)
	if paused {
		what = text.Clean("paused " + queue)
	}
	return screen.Undo{What: what, Cmd: func() tea.Msg {
		snap, err := d.engine.Watch(d.ctx, 0)
		if err != nil {
			return Undone{What: what, Err: err}
		}
		same := func(q engine.QueueState) bool { return q.Name == queue && q.Paused == paused && q.PausedBy == by }
		if !slices.ContainsFunc(snap.Queues, same) {
			return Undone{What: what, Err: changedSince("queue " + queue)}
		}
		_, err = d.engine.PauseQueue(d.ctx, queue, !paused)
		return Undone{What: what, Err: err}
	}}
}

// Tell implements screen.Teller.
func (p Paused) Tell() screen.Effects {
	if p.Err != nil {
		return Fail("pause or resume the queue", p.Err)
	}
	words := "Resumed " + p.Queue.Name
	switch {
	case p.Queue.Unchanged && p.Queue.Paused:
		words = p.Queue.Name + " has been paused already, by " + p.Queue.PausedBy
		return screen.Want(screen.Say{Toast: screen.Toast{Text: text.Clean(words)}})
	case p.Queue.Unchanged:
		return screen.Want(screen.Say{Toast: screen.Toast{Text: text.Clean(p.Queue.Name + " is not paused any more")}})
	case p.Queue.Paused:
		words = "Paused " + p.Queue.Name + ": what runs goes on, nothing new is taken"
	}
	return screen.Want(p.undo, screen.Say{Toast: screen.Toast{Level: screen.Good, Text: text.Clean(words), Undo: true}})
}

// Split answers SetPool.
type Split struct {
	screen.Addr
	State lane.State
	Err   error
	undo  screen.Undo
}

// Finishes implements screen.Finisher.
func (Split) Finishes() {}

// Tell implements screen.Teller.
func (s Split) Tell() screen.Effects {
	if s.Err != nil {
		return Fail("change the split", s.Err)
	}
	st := s.State
	words := fmt.Sprintf("Split applied: %s, fast %d-%d, slow %d-%d",
		text.Plural(int64(st.Pool), "slot"), st.Fast.First, st.Fast.Last, st.Slow.First, st.Slow.Last)
	closing := int64(0)
	for i := range st.Slots {
		if st.Slots[i].State == lane.Closing {
			closing++
		}
	}
	if closing > 0 {
		words += "; " + text.Plural(closing, "slot") + string(number(closing == 1, " closes when its work ends", " close when their work ends"))
	}
	return screen.Want(s.undo, screen.Say{Toast: screen.Toast{Level: screen.Good, Text: text.Safe(words), Undo: true}})
}

// SetPool changes the pool and its split; before is what it was.
func (d Desk) SetPool(to screen.Addr, req, before engine.SplitRequest) tea.Cmd {
	return func() tea.Msg {
		state, err := d.engine.SetPool(d.ctx, req)
		return Split{to, state, err, d.unsplit(splitOf(&state), before)}
	}
}

// unsplit takes a split back, as long as the pool stands as that left it.
func (d Desk) unsplit(left, before engine.SplitRequest) screen.Undo {
	const what = "the change of the split"
	return screen.Undo{What: what, Cmd: func() tea.Msg {
		snap, err := d.engine.Watch(d.ctx, 0)
		if err == nil && splitOf(&snap.Slots) != left {
			err = changedSince("the split")
		}
		if err == nil {
			_, err = d.engine.SetPool(d.ctx, before)
		}
		return Undone{What: what, Err: err}
	}}
}

func splitOf(s *lane.State) engine.SplitRequest {
	return engine.SplitRequest{Size: s.Pool, Fast: s.Fast.Reserve, Slow: s.Slow.Reserve, Auto: s.Auto}
}

// changedSince refuses to take back what somebody has changed again.
func changedSince(what string) error {
	return store.Conflict(what, "changed since", "look at it, and change it by hand if that is still wanted")
}
