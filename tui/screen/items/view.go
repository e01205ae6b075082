package items

import (
	"fmt"
	"slices"
	"strings"

	"signalbox/engine"
	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/paint"
	"signalbox/tui/screen/blank"
	"signalbox/tui/text"
)

// height is the number of rows that can be seen.
func height(e env.Env) int { return max(e.Height-7, 1) }

// Draw implements screen.Screen.
func (s *Items) Draw(e env.Env, c *paint.Canvas) {
	s.Filter.Draw(e, c, s.summary(e))
	if s.source.deciding() {
		s.drawReason(e, c)
	} else {
		s.drawTabs(e, c)
	}
	w := &s.window
	switch {
	case s.Table.Len() > 0:
		s.List.Draw(e, c, 0)
	case w.err != nil:
		blank.Failed(e, c, w.err)
	case s.Filter.Wrong() != nil:
		blank.Misread(e, c, s.Filter.Wrong())
	case !w.loaded && w.looked > 0:
		blank.Loading(e, c, text.Clean("Searching: "+text.Plural(w.looked, "item")+" looked at"))
	case !w.loaded:
		blank.Loading(e, c, "Reading")
	case s.Filter.Text() != "":
		blank.Filtered(e, c, text.Clean(s.Filter.Text()))
	case s.source.deciding():
		blank.Empty(e, c, "Nothing is left in this group.", "esc goes back to the others.")
	case s.tab != 0:
		blank.Message(e, c, themes.Text, text.Safe("No item is "+s.narrow.name+"."), "Left and right show the other statuses.")
	default:
		blank.Message(e, c, themes.Text, "This queue has no items.",
			text.Clean("signalbox item add --queue "+s.source.request.Queue+" --payload '{}'"),
			text.Clean("signalbox item import --queue "+s.source.request.Queue+" FILE"))
	}
}

// summary tells how many rows there are, marked, vanished or unreadable.
func (s *Items) summary(e env.Env) text.Safe {
	w := &s.window
	var parts []string
	if w.err != nil && s.Table.Len() > 0 {
		parts = append(parts, e.Glyphs.Danger+" not up to date: "+w.err.Error())
	}
	if n := s.Table.Marked(); n > 0 {
		words := text.Count(int64(n)) + " marked"
		if hidden := s.Table.Hidden(s.where()); hidden > 0 {
			words += ", " + text.Count(int64(hidden)) + " of them hidden by the filter"
		}
		parts = append(parts, words)
	}
	if s.Table.Ranging() {
		parts = append(parts, "marking a range")
	}
	if n := s.Table.Newer(); n > 0 {
		parts = append(parts, text.Count(int64(n))+" newer above")
	}
	if n := s.Table.Vanished(); n > 0 && !acting(e) {
		parts = append(parts, text.Plural(int64(n), "mark")+" vanished")
	}
	if w.damaged > 0 {
		parts = append(parts, fmt.Sprintf("%d unreadable", w.damaged))
	}
	switch {
	case w.looked > 0:
		parts = append(parts, "searching"+e.Glyphs.Ellipsis+" "+text.Plural(w.looked, "item")+" looked at")
	case !w.loaded:
	case w.flying && w.to != stay:
		parts = append(parts, "reading"+e.Glyphs.Ellipsis)
	case w.total >= 0:
		parts = append(parts, text.Plural(w.total, "item"))
	case w.atEnd && w.atStart:
		parts = append(parts, text.Plural(int64(s.Table.Len()), "item"))
	}
	if !s.source.deciding() && s.source.request.Sort == "" {
		order := "oldest first"
		if s.source.request.Desc {
			order = "newest first"
		}
		parts = append(parts, order)
	}
	return text.Clean(strings.Join(parts, " "+e.Glyphs.Sep+" "))
}

// acting says that an act on many of this person's runs: what goes meanwhile may
// be its doing, which its outcome tells.
func acting(e env.Env) bool {
	return e.Snap != nil && slices.ContainsFunc(e.Snap.Bulks, func(b engine.BulkState) bool { return b.By == e.Actor && b.Running() })
}

// drawTabs writes the status filters with what each would show. Where there is
// no room for all, those that would show nothing go first, then those farthest
// from the one chosen; none is cut.
func (s *Items) drawTabs(e env.Env, c *paint.Canvas) {
	q, known := e.Queue(s.source.request.Queue)
	var shown []labelled
	total := 0
	for i, t := range s.tabs(e) {
		n := t.count(e, &q)
		words := text.Safe(" " + t.name + " ")
		if known && (n > 0 || i == s.tab) {
			words += text.Safe(text.CompactCount(n) + " ")
		}
		shown = append(shown, labelled{i, words, known && n == 0})
		total += text.Width(words)
	}
	for total > c.Width()-2 && len(shown) > 1 {
		i := s.leastTab(shown)
		total -= text.Width(shown[i].words)
		shown = slices.Delete(shown, i, i+1)
	}
	c.Gap(1)
	for _, t := range shown {
		switch {
		case t.tab == s.tab:
			c.Raise(themes.Cursor)
			c.Put(themes.Text, t.words)
			c.Lower()
		case t.empty:
			c.Put(themes.Disabled, t.words)
		default:
			c.Put(themes.Muted, t.words)
		}
	}
	c.End()
}

// labelled is a status filter as it is written.
type labelled struct {
	tab   int
	words text.Safe
	empty bool
}

// leastTab is which of the status filters can best be done without.
func (s *Items) leastTab(shown []labelled) (least int) {
	worth := func(t labelled) int {
		far := max(t.tab-s.tab, s.tab-t.tab)
		switch {
		case t.tab == s.tab:
			return 2000
		case t.empty:
			return -far
		}
		return 1000 - far
	}
	for i := range shown {
		if worth(shown[i]) < worth(shown[least]) {
			least = i
		}
	}
	return least
}

// drawReason writes the reason that the group shares, and what may be done.
func (s *Items) drawReason(e env.Env, c *paint.Canvas) {
	g := s.source.group
	c.Gap(1)
	role, words := e.Standing(g.Status, g.Kind)
	c.Put(role, words+"  ")
	c.Put(themes.Title, text.Truncate(text.Clean(g.Text), c.Width()-c.Col()-1, e.Glyphs.Ellipsis))
	c.End()
}
