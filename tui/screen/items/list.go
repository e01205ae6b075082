package items

import (
	"strconv"

	"signalbox/engine"
	"signalbox/keymap"
	"signalbox/store"
	"signalbox/tui/act"
	"signalbox/tui/env"
	"signalbox/tui/screen"
	"signalbox/tui/text"
	"signalbox/tui/widget/list"
)

// orderOf is the engine's order by a column, "" by number, which is the list's
// own.
func orderOf(title text.Safe) string {
	switch title {
	case "number":
		return ""
	case "tries":
		return "attempts"
	}
	return string(title)
}

// list does what all lists do alike.
func (s *Items) list(e env.Env, a keymap.Action) screen.Effects {
	switch a {
	case keymap.Sort:
		return list.Sort(e, &s.table, s.sort)
	case keymap.Columns:
		return list.Columns(&s.table)
	}
	req := s.request()
	var titles []string
	for _, c := range s.table.Choices() {
		if c.Shown {
			titles = append(titles, string(c.Title))
		}
	}
	return s.desk.AskExport(e, s.address(), req.Queue, act.Sheet{
		Titles: titles, List: &req, Row: func(i *store.Item) []string { return values(titles, i) },
	})
}

// values are an item's fields under the titles of columns, as programs read
// them.
func values(titles []string, i *store.Item) []string {
	row := make([]string, len(titles))
	for j, title := range titles {
		row[j] = value(title, i)
	}
	return row
}

func value(title string, i *store.Item) string {
	switch title {
	case "number":
		return strconv.FormatUint(i.Number, 10)
	case "reference":
		return i.Reference
	case "status":
		return i.Status.String()
	case "tries":
		return strconv.Itoa(i.Attempts)
	case "priority":
		return i.Priority.String()
	case "due":
		return stamp(i.DueAt)
	case "changed":
		return stamp(engine.ChangedAt(i))
	case "robot":
		return i.ClaimedBy
	case "review":
		return i.Review.Status.String()
	case "what":
		if i.Error != nil {
			return i.Error.Reason
		}
		return i.Progress
	}
	return ""
}

func stamp(t store.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.String()
}

// sort asks the engine for the list in order of a column; the same column once
// more turns it round.
func (s *Items) sort(_ env.Env, title text.Safe) screen.Effects {
	req := &s.source.request
	by := orderOf(title)
	req.Desc = req.Sort == by && !req.Desc
	req.Sort = by
	s.table.Order(title, req.Desc)
	return s.restart()
}

// click takes a click of the mouse.
func (s *Items) click(e env.Env, msg screen.Click) screen.Effects {
	switch hit := s.table.Click(msg.X, msg.Y, e.Now); {
	case hit.Row && msg.Twice:
		return s.open()
	case hit.Row:
		return s.near()
	case hit.Title != "":
		for _, c := range s.table.Choices() {
			if c.Title == hit.Title && c.Order {
				return s.sort(e, c.Title)
			}
		}
	}
	return screen.Effects{}
}

// Narrow implements screen.Filtering.
func (s *Items) Narrow(_ env.Env, filter string) screen.Effects {
	s.filter.Set(filter)
	return s.restart()
}

// Refuses implements screen.Refusing.
func (s *Items) Refuses(e env.Env, a keymap.Action) text.Safe {
	for _, c := range s.desk.Choices(s.aim().row, s.table.Marked(), e.ReadOnly) {
		if c.Action == a {
			return c.Refuse
		}
	}
	switch a {
	case keymap.Open, keymap.Explain, keymap.CopyIDs, keymap.CopyJSON, keymap.Mark, keymap.MarkRange, keymap.MarkAll:
		if s.table.Row() == nil {
			return "there is no row"
		}
	case keymap.Unmark:
		if s.table.Marked() == 0 {
			return "nothing is marked"
		}
	}
	return ""
}
