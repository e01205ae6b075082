// Package palette is the command line of the console: whatever can be done is
// listed, found by typing, and completed.
package palette

import (
	tea "charm.land/bubbletea/v2"

	"signalbox/keymap"
	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/paint"
	"signalbox/tui/screen"
	"signalbox/tui/text"
	"signalbox/tui/widget/dialog"
	"signalbox/tui/widget/line"
)

// Entry is something that can be done.
type Entry struct {
	Words  text.Safe // what is typed for it, and what completion writes
	Also   string    // other words it is found by
	What   text.Safe // what it does
	Key    text.Safe // the key that does it too
	Refuse text.Safe // why it can't be done now, "" where it can
	Do     screen.Effects
}

// More gives entries that only what was typed makes possible: to go to the
// item named, to filter by the words.
type More func(typed string) []Entry

type palette struct {
	entries []Entry
	more    More
	field   line.Field
	fit     []Entry
	at, top int
	rows    int // shown last
}

// New makes the dialog.
func New(entries []Entry, more More) screen.Dialog {
	p := &palette{entries: entries, more: more}
	p.search()
	return p
}

// Scope implements screen.Dialog.
func (p *palette) Scope() keymap.Scope { return keymap.Command }

// Word implements screen.Wording.
func (p *palette) Word(a keymap.Action) text.Safe {
	switch a {
	case keymap.Apply:
		return "do it"
	case keymap.Complete:
		return "complete"
	}
	return ""
}

// Footer implements screen.Footing.
func (p *palette) Footer(env.Env) []keymap.Action {
	return []keymap.Action{keymap.Apply, keymap.Complete, keymap.Back}
}

func (p *palette) search() {
	typed := p.field.Text()
	p.fit = append(p.more(typed), rank(typed, p.entries)...)
	p.at, p.top = 0, 0
}

// Update implements screen.Dialog.
func (p *palette) Update(_ env.Env, msg tea.Msg) screen.Effects {
	switch msg := msg.(type) {
	case screen.Typed:
		if p.field.Press(msg.Press) {
			p.search()
		}
	case screen.Pasted:
		p.field.Insert(msg.Text)
		p.search()
	case screen.Wheel:
		p.move(msg.By)
	case screen.Click:
		if at := p.top + msg.Y - headLines; msg.Y >= headLines && at < len(p.fit) {
			p.at = at
			if msg.Twice {
				return p.run()
			}
		}
	case screen.Key:
		return p.key(msg.Action)
	}
	return screen.Effects{}
}

func (p *palette) key(a keymap.Action) screen.Effects {
	switch a {
	case keymap.Back:
		return screen.Want(screen.Close{})
	case keymap.Up:
		p.move(-1)
	case keymap.Down:
		p.move(1)
	case keymap.PageUp:
		p.move(-max(p.rows-1, 1))
	case keymap.PageDown:
		p.move(max(p.rows-1, 1))
	case keymap.Complete:
		if p.at < len(p.fit) {
			p.field.Set(string(p.fit[p.at].Words))
			p.search()
		}
	case keymap.Apply:
		return p.run()
	}
	return screen.Effects{}
}

func (p *palette) move(by int) { p.at = max(min(p.at+by, len(p.fit)-1), 0) }

func (p *palette) run() screen.Effects {
	if p.at >= len(p.fit) || p.fit[p.at].Refuse != "" {
		return screen.Effects{}
	}
	effects := screen.Want(screen.Close{})
	effects.Add(p.fit[p.at].Do)
	return effects
}

// headLines are the lines above the entries: the frame's, the field's, a rule.
const headLines = 3

// Draw implements screen.Dialog.
func (p *palette) Draw(e env.Env, w, h int) *paint.Canvas {
	inner := max(min(86, w-4), 1)
	p.rows = max(min(h-2-2, 16), 1)
	c := e.Canvas(inner, p.rows+2)
	c.Put(themes.Accent, ":")
	c.Gap(1)
	p.field.Draw(e, c, inner-2)
	c.End()
	c.Repeat(themes.Border, text.Safe(e.Glyphs.Line.H), inner)
	c.End()
	p.top = max(min(p.top, p.at), p.at-p.rows+1)
	p.top = max(min(p.top, len(p.fit)-p.rows), 0)
	names := 0
	for _, entry := range p.fit[p.top:min(p.top+p.rows, len(p.fit))] {
		names = max(names, text.Width(entry.Words))
	}
	names = min(names, inner/2)
	for i := p.top; i < min(p.top+p.rows, len(p.fit)); i++ {
		p.drawEntry(e, c, i, names)
	}
	if len(p.fit) == 0 {
		c.Gap(2)
		c.Text(themes.Muted, "Nothing is called so. esc leaves.")
	}
	c.Skip(c.Left()) // the box keeps its size while one types
	return dialog.Frame(e, "Command", c, w, h)
}

func (p *palette) drawEntry(e env.Env, c *paint.Canvas, i, names int) {
	entry := &p.fit[i]
	name, what, words := themes.Text, themes.Muted, entry.What
	if entry.Refuse != "" {
		name, what, words = themes.Disabled, themes.Disabled, entry.Refuse
	}
	if i == p.at {
		c.Raise(themes.Cursor)
		c.Put(themes.Accent, text.Safe(e.Glyphs.Cursor))
	}
	c.To(2)
	c.Fit(name, entry.Words, names)
	c.Gap(2)
	c.Fit(what, words, c.Width()-c.Col()-text.Width(entry.Key)-2)
	c.Gap(1)
	c.Put(themes.Key, entry.Key)
	c.End()
	c.Lower()
}
