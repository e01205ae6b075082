package jobs

import (
	"cmp"
	"strings"
	"time"

	"signalbox/engine"
	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/paint"
	"signalbox/tui/screen/blank"
	"signalbox/tui/screen/job"
	"signalbox/tui/text"
	"signalbox/tui/widget/progress"
	"signalbox/tui/widget/table"
)

// height is the number of rows that can be seen: around them stand the root's
// lines, the filter, the titles and the detail.
func height(e env.Env) int { return max(e.Height-4-2-detailLines(e), 1) }

// detailLines is the room below the list for the numbers of the job in hand,
// which explain the bar, and for what is to be known of it.
func detailLines(e env.Env) int {
	if e.Width < 100 {
		return 3
	}
	return 2
}

func (s *Jobs) columns() []table.Column[engine.JobState] {
	type row = engine.JobState
	words := func(title text.Safe, role themes.Role, of func(*row) string) table.Column[row] {
		return table.Column[row]{Title: title, Cell: func(_ env.Env, j *row) table.Cell {
			return table.Cell{Role: role, Text: text.Clean(of(j))}
		}, Less: func(a, b *row) int { return strings.Compare(of(a), of(b)) }}
	}
	number := func(title text.Safe, role themes.Role, least, drop int, of func(*row) int64) table.Column[row] {
		return table.Column[row]{Title: title, Min: least, Ideal: least + 2, Right: true, Drop: drop, Cell: func(e env.Env, j *row) table.Cell {
			return count(e, role, of(j))
		}, Less: func(a, b *row) int { return cmp.Compare(of(a), of(b)) }}
	}
	id := words("job", themes.Text, func(j *row) string { return j.ID })
	id.Min, id.Ideal, id.Most, id.Grow, id.Measure = 12, 20, 48, true, func(j *row) string { return j.ID }
	queue := words("queue", themes.Muted, func(j *row) string { return j.Queue })
	queue.Min, queue.Ideal, queue.Most, queue.Drop, queue.Grow = 10, 16, 40, 4, true
	queue.Measure = func(j *row) string { return j.Queue }
	by := words("by", themes.Muted, func(j *row) string { return j.Initiator })
	by.Min, by.Ideal, by.Most, by.Drop, by.Measure = 4, 10, 24, 7, func(j *row) string { return j.Initiator }
	return []table.Column[row]{
		id,
		{Title: "status", Min: 12, Cell: func(e env.Env, j *row) table.Cell {
			role, words := e.JobStanding(j)
			return table.Cell{Role: role, Text: words}
		}, Less: func(a, b *row) int { return cmp.Compare(rank(a), rank(b)) }},
		{Title: "progress", Min: 8, Ideal: 40, Drop: 1, Cell: func(_ env.Env, j *row) table.Cell {
			return table.Cell{Role: themes.Text, Text: progress.Share(j)}
		}, Draw: func(e env.Env, c *paint.Canvas, j *row, w int) { progress.Draw(e, c, &j.JobCounts, w) },
			Less: func(a, b *row) int { return cmp.Compare(share(a), share(b)) }},
		{Title: "", Min: 4, Right: true, Cell: func(_ env.Env, j *row) table.Cell {
			return table.Cell{Role: themes.Text, Text: progress.Share(j)}
		}},
		number("done", themes.StateDone, 6, 6, func(j *row) int64 { return j.Done }),
		number("failed", themes.StateFault, 6, 0, func(j *row) int64 { return j.Failed }),
		number("in flight", themes.StateRunning, 9, 9, func(j *row) int64 { return j.InFlight }),
		number("retrying", themes.StateDelayed, 8, 10, func(j *row) int64 { return j.Delayed }),
		number("available", themes.StateWaiting, 9, 8, func(j *row) int64 { return max(j.Available-j.Delayed, 0) }),
		{Title: "rate", Min: 6, Ideal: 7, Right: true, Drop: 5, Cell: s.rate, Less: func(a, b *row) int {
			return cmp.Compare(s.perSecond(a), s.perSecond(b))
		}},
		{Title: "left", Min: 6, Ideal: 7, Right: true, Drop: 2, Cell: s.left},
		queue,
		by,
		{Title: "age", Min: 6, Ideal: 7, Right: true, Drop: 3, Cell: func(e env.Env, j *row) table.Cell {
			return table.Cell{Role: themes.Muted, Text: e.Age(j.CreatedAt)}
		}, Less: func(a, b *row) int { return cmp.Compare(b.CreatedAt, a.CreatedAt) }},
	}
}

