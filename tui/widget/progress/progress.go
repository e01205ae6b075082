// Package progress shows how far a job has come: the bar of its parts, their
// numbers in words, how fast it goes and how long it still takes.
package progress

import (
	"signalbox/engine"
	"signalbox/store"
	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/paint"
	"signalbox/tui/text"
)

// Part is one part of a bar.
type Part struct {
	Word  text.Safe
	N     int64 // work units
	Role  themes.Role
	Glyph text.Safe
}

// Parts are those of a job: done, failed, in flight, retrying and available, and
// cancelled where there are any. Each has a shape of its own, for terminals
// without colour.
func Parts(e env.Env, c *store.JobCounts) []Part {
	g := e.Glyphs
	parts := []Part{
		{"done", c.Done, themes.StateDone, text.Safe(g.Shades[0])},
		{"failed", c.Failed, themes.StateFault, text.Safe(g.Shades[1])},
		{"in flight", c.InFlight, themes.StateRunning, text.Safe(g.Shades[2])},
		{"retrying", min(c.Delayed, c.Available), themes.StateDelayed, text.Safe(g.Shades[3])},
		{"available", max(c.Available-c.Delayed, 0), themes.StateWaiting, text.Safe(g.Shades[4])},
	}
	if c.Cancelled > 0 {
		cancelled := Part{"cancelled", c.Cancelled, themes.StateIdle, text.Safe(g.SlotClosing)}
		parts = append(parts[:2:2], append([]Part{cancelled}, parts[2:]...)...)
	}
	return parts
}

// Draw writes the bar in w cells. What is there is seen, be it one in a million,
// and the bar is never full of done while something is left.
func Draw(e env.Env, c *paint.Canvas, counts *store.JobCounts, w int) {
	parts := Parts(e, counts)
	if counts.Total <= 0 {
		c.Repeat(themes.MeterTrack, text.Safe(e.Glyphs.Track), w)
		return
	}
	for i, n := range widths(parts, w) {
		c.Repeat(parts[i].Role, parts[i].Glyph, n)
	}
}

// widths shares w cells out among parts: each that holds anything has at least
// one, the largest gives what that takes.
func widths(parts []Part, w int) []int {
	cells := make([]int, len(parts))
	total := int64(0)
	for i := range parts {
		total += max(parts[i].N, 0)
	}
	if total == 0 || w <= 0 {
		return cells
	}
	left := w
	for i := range parts {
		if n := parts[i].N; n > 0 {
			cells[i] = max(int(float64(n)/float64(total)*float64(w)), 1)
			left -= cells[i]
		}
	}
	for left != 0 {
		at := widest(parts, cells, left)
		by := 1
		if left < 0 {
			by = -1
		}
		cells[at] += by
		left -= by
	}
	return cells
}

// widest is the part that gains a cell, or that has the most to give.
func widest(parts []Part, cells []int, left int) int {
	at := 0
	for i := range parts {
		if left > 0 && parts[i].N > parts[at].N || left < 0 && cells[i] > cells[at] {
			at = i
		}
	}
	return at
}

// Legend writes the parts in words with their numbers, in short ones where that
// keeps it on a line; else on as many lines as it takes, each from column indent
// on. Parts of which there are none stand back.
func Legend(e env.Env, c *paint.Canvas, counts *store.JobCounts, indent int) {
	parts := Parts(e, counts)
	number, gap := text.Count, 3
	switch room := c.Width() - indent; { // else it takes more lines
	case legendWidth(parts, number, gap) <= room:
	case legendWidth(parts, text.CompactCount, 2) <= room:
		number, gap = text.CompactCount, 2
	case legendWidth(parts, text.CompactCount, 1) <= room:
		number, gap = text.CompactCount, 1
	}
	c.Gap(indent)
	for i, p := range parts {
		words := " " + p.Word + " " + text.Safe(number(p.N))
		if i > 0 && c.Col()+gap+1+text.Width(words) > c.Width() {
			c.End()
			c.Gap(indent)
		} else if i > 0 {
			c.Gap(gap)
		}
		role := themes.Text
		if p.N == 0 {
			role = themes.Muted
		}
		c.Put(p.Role, p.Glyph)
		c.Put(role, words)
	}
	c.End()
}

// legendWidth is the room that a legend on one line takes.
func legendWidth(parts []Part, number func(int64) string, gap int) int {
	w := -gap
	for _, p := range parts {
		w += gap + 1 + text.Width(" "+p.Word+" "+text.Safe(number(p.N)))
	}
	return w
}

// LegendLines is how many lines the legend takes in w columns.
func LegendLines(e env.Env, counts *store.JobCounts, indent, w int) int {
	probe := e.Canvas(w, len(Parts(e, counts)))
	Legend(e, probe, counts, indent)
	return probe.Row()
}

// Worked is how much of a job is done or failed, in work units: what was
// cancelled was not.
func Worked(j *engine.JobState) int64 { return j.Done + j.Failed }

// Share words how much of a job has been worked.
func Share(j *engine.JobState) text.Safe { return text.Safe(text.Percent(Worked(j), j.Total)) }
