// Package filterbar is the line in which rows are filtered, and which shows
// what they are filtered by and what is wrong with that.
package filterbar

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
	"signalbox/tui/widget/table"
)

// Bar is a filter and the field to type it in. Its zero value filters nothing.
type Bar struct {
	field  line.Field
	typing bool
	before string // what esc goes back to
	err    error
}

// Typing says that the keyboard belongs to the bar.
func (b *Bar) Typing() bool { return b.typing }

// Hand is where the keyboard is, seen from the table below the bar.
func (b *Bar) Hand() table.Hand {
	if b.typing {
		return table.Aside
	}
	return table.Here
}

// Text is what has been typed.
func (b *Bar) Text() string { return strings.TrimSpace(b.field.Text()) }

// Set replaces the filter.
func (b *Bar) Set(s string) {
	b.field.Set(s)
	b.err = nil
}

// Fail shows what is wrong with the filter; nil clears it.
func (b *Bar) Fail(err error) { b.err = err }

// Failed says that the filter is not understood.
func (b *Bar) Failed() bool { return b.err != nil }

// Edit takes in typed or pasted text and says whether the filter changed.
func (b *Bar) Edit(msg tea.Msg) bool {
	switch msg := msg.(type) {
	case screen.Typed:
		return b.field.Press(msg.Press)
	case screen.Pasted:
		b.field.Insert(msg.Text)
		return true
	}
	return false
}

// Key takes in an action and says whether it was the bar's. Outside the field
// only the first step back is: it clears the filter.
func (b *Bar) Key(a keymap.Action) bool {
	switch {
	case a == keymap.Filter && !b.typing:
		b.typing, b.before = true, b.field.Text()
	case b.typing && a == keymap.Back:
		b.typing = false
		b.Set(b.before)
	case b.typing && a == keymap.Apply:
		b.typing = false
	case b.typing:
		return true
	case a == keymap.Back && b.field.Text() != "":
		b.Set("")
	default:
		return false
	}
	return true
}

// Matches says that each word of the filter is found in one of the fields.
func (b *Bar) Matches(fields ...string) bool {
	hay := strings.ToLower(strings.Join(fields, " "))
	for word := range strings.FieldsSeq(strings.ToLower(b.field.Text())) {
		if !strings.Contains(hay, word) {
			return false
		}
	}
	return true
}

// Draw writes the bar in one line: the filter, or what stands there without
// one.
func (b *Bar) Draw(e env.Env, c *paint.Canvas, rest text.Safe) {
	c.Gap(1)
	switch {
	case b.typing:
		c.Put(themes.Accent, "/ ")
		b.field.Draw(e, c, max(c.Width()/2, 20))
	case b.field.Text() != "":
		c.Put(themes.Accent, "/ ")
		c.Put(themes.Match, text.Clean(b.Text()))
	}
	if b.err != nil {
		c.Gap(2)
		c.Put(themes.Danger, text.Safe(e.Glyphs.Danger)+" "+text.Clean(b.err.Error()))
	} else if rest != "" {
		c.Right(themes.Muted, rest+" ")
	}
	c.End()
}
