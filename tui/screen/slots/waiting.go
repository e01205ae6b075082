package slots

import (
	"fmt"
	"strconv"

	"signalbox/engine/lane"
	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/paint"
	"signalbox/tui/text"
	"signalbox/tui/widget/spark"
)

// waitingLines is the room of the waiting line where it stands below.
func (s *Slots) waitingLines(e env.Env) int {
	n := len(e.Snap.Slots.Waiting)
	if n == 0 {
		return 1
	}
	return min(n+2, max(bodyHeight(e)/4, 3))
}

// drawWaiting writes each lane's line: how long, why, and who stands in it.
func (s *Slots) drawWaiting(e env.Env, c *paint.Canvas, room int) {
	state := &e.Snap.Slots
	end := c.Row() + room
	if len(state.Waiting) == 0 {
		c.Gap(1)
		c.Put(themes.Muted, "Nobody waits for a slot.")
		drawBrief(e, c)
		c.End()
		return
	}
	for _, l := range []struct {
		lane  lane.Lane
		role  themes.Role
		glyph string
		state lane.LaneState
	}{{lane.Fast, themes.LaneFast, e.Glyphs.LaneFast, state.Fast}, {lane.Slow, themes.LaneSlow, e.Glyphs.LaneSlow, state.Slow}} {
		if l.state.Waiting == 0 || c.Row() >= end {
			continue
		}
		c.Gap(1)
		c.Put(l.role, text.Safe(l.glyph)+" "+text.Safe(l.lane))
		c.Put(themes.Text, "  "+text.Safe(text.Count(int64(l.state.Waiting)))+" in line")
		c.Put(themes.Muted, " "+text.Safe(e.Glyphs.Sep)+" "+reason(state, l.lane, l.state))
		if l.lane == lane.Fast || state.Fast.Waiting == 0 {
			drawBrief(e, c)
		}
		c.End()
		s.drawLine(e, c, l.lane, end)
	}
}

// reason says why a lane's line stands.
func reason(state *lane.State, which lane.Lane, l lane.LaneState) text.Safe {
	busy, free := 0, 0
	for _, slot := range state.Slots {
		if slot.Number < l.First || slot.Number > l.Last {
			continue
		}
		if slot.Holder == nil {
			free++
		} else {
			busy++
		}
	}
	if free > 0 {
		return "a slot has come free"
	}
	if busy == 1 {
		return "its one slot is held"
	}
	return "all " + text.Safe(text.Count(int64(busy))) + " slots held"
}

func (s *Slots) drawLine(e env.Env, c *paint.Canvas, which lane.Lane, end int) {
	for i, w := range e.Snap.Slots.Waiting {
		if w.Lane != which || c.Row() >= end {
			continue
		}
		if c.Row() == end-1 && s.following(e, i, which) > 0 {
			c.Gap(3)
			c.Put(themes.Muted, "and "+text.Safe(text.Count(int64(s.following(e, i, which)+1)))+" more")
			c.End()
			return
		}
		c.Gap(1)
		c.FitLeft(themes.Muted, text.Safe(strconv.Itoa(w.Place)), 3)
		c.Gap(2)
		name := w.Queue
		if w.Item != "" {
			name = w.Item
		}
		since := e.Age(w.Since)
		width := max(min(c.Width(), 60)-c.Col()-9, 4)
		c.Fit(themes.Text, text.Clean(name), width)
		c.FitLeft(themes.StateWaiting, since, 8)
		c.End()
	}
}

// following counts who stands behind place i in the same line.
func (s *Slots) following(e env.Env, i int, which lane.Lane) (n int) {
	for _, w := range e.Snap.Slots.Waiting[i+1:] {
		if w.Lane == which {
			n++
		}
	}
	return n
}

// drawBrief ends a line with the utilisation, where it has no place beside.
func drawBrief(e env.Env, c *paint.Canvas) {
	u := e.Snap.Utilisation
	if e.Width >= sideBySide || len(u) == 0 || c.Left() == 0 {
		return
	}
	now := text.Safe(fmt.Sprintf(" %d%% ", u[len(u)-1]))
	const label, columns = 5, 15
	if room := c.Width() - c.Col(); room < label+columns+len(now)+2 {
		return
	}
	c.To(c.Width() - label - columns - len(now))
	c.Put(themes.Muted, "busy ")
	spark.Draw(e, c, u, 100, columns)
	c.Put(themes.Text, now)
}

// drawUtilisation writes how busy the pool has been, minute by minute.
func (s *Slots) drawUtilisation(e env.Env, c *paint.Canvas) {
	u := e.Snap.Utilisation
	if len(u) == 0 || c.Left() < 3 {
		return
	}
	c.End()
	c.Gap(1)
	c.Put(themes.Muted, "busy  ")
	spark.Draw(e, c, u, 100, 15)
	c.Put(themes.Text, text.Safe(fmt.Sprintf("  %d%%", u[len(u)-1])))
	c.Put(themes.Muted, text.Safe(fmt.Sprintf("  last %d min", len(u))))
	c.End()
}
