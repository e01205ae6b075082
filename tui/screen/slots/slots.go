// Package slots is the home screen: the pool as one strip, who holds it, who
// waits and why, and how busy it has been.
package slots

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"signalbox/engine/lane"
	"signalbox/keymap"
	"signalbox/store"
	"signalbox/tui/act"
	"signalbox/tui/env"
	"signalbox/tui/screen"
	"signalbox/tui/screen/firstrun"
	"signalbox/tui/screen/item"
	"signalbox/tui/screen/items"
	"signalbox/tui/screen/list"
	"signalbox/tui/screen/queueform"
	"signalbox/tui/text"
	"signalbox/tui/widget/table"
)

// Slots is the screen.
type Slots struct {
	id       int
	gen      uint64
	desk     act.Desk
	selected int // slot number
	revision uint64
	limits   limits
	holders  table.Table[lane.SlotState, int]
	edit     *edit         // the split being edited, nil when none is
	first    firstrun.Page // while there is no queue
}

// New makes the screen.
func New(d act.Desk) *Slots {
	s := &Slots{id: d.Number(), desk: d, selected: 1}
	s.holders = table.New(s.columns(), func(s *lane.SlotState) int { return s.Number }, nil)
	return s
}

// ID implements screen.Screen.
func (s *Slots) ID() int { return s.id }

// Title implements screen.Screen.
func (s *Slots) Title() text.Safe {
	if s.edit != nil {
		return "Slots: edit the split"
	}
	return "Slots"
}

// Scope implements screen.Screen.
func (s *Slots) Scope() keymap.Scope {
	if s.edit != nil {
		return keymap.SplitEdit
	}
	return keymap.Slots
}

// Answers implements screen.Screen.
func (s *Slots) Answers(a keymap.Action) bool {
	if s.edit != nil {
		return slices.Contains(editActions(), a)
	}
	switch a {
	case keymap.Up, keymap.Down, keymap.Top, keymap.Bottom, keymap.PageUp, keymap.PageDown,
		keymap.Left, keymap.Right, keymap.Open, keymap.Split, keymap.Explain, keymap.CopyIDs, keymap.CopyJSON, keymap.New, keymap.Import:
		return true
	}
	return list.Answers(a)
}

// Word implements screen.Wording.
func (s *Slots) Word(a keymap.Action) text.Safe {
	switch a {
	case keymap.Left:
		return "slot"
	case keymap.Right:
		return "slot"
	}
	return ""
}

// Footer implements screen.Footing.
func (s *Slots) Footer(e env.Env) []keymap.Action {
	if s.edit != nil {
		return editActions()
	}
	if firstrun.On(e) {
		return []keymap.Action{keymap.Open, keymap.New, keymap.Import}
	}
	actions := []keymap.Action{keymap.Right, keymap.Open}
	if !e.ReadOnly {
		actions = append(actions, keymap.Split)
	}
	return append(actions, keymap.Explain, keymap.Sort, keymap.Freeze, keymap.Palette)
}

// Refuses implements screen.Refusing.
func (s *Slots) Refuses(e env.Env, a keymap.Action) text.Safe {
	switch a {
	case keymap.Open, keymap.Explain:
		if !firstrun.On(e) && s.holder(e) == nil {
			return "the slot is free"
		}
	case keymap.Sort, keymap.Export:
		if s.holders.Len() == 0 {
			return "no slot is held"
		}
	}
	return ""
}

// Ticks implements screen.Ticking: holds ripen and waits grow by the second.
func (s *Slots) Ticks(e env.Env) bool {
	return e.Snap != nil && (e.Snap.Slots.Busy > 0 || len(e.Snap.Slots.Waiting) > 0)
}

// Update implements screen.Screen.
func (s *Slots) Update(e env.Env, msg tea.Msg) screen.Effects {
	switch msg := msg.(type) {
	case screen.Fed, screen.Shown:
		s.take(e)
	case act.Split:
		return s.applied(msg)
	case act.Explained:
		return msg.Show(e)
	case act.Copied:
		return msg.Tell()
	case act.Exported:
		return msg.Tell()
	case act.Kept:
		return msg.Tell()
	case screen.Click:
		if firstrun.On(e) {
			return s.first.Click(e, s.desk, screen.Addr{Screen: s.id, Gen: s.gen}, msg)
		}
		return s.click(e, msg)
	case screen.Wheel:
		s.wheel(e, msg.By)
	case screen.Key:
		if s.edit != nil {
			return s.editKey(e, msg.Action)
		}
		return s.key(e, msg.Action)
	}
	return screen.Effects{}
}

