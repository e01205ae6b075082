package slots

import (
	"fmt"
	"strconv"

	"signalbox/engine/lane"
	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/paint"
	"signalbox/tui/screen/blank"
	"signalbox/tui/text"
	"signalbox/tui/widget/slotgrid"
	"signalbox/tui/widget/spark"
	"signalbox/tui/widget/table"
)

// sideBySide is the width from which the waiting line stands beside the
// holders.
const sideBySide = 110

// sideWidth is the waiting line's width there.
func sideWidth(e env.Env) int { return min(max(e.Width*3/10, 44), 64) }

// bodyHeight is the room a screen has in a terminal.
func bodyHeight(e env.Env) int { return max(e.Height-4, 1) }

// plan lays out the strip; it leaves room for what stands below it.
func (s *Slots) plan(e env.Env) slotgrid.Layout {
	h := bodyHeight(e)
	return slotgrid.Plan(&e.Snap.Slots, e.Width-1, max(h-12, h*45/100, 3))
}

// tableHeight is the number of holders that can be seen.
func (s *Slots) tableHeight(e env.Env) int {
	h := bodyHeight(e) - s.plan(e).Height - 4
	if e.Width < sideBySide {
		h -= s.waitingLines(e)
	}
	return max(h, 1)
}

// Draw implements screen.Screen.
func (s *Slots) Draw(e env.Env, c *paint.Canvas) {
	switch {
	case e.Snap == nil:
		blank.Loading(e, c, "Opening the store")
	case len(e.Snap.Queues) == 0:
		blank.FirstRun(e, c)
	case e.Snap.Slots.Pool == 0:
		blank.Message(e, c, themes.Warn, "The pool could not be read.", "Its slots are not free: they are unknown. signalbox check tells more.")
	case s.edit != nil:
		s.drawEdit(e, c)
	default:
		s.drawPool(e, c)
	}
}

func (s *Slots) drawPool(e env.Env, c *paint.Canvas) {
	g := s.grid(e)
	if e.Class() != env.Narrow {
		c.End()
	}
	g.Draw(e, c, s.plan(e))
	s.drawSelected(e, c)
	if e.Class() != env.Narrow {
		c.End()
	}
	if e.Width >= sideBySide {
		side := sideWidth(e)
		left := e.Canvas(c.Width()-side-3, c.Left())
		right := e.Canvas(side, c.Left())
		s.drawHolders(e, left)
		s.drawWaiting(e, right, c.Left()-3)
		s.drawUtilisation(e, right)
		c.Append(3, left, right)
		return
	}
	below := s.waitingLines(e)
	top := e.Canvas(c.Width(), c.Left()-below)
	s.drawHolders(e, top)
	for i := range top.Height() {
		c.Draw(top, i)
		c.End()
	}
	s.drawWaiting(e, c, below)
}

// drawSelected names who holds the slot in hand.
func (s *Slots) drawSelected(e env.Env, c *paint.Canvas) {
	state := &e.Snap.Slots
	at := s.place(e)
	if at < 0 {
		c.End()
		return
	}
	slot := &state.Slots[at]
	c.Gap(1)
	c.Put(themes.Accent, text.Safe(e.Glyphs.Focus)+" ")
	c.Put(themes.Title, "slot "+text.Safe(strconv.Itoa(slot.Number)))
	sep := text.Safe(" " + e.Glyphs.Sep + " ")
	c.Put(themes.Muted, sep+text.Safe(part(slot.Lane)))
	h := slot.Holder
	if h == nil {
		c.Put(themes.Muted, sep+"free")
		c.End()
		return
	}
	role, stuck := s.role(e, slot)
	c.Put(themes.Muted, sep)
	c.Put(role, text.Safe(h.Lane)+" work for "+e.Age(h.Since))
	for _, name := range []string{or(h.Item, h.Queue), h.Job, robot(h)} {
		if name != "" {
			c.Put(themes.Muted, sep)
			c.Put(themes.Text, text.Clean(name))
		}
	}
	if stuck {
		c.Put(themes.StateStuck, sep+"stuck: more than "+text.Safe(env.Span(s.expected(h))))
	}
	c.End()
}

func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func part(l lane.Lane) string {
	switch l {
	case lane.Fast:
		return "fast only"
	case lane.Slow:
		return "slow only"
	}
	return "commons"
}

func (s *Slots) drawHolders(e env.Env, c *paint.Canvas) {
	if s.holders.Len() == 0 {
		c.Gap(3)
		c.Put(themes.Muted, text.Safe(fmt.Sprintf("All %d slots are free.", e.Snap.Slots.Pool)))
		c.End()
		return
	}
	hand := table.Nowhere
	if s.holder(e) != nil {
		hand = table.Here
	}
	s.holders.Draw(e, c, hand)
}

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
		c.Put(themes.Text, text.Safe(fmt.Sprintf("  %d waiting", l.state.Waiting)))
		c.Put(themes.Muted, " "+text.Safe(e.Glyphs.Sep)+" "+reason(state, l.lane, l.state))
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
	return text.Safe(fmt.Sprintf("all %d slots held", busy))
}

func (s *Slots) drawLine(e env.Env, c *paint.Canvas, which lane.Lane, end int) {
	for i, w := range e.Snap.Slots.Waiting {
		if w.Lane != which || c.Row() >= end {
			continue
		}
		if c.Row() == end-1 && s.following(e, i, which) > 0 {
			c.Gap(3)
			c.Put(themes.Muted, text.Safe(fmt.Sprintf("and %d more", s.following(e, i, which)+1)))
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
