package act

import (
	"maps"

	tea "charm.land/bubbletea/v2"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/screen"
	"signalbox/tui/text"
)

// remembered is the most items whose reviews are read before they are changed,
// so that undo can bring them back as they were. Of more, undo clears them.
const remembered = 200

// Undone answers what takes an act back. Nobody waits for it but the person.
type Undone struct {
	screen.Addr
	What text.Safe
	Err  error
	more []text.Safe // what could not be taken back, and why
}

// Finishes implements screen.Finisher.
func (Undone) Finishes() {}

// Tell implements screen.Teller.
func (u Undone) Tell() screen.Effects {
	if u.Err != nil {
		return Fail("take back: "+string(u.What), u.Err)
	}
	t := screen.Toast{Level: screen.Good, Text: "Taken back: " + u.What, More: u.more}
	if len(u.more) > 0 {
		t.Level, t.Text = screen.Bad, "Not all taken back: "+u.What
	}
	return screen.Want(screen.Say{Toast: t})
}

// never is the undo of what can't be undone, so that u does not take back
// something older in its place.
func never(what text.Safe) screen.Undo { return screen.Undo{What: what} }

// undo gives what takes an order back: for a review, the review as it was.
func (d Desk) undo(o *Order, outcomes []engine.Outcome, prior map[store.ID]store.Review, what text.Safe) screen.Undo {
	if o.Verb.review() == "" {
		return never(what)
	}
	var targets []engine.Target
	for i, done := range outcomes {
		if done.Result == engine.OK {
			targets = append(targets, after(o.Targets[i]))
		}
	}
	if len(targets) == 0 {
		return screen.Undo{}
	}
	return screen.Undo{What: what, Cmd: func() tea.Msg {
		more, err := d.restore(targets, prior, "took back: "+string(what))
		return Undone{What: what, Err: err, more: more}
	}}
}

// after is a target as an act of ours left it: every act moves an item's
// revision on by one.
func after(t engine.Target) engine.Target {
	if t.Revision != 0 {
		t.Revision++
	}
	return t
}

// restore clears reviews and writes those that had been there before.
func (d Desk) restore(targets []engine.Target, prior map[store.ID]store.Review, note string) (more []text.Safe, err error) {
	outcomes, err := d.engine.Review(d.ctx, engine.ReviewRequest{Targets: targets, Action: engine.Clear, Note: note})
	if err != nil {
		return nil, err
	}
	more = Count(outcomes).Trouble
	again := map[store.Review][]engine.Target{}
	for i, done := range outcomes {
		if was := prior[done.Item]; done.Result == engine.OK && was != (store.Review{}) {
			was.At = 0
			again[was] = append(again[was], after(targets[i]))
		}
	}
	for was := range maps.Keys(again) {
		req := engine.ReviewRequest{Targets: again[was], Reviewer: was.Reviewer, Note: was.Note}
		switch was.Status {
		case store.InReview:
			req.Action = engine.Assign
		case store.Verified:
			req.Action = engine.Verify
		default:
			if req.Action = engine.Note; was.Note == "" {
				continue
			}
		}
		outcomes, err := d.engine.Review(d.ctx, req)
		if err != nil {
			return more, err
		}
		more = append(more, Count(outcomes).Trouble...)
	}
	return more[:min(len(more), sample)], nil
}

// reviews reads the reviews that an order is about to change.
func (d Desk) reviews(o *Order) map[store.ID]store.Review {
	if o.Verb.review() == "" || len(o.Targets) > remembered {
		return nil
	}
	prior := map[store.ID]store.Review{}
	for _, t := range o.Targets {
		record, err := d.engine.Item(d.ctx, t.Item)
		if err != nil {
			continue // the act will answer for it
		}
		if record.Review != (store.Review{}) {
			prior[t.Item] = record.Review
		}
	}
	return prior
}
