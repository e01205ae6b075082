package item

import (
	"signalbox/keymap"
	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/paint"
	"signalbox/tui/screen"
	"signalbox/tui/text"
)

// move carries the line in hand over the page, which follows it.
func (s *Item) move(e env.Env, a keymap.Action) {
	rows := s.all(e)
	height := max(s.height(e), 1)
	switch a {
	case keymap.Up:
		s.at--
	case keymap.Down:
		s.at++
	case keymap.PageUp:
		s.at -= height - 1
		s.top -= height - 1
	case keymap.PageDown:
		s.at += height - 1
		s.top += height - 1
	case keymap.Top:
		s.at = 0
	case keymap.Bottom:
		s.at = len(rows) - 1
	case keymap.NextPane, keymap.PrevPane:
		s.at = heading(rows, s.at, a == keymap.PrevPane)
		s.top = s.at
	}
	s.settle(len(rows), height)
}

// settle keeps the line in hand on the page and in sight.
func (s *Item) settle(rows, height int) {
	s.at = max(min(s.at, rows-1), 0)
	s.top = max(min(s.top, s.at), s.at-height+1)
	s.top = max(min(s.top, rows-height), 0)
}

// heading finds the next heading from a row on, or the one before; after the
// last comes the first.
func heading(rows []row, from int, back bool) int {
	step := 1
	if back {
		step = len(rows) - 1
	}
	for n := 1; n <= len(rows); n++ {
		if i := (from + n*step) % len(rows); rows[i].heading {
			return i
		}
	}
	return from
}

// fold folds or unfolds the part of a document that begins on the line in hand,
// or else the smallest one around it.
func (s *Item) fold(e env.Env) screen.Effects {
	rows := s.all(e)
	if s.at >= len(rows) || rows[s.at].section == 0 {
		return screen.Effects{}
	}
	at := rows[s.at]
	if at.heading { // all of the document
		at.src = 0
	}
	part := &s.page.sections[at.section-1]
	best := -1
	for i := range part.folds {
		f := &part.folds[i]
		if f.start <= at.src && at.src <= f.end && (best < 0 || f.start >= part.folds[best].start) {
			best = i
		}
	}
	if best < 0 {
		return screen.Want(screen.Say{Toast: screen.Toast{Text: "There is nothing to fold here", Brief: true}})
	}
	f := &part.folds[best]
	if s.folded == nil {
		s.folded = map[string]bool{}
	}
	s.folded[part.key(f)] = !s.folded[part.key(f)]
	s.page.rows = nil
	s.find(e, at.section, f.start)
	return screen.Effects{}
}

// find puts the hand on a line of a section.
func (s *Item) find(e env.Env, section, src int) {
	rows := s.all(e)
	for i := range rows {
		if rows[i].section == section && rows[i].src == src {
			s.at = i
			break
		}
	}
	s.settle(len(rows), max(s.height(e), 1))
}

// open unfolds all around a line.
func (s *Item) open(section, src int) {
	part := &s.page.sections[section-1]
	for i := range part.folds {
		if f := &part.folds[i]; f.start < src && src <= f.end && s.folded[part.key(f)] {
			delete(s.folded, part.key(f))
			s.page.rows = nil
		}
	}
}

// click takes a click of the mouse on the page.
func (s *Item) click(e env.Env, msg screen.Click) screen.Effects {
	left := 1
	if e.Width >= sideBySide {
		left += factsWidth + 2
	}
	if y := msg.Y - headLines; msg.X >= left-1 && y >= 0 && s.top+y < len(s.all(e)) {
		s.at = s.top + y
		if msg.Twice {
			return s.fold(e)
		}
	}
	return screen.Effects{}
}

// headLines stand above the page: what the item is, and the search.
const headLines = 2

// wheel scrolls the page; the line in hand stays in sight.
func (s *Item) wheel(e env.Env, by int) {
	rows, height := len(s.all(e)), max(s.height(e), 1)
	s.top = max(min(s.top+by, rows-height), 0)
	s.at = max(min(s.at, s.top+height-1), s.top)
}

// drawRow writes a row of the page, with what the search found.
func (s *Item) drawRow(e env.Env, c *paint.Canvas, r *row, inHand bool) {
	if inHand {
		surface := themes.CursorBlur
		if e.Focused {
			surface = themes.Cursor
		}
		c.Raise(surface)
		c.Put(themes.Accent, text.Safe(e.Glyphs.Cursor))
	} else {
		c.Gap(1)
	}
	for _, part := range s.search.marked(r) {
		c.Put(part.role, part.text)
	}
	c.End()
	c.Lower()
}
