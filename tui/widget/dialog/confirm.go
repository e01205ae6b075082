package dialog

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"signalbox/keymap"
	"signalbox/tui/env"
	"signalbox/tui/screen"
	"signalbox/tui/text"
	"signalbox/tui/widget/line"
)

// Confirm is a question that a person must say yes to.
type Confirm struct {
	Title text.Safe
	Lines []text.Safe
	Yes   text.Safe // what the button that acts says
	Type  string    // what must be typed to go ahead, "" for nothing
	Noted bool      // a note may go with it
	Pace  *Pace     // it is about many, of which fewer or slower may be asked for
	Late  bool      // no key press opened it
	Then  func(env.Env, Answer) screen.Effects
}

// Pace offers to act on the first of many only, and at a rate.
type Pace struct {
	Of int // how many there are
	// Above is with more than how many their number must be typed: that of
	// those that are asked for.
	Above int
	Check func(rate string) error
}

// Answer is what a person said besides yes.
type Answer struct {
	Note  string
	First int    // 0 = all
	Rate  string // "" = as fast as it goes
}

// part is what of a question has the keyboard. They follow each other as they
// stand on the screen, the buttons before and after all others.
type part uint8

const (
	buttons part = iota // or what must be typed
	first
	rate
	noting
	parts
)

type confirm struct {
	Confirm
	grace   Grace
	fields  [parts]line.Field
	at      part
	yes     bool      // the button in focus
	problem text.Safe // with what was typed
}

// NewConfirm makes the dialog.
func NewConfirm(e env.Env, c Confirm) screen.Dialog {
	return &confirm{Confirm: c, grace: NewGrace(e, c.Late)}
}

// Scope implements screen.Dialog.
func (d *confirm) Scope() keymap.Scope {
	if d.typing() != "" || d.at != buttons {
		return keymap.Input
	}
	return keymap.Dialog
}

// Word implements screen.Wording: enter means what the button in focus does.
func (d *confirm) Word(a keymap.Action) text.Safe {
	switch {
	case a == keymap.NextPane && d.at == buttons:
		return "more"
	case a == keymap.NextPane:
		return "next"
	case a != keymap.Apply:
		return ""
	case d.at == noting:
		return "keep the note"
	case d.at != buttons:
		return "keep it"
	case d.yes || d.typing() != "":
		return text.Safe(strings.ToLower(string(d.Yes)))
	}
	return "no"
}

// Update implements screen.Dialog.
func (d *confirm) Update(e env.Env, msg tea.Msg) screen.Effects {
	switch msg := msg.(type) {
	case screen.Key:
		if msg.Action == keymap.Back {
			return screen.Want(screen.Close{})
		}
		if !d.grace.Swallows(e.Now) {
			return d.key(e, msg.Action)
		}
	case screen.Typed:
		if !d.grace.Swallows(e.Now) && d.fields[d.at].Press(msg.Press) {
			d.problem = ""
		}
	case screen.Pasted:
		if d.at == noting {
			d.fields[noting].Insert(msg.Text)
		}
	}
	return screen.Effects{}
}

func (d *confirm) key(e env.Env, a keymap.Action) screen.Effects {
	if d.at != buttons || d.offers(a) {
		d.turn(a)
		return screen.Effects{}
	}
	switch a {
	case keymap.No:
		return screen.Want(screen.Close{})
	case keymap.Yes:
		return d.accept(e)
	case keymap.Left, keymap.Right, keymap.NextPane, keymap.PrevPane:
		d.yes = !d.yes
	case keymap.Apply:
		if d.yes || d.typing() != "" {
			return d.accept(e)
		}
		return screen.Want(screen.Close{})
	}
	return screen.Effects{}
}

// offers says that a key leads from the buttons to a field.
func (d *confirm) offers(a keymap.Action) bool {
	switch a {
	case keymap.Note:
		return d.Noted
	case keymap.NextPane, keymap.PrevPane:
		return d.Noted || d.Pace != nil
	}
	return false
}

// turn goes on to another field, unless the one in hand holds nonsense.
func (d *confirm) turn(a keymap.Action) {
	if d.problem = d.wrong(d.at); d.problem != "" {
		return
	}
	if a == keymap.Note && d.at == buttons {
		d.at = noting
		return
	}
	if a == keymap.Apply {
		d.at = buttons
		return
	}
	by := part(1)
	if a == keymap.PrevPane {
		by = parts - 1
	}
	for d.at = (d.at + by) % parts; !d.has(d.at); {
		d.at = (d.at + by) % parts
	}
}

func (d *confirm) has(p part) bool {
	switch p {
	case noting:
		return d.Noted
	case first, rate:
		return d.Pace != nil
	}
	return true
}

// wrong says what is wrong with what a field holds.
func (d *confirm) wrong(p part) text.Safe {
	words := d.words(p)
	switch {
	case words == "":
	case p == first:
		if n, err := strconv.Atoi(words); err != nil || n < 1 {
			return text.Safe("write 1 to " + strconv.Itoa(d.Pace.Of))
		}
	case p == rate:
		if err := d.Pace.Check(words); err != nil {
			return "write it as 50/s"
		}
	}
	return ""
}

func (d *confirm) words(p part) string { return strings.TrimSpace(d.fields[p].Text()) }

// count is how many would be acted on.
func (d *confirm) count() int {
	if n, err := strconv.Atoi(d.words(first)); err == nil && n > 0 {
		return min(n, d.Pace.Of)
	}
	return d.Pace.Of
}

// typing is what must be typed to go ahead.
func (d *confirm) typing() string {
	switch {
	case d.Pace == nil:
		return d.Type
	case d.count() > d.Pace.Above:
		return strconv.Itoa(d.count())
	}
	return ""
}

// accept goes ahead, unless the count has yet to be typed.
func (d *confirm) accept(e env.Env) screen.Effects {
	if want := d.typing(); want != "" && strings.ReplaceAll(d.words(buttons), ",", "") != want {
		return screen.Effects{}
	}
	answer := Answer{Note: d.words(noting), Rate: d.words(rate)}
	if d.Pace != nil && d.count() < d.Pace.Of {
		answer.First = d.count()
	}
	effects := screen.Want(screen.Close{})
	effects.Add(d.Then(e, answer))
	return effects
}
