// Package toast keeps short reports until they have been read: good news fades,
// bad news stays until it is put away.
package toast

import (
	"time"

	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/paint"
	"signalbox/tui/screen"
	"signalbox/tui/text"
)

// stay is how long a toast that fades is shown.
const stay = 5 * time.Second

type shown struct {
	screen.Toast
	at time.Time
}

func (s *shown) fades() bool { return s.Level != screen.Bad }

// List is the toasts not yet gone, the newest last.
type List struct{ all []shown }

// Add shows a toast. It takes the place of one that would fade.
func (l *List) Add(t screen.Toast, now time.Time) {
	kept := l.all[:0:0]
	for _, s := range l.all {
		if !s.fades() {
			kept = append(kept, s)
		}
	}
	l.all = append(kept, shown{t, now})
}

// Expire drops what has faded.
func (l *List) Expire(now time.Time) {
	kept := l.all[:0:0]
	for _, s := range l.all {
		if !s.fades() || now.Sub(s.at) < stay {
			kept = append(kept, s)
		}
	}
	l.all = kept
}

// Fading says that a toast will go by itself.
func (l *List) Fading() bool {
	for i := range l.all {
		if l.all[i].fades() {
			return true
		}
	}
	return false
}

// Dismiss puts away the newest toast that stays, and says whether there was one.
func (l *List) Dismiss() bool {
	for i := len(l.all) - 1; i >= 0; i-- {
		if !l.all[i].fades() {
			l.all = append(l.all[:i:i], l.all[i+1:]...)
			return true
		}
	}
	return false
}

// Lines is how many lines Draw would like.
func (l *List) Lines() int {
	n := 0
	for i := range l.all {
		n += 1 + len(l.all[i].More)
	}
	return n
}

// Draw writes the toasts, the oldest first.
func (l *List) Draw(e env.Env, c *paint.Canvas) {
	for i := range l.all {
		t := &l.all[i]
		role, sign := face(e, t.Level)
		c.Gap(1)
		c.Put(role, text.Safe(sign)+" ")
		words := t.Text
		hint := text.Safe("")
		if !t.fades() {
			hint = "   esc puts this away"
		}
		c.Put(themes.Text, text.Truncate(words, c.Width()-c.Col()-text.Width(hint)-1, e.Glyphs.Ellipsis))
		c.Put(themes.Muted, hint)
		c.End()
		for _, more := range t.More {
			c.Gap(3)
			c.Put(themes.Muted, text.Truncate(more, c.Width()-4, e.Glyphs.Ellipsis))
			c.End()
		}
	}
}

func face(e env.Env, l screen.Level) (themes.Role, string) {
	switch l {
	case screen.Good:
		return themes.OK, e.Glyphs.OK
	case screen.Warning:
		return themes.Warn, e.Glyphs.Warn
	case screen.Bad:
		return themes.Danger, e.Glyphs.Danger
	}
	return themes.Info, e.Glyphs.Info
}
