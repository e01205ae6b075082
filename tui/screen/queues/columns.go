package queues

import (
	"cmp"
	"strings"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/text"
	"signalbox/tui/widget/spark"
	"signalbox/tui/widget/table"
)

func (s *Queues) columns() []table.Column[row] {
	type queue = row
	word := func(r themes.Role, of func(*queue) string) func(env.Env, *queue) table.Cell {
		return func(_ env.Env, q *queue) table.Cell { return table.Cell{Role: r, Text: text.Clean(of(q))} }
	}
	// ofQueue leaves out of a folder's row what only queues have.
	ofQueue := func(cell func(env.Env, *queue) table.Cell) func(env.Env, *queue) table.Cell {
		return func(e env.Env, q *queue) table.Cell {
			if q.folder != "" {
				return table.Cell{}
			}
			return cell(e, q)
		}
	}
	number := func(r themes.Role, of func(*queue) int64) func(env.Env, *queue) table.Cell {
		return func(e env.Env, q *queue) table.Cell { return count(e, r, of(q)) }
	}
	byText := func(of func(*queue) string) func(a, b *queue) int {
		return func(a, b *queue) int { return strings.Compare(of(a), of(b)) }
	}
	byNumber := func(of func(*queue) int64) func(a, b *queue) int {
		return func(a, b *queue) int { return cmp.Compare(of(a), of(b)) }
	}
	return []table.Column[queue]{
		{Title: "queue", Min: 16, Ideal: 24, Most: 48, Grow: true, Measure: (*row).width, Draw: s.drawName, Cell: word(themes.Text, func(q *queue) string { return q.Name }), Less: byText(func(q *queue) string { return q.Name })},
		{Title: "family", Min: 12, Drop: 8, Cell: ofQueue(word(themes.Muted, func(q *queue) string { return q.Family.String() })), Less: byText(func(q *queue) string { return q.Family.String() })},
		{Title: "folder", Min: 9, Ideal: 14, Drop: 9, Apart: func() bool { return s.grouped }, Cell: word(themes.Muted, func(q *queue) string { return q.Folder }), Less: byText(func(q *queue) string { return q.Folder })},
		{Title: "lane", Min: 6, Drop: 3, Cell: ofQueue(laneCell), Less: byText(func(q *queue) string { return q.Lane })},
		{Title: "consumer", Min: 8, Drop: 7, Cell: ofQueue(word(themes.Muted, func(q *queue) string { return q.Consumer.Kind })), Less: byText(func(q *queue) string { return q.Consumer.Kind })},
		{Title: "waiting", Min: 7, Right: true, Cell: number(themes.StateWaiting, func(q *queue) int64 { return q.Counts.Waiting() }), Less: byNumber(func(q *queue) int64 { return q.Counts.Waiting() })},
		{Title: "delayed", Min: 7, Right: true, Drop: 10, Cell: number(themes.StateDelayed, func(q *queue) int64 { return q.Delayed }), Less: byNumber(func(q *queue) int64 { return q.Delayed })},
		{Title: "running", Min: 7, Right: true, Drop: 1, Cell: number(themes.StateRunning, func(q *queue) int64 { return q.Counts.InFlight() }), Less: byNumber(func(q *queue) int64 { return q.Counts.InFlight() })},
		{Title: "done", Min: 7, Right: true, Drop: 4, Cell: number(themes.StateDone, done), Less: byNumber(done)},
		{Title: "excepted", Min: 8, Right: true, Cell: number(themes.StateException, excepted), Less: byNumber(excepted)},
		{Title: "failed", Min: 6, Right: true, Cell: number(themes.StateFault, failed), Less: byNumber(failed)},
		{Title: "abandoned", Min: 9, Right: true, Drop: 2, Cell: number(themes.StateAbandoned, func(q *queue) int64 { return q.Counts[store.Abandoned] }), Less: byNumber(func(q *queue) int64 { return q.Counts[store.Abandoned] })},
		{Title: "in/min", Min: 6, Right: true, Drop: 5, Cell: number(themes.Text, func(q *queue) int64 { return last(q.In) }), Less: byNumber(func(q *queue) int64 { return last(q.In) })},
		{Title: "out/min", Min: 7, Right: true, Drop: 5, Cell: number(themes.Text, func(q *queue) int64 { return last(q.Out) }), Less: byNumber(func(q *queue) int64 { return last(q.Out) })},
		{Title: "out, 15 min", Min: 11, Ideal: 15, Tail: true, Drop: 6, Cell: func(e env.Env, q *queue) table.Cell {
			return table.Cell{Role: themes.Graph, Text: spark.Text(e, q.Out, s.scale, 15)}
		}},
		{Title: "sla", Min: 6, Ideal: 9, Drop: 3, Blank: func(_ env.Env, q *queue) bool { return q.SLA.Total() == 0 }, Cell: sla},
		{Title: "oldest", Min: 6, Right: true, Drop: 3, Cell: oldest, Less: oldestFirst},
		{Title: "", Min: 1, Ideal: 8, Clip: true, Blank: func(_ env.Env, q *queue) bool { return q.ConsumerError == "" && !q.Paused && q.broken+q.paused == 0 }, Cell: standing},
	}
}

