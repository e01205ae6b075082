package item

import (
	"fmt"
	"slices"

	"signalbox/store"
	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/paint"
	"signalbox/tui/screen/blank"
	"signalbox/tui/text"
)

// sideBySide is the width from which the facts stand beside what the item
// carries.
const (
	sideBySide = 100
	factsWidth = 45
)

// height is the number of rows of the page that can be seen.
func (s *Item) height(e env.Env) int { return max(e.Height-4-2, 1) }

// Draw implements screen.Screen.
func (s *Item) Draw(e env.Env, c *paint.Canvas) {
	switch {
	case s.err != nil && s.record == nil:
		blank.Failed(e, c, s.err)
		return
	case s.record == nil:
		blank.Loading(e, c, "Reading "+s.Title())
		return
	}
	s.drawHead(e, c)
	c.End()
	rows := s.all(e)
	height := min(c.Left(), s.height(e))
	page := e.Canvas(s.pageWidth(e), height)
	top := max(min(s.top, len(rows)-height), 0)
	for i := top; i < min(top+height, len(rows)); i++ {
		for _, r := range rows[i].line {
			page.Put(r.role, r.text)
		}
		page.End()
	}
	if e.Width < sideBySide {
		c.Append(0, e.Canvas(1, 0), page)
		return
	}
	facts := e.Canvas(factsWidth, height)
	for _, r := range s.facts(e) {
		for _, part := range r.line {
			facts.Put(part.role, part.text)
		}
		facts.End()
	}
	c.Append(0, e.Canvas(1, 0), facts, e.Canvas(2, 0), page)
}

func (s *Item) pageWidth(e env.Env) int {
	if e.Width < sideBySide {
		return max(e.Width-2, 1)
	}
	return e.Width - factsWidth - 3
}

// drawHead says what the item is, how it stands, and how much is left to do.
func (s *Item) drawHead(e env.Env, c *paint.Canvas) {
	r := s.record
	c.Gap(1)
	c.Put(themes.StatusRole(r.Status), text.Safe(e.Glyphs.Status(r.Status)+" "+r.Status.String()))
	c.Put(themes.Title, "  "+s.Title())
	if r.Reference != "" {
		c.Put(themes.Text, "  "+text.Clean(r.Reference))
	}
	switch {
	case s.err != nil:
		c.Put(themes.Danger, "  "+text.Safe(e.Glyphs.Danger)+" not up to date: "+text.Clean(s.err.Error()))
	case r.Review.Status == store.Verified:
		c.Put(themes.OK, "  "+text.Safe(e.Glyphs.OK)+" verified")
	case r.Review.Status == store.InReview:
		c.Put(themes.Info, "  with "+text.Clean(r.Review.Reviewer))
	}
	if n := s.left(e); n > 0 {
		c.Right(themes.Muted, text.Safe(text.Count(n))+" left in this group ")
	}
	c.End()
}

// all is every row of the page: what went wrong and what the item carries come
// first, the facts follow where they have no place of their own.
func (s *Item) all(e env.Env) []row {
	if s.record == nil {
		return nil
	}
	rows := slices.Clip(s.page.broken(s.pageWidth(e)))
	if e.Width < sideBySide {
		rows = append(append(rows, s.facts(e)...), row{})
	}
	return append(rows, s.story(e)...)
}

// story is the item's history, the newest first.
func (s *Item) story(e env.Env) []row {
	rows := []row{{heading: true, line: line{{themes.Title, "History"}}}}
	if len(s.history) == 0 {
		return append(rows, row{line: line{{themes.Muted, "Nothing is recorded."}}})
	}
	for i := range s.history {
		for _, part := range breakLine(change(e, &s.history[i]), s.pageWidth(e)) {
			rows = append(rows, row{line: part})
		}
	}
	if len(s.history) == changes {
		rows = append(rows, row{line: line{{themes.Muted, text.Safe(fmt.Sprintf("Only the newest %d changes are shown.", changes))}}})
	}
	return rows
}

func change(e env.Env, c *store.Change) line {
	l := line{
		{themes.Muted, text.Pad(e.Stamp(c.At), 25)},
		{themes.Text, text.Pad(text.Clean(c.Event), 20)},
	}
	if c.To != 0 && c.To != c.From {
		l = append(l, run{themes.StatusRole(c.To), text.Safe(e.Glyphs.Status(c.To) + " " + c.To.String() + "  ")})
	}
	l = append(l, run{themes.Muted, "by " + text.Clean(c.Actor)})
	if c.Why != "" {
		l = append(l, run{themes.Text, "  " + text.Clean(c.Why)})
	}
	return l
}
