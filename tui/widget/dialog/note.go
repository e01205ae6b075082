package dialog

import (
	tea "charm.land/bubbletea/v2"

	"signalbox/keymap"
	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/paint"
	"signalbox/tui/screen"
	"signalbox/tui/text"
)

// Line is a line of a note.
type Line struct {
	Indent int
	Role   themes.Role
	Text   text.Safe
}

// hang is how far to the right a wrapped line goes on.
const hang = 2

// Help is a key that mends what a note tells of, with the word for it in the
// footer. Do must act on what the note names, not on what the screen shows by
// then.
type Help struct {
	Action keymap.Action
	Word   text.Safe
	Do     func(env.Env) screen.Effects
}

type note struct {
	title text.Safe
	lines []Line
	helps []Help
	grace Grace // for keys that help: the note comes late
	top   int
	last  int // the furthest that it can be turned, as last drawn
	page  int // the rows shown
}

// NewNote makes a dialog that tells something, and answers to the keys that help.
func NewNote(e env.Env, title text.Safe, lines []Line, helps ...Help) screen.Dialog {
	return &note{title: title, lines: lines, helps: helps, grace: NewGrace(e, true)}
}

// Scope implements screen.Dialog.
func (n *note) Scope() keymap.Scope {
	if len(n.helps) > 0 {
		return keymap.Why
	}
	return keymap.Menu
}

// Footer implements screen.Footing.
func (n *note) Footer(env.Env) []keymap.Action {
	actions := make([]keymap.Action, len(n.helps))
	for i := range n.helps {
		actions[i] = n.helps[i].Action
	}
	return append(actions, keymap.Open, keymap.Back)
}

// help is what an action does for what is told; nil where it does nothing.
func (n *note) help(a keymap.Action) *Help {
	for i := range n.helps {
		if n.helps[i].Action == a {
			return &n.helps[i]
		}
	}
	return nil
}

// Answers says that an action means something here.
func (n *note) Answers(a keymap.Action) bool {
	return n.help(a) != nil || a != keymap.Pause && a != keymap.QueueSet && a != keymap.Import
}

// Word implements screen.Wording.
func (n *note) Word(a keymap.Action) text.Safe {
	if a == keymap.Open {
		return "close"
	}
	if h := n.help(a); h != nil {
		return h.Word
	}
	return ""
}

// Update implements screen.Dialog.
func (n *note) Update(e env.Env, msg tea.Msg) screen.Effects {
	if wheel, ok := msg.(screen.Wheel); ok {
		n.turn(wheel.By)
	}
	key, ok := msg.(screen.Key)
	if !ok {
		return screen.Effects{}
	}
	switch key.Action {
	case keymap.Up:
		n.turn(-1)
	case keymap.Down:
		n.turn(1)
	case keymap.PageUp:
		n.turn(-n.page)
	case keymap.PageDown:
		n.turn(n.page)
	case keymap.Top:
		n.top = 0
	case keymap.Bottom:
		n.top = n.last
	case keymap.Back, keymap.Open:
		return screen.Want(screen.Close{})
	}
	h := n.help(key.Action)
	if h == nil || n.grace.Swallows(e.Now) {
		return screen.Effects{}
	}
	effects := screen.Want(screen.Close{})
	effects.Add(h.Do(e))
	return effects
}

func (n *note) turn(by int) { n.top = max(min(n.top+by, n.last), 0) }

// Draw implements screen.Dialog.
func (n *note) Draw(e env.Env, w, h int) *paint.Canvas {
	inner := min(76, w-4)
	var rows []Line
	for _, l := range n.lines {
		at := l.Indent
		for _, part := range paint.Wrap(l.Text, max(inner-l.Indent-hang, 1)) {
			rows = append(rows, Line{at, l.Role, part})
			at = l.Indent + hang
		}
	}
	body := e.Canvas(inner, max(h-2, 1))
	n.page, n.last = max(body.Height()-1, 1), max(len(rows)-body.Height(), 0)
	n.turn(0)
	for _, r := range rows[n.top:] {
		body.Gap(r.Indent)
		body.Text(r.Role, r.Text)
	}
	return Scrolled(e, n.title, body, n.last-n.top, w, h)
}
