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

// Confirm is a question that a person must say yes to.
type Confirm struct {
	Title text.Safe
	Lines []text.Safe
	Yes   text.Safe // what the button that acts says
	Type  string    // what must be typed to go ahead, "" for nothing
	Noted bool      // a note may go with it
	Late  bool      // no key press opened it
	Then  func(e env.Env, note string) screen.Effects
}

type confirm struct {
	Confirm
	grace  Grace
	field  line.Field
	note   line.Field
	noting bool // the note has the keyboard
	yes    bool // the button in focus
}

// NewConfirm makes the dialog.
func NewConfirm(e env.Env, c Confirm) screen.Dialog {
	return &confirm{Confirm: c, grace: NewGrace(e, c.Late)}
}

// Scope implements screen.Dialog.
func (d *confirm) Scope() keymap.Scope {
	if d.Type != "" || d.noting {
		return keymap.Input
	}
	return keymap.Dialog
}

// Word implements screen.Wording: enter means what the button in focus does.
func (d *confirm) Word(a keymap.Action) text.Safe {
	switch {
	case a != keymap.Apply:
		return ""
	case d.noting:
		return "keep the note"
	case d.yes || d.Type != "":
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
		if !d.grace.Swallows(e.Now) {
			d.focus().Press(msg.Press)
		}
	case screen.Pasted:
		if d.noting {
			d.note.Insert(msg.Text)
		}
	}
	return screen.Effects{}
}

// focus is the field that has the keyboard.
func (d *confirm) focus() *line.Field {
	if d.noting {
		return &d.note
	}
	return &d.field
}

func (d *confirm) key(e env.Env, a keymap.Action) screen.Effects {
	turn := a == keymap.NextPane || a == keymap.PrevPane
	switch {
	case d.noting && (turn || a == keymap.Apply):
		d.noting = false
		return screen.Effects{}
	case d.Noted && (a == keymap.Note || turn):
		d.noting = true
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
		if d.yes || d.Type != "" {
			return d.accept(e)
		}
		return screen.Want(screen.Close{})
	}
	return screen.Effects{}
}

// accept goes ahead, unless the count has yet to be typed.
func (d *confirm) accept(e env.Env) screen.Effects {
	if d.Type != "" && d.field.Text() != d.Type {
		return screen.Effects{}
	}
	effects := screen.Want(screen.Close{})
	effects.Add(d.Then(e, strings.TrimSpace(d.note.Text())))
	return effects
}

// Draw implements screen.Dialog.
func (d *confirm) Draw(e env.Env, w, h int) *paint.Canvas {
	inner := widest(append([]text.Safe{d.Title + "  "}, d.Lines...), 40, w-4)
	body := e.Canvas(inner, max(h-2, 1))
	room := max(h-5, 0)
	if d.Noted {
		room = max(room-2, 0)
	}
	for _, part := range fitted(d.Lines, inner, room, e.Glyphs.Ellipsis) {
		body.Text(themes.Text, part)
	}
	if h > 6 {
		body.End()
	}
	if d.Noted {
		d.drawNote(e, body)
		if h > 6 {
			body.End()
		}
	}
	if d.Type != "" {
		d.drawTyping(e, body)
	} else {
		d.drawButtons(e, body)
	}
	return Frame(e, d.Title, body, w, h)
}

// fitted breaks lines to a width and makes them fit a height: blank ones go
// first, then the last ones, for which a mark stands.
func fitted(lines []text.Safe, w, h int, tail string) []text.Safe {
	var all, full []text.Safe
	for _, l := range lines {
		parts := paint.Wrap(l, w)
		all = append(all, parts...)
		if l != "" {
			full = append(full, parts...)
		}
	}
	if len(all) <= h {
		return all
	}
	if len(full) > h {
		full = full[:max(h, 0)]
		if h > 0 {
			full[h-1] = text.Safe(tail)
		}
	}
	return full
}

func (d *confirm) drawTyping(e env.Env, c *paint.Canvas) {
	c.Put(themes.Text, text.Safe("Type "+d.Type+" to go ahead: "))
	if d.noting {
		c.Put(themes.Muted, text.Clean(d.field.Text()))
	} else {
		d.field.Draw(e, c, len(d.Type)+2)
	}
	c.End()
}

// drawNote writes the note, or the key that begins one.
func (d *confirm) drawNote(e env.Env, c *paint.Canvas) {
	switch {
	case d.noting:
		c.Put(themes.Muted, "Note ")
		d.note.Draw(e, c, c.Width()-c.Col())
	case d.note.Text() != "":
		c.Put(themes.Muted, "Note ")
		c.Put(themes.Text, text.Truncate(text.Clean(d.note.Text()), c.Width()-c.Col(), e.Glyphs.Ellipsis))
	default:
		key := e.Keys.LabelIn(d.Scope(), keymap.Note)
		if key == "" {
			key = e.Keys.LabelIn(d.Scope(), keymap.NextPane)
		}
		c.Put(themes.Key, text.Safe(key))
		c.Put(themes.Muted, " adds a note")
	}
	c.End()
}

func (d *confirm) drawButtons(e env.Env, c *paint.Canvas) {
	button(e, c, "No", keymap.No, !d.yes)
	c.Gap(3)
	button(e, c, d.Yes, keymap.Yes, d.yes)
	c.End()
}

func button(e env.Env, c *paint.Canvas, label text.Safe, a keymap.Action, focus bool) {
	if focus {
		c.Raise(themes.Selection)
		c.Put(themes.Text, text.Safe(e.Glyphs.Focus)+" "+label+" ")
		c.Lower()
	} else {
		c.Put(themes.Text, "  "+label+" ")
	}
	c.Put(themes.Muted, " "+text.Safe(e.Keys.LabelIn(keymap.Dialog, a)))
}
