package queues

import (
	"signalbox/engine"
	"signalbox/store"
	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/text"
	"signalbox/tui/widget/spark"
	"signalbox/tui/widget/table"
)

func columns() []table.Column[engine.QueueState] {
	type queue = engine.QueueState
	word := func(r themes.Role, of func(*queue) string) func(env.Env, *queue) table.Cell {
		return func(_ env.Env, q *queue) table.Cell { return table.Cell{Role: r, Text: text.Clean(of(q))} }
	}
	number := func(r themes.Role, of func(*queue) int64) func(env.Env, *queue) table.Cell {
		return func(e env.Env, q *queue) table.Cell { return count(e, r, of(q)) }
	}
	return []table.Column[queue]{
		{Title: "queue", Min: 16, Ideal: 30, Grow: true, Cell: word(themes.Text, func(q *queue) string { return q.Name })},
		{Title: "family", Min: 12, Drop: 8, Cell: word(themes.Muted, func(q *queue) string { return q.Family.String() })},
		{Title: "folder", Min: 9, Ideal: 14, Drop: 9, Cell: word(themes.Muted, func(q *queue) string { return q.Folder })},
		{Title: "lane", Min: 6, Drop: 4, Cell: laneCell},
		{Title: "consumer", Min: 8, Drop: 7, Cell: word(themes.Muted, func(q *queue) string { return q.Consumer.Kind })},
		{Title: "waiting", Min: 7, Right: true, Cell: number(themes.StateWaiting, func(q *queue) int64 { return q.Counts.Waiting() })},
		{Title: "delayed", Min: 7, Right: true, Drop: 10, Cell: number(themes.StateDelayed, func(q *queue) int64 { return q.Delayed })},
		{Title: "running", Min: 7, Right: true, Cell: number(themes.StateRunning, func(q *queue) int64 { return q.Counts.InFlight() })},
		{Title: "done", Min: 7, Right: true, Drop: 2, Cell: number(themes.StateDone, done)},
		{Title: "excepted", Min: 8, Right: true, Cell: number(themes.StateException, func(q *queue) int64 { return q.Counts[store.BusinessException] })},
		{Title: "failed", Min: 6, Right: true, Drop: 1, Cell: number(themes.StateFault, failed)},
		{Title: "abandoned", Min: 9, Right: true, Drop: 3, Cell: number(themes.StateAbandoned, func(q *queue) int64 { return q.Counts[store.Abandoned] })},
		{Title: "in/out", Min: 6, Ideal: 9, Right: true, Drop: 5, Cell: rates},
		{Title: "out", Min: 8, Ideal: 15, Tail: true, Drop: 6, Cell: func(e env.Env, q *queue) table.Cell {
			return table.Cell{Role: themes.Graph, Text: spark.Text(e, q.Out, most(q.Out), 15)}
		}},
		{Title: "oldest", Min: 7, Right: true, Drop: 3, Cell: oldest},
		{Title: "", Min: 8, Blank: func(q *queue) bool { return q.ConsumerError == "" && !q.Paused }, Cell: standing},
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

func done(q *engine.QueueState) int64 {
	return q.Counts[store.Completed] + q.Counts[store.Successful]
}

func failed(q *engine.QueueState) int64 {
	return q.Counts[store.Failed] + q.Counts[store.SystemException]
}

// rates shows what came in and went out in the newest whole minute.
func rates(e env.Env, q *engine.QueueState) table.Cell {
	in, out := last(q.In), last(q.Out)
	if in+out == 0 {
		return count(e, themes.Text, 0)
	}
	return table.Cell{Role: themes.Text, Text: text.Safe(text.CompactCount(in) + "/" + text.CompactCount(out))}
}

// last is the newest whole minute.
func last(v []int) int64 {
	if len(v) < 2 {
		return 0
	}
	return int64(v[len(v)-2])
}

func most(v []int) int {
	m := 1
	for _, n := range v {
		m = max(m, n)
	}
	return m
}

func laneCell(e env.Env, q *engine.QueueState) table.Cell {
	if q.Lane == "slow" {
		return table.Cell{Role: themes.LaneSlow, Text: text.Safe(e.Glyphs.LaneSlow) + " slow"}
	}
	return table.Cell{Role: themes.LaneFast, Text: text.Safe(e.Glyphs.LaneFast) + " fast"}
}

func oldest(e env.Env, q *engine.QueueState) table.Cell {
	if q.OldestWaitingAt.IsZero() {
		return count(e, themes.Text, 0)
	}
	return table.Cell{Role: themes.Text, Text: e.Age(q.OldestWaitingAt)}
}

func standing(e env.Env, q *engine.QueueState) table.Cell {
	switch {
	case q.ConsumerError != "":
		return table.Cell{Role: themes.Danger, Text: text.Safe(e.Glyphs.Danger) + " broken"}
	case q.Paused:
		return table.Cell{Role: themes.Warn, Text: text.Safe(e.Glyphs.Paused) + " paused"}
	}
	return table.Cell{}
}
