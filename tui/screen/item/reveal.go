package item

import (
	"signalbox/keymap"
	"signalbox/tui/act"
	"signalbox/tui/env"
	"signalbox/tui/screen"
	"signalbox/tui/text"
)

// reveal shows the masked fields, once the engine has written down who looked;
// the same key hides them again.
func (s *Item) reveal(e env.Env) screen.Effects {
	say := func(words text.Safe) screen.Effects {
		return screen.Want(screen.Say{Toast: screen.Toast{Level: screen.Warning, Text: words, Brief: true}})
	}
	switch {
	case s.record == nil:
		return screen.Effects{}
	case s.revealed:
		s.revealed = false
		s.recompose(e)
		return screen.Effects{}
	case s.page.veils == 0:
		return say("Nothing is masked here")
	}
	if why := act.Barred(e, keymap.Reveal, s.item.Queue); why != "" {
		words := "Can't show masked fields: "
		if e.ReadOnly || e.Lost != nil {
			words = "Can't show masked fields, as it could not be recorded: "
		}
		return say(text.Clean(words + why))
	}
	return screen.Do(s.desk.Reveal(s.address(), s.item))
}

// shown shows what was masked.
func (s *Item) shown(e env.Env, msg act.Revealed) screen.Effects {
	if msg.Err != nil {
		return act.Fail("show masked fields", msg.Err)
	}
	if msg.Item != s.item { // the person has gone on
		return screen.Effects{}
	}
	s.revealed = true
	s.recompose(e)
	effects := s.load()
	effects.Want(screen.Say{Toast: screen.Toast{Text: "Masked fields are shown; the history says that you looked"}})
	return effects
}

// recompose lays the record out anew, with the hand where it was.
func (s *Item) recompose(e env.Env) {
	at := row{}
	if rows := s.all(e); s.at < len(rows) {
		at = rows[s.at]
	}
	s.page = compose(e, s.record, s.revealed)
	if at.section > 0 {
		s.find(e, at.section, at.src)
	}
	if s.search.on() {
		s.look(e)
	}
}
