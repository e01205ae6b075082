package act

import (
	"fmt"

	"signalbox/tui/env"
	"signalbox/tui/screen"
	"signalbox/tui/text"
	"signalbox/tui/widget/dialog"
)

// Begin sets an order going: at once where one row can be taken back, else
// after the words it needs are typed and the question is answered. Late says
// that the answer to a key press comes only now, so that keys already typed
// must not answer the question.
func (d Desk) Begin(e env.Env, to screen.Addr, o Order, late bool) screen.Effects {
	if e.ReadOnly {
		return Refuse(o.Verb, "this console is read-only")
	}
	if len(o.Targets) == 0 {
		return Refuse(o.Verb, "nothing is chosen")
	}
	if what := o.Verb.asks(); what != "" {
		return d.askWords(e, to, o, what, late)
	}
	return d.confirm(e, to, o, late)
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
	start := ""
	if o.Verb == Assign {
		start = e.Actor
	}
	question := dialog.Prompt{
		Title: o.Title(), Label: text.Safe(what), Start: start, Late: late,
		Then: func(e env.Env, typed string) screen.Effects {
			if o.Verb == Assign {
				o.Reviewer = typed
			} else {
				o.Note = typed
			}
			return d.confirm(e, to, o, false)
		},
	}
	return screen.Want(screen.Ask{Dialog: dialog.NewPrompt(e, question)})
}

func (d Desk) confirm(e env.Env, to screen.Addr, o Order, late bool) screen.Effects {
	run := func(env.Env) screen.Effects {
		effects := screen.Do(d.Run(to, o))
		effects.Want(screen.Started{})
		return effects
	}
	n := len(o.Targets)
	if n == 1 && o.Scope != Matching {
		return run(e)
	}
	question := dialog.Confirm{
		Title: o.Title() + "?", Lines: consequences(&o), Yes: text.Safe(o.Verb.Name()), Late: late, Then: run,
	}
	if n > typeAbove {
		question.Type = fmt.Sprint(n)
	}
	return screen.Want(screen.Ask{Dialog: dialog.NewConfirm(e, question)})
}

// consequences tells what a question is about, before the answer.
func consequences(o *Order) []text.Safe {
	var lines []text.Safe
	if o.Scope == Matching {
		lines = append(lines, o.Where, "")
	}
	switch o.Verb {
	case Retry:
		lines = append(lines, text.Safe("They go "+Retry.Means()+"."))
	case Verify:
		lines = append(lines, "They are then decided, and can no longer be retried.")
	case Assign:
		lines = append(lines, text.Clean("To "+o.Reviewer))
	default:
		lines = append(lines, text.Clean("\""+o.Note+"\""))
	}
	lines = append(lines, "")
	for _, name := range o.first() {
		lines = append(lines, "  "+name)
	}
	if more := len(o.Targets) - sample; more > 0 {
		lines = append(lines, text.Safe("  and "+text.Count(int64(more))+" more"))
	}
	if o.Hidden > 0 {
		lines = append(lines, "", text.Safe(fmt.Sprintf("%d of the marks are hidden by the filter.", o.Hidden)))
	}
	if o.Scope == Matching {
		lines = append(lines, "", "Exactly these, as they stand now; later arrivals stay untouched.")
	}
	return lines
}

// Tell reports a finished order.
func (d Done) Tell() screen.Effects {
	if d.Err != nil {
		return Fail(lowerFirst(d.Order.Verb.Name()), d.Err)
	}
	tally := Count(d.Outcomes)
	level := screen.Good
	if len(tally.Trouble) > 0 {
		level = screen.Bad
	}
	return screen.Want(screen.Say{Toast: screen.Toast{
		Level: level, Text: tally.Report(&d.Order, d.Outcomes, d.Arrived), More: tally.Trouble,
	}})
}

// Fail tells an error of an act; it stays until it is put away.
func Fail(what string, err error) screen.Effects {
	return screen.Want(screen.Say{Toast: screen.Toast{
		Level: screen.Bad, Text: text.Clean("Could not " + what + ": " + err.Error()),
	}})
}
