// Package toast keeps short reports until they have been read: good news fades,
// bad news stays until it is put away.
package toast

import (
	"time"

	"signalbox/keymap"
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

// Settle takes the offer of undo from the toasts shown: the key now means
// another act, or none.
func (l *List) Settle() {
	for i := range l.all {
		l.all[i].Undo = false
	}
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

// KeyPressed puts away what was only meant to be seen until the next key, and
// says whether there was any.
func (l *List) KeyPressed() bool {
	kept := l.all[:0:0]
	for _, s := range l.all {
		if !s.Brief {
			kept = append(kept, s)
		}
	}
	gone := len(kept) < len(l.all)
	l.all = kept
	return gone
}

// most is the most lines that one text is broken into, and more stands where
// some are left out.
const (
	most = 8
	more = text.Safe(" ...")
)

// parts breaks a toast's text into lines; what ends them goes behind the last.
func parts(words text.Safe, w int) []text.Safe {
	all := paint.Wrap(words, max(w, 8))
	if len(all) > most {
		all = all[:most]
		all[most-1] = text.Truncate(all[most-1], max(w, 8)-text.Width(more), "") + more
	}
	return all
}

// room is what a toast's text has of a line.
func room(w int) int { return w - 4 }

// Lines is how many lines Draw would like.
func (l *List) Lines(w int) int {
	n := 0
	for i := range l.all {
		n += len(parts(l.all[i].Text, room(w)))
		for _, line := range l.all[i].More {
			n += len(parts(line, room(w)))
		}
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
		for i, part := range parts(t.Text, room(c.Width())) {
			if i > 0 {
				c.End()
			}
			c.To(3)
			c.Put(themes.Text, part)
		}
		c.Right(themes.Muted, hint(e, t))
		c.End()
		for _, line := range t.More {
			for _, part := range parts(line, room(c.Width())) {
				c.Gap(3)
				c.Text(themes.Muted, part)
			}
		}
	}
}

// hint names the keys that matter for a toast.
func hint(e env.Env, t *shown) text.Safe {
	words := ""
	if t.Undo {
		words += e.Keys.Label(keymap.Undo) + " undo  "
	}
	if !t.fades() {
		words += e.Keys.Label(keymap.Back) + " puts this away  "
	}
	return text.Safe(words)
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
