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
	key, ok := msg.(screen.Key)
	if !ok || len(m.choices) == 0 {
		return screen.Effects{}
	}
	last := len(m.choices) - 1
	switch key.Action {
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
		if c := m.choices[m.at]; c.Refuse == "" {
			effects := screen.Want(screen.Close{})
			effects.Add(m.pick(e, c.Action))
			return effects
		}
	}
	return screen.Effects{}
}

// Draw implements screen.Dialog.
func (m *menu) Draw(e env.Env, w, h int) *paint.Canvas {
	names, what := 0, 30
	for _, c := range m.choices {
		names = max(names, text.Width(c.Name))
		what = max(what, text.Width(c.What), text.Width(c.Refuse))
	}
	inner := min(names+what+8, w-4)
	c := e.Canvas(inner, max(h-2, 1))
	for i, choice := range m.choices {
		role, words := themes.Text, choice.What
		if choice.Refuse != "" {
			role, words = themes.Disabled, choice.Refuse
		}
		if i == m.at {
			c.Raise(themes.Cursor)
			c.Put(themes.Accent, text.Safe(e.Glyphs.Cursor))
		}
		c.To(2)
		c.Fit(themes.Key, text.Safe(e.Keys.Label(choice.Action)), 4)
		c.Fit(role, choice.Name, names+2)
		c.Put(orMuted(role), words)
		c.End()
		c.Lower()
	}
	return Frame(e, m.title, c, w, h)
}

func orMuted(r themes.Role) themes.Role {
	if r == themes.Text {
		return themes.Muted
	}
	return r
}
