// Package firstrun is the page of a store that holds no queue yet: what can be
// done about that, from keys.
package firstrun

import (
	"signalbox/keymap"
	"signalbox/themes"
	"signalbox/tui/act"
	"signalbox/tui/env"
	"signalbox/tui/paint"
	"signalbox/tui/screen"
	"signalbox/tui/screen/queueform"
	"signalbox/tui/text"
)

// Page is the list of first steps. Its zero value has the first in hand.
type Page struct{ at int }

// step is one of them.
type step struct {
	action  keymap.Action // its own key; "" where it has none
	name    text.Safe
	what    text.Safe
	command text.Safe // that does the same
}

func steps() []step {
	return []step{
		{keymap.New, "Add a queue", "and items to it, from programs or by hand", "signalbox queue add orders --family transactions"},
		{keymap.Import, "Import a file", "CSV, JSON lines or a JSON array, each row an item", "signalbox item import --queue orders orders.csv"},
		{"", "See the demo", "on a throw-away store with made-up traffic; q comes back here", "signalbox demo"},
	}
}

// On says that the page is to be shown: the store is open and has no queue.
func On(e env.Env) bool { return e.Snap != nil && len(e.Snap.Queues) == 0 }

// Key takes in an action.
func (p *Page) Key(e env.Env, d act.Desk, to screen.Addr, a keymap.Action) screen.Effects {
	switch a {
	case keymap.Up:
		p.at = max(p.at-1, 0)
	case keymap.Down:
		p.at = min(p.at+1, len(steps())-1)
	case keymap.Top:
		p.at = 0
	case keymap.Bottom:
		p.at = len(steps()) - 1
	case keymap.New:
		return queueform.New(e, d, to)
	case keymap.Import:
		return queueform.Import(e, d, to, "")
	case keymap.Open:
		if step := steps()[p.at]; step.action != "" {
			return p.Key(e, d, to, step.action)
		}
		return d.Demo(to)
	case keymap.Back:
		return screen.Want(screen.Leave{})
	}
	return screen.Effects{}
}

// Click takes a click of the mouse.
func (p *Page) Click(e env.Env, d act.Desk, to screen.Addr, msg screen.Click) screen.Effects {
	at := (msg.Y - headLines) / stepLines(e)
	if msg.Y < headLines || at >= len(steps()) {
		return screen.Effects{}
	}
	p.at = at
	if msg.Twice {
		return p.Key(e, d, to, keymap.Open)
	}
	return screen.Effects{}
}

// headLines stand above the steps.
const headLines = 4

// stepLines is the height of a step, with air where there is room.
func stepLines(e env.Env) int {
	if e.Class() == env.Narrow {
		return 2
	}
	return 3
}

// Draw writes the page.
func (p *Page) Draw(e env.Env, c *paint.Canvas) {
	c.End()
	c.Gap(3)
	c.Text(themes.Title, "This store has no queue yet.")
	c.Gap(3)
	c.Text(themes.Muted, text.Truncate(text.Clean(e.Snap.Store), c.Width()-4, e.Glyphs.Ellipsis))
	c.End()
	for i, s := range steps() {
		p.drawStep(e, c, i, &s)
	}
	if e.Class() > env.Narrow {
		c.Gap(3)
		c.Text(themes.Muted, "Or from another terminal; this screen follows by itself.")
	}
}

func (p *Page) drawStep(e env.Env, c *paint.Canvas, i int, s *step) {
	if i == p.at {
		c.Raise(themes.Cursor)
		c.Put(themes.Accent, text.Safe(e.Glyphs.Cursor))
	}
	c.To(3)
	c.Fit(themes.Key, text.Safe(e.Keys.Label(s.action)), 3)
	c.Put(themes.Text, s.name)
	if room := c.Width() - c.Col() - 3; room > 20 {
		c.Put(themes.Muted, "  "+text.Truncate(s.what, room, e.Glyphs.Ellipsis))
	}
	c.End()
	c.Lower()
	c.Gap(6)
	c.Text(themes.Muted, text.Truncate(s.command, c.Width()-8, e.Glyphs.Ellipsis))
	if stepLines(e) > 2 {
		c.End()
	}
}
