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

type note struct {
	title text.Safe
	lines []Line
	top   int
	last  int // the furthest that it can be turned, as last drawn
	page  int // the rows shown
}

// NewNote makes a dialog that only tells something.
func NewNote(title text.Safe, lines []Line) screen.Dialog { return &note{title: title, lines: lines} }

// Scope implements screen.Dialog.
func (n *note) Scope() keymap.Scope { return keymap.Menu }

// Word implements screen.Wording.
func (n *note) Word(a keymap.Action) text.Safe {
	if a == keymap.Open {
		return "close"
	}
	return ""
}

// Update implements screen.Dialog.
func (n *note) Update(_ env.Env, msg tea.Msg) screen.Effects {
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
	return screen.Effects{}
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
	return Frame(e, n.title, body, w, h)
}
