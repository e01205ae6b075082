package exceptions

import (
	"fmt"

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

// kindOf ranks what needs a person before what a retry may mend.
func kindOf(s store.Status) int {
	if s == store.BusinessException {
		return 0
	}
	return 1
}

func columns() []table.Column[store.Group] {
	type group = store.Group
	return []table.Column[group]{
		{Title: "items", Min: 6, Ideal: 7, Right: true, Cell: func(_ env.Env, g *group) table.Cell {
			return table.Cell{Role: themes.Text, Text: text.Safe(text.Count(g.Count))}
		}},
		{Title: "kind", Min: 12, Cell: func(e env.Env, g *group) table.Cell {
			return table.Cell{Role: themes.StatusRole(g.Status), Text: text.Safe(e.Glyphs.Status(g.Status)) + " " + kind(g.Status)}
		}},
		{Title: "reason", Min: 20, Grow: true, Cell: func(_ env.Env, g *group) table.Cell {
			return table.Cell{Role: themes.Text, Text: text.Clean(g.Text)}
		}},
		{Title: "queue", Min: 10, Ideal: 22, Drop: 1, Cell: func(_ env.Env, g *group) table.Cell {
			return table.Cell{Role: themes.Muted, Text: text.Clean(g.Queue)}
		}},
	}
}

// kind words what sort of trouble a status is.
func kind(s store.Status) text.Safe {
	switch s {
	case store.BusinessException:
		return "business"
	case store.SystemException, store.Failed:
		return "fault"
	case store.Abandoned:
		return "robot died"
	}
	return text.Safe(s.String())
}

// advice says what is likely to help.
func advice(s store.Status) text.Safe {
	switch s {
	case store.BusinessException:
		return "The data broke a business rule. A person must look: verify what is settled, retry what has been put right."
	case store.Abandoned:
		return "The robot that held it fell silent until its lease ran out. The work may be half done: a retry hands it out again."
	}
	return "The work failed for no fault of the data. A retry may do."
}

func (s *Exceptions) height(e env.Env) int { return max(e.Height-4-2-detailLines, 1) }

// Draw implements screen.Screen.
func (s *Exceptions) Draw(e env.Env, c *paint.Canvas) {
	if e.Snap == nil {
		blank.Opening(e, c)
		return
	}
	s.filter.Draw(e, c, s.summary(e))
	if s.table.Len() == 0 {
		s.drawEmpty(e, c)
		return
	}
	list := e.Canvas(c.Width(), max(c.Left()-detailLines, 2))
	s.table.Draw(e, list, s.filter.Hand())
	for i := range list.Height() {
		c.Draw(list, i)
		c.End()
	}
	s.drawDetail(e, c)
}

func (s *Exceptions) summary(e env.Env) text.Safe {
	all, business := s.left(e)
	words := fmt.Sprintf("%s left", text.Count(all))
	if business > 0 && business < all {
		words += fmt.Sprintf(": %s need a person, %s a retry may mend", text.Count(business), text.Count(all-business))
	}
	if s.table.Held() {
		words += " " + e.Glyphs.Sep + " order held still"
	}
	return text.Safe(words)
}

func (s *Exceptions) drawEmpty(e env.Env, c *paint.Canvas) {
	switch {
	case s.filter.Text() != "":
		blank.Filtered(e, c, text.Clean(s.filter.Text()))
	case s.in(store.Abandoned):
		blank.Empty(e, c, "Nothing is abandoned.", "Every robot that claimed work has reported on it, or still holds it.")
	default:
		blank.Empty(e, c, "Nothing waits for review.", "Business exceptions and faults will gather here, grouped by reason.")
	}
}

// drawDetail writes the reason in full, and what is likely to help.
func (s *Exceptions) drawDetail(e env.Env, c *paint.Canvas) {
	row := s.table.Row()
	if row == nil {
		return
	}
	c.End()
	c.Gap(3)
	c.Put(themes.StatusRole(row.Status), text.Safe(e.Glyphs.Status(row.Status)+" "+row.Status.String()))
	c.Put(themes.Muted, "  "+text.Clean(row.Queue))
	c.End()
	width := max(min(c.Width()-6, 110), 10)
	for i, part := range paint.Wrap(text.Clean(row.Text), width) {
		if i == 2 {
			break
		}
		c.Gap(3)
		c.Text(themes.Text, part)
	}
	c.Gap(3)
	c.Put(themes.Muted, text.Truncate(advice(row.Status), c.Width()-4, e.Glyphs.Ellipsis))
	c.End()
}
