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

// Option is a line to pick.
type Option struct {
	Name text.Safe
	What text.Safe
	On   bool
}

// Pick is a short list to pick from.
type Pick struct {
	Title   text.Safe
	Options []Option
	Many    bool // picking turns a line on or off, and the list stays
	// Note is what is to be said of a line as things stand, in at most Room
	// cells; may be nil.
	Note func(at int) text.Safe
	Room int
	Then func(e env.Env, at int, on bool) screen.Effects
}

type pick struct {
	Pick
	at int
}

// NewPick makes the dialog, with the cursor on the first line that is on.
func NewPick(p Pick) screen.Dialog {
	d := &pick{Pick: p}
	for i, o := range p.Options {
		if o.On && !p.Many {
			d.at = i
			break
		}
	}
	return d
}

// Scope implements screen.Dialog.
func (d *pick) Scope() keymap.Scope { return keymap.Menu }

// Word implements screen.Wording.
func (d *pick) Word(a keymap.Action) text.Safe {
	switch {
	case a == keymap.Open && d.Many:
		return "on or off"
	case a == keymap.Open:
		return "choose"
	case a == keymap.Back:
		return "close"
	}
	return ""
}

// Update implements screen.Dialog.
func (d *pick) Update(e env.Env, msg tea.Msg) screen.Effects {
	last := len(d.Options) - 1
	switch msg := msg.(type) {
	case screen.Wheel:
		d.at = max(min(d.at+msg.By, last), 0)
	case screen.Click:
		if at := msg.Y - 1; at >= 0 && at <= last {
			d.at = at
			return d.choose(e)
		}
	case screen.Key:
		switch msg.Action {
		case keymap.Back:
			return screen.Want(screen.Close{})
		case keymap.Up:
			d.at = max(d.at-1, 0)
		case keymap.Down:
			d.at = max(min(d.at+1, last), 0)
		case keymap.Top, keymap.PageUp:
			d.at = 0
		case keymap.Bottom, keymap.PageDown:
			d.at = max(last, 0)
		case keymap.Open:
			return d.choose(e)
		}
	}
	return screen.Effects{}
}

func (d *pick) choose(e env.Env) screen.Effects {
	if d.at >= len(d.Options) {
		return screen.Effects{}
	}
	o := &d.Options[d.at]
	if d.Many {
		o.On = !o.On
		return d.Then(e, d.at, o.On)
	}
	effects := screen.Want(screen.Close{})
	effects.Add(d.Then(e, d.at, true))
	return effects
}

// Draw implements screen.Dialog.
func (d *pick) Draw(e env.Env, w, h int) *paint.Canvas {
	names, what := text.Width(d.Title), 0
	for _, o := range d.Options {
		names, what = max(names, text.Width(o.Name)), max(what, text.Width(o.What))
	}
	what = max(what, d.Room)
	c := e.Canvas(max(min(names+what+9, w-4), 1), max(h-2, 1))
	top := max(min(d.at-c.Height()+1, len(d.Options)-c.Height()), 0)
	for i := top; i < len(d.Options) && c.Left() > 0; i++ {
		o := &d.Options[i]
		if i == d.at {
			c.Raise(themes.Cursor)
			c.Put(themes.Accent, text.Safe(e.Glyphs.Cursor))
		}
		c.To(2)
		if o.On {
			c.Put(themes.Mark, text.Safe(e.Glyphs.OK))
		}
		c.To(4)
		c.Fit(themes.Text, o.Name, names+2)
		c.Put(themes.Muted, o.What)
		if d.Note != nil {
			c.Put(themes.Muted, d.Note(i))
		}
		c.End()
		c.Lower()
	}
	return Scrolled(e, d.Title, c, len(d.Options)-top-c.Row(), w, h)
}
