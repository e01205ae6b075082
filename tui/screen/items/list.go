package items

import (
	"slices"
	"strconv"

	"signalbox/engine"
	"signalbox/keymap"
	"signalbox/store"
	"signalbox/tui/act"
	"signalbox/tui/env"
	"signalbox/tui/screen"
	"signalbox/tui/text"
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

func (s *Items) name() string { return s.request().Queue }

// sheet is an export of the whole list, in the columns shown.
func (s *Items) sheet() act.Sheet {
	req := s.request()
	var titles []string
	for _, c := range s.Table.Choices() {
		if c.Shown && !slices.Contains(s.fields.titles, c.Title) { // of rows out of sight it is not known
			titles = append(titles, string(c.Title))
		}
	}
	return act.Sheet{Titles: titles, List: &req, Row: func(i *store.Item) []string { return values(titles, i) }}
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
	case "age":
		return stamp(i.CreatedAt)
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

// order has the engine give the list in order of a column; the same column once
// more turns it round.
func (s *Items) order(title text.Safe) {
	req := &s.source.request
	by := orderOf(title)
	req.Desc = req.Sort == by && !req.Desc
	req.Sort = by
	s.Table.Order(title, req.Desc)
}

// anew reads what filter and order let through now.
func (s *Items) anew(env.Env) screen.Effects { return s.restart() }

// moved reads on where the hand needs it. The row in hand was chosen.
func (s *Items) moved() screen.Effects {
	s.once.Free()
	return s.near()
}

// Refuses implements screen.Refusing.
func (s *Items) Refuses(e env.Env, a keymap.Action) text.Safe {
	for _, c := range s.Desk.Choices(e, s.aim().row, s.many()) {
		if c.Action == a {
			return c.Refuse
		}
	}
	switch a {
	case keymap.Open, keymap.Explain, keymap.CopyIDs, keymap.CopyJSON, keymap.Mark, keymap.MarkRange, keymap.MarkAll:
		if s.Table.Row() == nil {
			return "there is no row"
		}
	case keymap.Unmark:
		if s.Table.Marked() == 0 {
			return "nothing is marked"
		}
	}
	return ""
}
