package slots

import (
	"signalbox/engine"
	"signalbox/engine/lane"
	"signalbox/keymap"
	"signalbox/tui/act"
	"signalbox/tui/env"
	"signalbox/tui/screen"
	"signalbox/tui/text"
)

// edit is a split being tried out; the pool knows nothing of it until it is
// applied.
type edit struct {
	proposed lane.Split
	auto     bool
	refusal  text.Safe // why the last key changed nothing
	sending  bool
}

func editActions() []keymap.Action {
	return []keymap.Action{
		keymap.Apply, keymap.Back, keymap.FastMore, keymap.SlowMore,
		keymap.FastLess, keymap.SlowLess, keymap.PoolMore, keymap.PoolLess, keymap.SplitAuto,
	}
}

// splitOf is the split that a pool has.
func splitOf(s *lane.State) lane.Split {
	return lane.Split{Size: s.Pool, Fast: s.Fast.Reserve, Slow: s.Slow.Reserve}
}

func (s *Slots) beginEdit(e env.Env) screen.Effects {
	if why := act.Barred(e, keymap.Split); why != "" {
		return screen.Want(screen.Say{Toast: screen.Toast{Level: screen.Warning, Text: text.Clean("Can't change the split: " + why)}})
	}
	if e.Snap.Slots.Pool == 0 {
		return screen.Effects{}
	}
	s.edit = &edit{proposed: splitOf(&e.Snap.Slots), auto: e.Snap.Slots.Auto}
	return screen.Effects{}
}

func (s *Slots) editKey(e env.Env, a keymap.Action) screen.Effects {
	p := s.edit.proposed
	switch a {
	case keymap.Back:
		s.edit = nil
		return screen.Effects{}
	case keymap.Apply:
		return s.applyEdit(e)
	case keymap.FastMore:
		p.Fast++
	case keymap.FastLess:
		p.Fast--
	case keymap.SlowMore:
		p.Slow++
	case keymap.SlowLess:
		p.Slow--
	case keymap.PoolMore:
		p = s.edit.resize(1)
	case keymap.PoolLess:
		p = s.edit.resize(-1)
	case keymap.SplitAuto:
		if s.edit.auto {
			s.edit.refusal = "the reserves are automatic already"
			return screen.Effects{}
		}
		s.edit.propose(lane.Auto(p.Size), true)
		return screen.Effects{}
	default:
		return screen.Effects{}
	}
	keepsAuto := s.edit.auto && (a == keymap.PoolMore || a == keymap.PoolLess)
	s.edit.propose(p, keepsAuto)
	return screen.Effects{}
}

// resize gives the split for a pool of by slots more: its reserves follow
// where they are automatic, else the commons grow or shrink.
func (d *edit) resize(by int) lane.Split {
	p := d.proposed
	p.Size += by
	if d.auto {
		return lane.Auto(p.Size)
	}
	return p
}

// propose takes a split over, unless no pool can have it.
func (d *edit) propose(p lane.Split, auto bool) {
	if err := p.Validate(); err != nil {
		d.refusal = text.Clean(err.Error())
		return
	}
	d.proposed, d.auto, d.refusal = p, auto, ""
}

func (s *Slots) applyEdit(e env.Env) screen.Effects {
	d := s.edit
	if d.sending {
		return screen.Effects{}
	}
	if d.proposed == splitOf(&e.Snap.Slots) && d.auto == e.Snap.Slots.Auto {
		s.edit = nil
		return screen.Effects{}
	}
	if why := act.Barred(e, keymap.Split); why != "" {
		d.refusal = text.Clean(why)
		return screen.Effects{}
	}
	d.sending = true
	s.gen++
	req, before := request(d.proposed, d.auto), request(splitOf(&e.Snap.Slots), e.Snap.Slots.Auto)
	effects := screen.Do(s.desk.SetPool(screen.Addr{Screen: s.id, Gen: s.gen}, req, before))
	effects.Want(screen.Started{})
	return effects
}

// applied tells how a split was taken.
func (s *Slots) applied(msg act.Split) screen.Effects {
	if msg.Gen != s.gen {
		return screen.Effects{}
	}
	switch {
	case msg.Err == nil:
		s.edit = nil
	case s.edit != nil:
		s.edit.sending = false
	}
	return msg.Tell()
}

// request asks for a split.
func request(s lane.Split, auto bool) engine.SplitRequest {
	return engine.SplitRequest{Size: s.Size, Fast: s.Fast, Slow: s.Slow, Auto: auto}
}