// take brings the holders up to the picture.
func (s *Slots) take(e env.Env) {
	if e.Snap == nil {
		return
	}
	s.limits.take(e.Snap)
	if e.Snap.SlotsRevision == s.revision && s.revision != 0 {
		return
	}
	s.revision = e.Snap.SlotsRevision
	state := &e.Snap.Slots
	var busy []lane.SlotState
	for _, slot := range state.Slots {
		if slot.Holder != nil {
			busy = append(busy, slot)
		}
	}
	s.holders.SetRows(busy, s.tableHeight(e), e.Now)
	if n := len(state.Slots); n > 0 && s.place(e) < 0 {
		s.selected = state.Slots[min(max(s.selected, 1), n)-1].Number
	}
	s.holders.Select(s.selected)
}

func (s *Slots) key(e env.Env, a keymap.Action) screen.Effects {
	if e.Snap == nil {
		return screen.Effects{}
	}
	to := screen.Addr{Screen: s.id, Gen: s.gen}
	if firstrun.On(e) {
		return s.first.Key(e, s.desk, to, a)
	}
	switch a {
	case keymap.New:
		return queueform.New(e, s.desk, to)
	case keymap.Import:
		return queueform.Import(e, s.desk, to, "")
	case keymap.Left:
		s.step(e, -1)
	case keymap.Right:
		s.step(e, 1)
	case keymap.Open:
		return s.open(e)
	case keymap.Split:
		return s.beginEdit(e)
	case keymap.Explain, keymap.CopyIDs, keymap.CopyJSON:
		return s.about(e, a)
	case keymap.Sort, keymap.Columns, keymap.Export:
		return s.list(e, a)
	default:
		s.walk(e, a)
	}
	return screen.Effects{}
}

// walk moves along the busy slots. From a free one the first step takes the
// busy one that follows.
func (s *Slots) walk(e env.Env, a keymap.Action) {
	if s.holder(e) == nil && a == keymap.Down {
		for _, busy := range s.holders.Rows() {
			if busy.Number > s.selected {
				s.choose(busy.Number)
				return
			}
		}
	}
	if !s.holders.Move(a, s.tableHeight(e), e.Now) {
		return
	}
	if k, ok := s.holders.Cursor(); ok {
		s.selected = k
	}
}

// step moves along the strip.
func (s *Slots) step(e env.Env, by int) {
	all := e.Snap.Slots.Slots
	if at := s.place(e) + by; at >= 0 && at < len(all) {
		s.choose(all[at].Number)
	}
}

// place is where the slot in hand stands in the list, -1 where it is gone.
// Slots that are closing may leave gaps in the numbers.
func (s *Slots) place(e env.Env) int {
	return slices.IndexFunc(e.Snap.Slots.Slots, func(slot lane.SlotState) bool { return slot.Number == s.selected })
}

func (s *Slots) choose(slot int) {
	s.selected = slot
	s.holders.Select(slot)
}

// holder is who holds the slot in hand.
func (s *Slots) holder(e env.Env) *lane.Holder {
	if e.Snap == nil {
		return nil
	}
	if at := s.place(e); at >= 0 {
		return e.Snap.Slots.Slots[at].Holder
	}
	return nil
}

// about tells of the item that the slot works on.
func (s *Slots) about(e env.Env, a keymap.Action) screen.Effects {
	var ids []store.ID
	if h := s.holder(e); h != nil {
		if id, err := store.ParseID(h.Item); err == nil {
			ids = append(ids, id)
		}
	}
	to := screen.Addr{Screen: s.id, Gen: s.gen}
	switch {
	case a == keymap.CopyIDs:
		return act.CopyIDs(ids)
	case a == keymap.CopyJSON:
		return s.desk.CopyJSON(to, ids, e.Mask)
	case len(ids) == 0:
		return screen.Want(screen.Say{Toast: screen.Toast{Text: "The slot works on no item now", Brief: true}})
	}
	return s.desk.Explain(to, ids[0])
}

// open shows the item that the slot works on, or else its queue's items.
func (s *Slots) open(e env.Env) screen.Effects {
	h := s.holder(e)
	if h == nil {
		return screen.Want(screen.Say{Toast: screen.Toast{Text: "The slot is free: there is nothing to open", Brief: true}})
	}
	if id, err := store.ParseID(h.Item); err == nil {
		return screen.Want(screen.Push{Screen: item.New(s.desk, id, item.Walk{})})
	}
	if h.Queue != "" {
		return screen.Want(screen.Push{Screen: items.New(s.desk, items.Queue(h.Queue))})
	}
	return screen.Effects{}
}
