package slotgrid

import (
	"strconv"
	"time"

	"signalbox/engine/lane"
	"signalbox/store"
	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/text"
)

// Expect says how long a holder is expected to hold its slot.
type Expect func(*lane.Holder) time.Duration

// Grid is a pool to be drawn.
type Grid struct {
	State    *lane.State
	Selected int // slot number, 0 for none
	Expect   Expect
	Focus    bool

	now store.Time // of the frame being drawn; 0 outside of one
}

// look is how a slot is drawn, whatever its size.
type look struct {
	role  themes.Role
	lever text.Safe
	held  time.Duration
	stuck bool
}

func (g *Grid) look(e *env.Env, s *lane.SlotState) look {
	h := s.Holder
	if h == nil {
		return look{role: themes.StateIdle, lever: text.Safe(e.Glyphs.SlotFree)}
	}
	k := look{held: g.held(e, h), lever: text.Safe(e.Glyphs.SlotFast)}
	slow := h.Lane == lane.Slow
	if slow {
		k.lever = text.Safe(e.Glyphs.SlotSlow)
	}
	share := 0.0
	if want := g.Expect(h); want > 0 {
		share = float64(k.held) / float64(want)
	}
	k.stuck = share > 1
	k.role = themes.HeldRole(slow, share)
	if s.State == lane.Closing {
		k.role = themes.StateClosing
	}
	return k
}

// held is for how long a slot has been held, without the cost of calendars:
// it is asked a thousand times a frame.
func (g *Grid) held(e *env.Env, h *lane.Holder) time.Duration {
	now := g.now
	if now == 0 {
		now = store.At(e.Now)
	}
	if h.Since >= now {
		return 0
	}
	return time.Duration((now-h.Since)/1000) * time.Second
}

// sign is the glyph where a slot has only one.
func (g *Grid) sign(e *env.Env, s *lane.SlotState, k look) text.Safe {
	switch {
	case s.State == lane.Closing:
		return text.Safe(e.Glyphs.SlotClosing)
	case k.stuck:
		return text.Safe(e.Glyphs.SlotStuck)
	}
	return k.lever
}

// coarse words a hold in three columns.
func coarse(d time.Duration) text.Safe {
	switch {
	case d < time.Second:
		return "new"
	case d < 100*time.Second:
		return text.Safe(strconv.Itoa(int(d/time.Second)) + "s")
	case d < 100*time.Minute:
		return text.Safe(strconv.Itoa(int(d/time.Minute)) + "m")
	case d < 100*time.Hour:
		return text.Safe(strconv.Itoa(int(d/time.Hour)) + "h")
	}
	return text.Safe(strconv.Itoa(int(min(d/(24*time.Hour), 99))) + "d")
}

// Stuck says whether a slot is held past what is expected.
func (g *Grid) Stuck(e env.Env, s *lane.SlotState) bool { return g.look(&e, s).stuck }

// Role is the look of a slot's holder.
func (g *Grid) Role(e env.Env, s *lane.SlotState) themes.Role { return g.look(&e, s).role }
