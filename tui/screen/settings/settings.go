// Package settings is the page of the person's settings. Each change shows at
// once; what is not saved lasts as long as the console.
package settings

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"signalbox/keymap"
	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/paint"
	"signalbox/tui/screen"
	"signalbox/tui/text"
	"signalbox/tui/widget/dialog"
)

// Setting is one of the settings and what it may be.
type Setting struct {
	Name   string
	Label  text.Safe
	Values []string
	Now    string
	Help   func(value string) text.Safe
}

type page struct {
	rows   []Setting
	before []string // to go back to
	file   text.Safe
	at     int
}

// New makes the dialog; file is where settings are kept, "" for nowhere.
func New(rows []Setting, file text.Safe) screen.Dialog {
	p := &page{rows: rows, file: file}
	for _, r := range rows {
		p.before = append(p.before, r.Now)
	}
	return p
}

// Scope implements screen.Dialog.
func (p *page) Scope() keymap.Scope { return keymap.Dialog }

// Word implements screen.Wording.
func (p *page) Word(a keymap.Action) text.Safe {
	switch a {
	case keymap.Apply, keymap.Yes:
		return "save"
	case keymap.Back, keymap.No:
		return "as before"
	case keymap.Left, keymap.Right:
		return "change"
	}
	return ""
}

// Footer implements screen.Footing.
func (p *page) Footer(env.Env) []keymap.Action {
	return []keymap.Action{keymap.Right, keymap.Apply, keymap.Back} // the lines themselves show both arrows
}

// Update implements screen.Dialog.
func (p *page) Update(_ env.Env, msg tea.Msg) screen.Effects {
	switch msg := msg.(type) {
	case screen.Wheel:
		p.at = max(min(p.at+msg.By, len(p.rows)-1), 0)
	case screen.Click:
		if at := msg.Y - 1; at >= 0 && at < len(p.rows) {
			p.at = at
			return p.turn(1)
		}
	case screen.Key:
		return p.key(msg.Action)
	}
	return screen.Effects{}
}

func (p *page) key(a keymap.Action) screen.Effects {
	switch a {
	case keymap.Back, keymap.No:
		return p.revert()
	case keymap.Up, keymap.PrevPane:
		p.at = max(p.at-1, 0)
	case keymap.Down, keymap.NextPane:
		p.at = min(p.at+1, len(p.rows)-1)
	case keymap.Left:
		return p.turn(-1)
	case keymap.Right:
		return p.turn(1)
	case keymap.Apply, keymap.Yes:
		return screen.Want(screen.Close{}, screen.Save{})
	}
	return screen.Effects{}
}

// turn gives the setting in hand its next value.
func (p *page) turn(by int) screen.Effects {
	r := &p.rows[p.at]
	n := len(r.Values)
	r.Now = r.Values[(slices.Index(r.Values, r.Now)+by+n)%n]
	return screen.Want(screen.Set{Name: r.Name, Value: r.Now})
}

// revert sets everything as it was.
func (p *page) revert() screen.Effects {
	effects := screen.Want(screen.Close{})
	for i, r := range p.rows {
		if r.Now != p.before[i] {
			effects.Want(screen.Set{Name: r.Name, Value: p.before[i]})
		}
	}
	return effects
}

// Draw implements screen.Dialog.
func (p *page) Draw(e env.Env, w, h int) *paint.Canvas {
	inner := max(min(72, w-4), 1)
	c := e.Canvas(inner, max(h-2, 1))
	labels, values := 0, 0
	for _, r := range p.rows {
		labels = max(labels, text.Width(r.Label))
		for _, v := range r.Values {
			values = max(values, text.Width(shown(v)))
		}
	}
	for i := range p.rows {
		p.drawRow(e, c, i, labels, min(values, 16))
	}
	if h > len(p.rows)+5 {
		c.End()
		for _, part := range paint.Wrap(p.rows[p.at].Help(p.rows[p.at].Now), inner-2) {
			c.Gap(2)
			c.Text(themes.Muted, part)
		}
		words := "Saved in " + p.file
		if p.file == "" {
			words = "There is no file to save them in; they last as long as this console."
		}
		c.End()
		c.Gap(2)
		c.Text(themes.Muted, text.Truncate(words, inner-2, e.Glyphs.Ellipsis))
	}
	return dialog.Frame(e, "Settings", c, w, h)
}

func (p *page) drawRow(e env.Env, c *paint.Canvas, i, labels, values int) {
	r := &p.rows[i]
	if i == p.at {
		c.Raise(themes.Cursor)
		c.Put(themes.Accent, text.Safe(e.Glyphs.Cursor))
	}
	c.To(2)
	c.Fit(themes.Text, r.Label, labels+3)
	c.Put(themes.Muted, text.Safe(e.Glyphs.Left)+" ")
	role := themes.Text
	if r.Now != p.before[i] {
		role = themes.Accent
	}
	c.Fit(role, shown(r.Now), values)
	c.Put(themes.Muted, " "+text.Safe(e.Glyphs.Right))
	c.End()
	c.Lower()
}

// shown is how a value reads; what follows from the terminal has none.
func shown(v string) text.Safe {
	if v == "" {
		return "automatic"
	}
	return text.Clean(v)
}
