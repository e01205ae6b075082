package robots

import (
	"cmp"
	"strconv"
	"strings"
	"time"

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

// inOrder puts those that live first, robots before the engine's own drains,
// and each by name: an order in which nobody moves while work goes on.
func inOrder(now time.Time) func(a, b engine.Robot) int {
	rank := func(r *engine.Robot) (n int) {
		if gone(r, now) {
			n += 2
		}
		if strings.HasPrefix(r.Name, engine.DrainPrefix) {
			n++
		}
		return n
	}
	return func(a, b engine.Robot) int {
		return cmp.Or(cmp.Compare(rank(&a), rank(&b)), strings.Compare(strings.Join(a.Queues, " "), strings.Join(b.Queues, " ")), text.Natural(a.Name, b.Name))
	}
}

// gone says that nothing speaks for a robot any more: no word of late, and no
// lease that still holds.
func gone(r *engine.Robot, now time.Time) bool {
	return r.LeaseUntil <= store.At(now) && now.Sub(r.SeenAt.Time()) > silent
}

// ended says that a robot was a drain of the engine's whose run is over.
func ended(r *engine.Robot, now time.Time) bool {
	return strings.HasPrefix(r.Name, engine.DrainPrefix) && r.Held == 0 && gone(r, now)
}

// oldest compares since when robots hold what they have held longest; those
// that hold nothing come last.
func oldest(a, b *engine.Robot) int {
	if a.OldestAt.IsZero() != b.OldestAt.IsZero() {
		return cmp.Compare(b.OldestAt, a.OldestAt)
	}
	return cmp.Compare(a.OldestAt, b.OldestAt)
}

func columns() []table.Column[engine.Robot] {
	type robot = engine.Robot
	number := func(r themes.Role, of func(*robot) int) func(env.Env, *robot) table.Cell {
		return func(e env.Env, b *robot) table.Cell { return count(e, r, of(b)) }
	}
	by := func(of func(*robot) int) func(a, b *robot) int {
		return func(a, b *robot) int { return cmp.Compare(of(a), of(b)) }
	}
	held := func(b *robot) int { return b.Held }
	claims := func(b *robot) int { return b.Claims }
	done := func(b *robot) int { return b.Done }
	failed := func(b *robot) int { return b.Failed }
	return []table.Column[robot]{
		{Title: "robot", Min: 16, Most: 40, Measure: func(b *robot) string { return env.Robot(b.Name) }, Cell: func(_ env.Env, b *robot) table.Cell {
			return table.Cell{Role: themes.Text, Text: text.Clean(env.Robot(b.Name))}
		}, Less: func(a, b *robot) int { return strings.Compare(a.Name, b.Name) }},
		{Title: "held", Min: 5, Right: true, Cell: number(themes.StateRunning, held), Less: by(held)},
		{Title: "oldest", Min: 7, Right: true, Drop: 1, Cell: age, Less: oldest},
		{Title: "lease", Min: 8, Right: true, Drop: 3, Cell: lease, Less: func(a, b *robot) int { return cmp.Compare(a.LeaseUntil, b.LeaseUntil) }},
		{Title: "last seen", Min: 9, Right: true, Cell: seen, Less: func(a, b *robot) int { return cmp.Compare(b.SeenAt, a.SeenAt) }},
		{Title: "claims", Min: 6, Right: true, Drop: 4, Cell: number(themes.Text, claims), Less: by(claims)},
		{Title: "done", Min: 6, Right: true, Drop: 1, Cell: number(themes.StateDone, done), Less: by(done)},
		{Title: "failed", Min: 6, Right: true, Drop: 1, Cell: number(themes.StateFault, failed), Less: by(failed)},
		{Title: "done/min", Min: 8, Right: true, Drop: 2, Cell: pace, Less: func(a, b *robot) int { return cmp.Compare(perMinute(a), perMinute(b)) }},
		{Title: "queues", Min: 14, Grow: true, Cell: func(_ env.Env, b *robot) table.Cell {
			return table.Cell{Role: themes.Muted, Text: text.Clean(strings.Join(b.Queues, ", "))}
		}, Less: func(a, b *robot) int {
			return strings.Compare(strings.Join(a.Queues, " "), strings.Join(b.Queues, " "))
		}},
	}
}

func count(e env.Env, r themes.Role, n int) table.Cell {
	if n == 0 {
		return table.Cell{Role: themes.Disabled, Text: text.Safe(e.Glyphs.Sep)}
	}
	return table.Cell{Role: r, Text: text.Safe(text.Count(int64(n)))}
}

func age(e env.Env, b *engine.Robot) table.Cell {
	if b.OldestAt.IsZero() {
		return count(e, themes.Text, 0)
	}
	return table.Cell{Role: themes.Text, Text: e.Age(b.OldestAt)}
}

// lease is how long the first of its leases still holds.
func lease(e env.Env, b *engine.Robot) table.Cell {
	switch {
	case b.LeaseUntil.IsZero():
		return count(e, themes.Text, 0)
	case b.LeaseUntil <= store.At(e.Now):
		return table.Cell{Role: themes.Warn, Text: "run out"}
	}
	return table.Cell{Role: themes.Muted, Text: env.Span(e.Until(b.LeaseUntil))}
}

// silent is how long a robot that holds something may be silent before that is
// worth a look.
const silent = 2 * time.Minute

func seen(e env.Env, b *engine.Robot) table.Cell {
	role := themes.Text
	switch gone := e.Since(b.SeenAt); {
	case b.Held > 0 && gone > silent:
		role = themes.Warn
	case b.Held == 0:
		role = themes.Muted
	}
	return table.Cell{Role: role, Text: e.Age(b.SeenAt)}
}

// perMinute is how many items a robot has done a minute, in tenths.
func perMinute(b *engine.Robot) int {
	minutes := max(time.Duration(b.Window).Minutes(), 1)
	return int(float64(b.Done+b.Failed) * 10 / minutes)
}

func pace(e env.Env, b *engine.Robot) table.Cell {
	tenths := perMinute(b)
	if tenths == 0 {
		return count(e, themes.Text, 0)
	}
	return table.Cell{Role: themes.Text, Text: text.Safe(strconv.Itoa(tenths/10) + "." + strconv.Itoa(tenths%10))}
}

// Draw implements screen.Screen.
func (s *Robots) Draw(e env.Env, c *paint.Canvas) {
	s.Filter.Draw(e, c, s.summary(e))
	switch {
	case s.Table.Len() > 0:
		s.List.Draw(e, c, 0)
	case s.err != nil:
		blank.Failed(e, c, s.err)
	case !s.loaded:
		blank.Loading(e, c, "Reading")
	case s.Filter.Text() != "":
		blank.Filtered(e, c, text.Clean(s.Filter.Text()))
	default:
		blank.Empty(e, c, "No robot has claimed anything lately.",
			"Robots show here while they hold items, and for 15 minutes after their last word.")
	}
}

func (s *Robots) summary(e env.Env) text.Safe {
	if !s.loaded {
		return ""
	}
	held, window := 0, time.Duration(0)
	for i := range s.robots {
		held += s.robots[i].Held
		window = time.Duration(s.robots[i].Window)
	}
	words := text.Plural(int64(len(s.robots)-s.ended), "robot") + " " + e.Glyphs.Sep + " " + text.Plural(int64(held), "item") + " held"
	if s.ended > 0 {
		words += " " + e.Glyphs.Sep + " " + text.Plural(int64(s.ended), "ended drain") + " left out"
	}
	if window > 0 {
		words += " " + e.Glyphs.Sep + " counts of the last " + string(env.Span(window.Truncate(time.Second)))
	}
	if s.err != nil {
		words = e.Glyphs.Danger + " not up to date: " + s.err.Error()
	}
	return text.Clean(words)
}
