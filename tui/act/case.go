package act

import (
	"errors"
	"fmt"

	"signalbox/config"
	"signalbox/engine"
	"signalbox/keymap"
	"signalbox/store"
	"signalbox/tui/env"
	"signalbox/tui/screen"
	"signalbox/tui/text"
	"signalbox/tui/widget/dialog"
)

// Begin sets an order going: at once for one row that is not deleted, else
// after the words it needs are typed and the question is answered. Late says
// that the answer to a key press comes only now, so that keys already typed
// must not answer the question.
func (d Desk) Begin(e env.Env, to screen.Addr, o Order, late bool) screen.Effects {
	if why := barred(e, o.Verb.Action(), len(o.Targets), o.queues()...); why != "" {
		return Refuse(o.Verb, why)
	}
	if len(o.Targets) == 0 {
		return Refuse(o.Verb, "nothing is chosen")
	}
	if what := o.Verb.asks(); what != "" {
		return d.askWords(e, to, o, what, late)
	}
	return d.confirm(e, to, o, late)
}

// Barred says why an action can't be done now, on one thing of queues or on
// none, whatever that is; "" when it can.
func Barred(e env.Env, a keymap.Action, queues ...string) string { return barred(e, a, 1, queues...) }

// barred is Barred for an action on a number of items of queues.
func barred(e env.Env, a keymap.Action, n int, queues ...string) string {
	switch {
	case e.ReadOnly:
		return readOnly
	case e.Lost != nil:
		return "no engine answers since " + text.Clock(e.LostAt, e.Location()) +
			". Start one with `signalbox serve`; this console finds it by itself"
	}
	return forbidden(e, a, n, queues...)
}

// BarredMany says why a verb can't be used on many items now, "" when it can.
func BarredMany(e env.Env, v Verb, m Many) string { return barred(e, v.Action(), m.Items, m.Queues...) }

const readOnly = "this console is read-only"

// forbidden says why the person's settings don't allow an action, "" when they do.
func forbidden(e env.Env, a keymap.Action, n int, queues ...string) string {
	var on []config.Queue
	for _, name := range queues {
		q := config.Queue{Name: name}
		if known, ok := e.Queue(name); ok {
			q.Folders = append([]string{known.Folder}, known.Links...)
		}
		on = append(on, q)
	}
	if refused, ok := errors.AsType[*store.Error](e.Allow.Refuses(a, n, on...)); ok {
		return refused.Rule
	}
	return ""
}

// Refuse tells that a verb can't be used, and why.
func Refuse(v Verb, why string) screen.Effects {
	return screen.Want(screen.Say{Toast: screen.Toast{
		Level: screen.Warning, Text: text.Clean("Can't " + lowerFirst(v.Name()) + ": " + why),
	}})
}

func lowerFirst(s string) string {
	if s == "" {
		return "do that"
	}
	return string(s[0]|0x20) + s[1:]
}

func (d Desk) askWords(e env.Env, to screen.Addr, o Order, what string, late bool) screen.Effects {
	question := dialog.Prompt{
		Title: o.Title(), Label: text.Safe(what), Late: late,
		Then: func(e env.Env, typed string) screen.Effects {
			if o.Verb == Assign {
				o.Reviewer = typed
			} else {
				o.Note = typed
			}
			return d.confirm(e, to, o, false)
		},
	}
	if o.Verb == Assign {
		question.Default = e.Actor
	}
	return screen.Want(screen.Ask{Dialog: dialog.NewPrompt(e, question)})
}

func (d Desk) confirm(e env.Env, to screen.Addr, o Order, late bool) screen.Effects {
	run := func(_ env.Env, a dialog.Answer) screen.Effects {
		if a.Note != "" {
			o.Note = a.Note
		}
		o.First = a.First
		o.Rate, _ = engine.ParseRate(a.Rate) // the dialog took only one that can be read
		effects := screen.Do(d.Run(to, o))
		effects.Want(screen.Started{})
		return effects
	}
	n := len(o.Targets)
	if n == 1 && o.Scope != Matching && o.Verb != Delete {
		return run(e, dialog.Answer{})
	}
	question := dialog.Confirm{
		Title: o.Title() + "?", Lines: consequences(&o), Yes: text.Safe(o.Verb.Name()), Late: late,
		Noted: o.Verb.takesNote(), Then: run,
	}
	above := typeAbove
	if o.Verb == Delete {
		above = 0
	}
	if n > 1 {
		question.Pace = &dialog.Pace{Of: n, Above: above, Check: func(rate string) error {
			_, err := engine.ParseRate(rate)
			return err
		}}
	} else if n > above {
		question.Type = fmt.Sprint(n)
	}
	return screen.Want(screen.Ask{Dialog: dialog.NewConfirm(e, question)})
}

