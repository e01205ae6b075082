// Package statusbar draws the lines at the edges: what this is and how it
// stands at the top, the keys that matter at the bottom.
package statusbar

import (
	"time"

	"signalbox/engine"
	"signalbox/keymap"
	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/paint"
	"signalbox/tui/text"
)

// Header is what the top line tells.
type Header struct {
	Title  text.Safe // where this is: production, a person's laptop
	Store  text.Safe
	Badges []text.Safe
	Engine text.Safe // where it runs, "" to say nothing
	Frozen time.Time // when the picture was held still, zero while it is not
}

// Draw writes the top line.
func (h Header) Draw(e env.Env, c *paint.Canvas) {
	c.Gap(1)
	c.Put(themes.Title, "Signalbox")
	for _, b := range h.Badges {
		c.Gap(1)
		c.Put(themes.Alert, " "+b+" ")
	}
	right := h.state(e, c.Width()-c.Col()-2)
	used := right.Used(0)
	if h.Title != "" && h.Title != h.Store {
		c.Gap(2)
		c.Put(themes.Badge, text.Truncate(h.Title, c.Width()-used-c.Col()-2, e.Glyphs.Ellipsis))
	}
	if room := c.Width() - used - c.Col() - 4; room >= 8 && h.Store != "" {
		c.Gap(2)
		c.Put(themes.Muted, shorten(h.Store, room, e.Glyphs.Ellipsis))
	}
	c.To(c.Width() - used)
	c.Draw(right, 0)
	c.End()
}

// shorten keeps the end of a path, where its name is, whole names only.
func shorten(s text.Safe, w int, tail string) text.Safe {
	if text.Width(s) <= w {
		return s
	}
	for i, r := range s {
		if r == '/' && text.Width(s[i:]) < w {
			return text.Safe(tail) + s[i:]
		}
	}
	return ""
}

// state gives pool, line, clock and connection in at most w columns: where
// room is short the words around them go first.
func (h Header) state(e env.Env, w int) *paint.Canvas {
	for words := 4; ; words-- {
		c := e.Canvas(2*max(w, 40), 1)
		h.drawState(e, c, words)
		c.End()
		if c.Used(0) <= w || words == 0 {
			return c
		}
	}
}

func (h Header) drawState(e env.Env, c *paint.Canvas, words int) {
	if s := e.Snap; s != nil && s.Slots.Pool > 0 {
		c.Put(themes.Muted, "pool ")
		c.Put(themes.Text, text.Safe(text.Count(int64(s.Slots.Busy))+"/"+text.Count(int64(s.Slots.Pool))))
		c.Gap(2)
		if waiting := len(s.Slots.Waiting); waiting > 0 || words > 1 {
			role := themes.Muted
			if waiting > 0 {
				role = themes.Text
			}
			c.Put(role, text.Safe(text.Count(int64(waiting))))
			c.Put(themes.Muted, " in line  ")
		}
	} else if s != nil {
		c.Put(themes.Warn, "pool unreadable  ")
	}
	if words > 0 {
		c.Put(themes.Text, text.Safe(e.Now.In(e.Location()).Format("15:04")))
		if words > 1 {
			c.Put(themes.Muted, " "+zoneName(e))
		}
		c.Gap(2)
	}
	h.drawLamp(e, c, words)
	c.Gap(1)
}

// drawLamp says whether the picture is live, and where the engine runs. Bad
// news always has its words.
func (h Header) drawLamp(e env.Env, c *paint.Canvas, words int) {
	switch {
	case e.Lost != nil:
		c.Put(themes.Danger, text.Safe(e.Glyphs.Off)+" no engine since "+h.since(e, words))
	case !h.Frozen.IsZero():
		c.Put(themes.Alert, " "+text.Safe(e.Glyphs.Frozen)+" FROZEN at "+text.Safe(text.Clock(h.Frozen, e.Location()))+" ")
	case e.Snap == nil:
		c.Put(themes.Muted, text.Safe(e.Glyphs.Off)+" opening")
	case h.failing(e) != nil:
		h.drawFailing(e, c, words)
	default:
		c.Put(themes.OK, text.Safe(e.Glyphs.On))
		if words > 2 {
			c.Put(themes.Muted, " live")
		}
		if words > 3 && h.Engine != "" {
			c.Put(themes.Muted, " "+text.Safe(e.Glyphs.Sep)+" "+h.Engine)
		}
	}
}

// failing gives the engine's loop that has failed for the longest time, if any does.
func (h Header) failing(e env.Env) (worst *engine.Upkeep) {
	for i := range e.Snap.Upkeep {
		if u := &e.Snap.Upkeep[i]; u.Failing() && (worst == nil || u.FailingSince < worst.FailingSince) {
			worst = u
		}
	}
	return worst
}

// drawFailing says what the engine does not do, and since when.
func (h Header) drawFailing(e env.Env, c *paint.Canvas, words int) {
	u := h.failing(e)
	c.Put(themes.Danger, text.Safe(e.Glyphs.Warn))
	switch {
	case words == 0:
		c.Put(themes.Danger, " "+text.Clean(u.Loop))
	case words < 3:
		c.Put(themes.Danger, " "+text.Clean(u.Loop)+" failing")
	default:
		c.Put(themes.Danger, " "+text.Clean(u.Undone()))
		c.Put(themes.Muted, " since "+text.Safe(u.FailingSince.Time().In(e.Location()).Format("15:04")))
	}
}

func (h Header) since(e env.Env, words int) text.Safe {
	if words > 0 {
		return text.Safe(text.Clock(e.LostAt, e.Location()))
	}
	return text.Safe(e.LostAt.In(e.Location()).Format("15:04"))
}

func zoneName(e env.Env) text.Safe {
	name := text.Safe(text.ZoneName(e.Now, e.Location()))
	if e.Zone == env.Relative {
		name += " (ages)"
	}
	return name
}

// Footer is what the bottom line tells: the keys of actions in a scope.
type Footer struct {
	Scope   keymap.Scope
	Actions []keymap.Action
	Word    func(keymap.Action) text.Safe // what an action means here
	Off     func(keymap.Action) bool      // it can do nothing now; may be nil
}

// Draw writes as many keys as there is room for; help keeps its place at the
// end.
func (f Footer) Draw(e env.Env, c *paint.Canvas) {
	last := f.width(e, keymap.Help)
	c.Gap(1)
	for _, a := range f.Actions {
		if w := f.width(e, a); w > 0 && c.Col()+w+last+2 <= c.Width() {
			f.hint(e, c, a)
		}
	}
	if last > 0 {
		f.hint(e, c, keymap.Help)
	}
	c.End()
}

func (f Footer) width(e env.Env, a keymap.Action) int {
	label := e.Keys.LabelIn(f.Scope, a)
	if label == "" {
		return 0
	}
	return text.Width(label) + 1 + text.Width(f.Word(a)) + 2
}

func (f Footer) hint(e env.Env, c *paint.Canvas, a keymap.Action) {
	key, word := themes.Key, themes.Footer
	if f.Off != nil && f.Off(a) { // its place stays, so that no other key moves
		key, word = themes.Disabled, themes.Disabled
	}
	c.Put(key, text.Safe(e.Keys.LabelIn(f.Scope, a)))
	c.Put(word, " "+f.Word(a))
	c.Gap(2)
}
