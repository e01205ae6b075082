package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"signalbox/engine"
	"signalbox/tui/act"
	"signalbox/tui/screen"
	"signalbox/tui/text"
)

// Least time between two pictures, so that a busy engine does not make the
// console busy too.
const (
	focusedGap = 250 * time.Millisecond
	blurredGap = time.Second
	retryGap   = 2 * time.Second // after a failed try
)

// feed brings snapshots in: one command in flight, none while frozen.
type feed struct {
	ctx     context.Context
	engine  act.Engine
	after   uint64
	err     error
	frozen  bool
	waiting bool             // a command is in flight
	kept    *engine.Snapshot // came while frozen
	since   uint64           // revision shown when frozen
	stopped time.Time        // when it was frozen
	told    uint64           // the newest notice shown
}

// fedMsg is the feed's answer.
type fedMsg struct {
	snap *engine.Snapshot
	err  error
}

// next waits out the gap and then for news.
func (f *feed) next(focused bool) tea.Cmd {
	if f.waiting || f.frozen {
		return nil
	}
	gap := focusedGap
	switch {
	case f.err != nil:
		gap = retryGap
	case f.after == 0:
		gap = 0
	case !focused:
		gap = blurredGap
	}
	f.waiting = true
	ctx, source, after := f.ctx, f.engine, f.after
	if f.err != nil {
		after = 0 // the engine may be the same, and have no news
	}
	return func() tea.Msg {
		if !sleep(ctx, gap) {
			return nil
		}
		snap, err := source.Watch(ctx, after)
		if ctx.Err() != nil {
			return nil
		}
		return fedMsg{snap, err}
	}
}

func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// fed takes in a snapshot, or keeps it while the picture is frozen.
func (a *app) fed(msg fedMsg) tea.Cmd {
	f := &a.feed
	f.waiting = false
	if f.frozen {
		if msg.snap != nil {
			f.kept = msg.snap
		}
		return nil
	}
	a.dirty = true
	if msg.err != nil && a.env.Lost == nil {
		a.env.LostAt = a.env.Now
	}
	back := msg.err == nil && a.env.Lost != nil
	f.err, a.env.Lost = msg.err, msg.err
	var cmd tea.Cmd
	if msg.err == nil && msg.snap != nil {
		if back {
			f.told = newest(msg.snap.Notices) // what was missed is in the history
			a.toasts.Add(screen.Toast{Level: screen.Good, Text: "The engine answers again"}, a.env.Now)
		}
		cmd = a.show(msg.snap)
	}
	return tea.Batch(cmd, a.ask())
}

// ask has the feed wait for the next snapshot.
func (a *app) ask() tea.Cmd {
	if a.still {
		return nil
	}
	return a.guarded(a.feed.next(a.env.Focused))
}

// show makes a snapshot the picture and tells the screen in front.
func (a *app) show(snap *engine.Snapshot) tea.Cmd {
	before := a.env.Snap
	first := before == nil
	a.feed.after = snap.Revision
	a.env.Snap = snap
	a.bulksLost(before)
	a.speeds.Take(snap, a.env.Now)
	ring := a.announce(snap.Notices, first)
	if snap.ReadOnly {
		a.env.ReadOnly = true
	}
	return tea.Batch(ring, a.apply(a.top().Update(a.env, screen.Fed{})))
}

// announce shows the newest of what the engine wants told, with the number of the
// others, and rings when a job of this person has ended. What it told before the
// console came is in the history.
func (a *app) announce(notices []engine.Notice, first bool) (ring tea.Cmd) {
	var toast screen.Toast
	others := int64(-1)
	for i := range notices {
		n := &notices[i]
		if n.Seq <= a.feed.told {
			continue
		}
		gone := int64(n.Seq - a.feed.told - 1) // the engine keeps only so many
		a.feed.told = n.Seq
		if first || !a.concerns(n) {
			continue
		}
		others += 1 + gone
		if n.Level != "info" {
			toast.Level = screen.Warning
		}
		if n.Job != "" && n.For != "" {
			ring = bell()
		}
		toast.Text = text.Clean(n.Text)
	}
	if others > 0 {
		toast.More = []text.Safe{text.Safe("and " + text.Plural(others, "more notice") + "; the events have them all")}
	}
	if toast.Text != "" {
		a.toasts.Add(toast, a.env.Now)
	}
	return ring
}

// newest is the number of the newest notice.
func newest(notices []engine.Notice) uint64 {
	if len(notices) == 0 {
		return 0
	}
	return notices[len(notices)-1].Seq
}

func (f *feed) freeze(now time.Time) {
	f.frozen, f.since, f.stopped = true, f.after, now
}

// release ends the freeze and says what has been missed.
func (a *app) release() tea.Cmd {
	f := &a.feed
	f.frozen = false
	a.dirty = true
	var cmd tea.Cmd
	if f.kept != nil {
		cmd = a.show(f.kept)
		f.kept = nil
	}
	words := text.Safe("Nothing changed while frozen")
	if n := f.after - f.since; n > 0 {
		words = text.Safe(text.Plural(int64(n), "change")) + " while frozen"
	}
	a.toasts.Add(screen.Toast{Text: words}, a.env.Now)
	return tea.Batch(cmd, a.ask())
}
