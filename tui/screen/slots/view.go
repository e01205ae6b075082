package slots

import (
	"strconv"

	"signalbox/engine/lane"
	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/paint"
	"signalbox/tui/screen/blank"
	"signalbox/tui/text"
	"signalbox/tui/widget/slotgrid"
	"signalbox/tui/widget/table"
)

// sideBySide is the width from which the waiting line stands beside the
// holders.
const sideBySide = 110

// sideWidth is the waiting line's width there.
func sideWidth(e env.Env) int { return min(max(e.Width*3/10, 40), 64) }

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
		blank.Opening(e, c)
	case len(e.Snap.Queues) == 0:
		s.first.Draw(e, c)
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
	line := e.Canvas(2*max(c.Width(), 120), 1)
	s.drawSlot(e, line, &state.Slots[at])
	c.DrawLine(line, 0)
	c.End()
}

// drawSlot writes what is known of a slot, what is out of the ordinary first.
func (s *Slots) drawSlot(e env.Env, c *paint.Canvas, slot *lane.SlotState) {
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
	if stuck {
		c.Put(themes.StateStuck, sep+"stuck: more than "+text.Safe(env.Span(s.expected(h))))
	}
	for _, name := range []string{or(h.Item, h.Queue), h.Job, robot(h)} {
		if name != "" {
			c.Put(themes.Muted, sep)
			c.Put(themes.Text, text.Clean(name))
		}
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
		c.Put(themes.Muted, "All "+text.Safe(text.Count(int64(e.Snap.Slots.Pool)))+" slots are free.")
		c.End()
		return
	}
	hand := table.Nowhere
	if s.holder(e) != nil {
		hand = table.Here
	}
	s.holders.Draw(e, c, hand)
}
