package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"signalbox/keymap"
	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/paint"
	"signalbox/tui/screen"
	"signalbox/tui/text"
	"signalbox/tui/widget/statusbar"
)

// Lines around a screen: the header, the places, the toasts' line and the
// footer.
const (
	above = 2
	below = 2
)

// draw makes the whole picture from state.
func (a *app) draw() tea.View {
	v := tea.NewView("")
	v.AltScreen = true
	v.ReportFocus = true
	v.KeyboardEnhancements.ReportAlternateKeys = true // for other layouts
	v.MouseMode = a.mouseMode()
	v.ProgressBar = a.progressBar()
	v.WindowTitle = a.windowTitle()
	if a.env.Width > 0 && a.env.Height > 0 {
		v.Content = a.picture().String()
	}
	return v
}

func (a *app) windowTitle() string {
	if a.title == "" {
		return "Signalbox"
	}
	return "Signalbox " + string(a.title)
}

func (a *app) picture() *paint.Canvas {
	e := a.env
	a.whole = e.Renew(a.whole, e.Width, e.Height)
	c := a.whole
	if e.Class() == env.TooSmall {
		a.drawSmall(c)
		return c
	}
	a.header().Draw(e, c)
	a.drawPlaces(c)
	seen := e.AsOf()
	a.body = seen.Renew(a.body, e.Width, e.Height-above-below)
	body := a.body
	a.top().Draw(seen, body)
	for i := range body.Height() {
		c.Draw(body, i)
		c.End()
	}
	c.End()
	a.drawFooter(c)
	a.overlay(c, body.Height())
	return c
}

// overlay lays toasts and dialogs over the screen.
func (a *app) overlay(c *paint.Canvas, height int) {
	bulks := a.bulkLines()
	n := min(a.toasts.Lines(a.env.Width), height-bulks)
	if len(a.dialogs) > 0 {
		n = min(n, height/3)
	}
	if n > 0 {
		over := a.env.Canvas(a.env.Width, n)
		a.toasts.Draw(a.env, over)
		c.Splice(over, 0, a.env.Height-1-n-bulks)
	}
	if bulks > 0 {
		over := a.env.Canvas(a.env.Width, bulks)
		a.drawBulks(over, bulks)
		c.Splice(over, 0, a.env.Height-1-bulks)
		n += bulks
	}
	room := a.env.Height - 2 - n
	for _, d := range a.dialogs {
		picture := d.Draw(a.env, a.env.Width-2, room)
		x, y := (a.env.Width-picture.Width())/2, max((room-picture.Height())/3, 0)+1
		a.mouse.box = box{x, y, picture.Width(), picture.Height()}
		c.Splice(picture, x, y)
	}
}

func (a *app) header() statusbar.Header {
	h := statusbar.Header{Title: a.title, Engine: a.engine.words()}
	if a.feed.frozen {
		h.Frozen = a.feed.stopped
	}
	if a.env.Snap != nil {
		h.Store = text.Clean(a.env.Snap.Store)
	}
	if a.demo {
		h.Badges = append(h.Badges, "DEMO")
	}
	if a.env.ReadOnly {
		h.Badges = append(h.Badges, "READ-ONLY")
	} else if a.env.Allow.Limits() {
		h.Badges = append(h.Badges, "LIMITED")
	}
	for _, b := range h.Badges {
		if strings.EqualFold(string(b), string(h.Title)) {
			h.Title = ""
		}
	}
	return h
}

// words say where the engine runs.
func (at EngineAt) words() text.Safe {
	switch at {
	case EngineHere:
		return "engine here"
	case EngineAway:
		return "attached"
	case EngineNone:
		return "no engine, only reading"
	}
	return ""
}

func (a *app) drawFooter(c *paint.Canvas) {
	scope := a.scope()
	if a.feed.frozen {
		c.Put(themes.Alert, " Frozen ")
		c.Put(themes.Footer, text.Safe(" "+a.env.Keys.Label(keymap.Freeze)+" goes on"))
		c.End()
		return
	}
	if len(a.dialogs) > 0 {
		actions := []keymap.Action{keymap.Yes, keymap.No, keymap.Apply, keymap.Open, keymap.Back}
		if s, ok := a.dialogs[len(a.dialogs)-1].(screen.Footing); ok {
			actions = s.Footer(a.env)
		}
		statusbar.Footer{Scope: scope, Actions: actions, Word: a.answer}.Draw(a.env, c)
		return
	}
	f := statusbar.Footer{Scope: scope, Word: a.word}
	if s, ok := a.top().(screen.Footing); ok {
		f.Actions = s.Footer(a.env)
	}
	if s, ok := a.top().(screen.Refusing); ok {
		f.Off = func(action keymap.Action) bool { return s.Refuses(a.env, action) != "" }
	}
	f.Actions = append(f.Actions, keymap.Quit)
	f.Draw(a.env, c)
}

// brief is the keymap's word for an action.
func (a *app) brief(action keymap.Action) text.Safe {
	b, _ := a.env.Keys.Binding(action)
	return text.Safe(b.Help)
}

// answer is what an action means in the dialog in front.
func (a *app) answer(action keymap.Action) text.Safe {
	if word := wordOf(a.dialogs[len(a.dialogs)-1])(action); word != "" {
		return word
	}
	return a.brief(action)
}

// word is what an action means on the screen in front.
func (a *app) word(action keymap.Action) text.Safe {
	if word := a.special(action); word != "" {
		return word
	}
	return a.brief(action)
}

// special is the screen's own word for an action, "" where it has none.
func (a *app) special(action keymap.Action) text.Safe {
	if s, ok := a.top().(screen.Wording); ok {
		return s.Word(action)
	}
	return ""
}

// drawSmall says all that a few cells can hold.
func (a *app) drawSmall(c *paint.Canvas) {
	e := a.env
	for _, part := range paint.Wrap(text.Safe(fmt.Sprintf("too small: %dx%d, needs 50x15", e.Width, e.Height)), e.Width) {
		c.Text(themes.Text, part)
	}
	if s := e.Snap; s != nil && s.Slots.Pool > 0 {
		c.Text(themes.Text, text.Safe("pool "+text.Count(int64(s.Slots.Busy))+"/"+text.Count(int64(s.Slots.Pool))))
		c.Text(themes.LaneFast, text.Safe("fast "+text.Count(int64(s.Slots.Fast.Waiting))+" in line"))
		c.Text(themes.LaneSlow, text.Safe("slow "+text.Count(int64(s.Slots.Slow.Waiting))+" in line"))
	}
}
