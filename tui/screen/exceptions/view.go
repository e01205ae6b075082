package exceptions

import (
	"cmp"
	"fmt"
	"strings"

	"signalbox/store"
	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/paint"
	"signalbox/tui/screen/blank"
	"signalbox/tui/text"
	"signalbox/tui/widget/table"
)

// detailLines is the room below the list for the reason in full.
const detailLines = 5

// rank puts what needs a person before what a retry may mend.
func rank(g *store.Group) int {
	if env.Business(g.Status, g.Kind) {
		return 0
	}
	return 1
}

func columns() []table.Column[store.Group] {
	type group = store.Group
	return []table.Column[group]{
		{Title: "items", Min: 6, Ideal: 7, Right: true, Cell: func(_ env.Env, g *group) table.Cell {
			return table.Cell{Role: themes.Text, Text: text.Safe(text.Count(g.Count))}
		}, Less: func(a, b *group) int { return cmp.Compare(a.Count, b.Count) }},
		{Title: "kind", Min: 12, Cell: func(e env.Env, g *group) table.Cell {
			role, _ := e.Standing(g.Status, g.Kind)
			return table.Cell{Role: role, Text: text.Safe(glyph(e, g)) + " " + kind(g)}
		}, Less: func(a, b *group) int { return strings.Compare(string(kind(a)), string(kind(b))) }},
		{Title: "reason", Min: 20, Grow: true, Cell: func(_ env.Env, g *group) table.Cell {
			return table.Cell{Role: themes.Text, Text: text.Clean(g.Text)}
		}, Less: func(a, b *group) int { return strings.Compare(a.Text, b.Text) }},
		{Title: "queue", Min: 10, Most: 40, Drop: 1, Measure: func(g *group) string { return g.Queue }, Cell: func(_ env.Env, g *group) table.Cell {
			return table.Cell{Role: themes.Muted, Text: text.Clean(g.Queue)}
		}, Less: func(a, b *group) int { return strings.Compare(a.Queue, b.Queue) }},
	}
}

// glyph is the shape of a group's kind.
func glyph(e env.Env, g *store.Group) string {
	if env.Business(g.Status, g.Kind) {
		return e.Glyphs.Status(store.BusinessException)
	}
	return e.Glyphs.Status(g.Status)
}

// kind words what sort of trouble a group has.
func kind(g *store.Group) text.Safe {
	switch {
	case env.Business(g.Status, g.Kind):
		return "business"
	case g.Status == store.Abandoned:
		return "abandoned"
	case g.Status == store.SystemException, g.Status == store.Failed:
		return "fault"
	}
	return text.Safe(g.Status.String())
}

// advice says what is likely to help.
func advice(g *store.Group) text.Safe {
	switch {
	case env.Business(g.Status, g.Kind):
		return "The data broke a business rule. A person must look: verify what is settled, retry what has been put right."
	case g.Status == store.Abandoned:
		return "Nobody reported on it, so the work may be half done. A retry hands it out again."
	}
	return "The work failed for no fault of the data. A retry may do."
}

// legend explains the signs that stand for what differs within a group.
func legend(reason string) text.Safe {
	number, quoted := strings.Contains(reason, "#"), strings.Contains(reason, "\"…\"")
	switch {
	case number && quoted:
		return "# any number, \"…\" any quoted text"
	case number:
		return "# any number"
	case quoted:
		return "\"…\" any quoted text"
	}
	return ""
}

// height is the number of rows that can be seen.
func height(e env.Env) int { return max(e.Height-4-2-detailLines, 1) }

// Draw implements screen.Screen.
func (s *Exceptions) Draw(e env.Env, c *paint.Canvas) {
	if e.Snap == nil {
		blank.Opening(e, c)
		return
	}
	s.Filter.Draw(e, c, s.summary(e))
	if s.Table.Len() == 0 {
		s.drawEmpty(e, c)
		return
	}
	s.List.Draw(e, c, detailLines)
	s.drawDetail(e, c)
}

func (s *Exceptions) summary(e env.Env) text.Safe {
	all, business := s.left(e)
	words := fmt.Sprintf("%s left", text.Count(all))
	if business > 0 && business < all {
		words += fmt.Sprintf(": %s for a person, %s a retry may mend", text.Count(business), text.Count(all-business))
	}
	if n := s.Table.Marked(); n > 0 {
		words = text.Plural(int64(n), "group") + " marked"
		if hidden := s.Table.Hidden(s.Filter.Text()); hidden > 0 {
			words += fmt.Sprintf(", %d of them hidden by the filter", hidden)
		}
	} else if s.Table.Ranging() {
		words = "marking a range " + e.Glyphs.Sep + " " + words
	}
	if s.Table.Held() {
		words += " " + e.Glyphs.Sep + " order held still"
	}
	return text.Safe(words)
}

func (s *Exceptions) drawEmpty(e env.Env, c *paint.Canvas) {
	switch {
	case s.Filter.Text() != "":
		blank.Filtered(e, c, text.Clean(s.Filter.Text()))
	case s.in(store.Abandoned):
		blank.Empty(e, c, "Nothing is abandoned.", "Every robot that claimed work has reported on it, or still holds it.")
	default:
		blank.Empty(e, c, "Nothing waits for review.", "Business exceptions and faults will gather here, grouped by reason.")
	}
}

// drawDetail writes the reason in full, and what is likely to help.
func (s *Exceptions) drawDetail(e env.Env, c *paint.Canvas) {
	row := s.Table.Row()
	if row == nil {
		return
	}
	if e.Class() > env.Narrow {
		c.End()
	}
	c.Gap(3)
	role, status := e.Standing(row.Status, row.Kind)
	c.Put(role, status)
	c.Put(themes.Muted, "  "+text.Clean(row.Queue))
	if words := legend(row.Text); words != "" {
		c.Right(themes.Muted, "   "+words+" ")
	}
	c.End()
	width := max(min(c.Width()-6, 110), 10)
	parts := paint.Wrap(text.Clean(row.Text), width)
	for _, part := range parts[:min(len(parts), 2)] {
		c.Gap(3)
		c.Text(themes.Text, part)
	}
	for _, part := range paint.Wrap(advice(row), width) {
		c.Gap(3)
		c.Text(themes.Muted, part)
	}
}
