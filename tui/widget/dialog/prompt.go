package dialog

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"signalbox/keymap"
	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/paint"
	"signalbox/tui/screen"
	"signalbox/tui/text"
	"signalbox/tui/widget/line"
)

// Prompt asks for a line of text.
type Prompt struct {
	Title text.Safe
	Label text.Safe
	// Default is what an empty field means; it is shown until something is
	// typed.
	Default string
	Late    bool
	Then    func(env.Env, string) screen.Effects
}

type prompt struct {
	Prompt
	grace Grace
	field line.Field
}

// NewPrompt makes the dialog.
func NewPrompt(e env.Env, p Prompt) screen.Dialog {
	return &prompt{Prompt: p, grace: NewGrace(e, p.Late), field: line.New("")}
}

// Scope implements screen.Dialog.
func (d *prompt) Scope() keymap.Scope { return keymap.Input }

// Update implements screen.Dialog. Pasted text is put in the field; it never
// applies it, whatever it contains.
func (d *prompt) Update(e env.Env, msg tea.Msg) screen.Effects {
	switch msg := msg.(type) {
	case screen.Key:
		switch {
		case msg.Action == keymap.Back:
			return screen.Want(screen.Close{})
		case d.grace.Swallows(e.Now):
		case msg.Action == keymap.Apply && d.answer() != "":
			effects := screen.Want(screen.Close{})
			effects.Add(d.Then(e, d.answer()))
			return effects
		}
	case screen.Typed:
		if !d.grace.Swallows(e.Now) {
			d.field.Press(msg.Press)
		}
	case screen.Pasted:
		d.field.Insert(msg.Text)
	}
	return screen.Effects{}
}

// answer is what was typed, or else what nothing means.
func (d *prompt) answer() string {
	if typed := strings.TrimSpace(d.field.Text()); typed != "" {
		return typed
	}
	return d.Default
}

// Draw implements screen.Dialog.
func (d *prompt) Draw(e env.Env, w, h int) *paint.Canvas {
	inner := widest([]text.Safe{d.Title + "  "}, 56, w-4)
	c := e.Canvas(inner, max(h-2, 1))
	c.Put(themes.Muted, d.Label+" ")
	if d.Default != "" && d.field.Text() == "" {
		d.field.Draw(e, c, 1)
		c.Put(themes.Muted, text.Clean(d.Default))
	} else {
		d.field.Draw(e, c, inner-c.Col())
	}
	c.End()
	if h > 6 {
		c.End()
	}
	hint(e, c, keymap.Apply, "apply")
	hint(e, c, keymap.Back, "leave it")
	c.End()
	return Frame(e, d.Title, c, w, h)
}

func hint(e env.Env, c *paint.Canvas, a keymap.Action, what text.Safe) {
	if c.Col() > 0 {
		c.Gap(3)
	}
	c.Put(themes.Key, text.Safe(e.Keys.LabelIn(keymap.Input, a)))
	c.Put(themes.Muted, " "+what)
}
