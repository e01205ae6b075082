package slots

import (
	"signalbox/keymap"
	"signalbox/tui/act"
	"signalbox/tui/env"
	"signalbox/tui/screen"
	"signalbox/tui/screen/list"
	"signalbox/tui/text"
)

// list does what all lists do alike, to the holders.
func (s *Slots) list(e env.Env, a keymap.Action) screen.Effects {
	switch a {
	case keymap.Sort:
		return list.Sort(e, &s.holders, s.sort)
	case keymap.Columns:
		return list.Columns(&s.holders)
	}
	titles, rows := s.holders.Shown(e)
	return s.desk.AskExport(e, screen.Addr{Screen: s.id, Gen: s.gen}, "slots", act.Sheet{Titles: titles, Rows: rows})
}

// sort puts the holders in order of a column.
func (s *Slots) sort(e env.Env, title text.Safe) screen.Effects {
	s.holders.Sort(title)
	s.revision = 0
	s.take(e)
	return screen.Effects{}
}

// click takes a click of the mouse, on the strip or on the holders below it.
func (s *Slots) click(e env.Env, msg screen.Click) screen.Effects {
	if e.Snap == nil || s.edit != nil {
		return screen.Effects{}
	}
	y := msg.Y
	if e.Class() != env.Narrow {
		y--
	}
	plan := s.plan(e)
	g := s.grid(e)
	if slot := g.At(plan, msg.X, y); y < plan.Height && slot > 0 {
		s.choose(slot)
		if msg.Twice {
			return s.open(e)
		}
		return screen.Effects{}
	}
	switch hit := s.holders.Click(msg.X, msg.Y-s.tableTop(e), e.Now); {
	case hit.Row:
		if k, ok := s.holders.Cursor(); ok {
			s.selected = k
		}
		if msg.Twice {
			return s.open(e)
		}
	case hit.Title != "":
		return s.sort(e, hit.Title)
	}
	return screen.Effects{}
}

// tableTop is the line on which the holders' canvas begins: below the strip
// and the words on the slot in hand, with air around them where there is room.
func (s *Slots) tableTop(e env.Env) int {
	top := s.plan(e).Height + 1
	if e.Class() != env.Narrow {
		top += 2
	}
	return top
}

// wheel moves along the holders.
func (s *Slots) wheel(e env.Env, by int) {
	if e.Snap == nil || s.edit != nil || s.holders.Len() == 0 {
		return
	}
	s.holders.Wheel(by, s.tableHeight(e), e.Now)
	if k, ok := s.holders.Cursor(); ok {
		s.selected = k
	}
}
