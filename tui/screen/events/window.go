package events

import (
	"signalbox/keymap"
	"signalbox/store"
	"signalbox/tui/act"
	"signalbox/tui/env"
	"signalbox/tui/screen"
)

// following says that new changes come in at the top by themselves.
func (s *Events) following() bool { return !s.paused && s.atStart && s.Table.At() == 0 }

// reload reads the window around the row in hand anew.
func (s *Events) reload() screen.Effects {
	if s.flying {
		s.again = true
		return screen.Effects{}
	}
	return s.ask(stay)
}

// leap goes to an end of the stream. While a question is out the next one
// waits for its answer, so that fast typing does not pile up questions.
func (s *Events) leap(to jump) screen.Effects {
	s.searched = 0
	if s.flying {
		s.Gen++
		s.again, s.to = true, to
		return screen.Effects{}
	}
	return s.ask(to)
}

func (s *Events) ask(to jump) screen.Effects {
	s.Gen++
	s.flying, s.again, s.to = true, false, to
	want := act.Reach{Filter: s.Filter.Text(), Newer: reach, Older: 2 * reach, FromEnd: to == toBottom}
	if at, ok := s.Table.Cursor(); ok && to == stay && !s.following() {
		want.At = at
	}
	if s.searched > 0 { // go on where the filter has let nothing through
		want.At, want.Newer = s.searched, 0
	}
	return screen.Do(s.Desk.Stream(s.Address(), want))
}

// follow reads again when there is something new and it is wanted. A stream
// that takes long to read is read the less often.
func (s *Events) follow(e env.Env) screen.Effects {
	if e.Snap == nil || e.Snap.Revision == s.seen || s.searched > 0 {
		return screen.Effects{}
	}
	if s.took > quick && e.Now.Sub(s.came) < patience*s.took {
		return screen.Effects{}
	}
	s.seen = e.Snap.Revision
	if !s.paused {
		return s.reload()
	}
	if s.flying {
		return screen.Effects{}
	}
	s.flying = true
	return screen.Do(s.Desk.CountStream(s.Address()))
}

// near reads on when the cursor has come near the edge of the rows held.
func (s *Events) near() screen.Effects {
	at, n := s.Table.At(), s.Table.Len()
	if s.flying || !s.loaded || (s.atStart || at >= margin) && (s.atEnd || at < n-margin) {
		return screen.Effects{}
	}
	return s.ask(stay)
}

// streamed takes rows in.
func (s *Events) streamed(e env.Env, msg act.Streamed) screen.Effects {
	s.flying = false
	s.came, s.took = e.Now, msg.Took
	switch {
	case msg.Counted:
		s.last = max(s.last, msg.Last)
	case msg.Gen != s.Gen: // of a filter that has changed
	case msg.Err != nil:
		s.refuse(msg.Err)
	default:
		s.accept(e, msg)
	}
	if s.again {
		return s.ask(s.to)
	}
	if msg.Gen == s.Gen && s.searched > 0 && !msg.Counted { // nothing yet: look further back
		return s.ask(toTop)
	}
	return screen.Effects{}
}

// refuse shows an error where it belongs: a filter's at the bar, others in
// place of the rows or beside those that were read.
func (s *Events) refuse(err error) {
	s.searched = 0
	if s.Filter.Text() != "" && store.CodeOf(err) == store.CodeInvalid {
		s.Filter.Fail(err)
		return
	}
	s.err = err
}

func (s *Events) accept(e env.Env, msg act.Streamed) {
	s.Filter.Fail(nil)
	atNewest := s.following() || !s.loaded || s.to == toTop
	s.searched = 0
	if len(msg.Rows) == 0 && !msg.AtEnd {
		s.searched = msg.Next
	}
	s.err, s.loaded = nil, true
	s.Table.Part(!msg.AtStart || !s.atStart || s.to != stay)
	s.atStart, s.atEnd, s.last = msg.AtStart, msg.AtEnd, msg.Last
	s.Show(e, msg.Rows)
	switch {
	case s.to == toBottom:
		s.Table.Move(keymap.Bottom, height(e), e.Now)
	case atNewest:
		s.Table.Move(keymap.Top, height(e), e.Now)
	}
	s.to = stay
}