// count shows a number; nothing is shown as a dot, so that the eye finds what
// is not nothing.
func count(e env.Env, r themes.Role, n int64) table.Cell {
	if n == 0 {
		return table.Cell{Role: themes.Disabled, Text: text.Safe(e.Glyphs.Sep)}
	}
	if n >= 1_000_000 {
		return table.Cell{Role: r, Text: text.Safe(text.CompactCount(n))}
	}
	return table.Cell{Role: r, Text: text.Safe(text.Count(n))}
}

func done(q *row) int64 {
	return q.Counts[store.Completed] + q.Counts[store.Successful]
}

// excepted counts business exceptions: by status, and in a jobs queue by what
// its groups say.
func excepted(q *row) int64 { return q.Counts[store.BusinessException] + q.business }

func failed(q *row) int64 {
	return q.Counts[store.Failed] + q.Counts[store.SystemException] - q.business
}

// last is the newest whole minute.
func last(v []int) int64 {
	if len(v) < 2 {
		return 0
	}
	return int64(v[len(v)-2])
}

// least is the fewest a minute that fill a sparkline's height, so that a
// trickle is not drawn as a flood.
const least = 10

// scaleOf is the one scale of all sparklines: the most that any queue put out
// in a minute.
func scaleOf(queues []engine.QueueState) int {
	m := least
	for i := range queues {
		for _, n := range queues[i].Out {
			m = max(m, n)
		}
	}
	return m
}

func laneCell(e env.Env, q *row) table.Cell {
	if q.Lane == "slow" {
		return table.Cell{Role: themes.LaneSlow, Text: text.Safe(e.Glyphs.LaneSlow) + " slow"}
	}
	return table.Cell{Role: themes.LaneFast, Text: text.Safe(e.Glyphs.LaneFast) + " fast"}
}

// sla tells how many waiting items are overdue or at risk, or that none is.
func sla(e env.Env, q *row) table.Cell {
	switch s := q.SLA; {
	case s.Overdue > 0:
		return table.Cell{Role: themes.Danger, Text: text.Safe(text.CompactCount(s.Overdue)) + " late"}
	case s.AtRisk > 0:
		return table.Cell{Role: themes.Warn, Text: text.Safe(text.CompactCount(s.AtRisk)) + " risk"}
	case s.OnTime > 0:
		return table.Cell{Role: themes.Muted, Text: "ok"}
	}
	return count(e, themes.Text, 0)
}

func oldest(e env.Env, q *row) table.Cell {
	if q.OldestWaitingAt.IsZero() {
		return count(e, themes.Text, 0)
	}
	return table.Cell{Role: themes.Text, Text: e.Age(q.OldestWaitingAt)}
}

// oldestFirst puts what has waited longest first, and queues where nothing
// waits last.
func oldestFirst(a, b *row) int {
	x, y := a.OldestWaitingAt, b.OldestWaitingAt
	if x.IsZero() != y.IsZero() {
		return cmp.Compare(y, x)
	}
	return cmp.Compare(x, y)
}

func standing(e env.Env, q *row) table.Cell {
	switch {
	case q.ConsumerError != "" || q.broken > 0:
		return table.Cell{Role: themes.Danger, Text: text.Safe(e.Glyphs.Danger) + " broken"}
	case q.Paused || q.paused > 0:
		return table.Cell{Role: themes.Warn, Text: text.Safe(e.Glyphs.Paused) + " paused"}
	}
	return table.Cell{}
}
