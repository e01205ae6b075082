package exceptions

import (
	"signalbox/keymap"
	"signalbox/tui/act"
	"signalbox/tui/env"
	"signalbox/tui/screen"
	"signalbox/tui/text"
	"signalbox/tui/widget/list"
)

// list does what all lists do alike.
func (s *Exceptions) list(e env.Env, a keymap.Action) screen.Effects {
	switch a {
	case keymap.Sort:
		return list.Sort(e, &s.table, s.sort)
	case keymap.Columns:
		return list.Columns(&s.table)
	}
	titles, rows := s.table.Shown(e)
	return s.desk.AskExport(e, screen.Addr{Screen: s.id, Gen: s.gen}, string(s.title), act.Sheet{Titles: titles, Rows: rows})
}

// sort puts the groups in order of a column.
func (s *Exceptions) sort(e env.Env, title text.Safe) screen.Effects {
	s.table.Sort(title)
	s.take(e)
	return screen.Effects{}
}

// click takes a click of the mouse. Above the table stands the filter's line.
func (s *Exceptions) click(e env.Env, msg screen.Click) screen.Effects {
	switch hit := s.table.Click(msg.X, msg.Y-1, e.Now); {
	case hit.Row && msg.Twice:
		return s.key(e, keymap.Open)
	case hit.Title != "":
		return s.sort(e, hit.Title)
	}
	return screen.Effects{}
}

// Narrow implements screen.Filtering.
func (s *Exceptions) Narrow(e env.Env, filter string) screen.Effects {
	s.filter.Set(filter)
	s.take(e)
	return screen.Effects{}
}

// Refuses implements screen.Refusing.
func (s *Exceptions) Refuses(e env.Env, a keymap.Action) text.Safe {
	if _, ok := act.Of(a); !ok && a != keymap.Open {
		return ""
	}
	if s.table.Row() == nil {
		return "there is no row"
	}
	if a == keymap.Open {
		return ""
	}
	return text.Clean(act.Barred(e))
}
