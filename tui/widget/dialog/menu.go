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

// Choice is a line of a menu.
type Choice struct {
	Action keymap.Action
	Name   text.Safe
	What   text.Safe
	Refuse text.Safe // why it can't be chosen, "" when it can
}

type menu struct {
	title   text.Safe
	choices []Choice
	pick    func(env.Env, keymap.Action) screen.Effects
	at      int
	top     int // the first choice shown
	rows    int // and how many are
}

// NewMenu makes a menu. Choosing calls pick, which must act on what the title
// names: the screen below may have moved on since the menu was opened.
func NewMenu(title text.Safe, choices []Choice, pick func(env.Env, keymap.Action) screen.Effects) screen.Dialog {
	m := &menu{title: title, choices: choices, pick: pick}
	for i, c := range choices {
		if c.Refuse == "" {
			m.at = i
			break
		}
	}
	return m
}

// Scope implements screen.Dialog.
func (m *menu) Scope() keymap.Scope { return keymap.Menu }

// Update implements screen.Dialog.
func (m *menu) Update(e env.Env, msg tea.Msg) screen.Effects {
	if len(m.choices) == 0 {
		return screen.Effects{}
	}
	last := len(m.choices) - 1
	switch msg := msg.(type) {
	case screen.Wheel:
		m.at = max(min(m.at+msg.By, last), 0)
	case screen.Click:
		if y := msg.Y - 1; y >= 0 && y < m.rows {
			m.at = m.top + y
			if msg.Twice {
				return m.choose(e)
			}
		}
	case screen.Key:
		return m.key(e, msg.Action)
	}
	return screen.Effects{}
}

func (m *menu) key(e env.Env, a keymap.Action) screen.Effects {
	last := len(m.choices) - 1
	switch a {
	case keymap.Back:
		return screen.Want(screen.Close{})
	case keymap.Up:
		m.at = max(m.at-1, 0)
	case keymap.Down:
		m.at = min(m.at+1, last)
	case keymap.Top, keymap.PageUp:
		m.at = 0
	case keymap.Bottom, keymap.PageDown:
		m.at = last
	case keymap.Open:
		return m.choose(e)
	}
	return screen.Effects{}
}

func (m *menu) choose(e env.Env) screen.Effects {
	c := m.choices[m.at]
	if c.Refuse != "" {
		return screen.Effects{}
	}
	effects := screen.Want(screen.Close{})
	effects.Add(m.pick(e, c.Action))
	return effects
}

// Draw implements screen.Dialog. Where a line is too narrow for what it says,
// the words on the choice in hand stand below the list in full.
func (m *menu) Draw(e env.Env, w, h int) *paint.Canvas {
	names, what := 0, 30
	for i := range m.choices {
		names = max(names, text.Width(m.choices[i].Name))
		what = max(what, text.Width(m.choices[i].words()))
	}
	inner := max(min(names+what+8, w-4), 1)
	narrow := names+what+8 > inner
	c := e.Canvas(inner, max(h-2, 1))
	rows := c.Height()
	if narrow {
		rows = max(rows-hintLines-1, 1)
	}
	m.rows = min(rows, len(m.choices))
	m.top = max(min(m.top, m.at), m.at-m.rows+1, 0)
	for i := m.top; i < min(m.top+m.rows, len(m.choices)); i++ {
		m.drawChoice(e, c, i, names)
	}
	if narrow && m.at < len(m.choices) && c.Left() > 1 {
		c.End()
		for _, part := range paint.Wrap(m.choices[m.at].words(), max(inner-2, 1)) {
			c.Gap(2)
			c.Text(themes.Text, part)
		}
	}
	return Frame(e, m.title, c, w, h)
}

// hintLines is the room kept for the words on the choice in hand.
const hintLines = 2

func (m *menu) drawChoice(e env.Env, c *paint.Canvas, i, names int) {
	choice := &m.choices[i]
	role := themes.Text
	if choice.Refuse != "" {
		role = themes.Disabled
	}
	if i == m.at {
		c.Raise(themes.Cursor)
		c.Put(themes.Accent, text.Safe(e.Glyphs.Cursor))
	}
	c.To(2)
	c.Fit(themes.Key, text.Safe(e.Keys.Label(choice.Action)), 4)
	c.Fit(role, choice.Name, names+2)
	c.Fit(orMuted(role), choice.words(), c.Width()-c.Col())
	c.End()
	c.Lower()
}

// words say what a choice does, or why it can't be chosen.
func (c *Choice) words() text.Safe {
	if c.Refuse != "" {
		return c.Refuse
	}
	return c.What
}

func orMuted(r themes.Role) themes.Role {
	if r == themes.Text {
		return themes.Muted
	}
	return r
}
