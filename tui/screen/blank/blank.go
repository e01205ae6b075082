// Package blank draws the pictures of a screen that has no rows to show. That
// rows are still coming, that there are none, that a filter hides them, and
// that they could not be read look different, for they mean different things.
package blank

import (
	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/paint"
	"signalbox/tui/text"
)

// Message writes a heading and what to know or do about it.
func Message(e env.Env, c *paint.Canvas, r themes.Role, heading text.Safe, lines ...text.Safe) {
	c.Skip(min(2, max(c.Left()-2-len(lines), 0)))
	c.Gap(3)
	c.Text(r, heading)
	for _, l := range lines {
		for _, part := range paint.Wrap(l, max(min(c.Width()-6, 90), 10)) {
			c.Gap(3)
			c.Text(themes.Muted, part)
		}
	}
}

// Loading says that rows are on their way.
func Loading(e env.Env, c *paint.Canvas, what text.Safe) {
	Message(e, c, themes.Muted, what+text.Safe(e.Glyphs.Ellipsis))
}

// Opening says that the first picture has not come yet, or why it can't.
func Opening(e env.Env, c *paint.Canvas) {
	if e.Lost == nil {
		Loading(e, c, "Opening the store")
		return
	}
	Message(e, c, themes.Danger, text.Safe(e.Glyphs.Danger)+" The engine does not answer.",
		text.Clean(e.Lost.Error()), "It is asked again every few seconds.")
}

// Empty says that there is nothing, and that this is all right.
func Empty(e env.Env, c *paint.Canvas, heading text.Safe, lines ...text.Safe) {
	Message(e, c, themes.Text, text.Safe(e.Glyphs.OK)+" "+heading, lines...)
}

// Filtered says that there are rows, but none that the filter lets through.
func Filtered(e env.Env, c *paint.Canvas, filter text.Safe) {
	Message(e, c, themes.Warn, "Nothing matches "+filter, "esc clears the filter.")
}

// Misread says that a filter is not understood, and why: the bar may have no
// room for all of it.
func Misread(e env.Env, c *paint.Canvas, err error) {
	Message(e, c, themes.Warn, "The filter is not understood yet.", text.Clean(err.Error()))
}

// Failed says that rows could not be read, and why.
func Failed(e env.Env, c *paint.Canvas, err error) {
	Message(e, c, themes.Danger, text.Safe(e.Glyphs.Danger)+" This could not be read.", text.Clean(err.Error()))
}
