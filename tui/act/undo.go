package act

import (
	"context"
	"fmt"

	"signalbox/engine"
	"signalbox/tui/screen"
	"signalbox/tui/text"

	tea "charm.land/bubbletea/v2"
)

// Undone answers what takes an act back. Nobody waits for it but the person.
type Undone struct {
	screen.Addr
	What text.Safe
	Err  error
	bulk uint64      // that did it, 0 for none
	back string      // how many of how many were, where there were more than one
	more []text.Safe // what could not be taken back, and why
}

// Finishes implements screen.Finisher.
func (Undone) Finishes() {}

// BulkID is the bulk act that has ended, 0 for none.
func (u Undone) BulkID() uint64 { return u.bulk }

// Tell implements screen.Teller.
func (u Undone) Tell() screen.Effects {
	if u.Err != nil {
		return Fail("take back: "+string(u.What), u.Err)
	}
	t := screen.Toast{Level: screen.Good, Text: "Taken back: " + u.What, More: u.more}
	switch {
	case len(u.more) > 0 && u.back != "":
		t.Level, t.Text = screen.Bad, text.Safe("Taken back "+u.back+": ")+u.What
	case len(u.more) > 0:
		t.Level, t.Text = screen.Bad, "Not taken back: "+u.What
	}
	return screen.Want(screen.Say{Toast: t})
}

// undo gives what takes a finished order back: nothing where nothing was done.
func (d Desk) undo(done *Done) screen.Undo {
	what := done.report()
	if b := done.Bulk; b != nil {
		if b.Done == 0 {
			return screen.Undo{}
		}
		id := b.ID
		return screen.Undo{What: what, Cmd: func() tea.Msg { return d.undoBulk(what, id) }}
	}
	if len(done.Outcomes) != 1 || done.Outcomes[0].Result != engine.OK {
		return screen.Undo{}
	}
	o := done.Outcomes[0]
	target := engine.Target{Item: o.Item, Revision: o.Revision}
	return screen.Undo{What: what, Cmd: func() tea.Msg { return d.undoOne(what, target) }}
}

func (d Desk) undoOne(what text.Safe, t engine.Target) tea.Msg {
	ctx, cancel := context.WithTimeout(d.ctx, answerWithin)
	defer cancel()
	outcomes, err := d.engine.Undo(ctx, engine.UndoRequest{Targets: []engine.Target{t}})
	return Undone{What: what, Err: unanswered(ctx, err), more: Count(outcomes, d.place).Trouble}
}

func (d Desk) undoBulk(what text.Safe, id uint64) tea.Msg {
	state, err := d.follow(engine.BulkRequest{Verb: engine.BulkUndo, Of: id})
	u := Undone{What: what, Err: err, bulk: state.ID, more: Count(state.Trouble, d.place).Trouble}
	if state.Done < state.Of {
		u.back = fmt.Sprintf("%s of %s", text.Count(int64(state.Done)), text.Count(int64(state.Of)))
	}
	return u
}
