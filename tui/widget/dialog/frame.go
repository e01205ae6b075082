// Package dialog asks questions in front of a screen.
//
// All dialogs share one frame, which sizes itself to what it holds and never
// grows beyond the screen. The answer that changes nothing is the default;
// keys typed before a dialog appeared and pasted text do not answer it.
package dialog

import (
	"fmt"
	"time"

	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/paint"
	"signalbox/tui/text"
)

// Time that keys typed ahead have to run out in front of a dialog which no key
// press opened, and the longest that such keys hold it up.
const (
	quiet    = 400 * time.Millisecond
	quietCap = 1500 * time.Millisecond
)

// Grace swallows keys that were meant for what was there before.
type Grace struct {
	shown, last time.Time
	on          bool
}

// NewGrace begins now, if something came that no key press asked for.
func NewGrace(e env.Env, late bool) Grace { return Grace{e.Now, e.Now, late} }

// Swallows says that a key pressed now is a left-over.
func (g *Grace) Swallows(now time.Time) bool {
	if !g.on || now.Sub(g.shown) >= quietCap || now.Sub(g.last) >= quiet {
		g.on = false
		return false
	}
	g.last = now
	return true
}

// Frame draws a titled box around body, at most w by h cells.
func Frame(e env.Env, title text.Safe, body *paint.Canvas, w, h int) *paint.Canvas {
	return Scrolled(e, title, body, 0, w, h)
}

// Scrolled is a Frame around a part of a text, and says how many lines of it
// are still below.
func Scrolled(e env.Env, title text.Safe, body *paint.Canvas, below, w, h int) *paint.Canvas {
	inner := min(body.Width(), w-4)
	rows := min(body.Row(), h-2)
	c := e.Canvas(inner+4, rows+2)
	g := e.Glyphs.Line
	c.Put(themes.BorderFocus, text.Safe(g.TopLeft+g.H))
	c.Put(themes.Title, text.Truncate(" "+title+" ", inner-1, e.Glyphs.Ellipsis))
	c.Repeat(themes.BorderFocus, text.Safe(g.H), inner+3-c.Col())
	c.Put(themes.BorderFocus, text.Safe(g.TopRight))
	c.End()
	for i := range rows {
		c.Put(themes.BorderFocus, text.Safe(g.V))
		c.Gap(1)
		c.Draw(body, i)
		c.To(inner + 3)
		c.Put(themes.BorderFocus, text.Safe(g.V))
		c.End()
	}
	c.Put(themes.BorderFocus, text.Safe(g.BottomLeft))
	if below > 0 {
		more := text.Safe(fmt.Sprintf(" %s %d more ", e.Glyphs.Down, below))
		c.Repeat(themes.BorderFocus, text.Safe(g.H), inner+2-text.Width(more))
		c.Put(themes.Muted, more)
	}
	c.Repeat(themes.BorderFocus, text.Safe(g.H), inner+3-c.Col())
	c.Put(themes.BorderFocus, text.Safe(g.BottomRight))
	c.End()
	return c
}

// widest is the width that lines need, within bounds.
func widest(lines []text.Safe, least, most int) int {
	w := least
	for _, l := range lines {
		w = max(w, text.Width(l))
	}
	return min(w, most)
}