func share(j *engine.JobState) float64 { return float64(progress.Worked(j)) / float64(max(j.Total, 1)) }

func count(e env.Env, r themes.Role, n int64) table.Cell {
	if n == 0 {
		return table.Cell{Role: themes.Disabled, Text: text.Safe(e.Glyphs.Sep)}
	}
	if n >= 100_000 {
		return table.Cell{Role: r, Text: text.Safe(text.CompactCount(n))}
	}
	return table.Cell{Role: r, Text: text.Safe(text.Count(n))}
}

func (s *Jobs) perSecond(j *engine.JobState) float64 {
	rate, _ := s.speeds.Rate(j, time.Time{})
	return rate
}

// rate is how fast a job goes, or of an ended one how fast it went.
func (s *Jobs) rate(e env.Env, j *engine.JobState) table.Cell {
	rate, ok := s.speeds.Rate(j, e.Now)
	if !ok {
		return count(e, themes.Text, 0)
	}
	role := themes.Text
	if !j.EndedAt.IsZero() {
		role = themes.Muted
	}
	return table.Cell{Role: role, Text: text.Safe(text.Rate(rate))}
}

// left is how long a job still takes.
func (s *Jobs) left(e env.Env, j *engine.JobState) table.Cell {
	if left, ok := s.speeds.Left(j, e.Now); ok {
		return table.Cell{Role: themes.Text, Text: env.Span(left)}
	}
	return count(e, themes.Text, 0)
}

// Draw implements screen.Screen.
func (s *Jobs) Draw(e env.Env, c *paint.Canvas) {
	if e.Snap == nil {
		blank.Opening(e, c)
		return
	}
	s.Filter.Draw(e, c, s.summary(e))
	switch {
	case s.Table.Len() > 0:
		s.List.Draw(e, c, detailLines(e))
		s.drawDetail(e, c)
	case s.Filter.Text() != "":
		blank.Filtered(e, c, text.Clean(s.Filter.Text()))
	default:
		blank.Empty(e, c, "There is no job.",
			"A job groups items of a queue, to be followed and steered as one. It is there with the first item that names it: `signalbox item import --queue Q --job NAME FILE`.")
	}
}

// drawDetail tells of the job in hand what does not fit its row.
func (s *Jobs) drawDetail(e env.Env, c *paint.Canvas) {
	row := s.Table.Row()
	if row == nil {
		return
	}
	numbers := e.Canvas(c.Width(), max(min(c.Left(), detailLines(e)-1), 0))
	progress.Legend(e, numbers, &row.JobCounts, 3)
	for i := range numbers.Height() {
		c.Draw(numbers, i)
		c.End()
	}
	c.Gap(3)
	role, words := job.Notice(e, row)
	c.Put(role, words)
	c.End()
}

// shownJobs is how many jobs a picture has at most.
const shownJobs = 100

func (s *Jobs) summary(e env.Env) text.Safe {
	open, failed := 0, int64(0)
	for i := range e.Snap.Jobs {
		if j := &e.Snap.Jobs[i]; j.EndedAt.IsZero() {
			open++
			failed += j.Failed
		}
	}
	words := text.Plural(int64(open), "open job")
	if failed > 0 {
		words += " " + e.Glyphs.Sep + " " + text.Count(failed) + " failed in them"
	}
	if len(e.Snap.Jobs) >= shownJobs {
		words += " " + e.Glyphs.Sep + " the newest 100; `signalbox job list` has all"
	}
	if n := s.Table.Newer(); n > 0 {
		words += " " + e.Glyphs.Sep + " " + text.Count(int64(n)) + " newer above"
	}
	if s.Table.Held() {
		words += " " + e.Glyphs.Sep + " order held still"
	}
	return text.Safe(words)
}
