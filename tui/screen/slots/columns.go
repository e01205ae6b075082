package slots

import (
	"cmp"
	"strconv"
	"strings"

	"signalbox/engine/lane"
	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/text"
	"signalbox/tui/widget/table"
)

func (s *Slots) columns() []table.Column[lane.SlotState] {
	type slot = lane.SlotState
	held := s
	holder := func(role themes.Role, word func(*lane.Holder) string) func(env.Env, *slot) table.Cell {
		return func(_ env.Env, s *slot) table.Cell {
			return table.Cell{Role: role, Text: text.Clean(word(s.Holder))}
		}
	}
	byText := func(of func(*lane.Holder) string) func(a, b *slot) int {
		return func(a, b *slot) int { return strings.Compare(of(a.Holder), of(b.Holder)) }
	}
	return []table.Column[slot]{
		{Title: "slot", Less: func(a, b *slot) int { return cmp.Compare(a.Number, b.Number) }, Min: 4, Right: true, Cell: func(_ env.Env, s *slot) table.Cell {
			return table.Cell{Role: themes.Text, Text: text.Safe(strconv.Itoa(s.Number))}
		}},
		{Title: "lane", Less: byText(func(h *lane.Holder) string { return string(h.Lane) }), Min: 6, Cell: laneCell},
		{Title: "queue", Less: byText(func(h *lane.Holder) string { return h.Queue }), Min: 12, Most: 48, Grow: true, Measure: func(s *slot) string { return s.Holder.Queue }, Cell: holder(themes.Text, func(h *lane.Holder) string { return h.Queue })},
		{Title: "item", Min: 4, Most: 9, Drop: 1, Right: true, Measure: func(s *slot) string { return number(s.Holder) }, Cell: holder(themes.Text, number)},
		{Title: "job", Less: byText(func(h *lane.Holder) string { return h.Job }), Min: 8, Ideal: 28, Drop: 2, Blank: func(_ env.Env, s *slot) bool { return s.Holder.Job == "" }, Cell: holder(themes.Muted, func(h *lane.Holder) string { return h.Job })},
		{Title: "robot", Less: byText(robot), Min: 8, Most: 22, Drop: 3, Measure: func(s *slot) string { return robot(s.Holder) }, Blank: func(_ env.Env, s *slot) bool { return s.Holder.Robot == "" }, Cell: holder(themes.Muted, robot)},
		{Title: "held", Less: func(a, b *slot) int { return cmp.Compare(b.Holder.Since, a.Holder.Since) }, Min: 6, Right: true, Cell: func(e env.Env, s *slot) table.Cell {
			role, _ := held.role(e, s)
			return table.Cell{Role: role, Text: e.Age(s.Holder.Since)}
		}},
		{Title: "", Min: 7, Ideal: 9, Clip: true, Cell: s.standing, Blank: s.ordinary},
	}
}

func robot(h *lane.Holder) string { return env.Robot(h.Robot) }

// number is the item's number, beside the name of its queue.
func number(h *lane.Holder) string {
	return strings.TrimPrefix(h.Item, h.Queue+"/")
}

func laneCell(e env.Env, s *lane.SlotState) table.Cell {
	if s.Holder.Lane == lane.Slow {
		return table.Cell{Role: themes.LaneSlow, Text: text.Safe(e.Glyphs.LaneSlow) + " slow"}
	}
	return table.Cell{Role: themes.LaneFast, Text: text.Safe(e.Glyphs.LaneFast) + " fast"}
}

// ordinary says that there is nothing to say about a slot.
func (s *Slots) ordinary(e env.Env, slot *lane.SlotState) bool { return s.standing(e, slot).Text == "" }

// standing says what is out of the ordinary about a slot.
func (s *Slots) standing(e env.Env, slot *lane.SlotState) table.Cell {
	_, stuck := s.role(e, slot)
	switch {
	case slot.State == lane.Closing:
		return table.Cell{Role: themes.StateClosing, Text: text.Safe(e.Glyphs.SlotClosing) + " closing"}
	case stuck:
		return table.Cell{Role: themes.StateStuck, Text: text.Safe(e.Glyphs.Warn) + " stuck"}
	}
	return table.Cell{}
}
