package item

import (
	"fmt"
	"slices"

	"signalbox/engine"
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
	s.search.draw(e, c)
	rows := s.all(e)
	height := min(c.Left(), s.height(e))
	page := e.Canvas(s.pageWidth(e)+1, height) // with the column of the cursor
	top := max(min(s.top, len(rows)-height), 0)
	for i := top; i < min(top+height, len(rows)); i++ {
		s.drawRow(e, page, &rows[i], i == s.at)
	}
	if e.Width < sideBySide {
		c.Append(0, page)
		return
	}
	facts := e.Canvas(factsWidth, height)
	for _, r := range s.facts(e) {
		for _, part := range r.line {
			facts.Put(part.role, part.text)
		}
		facts.End()
	}
	c.Append(0, e.Canvas(1, 0), facts, e.Canvas(1, 0), page)
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
	role, status := e.Standing(r.Status, r.ErrorKind())
	c.Put(role, status)
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
	rows := slices.Clip(s.page.broken(s.pageWidth(e), s.folded))
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
	w := s.pageWidth(e)
	for i := range s.history {
		rows = append(rows, s.change(e, &s.history[i], w)...)
	}
	if len(s.history) == changes {
		rows = append(rows, row{line: line{{themes.Muted, text.Safe(fmt.Sprintf("Only the newest %d changes are shown.", changes))}}})
	}
	return rows
}

// Columns of the history. Where they leave too little for the words, these
// go on below.
const (
	whenWidth  = 21
	eventWidth = 20
	wordsLeast = 26
)

// change writes one change of the history: when, what, the status it led to,
// who and why. What does not fit goes on below, in its own column.
func (s *Item) change(e env.Env, c *store.Change, w int) []row {
	cur := line{
		{themes.Muted, text.Fit(e.Moment(c.At), whenWidth)},
		{themes.Text, text.FitTail(text.Clean(c.Event), eventWidth-2, e.Glyphs.Ellipsis) + "  "},
	}
	var rows []row
	at := whenWidth + eventWidth
	if w-at < wordsLeast {
		at = 2
		rows, cur = []row{{line: cur}}, line{{themes.Muted, "  "}}
	}
	room := w - at
	if c.To != 0 && c.To != c.From && c.To.String() != c.Event {
		kind := ""
		if c.Event == string(engine.EventBusiness) {
			kind = engine.Business
		}
		role, turn := e.Standing(c.To, kind)
		cur = append(cur, run{role, turn + "  "})
		room -= text.Width(turn) + 2
	}
	words := "by " + text.Clean(env.Robot(c.Actor))
	if why := s.why(c); why != "" {
		words += ": " + why
	}
	if text.Width(words) <= room {
		return append(rows, row{line: append(cur, run{themes.Muted, words})})
	}
	if len(cur) > 1 {
		rows = append(rows, row{line: cur})
	}
	for _, part := range paint.Wrap(words, max(w-at, 1)) {
		rows = append(rows, row{line: line{{themes.Muted, text.Pad(text.Safe(""), at) + part}}})
	}
	return rows
}

// why is the reason of a change, unless it stands above as the item's error.
func (s *Item) why(c *store.Change) text.Safe {
	if e := s.record.Error; e != nil && c.Why == e.Reason {
		return ""
	}
	return text.Clean(c.Why)
}
