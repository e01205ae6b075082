package slots

import (
	"fmt"

	"signalbox/engine/lane"
	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/paint"
	"signalbox/tui/text"
	"signalbox/tui/widget/slotgrid"
)

// drawEdit shows the split as it is and as it would be.
func (s *Slots) drawEdit(e env.Env, c *paint.Canvas) {
	now, next := splitOf(&e.Snap.Slots), s.edit.proposed
	scale := max(now.Size, next.Size)
	air := 0
	if c.Height() > 24 {
		air = 1
	}
	c.Skip(air)
	if e.Class() > env.Narrow {
		drawBar(e, c, "now", now, scale)
		c.Skip(air)
	}
	drawBar(e, c, "proposed", next, scale)
	c.Skip(air)
	if s.edit.refusal != "" {
		for i, part := range paint.Wrap(s.edit.refusal, max(c.Width()-6, 1)) {
			c.Gap(3)
			if i == 0 {
				c.Put(themes.Warn, text.Safe(e.Glyphs.Warn))
			}
			c.To(5)
			c.Text(themes.Warn, part)
		}
	}
	drawComparison(e, c, now, next)
	c.End()
	c.Gap(3)
	c.Text(themes.Title, "What would change")
	for _, line := range consequences(&e.Snap.Slots, now, next, s.edit.auto) {
		c.Gap(3)
		c.Put(themes.Muted, text.Safe(e.Glyphs.Bullet)+" ")
		c.Text(themes.Text, line)
	}
}

// drawBar draws a split as a bar whose three parts are its reserves and the
// commons, between the lanes' brackets.
func drawBar(e env.Env, c *paint.Canvas, name text.Safe, s lane.Split, scale int) {
	const label = 11
	room := max(c.Width()-label-3, 10)
	per := max(room/max(scale, 1), 1)
	if scale > room {
		per = 0
	}
	at := func(slots int) int {
		if per > 0 {
			return slots * per
		}
		return slots * room / scale
	}
	lines := e.Glyphs.Line
	bracket := func(r themes.Role, l lane.Lane, open, end string) {
		first, last := s.Range(l)
		left, right := at(first-1), at(last)
		c.To(label + left)
		words := text.Safe(fmt.Sprintf(" %s %s ", l, slotgrid.Span(e, first, last)))
		c.Put(r, text.Safe(open))
		inside := text.Width(words)+2 <= right-left
		if inside {
			c.Put(r, words)
		}
		c.Repeat(r, text.Safe(lines.H), label+right-1-c.Col())
		c.Put(r, text.Safe(end))
		if !inside { // then beside it
			c.Put(r, words)
		}
		c.End()
	}
	bracket(themes.LaneFast, lane.Fast, lines.TopLeft, lines.TopRight)
	c.Gap(1)
	c.Put(themes.Title, name)
	c.To(label)
	fill := e.Glyphs.Shades
	c.Repeat(themes.LaneFast, text.Safe(fill[0]), at(s.Fast))
	c.Repeat(themes.LaneCommons, text.Safe(fill[3]), at(s.Size-s.Slow)-at(s.Fast))
	c.Repeat(themes.LaneSlow, text.Safe(fill[1]), at(s.Size)-at(s.Size-s.Slow))
	c.End()
	bracket(themes.LaneSlow, lane.Slow, lines.BottomLeft, lines.BottomRight)
}

// drawComparison sets the numbers side by side.
func drawComparison(e env.Env, c *paint.Canvas, now, next lane.Split) {
	row := func(name text.Safe, a, b text.Safe, r themes.Role) {
		c.Gap(3)
		c.Fit(r, name, 12)
		c.FitLeft(themes.Text, a, 14)
		c.FitLeft(changed(a, b), b, 18)
		c.End()
	}
	c.Gap(15)
	c.FitLeft(themes.Muted, "now", 14)
	c.FitLeft(themes.Muted, "proposed", 18)
	c.End()
	row("pool", count(now.Size), count(next.Size), themes.Text)
	row("fast only", count(now.Fast), count(next.Fast), themes.LaneFast)
	row("commons", count(now.Common()), count(next.Common()), themes.LaneCommons)
	row("slow only", count(now.Slow), count(next.Slow), themes.LaneSlow)
	row("fast may use", reach(e, now, lane.Fast), reach(e, next, lane.Fast), themes.LaneFast)
	row("slow may use", reach(e, now, lane.Slow), reach(e, next, lane.Slow), themes.LaneSlow)
}

func changed(a, b text.Safe) themes.Role {
	if a == b {
		return themes.Muted
	}
	return themes.Accent
}

func count(n int) text.Safe { return text.Safe(text.Count(int64(n))) }

func reach(e env.Env, s lane.Split, l lane.Lane) text.Safe {
	first, last := s.Range(l)
	return text.Safe(fmt.Sprintf("%d (%s)", last-first+1, slotgrid.Span(e, first, last)))
}

// consequences tells in words what applying the proposal would do.
func consequences(state *lane.State, now, next lane.Split, auto bool) []text.Safe {
	if now == next && auto == state.Auto {
		return []text.Safe{"Nothing: this is the split as it is."}
	}
	var lines []text.Safe
	add := func(format string, args ...any) { lines = append(lines, text.Safe(fmt.Sprintf(format, args...))) }
	if d := next.Size - now.Size; d > 0 {
		add("The pool grows by %d.", d)
	} else if d < 0 {
		add("The pool shrinks by %d.", -d)
	}
	shift(add, "fast", next.Fast-now.Fast)
	shift(add, "slow", next.Slow-now.Slow)
	closing, foreign := 0, 0
	for _, slot := range state.Slots {
		switch {
		case slot.Holder == nil:
		case slot.Number > next.Size:
			closing++
		case next.Of(slot.Number) != lane.Commons && next.Of(slot.Number) != slot.Holder.Lane:
			foreign++
		}
	}
	switch {
	case closing == 1:
		add("1 busy slot above %d closes once its work lets go.", next.Size)
	case closing > 1:
		add("%d busy slots above %d close once their work lets go.", closing, next.Size)
	}
	switch {
	case foreign == 1:
		add("1 slot holds the other lane's work; it stays there until it lets go.")
	case foreign > 1:
		add("%d slots hold the other lane's work; it stays there until it lets go.", foreign)
	}
	if next.Common() == 0 {
		add("No slot is common: a lane that is full can't use the other's idle slots.")
	}
	if auto {
		add("Reserves follow the pool: a quarter of it for each lane.")
	} else if state.Auto {
		add("Reserves no longer follow the pool's size.")
	}
	add("No work that runs is stopped.")
	return lines
}

func shift(add func(string, ...any), name string, d int) {
	switch {
	case d > 0:
		add("%d more kept free for %s work.", d, name)
	case d < 0:
		add("%d fewer kept free for %s work.", -d, name)
	}
}