// consequences tells what a question is about, before the answer.
func consequences(o *Order) []text.Safe {
	var lines []text.Safe
	if o.Scope == Matching {
		lines = append(lines, o.Where[:min(sample, len(o.Where))]...)
		if more := len(o.Where) - sample; more > 0 {
			lines = append(lines, text.Safe("and "+text.Plural(int64(more), "more group")))
		}
		lines = append(lines, "")
	}
	one := len(o.Targets) == 1
	switch o.Verb {
	case Retry:
		lines = append(lines, number(one, "It goes ", "They go ")+text.Safe(Retry.Means()+"."))
	case Verify:
		lines = append(lines, number(one, "It is", "They are")+" then decided, and can no longer be retried.")
	case Clear:
		lines = append(lines, "Verdict, reviewer and note are taken back; "+number(one, "it waits", "they wait")+" for a decision again.")
	case Delete:
		lines = append(lines, number(one, "It is ", "They are ")+text.Safe(Delete.Means()+"."),
			number(one, "It can be brought back until something else has its reference.", "They can be brought back until something else has their references."))
	case Assign:
		lines = append(lines, text.Clean("To "+o.Reviewer))
	default:
		lines = append(lines, text.Clean("\""+o.Note+"\""))
	}
	lines = append(lines, "")
	for _, id := range o.Named {
		lines = append(lines, "  "+text.Clean(id.String()))
	}
	if more := len(o.Targets) - len(o.Named); more > 0 && len(o.Named) > 0 {
		lines = append(lines, text.Safe("  and "+text.Count(int64(more))+" more"))
	}
	switch {
	case o.Hidden == 1:
		lines = append(lines, "", "1 of the marks is hidden by the filter.")
	case o.Hidden > 1:
		lines = append(lines, "", text.Safe(fmt.Sprintf("%d of the marks are hidden by the filter.", o.Hidden)))
	}
	if o.Scope == Matching {
		lines = append(lines, "", "Exactly "+number(one, "this one, as it stands", "these, as they stand")+" now; later arrivals stay untouched.")
	}
	return lines
}

// number chooses the words for one or for more.
func number(one bool, single, plural text.Safe) text.Safe {
	if one {
		return single
	}
	return plural
}

// Tell reports a finished order.
func (d Done) Tell() screen.Effects {
	if d.Err != nil {
		return d.kept(Fail(lowerFirst(d.Order.Verb.Name()), d.Err))
	}
	tally := d.tally()
	t := screen.Toast{Level: screen.Good, Text: d.report(), More: tally.Trouble, Undo: d.undo.Cmd != nil}
	if len(tally.Trouble) > 0 || d.Bulk != nil && d.Bulk.State == engine.BulkFailed {
		t.Level = screen.Bad
	}
	if d.Order.File != "" && tally.OK == 0 {
		t.More = append(t.More, "Your edit is kept in "+text.Clean(d.Order.File))
	}
	var effects screen.Effects
	if tally.OK > 0 {
		effects.Want(d.undo)
	}
	effects.Want(screen.Say{Toast: t})
	return effects
}

// kept adds to a report where an edit that was not taken stands.
func (d *Done) kept(told screen.Effects) screen.Effects {
	for i, intent := range told.Intents {
		if say, ok := intent.(screen.Say); ok && d.Order.File != "" {
			say.Toast.More = append(say.Toast.More, "Your edit is kept in "+text.Clean(d.Order.File))
			told.Intents[i] = say
		}
	}
	return told
}

// Fail tells an error of an act in words: what could not be done, why, and
// what helps. It stays until it is put away.
func Fail(what string, err error) screen.Effects {
	t := screen.Toast{Level: screen.Bad, Text: text.Clean("Could not " + what + ": " + err.Error())}
	if e, ok := errors.AsType[*store.Error](err); ok {
		bare := *e
		bare.Mend = ""
		t.Text = text.Clean("Could not " + what + ": " + bare.Error())
		if e.Code == store.CodeUnavailable {
			t.Text = text.Clean("Could not " + what + ": no engine answered, so it may or may not have been done. Look before you try again.")
			t.More = append(t.More, text.Clean(bare.Error()))
		}
		if e.Mend != "" {
			t.More = append(t.More, text.Clean("What helps: "+e.Mend))
		}
	}
	return screen.Want(screen.Say{Toast: t})
}

// GroupWords name the items of a group as a filter does, with their reason.
func GroupWords(g *store.Group) string {
	words := "status:" + g.Status.String()
	if g.Kind != "" && g.Status == store.Failed {
		words += " kind:" + g.Kind
	}
	return words + " queue:" + g.Queue + " reason: " + g.Text
}
