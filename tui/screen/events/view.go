package events

import (
	"fmt"
	"strings"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/paint"
	"signalbox/tui/screen/blank"
	"signalbox/tui/text"
	"signalbox/tui/widget/table"
)

// height is the number of rows that can be seen.
func height(e env.Env) int { return max(e.Height-6, 1) }

func columns() []table.Column[store.Change] {
	type change = store.Change
	return []table.Column[change]{
		{Title: "when", Min: 12, Cell: func(e env.Env, c *change) table.Cell {
			return table.Cell{Role: themes.Muted, Text: when(e, c.At)}
		}},
		{Title: "what", Min: 10, Ideal: 18, Most: 18, Cell: func(_ env.Env, c *change) table.Cell {
			return table.Cell{Role: themes.Text, Text: text.Clean(c.Event)}
		}},
		{Title: "of", Min: 20, Ideal: 21, Most: 40, Measure: name, Cell: func(_ env.Env, c *change) table.Cell {
			return table.Cell{Role: themes.Text, Text: text.Clean(name(c))}
		}},
		{Title: "is now", Min: 14, Ideal: 20, Drop: 1, Cell: turn},
		{Title: "by", Min: 8, Ideal: 16, Drop: 2, Cell: func(_ env.Env, c *change) table.Cell {
			return table.Cell{Role: themes.Muted, Text: text.Clean(env.Robot(c.Actor))}
		}},
		{Title: "why", Min: 14, Grow: true, Drop: 3, Cell: func(_ env.Env, c *change) table.Cell {
			return table.Cell{Role: themes.Muted, Text: text.Clean(c.Why)}
		}},
	}
}

// when is a change's moment: to the millisecond today, else with its date.
func when(e env.Env, t store.Time) text.Safe {
	if e.Zone == env.Relative {
		return e.When(t)
	}
	at, now := t.Time().In(e.Location()), e.Now.In(e.Location())
	if at.YearDay() == now.YearDay() && at.Year() == now.Year() {
		return text.Safe(at.Format("15:04:05.000"))
	}
	return e.When(t)
}

// name says what a change is of.
func name(c *store.Change) string {
	switch {
	case c.Number > 0:
		return store.ID{Queue: c.Queue, Number: c.Number}.String()
	case c.Queue != "":
		return "queue " + c.Queue
	}
	return "the pool"
}

// turn is the status that a change led to.
func turn(e env.Env, c *store.Change) table.Cell {
	if c.Number == 0 || c.To == 0 || c.To == c.From {
		return table.Cell{Role: themes.Disabled, Text: text.Safe(e.Glyphs.Sep)}
	}
	kind := ""
	if c.Event == string(engine.EventBusiness) {
		kind = engine.Business
	}
	role, words := e.Standing(c.To, kind)
	return table.Cell{Role: role, Text: words}
}

// Draw implements screen.Screen.
func (s *Events) Draw(e env.Env, c *paint.Canvas) {
	s.Filter.Draw(e, c, s.summary(e))
	switch {
	case s.Table.Len() > 0:
		s.List.Draw(e, c, 0)
	case s.err != nil:
		blank.Failed(e, c, s.err)
	case s.Filter.Wrong() != nil:
		blank.Misread(e, c, s.Filter.Wrong())
	case !s.loaded:
		blank.Loading(e, c, "Reading")
	case s.searched > 0:
		blank.Loading(e, c, text.Safe("Looking back, before change "+text.Count(int64(s.searched))))
	case s.Filter.Text() != "":
		blank.Filtered(e, c, text.Clean(s.Filter.Text()))
	default:
		blank.Empty(e, c, "Nothing has happened yet.", "Every change of an item, a queue or the pool will be told here.")
	}
}

// summary tells how the list stands to the stream.
func (s *Events) summary(e env.Env) text.Safe {
	var parts []string
	if s.err != nil && s.Table.Len() > 0 {
		parts = append(parts, e.Glyphs.Danger+" not up to date: "+s.err.Error())
	}
	switch newer := s.newer(); {
	case !s.loaded:
	case s.paused:
		words := e.Glyphs.Paused + " paused at " + text.Clock(s.pausedAt, e.Location())
		if newer > 0 {
			words += ", " + text.Count(newer) + " newer"
		}
		parts = append(parts, words)
	case s.following():
		parts = append(parts, "following")
	default:
		if n := s.Table.Newer(); n > 0 {
			parts = append(parts, text.Count(int64(n))+" newer above")
		}
		parts = append(parts, fmt.Sprintf("%s shows the newest", e.Keys.Label("top")))
	}
	if s.loaded {
		parts = append(parts, text.Plural(int64(s.last), "change")+" in all")
	}
	return text.Clean(strings.Join(parts, " "+e.Glyphs.Sep+" "))
}

// newer counts the changes since it was paused, as far as the last read tells.
func (s *Events) newer() int64 {
	if s.last < s.newest {
		return 0
	}
	return int64(s.last - s.newest)
}
