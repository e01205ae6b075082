package act

import (
	"cmp"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"signalbox/engine"
	"signalbox/keymap"
	"signalbox/store"
	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/screen"
	"signalbox/tui/text"
	"signalbox/tui/widget/dialog"
)

// QueueExplained answers ExplainQueue.
type QueueExplained struct {
	screen.Addr
	Queue engine.QueueState
	Next  engine.Explanation // of the item that waits longest; may be none
	Err   error
	desk  Desk
}

// ExplainQueue asks why a queue does not get on.
func (d Desk) ExplainQueue(to screen.Addr, q engine.QueueState) tea.Cmd {
	return func() tea.Msg {
		x := QueueExplained{Addr: to, Queue: q, desk: d}
		explainer, ok := d.engine.(Explainer)
		if !ok || q.Counts.Waiting() == 0 {
			return x
		}
		page, err := d.engine.List(d.ctx, engine.ListRequest{
			Queue: q.Name, Statuses: []store.Status{store.Queued, store.Pending}, Limit: 1,
		})
		if err == nil && len(page.Items) > 0 {
			x.Next, err = explainer.Explain(d.ctx, page.Items[0].ID())
		}
		x.Err = err
		return x
	}
}

// Show puts the explanation of a queue in front. What helps by a form is done by
// set, for the queue explained.
func (x QueueExplained) Show(e env.Env, set func(env.Env, keymap.Action) screen.Effects) screen.Effects {
	if x.Err != nil {
		return Fail("explain the queue", x.Err)
	}
	q := &x.Queue
	lines := []dialog.Line{{Role: themes.Muted, Text: text.Safe(fmt.Sprintf("%s waiting, %s running, %s abandoned",
		text.Count(q.Counts.Waiting()), text.Count(q.Counts.InFlight()), text.Count(q.Counts[store.Abandoned])))}, {}}
	reasons := queueReasons(e, q)
	for _, r := range append(reasons, x.next(reasons)...) {
		lines = append(lines, reasonLines(e, &r)...)
	}
	title := "Why queue " + text.Clean(q.Name) + " stands where it does"
	return screen.Want(screen.Ask{Dialog: dialog.NewNote(e, title, lines, x.helps(reasons, set)...)})
}

// helps are the keys that the reasons of a queue name.
func (x *QueueExplained) helps(reasons []engine.Reason, set func(env.Env, keymap.Action) screen.Effects) (helps []dialog.Help) {
	form := func(a keymap.Action, word text.Safe) dialog.Help {
		return dialog.Help{Action: a, Word: word, Do: func(e env.Env) screen.Effects { return set(e, a) }}
	}
	for i := range reasons {
		switch r := &reasons[i]; {
		case r.Code == "paused":
			helps = append(helps, x.desk.helpResume(x.Addr, x.Queue.Name))
		case r.Code == "consumer":
			helps = append(helps, form(keymap.QueueSet, "settings"))
		case r.Code == "empty" && r.Mend != "":
			helps = append(helps, form(keymap.Import, "import into it"))
		}
	}
	return helps
}

// helpResume is the key that resumes a queue. It never pauses one, whatever has
// become of it since.
func (d Desk) helpResume(to screen.Addr, queue string) dialog.Help {
	return dialog.Help{Action: keymap.Pause, Word: "resume the queue", Do: func(e env.Env) screen.Effects {
		if why := Barred(e, keymap.Pause, queue); why != "" {
			return screen.Want(screen.Say{Toast: screen.Toast{Level: screen.Warning, Text: text.Clean("Can't resume: " + why)}})
		}
		effects := screen.Do(d.Pause(to, queue, false))
		effects.Want(screen.Started{})
		return effects
	}}
}

// next is what holds up the next of its items, but for what is told of the queue.
func (x *QueueExplained) next(told []engine.Reason) []engine.Reason {
	reasons := slices.DeleteFunc(slices.Clone(x.Next.Reasons), func(r engine.Reason) bool {
		return slices.ContainsFunc(told, func(t engine.Reason) bool { return t.Code == r.Code })
	})
	if len(reasons) > 0 {
		reasons[0].Text = "its first item that waits, " + x.Next.Item.String() + ": " + reasons[0].Text
	}
	return reasons
}

// queueReasons tell what of a queue itself holds it up, or that nothing does.
func queueReasons(e env.Env, q *engine.QueueState) (reasons []engine.Reason) {
	add := func(r engine.Reason) { reasons = append(reasons, r) }
	if q.Paused {
		add(engine.Reason{Code: "paused", Text: "paused by " + cmp.Or(q.PausedBy, "somebody") + "; what is in flight goes on", Mend: e.Keys.Label(keymap.Pause) + " resumes it"})
	}
	if q.Locked != "" {
		add(engine.Reason{Code: "encrypted", Text: "no robot gets its items: " + q.Locked, Mend: "start the engine with SIGNALBOX_KEY_FILE"})
	}
	if q.ConsumerError != "" {
		add(engine.Reason{Code: "consumer", Text: "its consumer broke: " + q.ConsumerError, Mend: "mend it, or set another with " + e.Keys.Label(keymap.QueueSet)})
	}
	switch waiting := q.Counts.Waiting(); {
	case waiting == 0 && q.Counts.InFlight() == 0:
		add(engine.Reason{Code: "empty", Text: "nothing waits and nothing runs", Mend: e.Keys.Label(keymap.Import) + " brings a file into it"})
	case waiting == 0:
		add(engine.Reason{Code: "empty", Text: "nothing waits; all that is left of it runs"})
	case q.Delayed >= waiting:
		add(engine.Reason{Code: "retry", Text: "all " + text.Count(waiting) + " that wait are delayed, by a retry or a date", Until: q.NextAvailableAt})
	}
	return reasons
}
