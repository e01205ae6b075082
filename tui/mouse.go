package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"signalbox/tui/env"
	"signalbox/tui/screen"
	"signalbox/tui/text"
)

// twice is how soon a second click on the same cell makes a double one.
const twice = 400 * time.Millisecond

// wheelRows is how far a notch of the wheel goes.
const wheelRows = 3

// mouse is what is known of the mouse: the last click, and whether the next
// one only brings the window to the front.
type mouse struct {
	x, y   int
	at     time.Time
	raises bool
	turned int       // rows that the wheel was turned since it was last followed
	wheel  time.Time // when that was
	spots  []spot    // of the line of places, as last drawn
	box    box       // of the dialog in front, as last drawn
}

// spot is where a place's name stands.
type spot struct{ from, to, number int }

// box is where a dialog stands.
type box struct{ x, y, w, h int }

func (b box) has(x, y int) bool { return x >= b.x && x < b.x+b.w && y >= b.y && y < b.y+b.h }

// toggleMouse turns the mouse on or off for this console.
func (a *app) toggleMouse() {
	a.prefs.Mouse = !a.prefs.Mouse
	words := text.Safe("Mouse off: the terminal selects text")
	if a.prefs.Mouse {
		words = "Mouse on: clicks select, the wheel scrolls; hold shift to select text"
	}
	a.toasts.Add(screen.Toast{Text: words}, a.env.Now)
}

// mouseMode is what the terminal is asked to report.
func (a *app) mouseMode() tea.MouseMode {
	if a.prefs.Mouse && !a.feed.frozen { // frozen, text is to be selected
		return tea.MouseModeCellMotion
	}
	return tea.MouseModeNone
}

// click takes a press of the left button to whoever is there.
func (a *app) click(msg tea.MouseClickMsg) tea.Cmd {
	if !a.prefs.Mouse || a.feed.frozen || a.awaits || msg.Button != tea.MouseLeft {
		return nil
	}
	if a.mouse.raises { // it only brought the window to the front
		a.mouse.raises = false
		return nil
	}
	m := &a.mouse
	double := m.x == msg.X && m.y == msg.Y && a.env.Now.Sub(m.at) < twice
	m.x, m.y, m.at = msg.X, msg.Y, a.env.Now
	if double {
		m.at = time.Time{} // a third click begins anew
	}
	a.dirty = true
	if n := len(a.dialogs); n > 0 {
		if !m.box.has(msg.X, msg.Y) {
			return nil
		}
		return a.apply(a.dialogs[n-1].Update(a.env, screen.Click{X: msg.X - m.box.x, Y: msg.Y - m.box.y, Twice: double}))
	}
	if msg.Y == 1 {
		return a.clickPlace(msg.X)
	}
	if y := msg.Y - above; y >= 0 && y < a.env.Height-above-below && a.env.Class() != env.TooSmall {
		return a.apply(a.top().Update(a.env, screen.Click{X: msg.X, Y: y, Twice: double}))
	}
	return nil
}

func (a *app) clickPlace(x int) tea.Cmd {
	for _, s := range a.mouse.spots {
		if x >= s.from && x < s.to {
			return a.goTo(s.number)
		}
	}
	return nil
}

// wheel scrolls what is in front.
func (a *app) wheel(msg tea.MouseWheelMsg) tea.Cmd {
	if !a.prefs.Mouse || a.feed.frozen {
		return nil
	}
	by := wheelRows
	switch msg.Button {
	case tea.MouseWheelUp:
		by = -wheelRows
	case tea.MouseWheelDown:
	default:
		return nil
	}
	// A wheel let go spins for a while: what comes within a frame is one turn.
	m := &a.mouse
	waiting := m.turned != 0
	m.turned += by
	switch {
	case waiting:
		return nil
	case a.env.Now.Sub(m.wheel) >= liveFrame:
		return a.turn()
	}
	ctx := a.feed.ctx
	return func() tea.Msg {
		sleep(ctx, liveFrame)
		return turnMsg{}
	}
}

// turnMsg says that the wheel has had its time.
type turnMsg struct{}

// turn scrolls what is in front by what the wheel was turned.
func (a *app) turn() tea.Cmd {
	m := &a.mouse
	by := m.turned
	m.turned, m.wheel = 0, a.env.Now
	if by == 0 || a.feed.frozen {
		return nil
	}
	a.dirty = true
	if n := len(a.dialogs); n > 0 {
		return a.apply(a.dialogs[n-1].Update(a.env, screen.Wheel{By: by}))
	}
	return a.apply(a.top().Update(a.env, screen.Wheel{By: by}))
}
