package items

import (
	"time"

	"signalbox/engine"
	"signalbox/keymap"
	"signalbox/store"
	"signalbox/tui/act"
	"signalbox/tui/env"
	"signalbox/tui/screen"
)

// Rows read before and after the row in hand, and how near to the edge of them
// it may come before more are read.
const (
	reach  = 200
	margin = 60
	// patience is how many times as long as reading took the rows are left
	// alone, so that following a busy queue costs a tenth of a core at most.
	patience = 10
	quick    = 20 * time.Millisecond
)

// window is what is known of the list beyond the rows held.
type window struct {
	want    act.Stretch // asked for last
	flying  bool        // a question is out
	again   bool        // and must be asked once more
	loaded  bool        // rows have come at least once
	atStart bool
	atEnd   bool
	total   int64
	damaged int
	err     error
	to      jump // where the cursor goes when the answer comes
	seen    uint64
	came    time.Time     // when the last answer came
	took    time.Duration // and how long that was on its way
	acted   bool          // rows are expected to go
	looked  int64         // items looked at by a search that goes on; 0 = none does
}

type jump uint8

const (
	stay jump = iota
	toTop
	toBottom
)

// request is the list asked for: the source, narrowed by the status filter and
// the words typed.
func (s *Items) request() engine.ListRequest {
	req := s.source.request
	if !s.source.deciding() {
		req.Statuses, req.Kind = s.narrow.statuses, s.narrow.kind
	}
	req.Filter = s.Filter.Text()
	return req
}

// reload reads the window around the row in hand anew.
func (s *Items) reload() screen.Effects {
	if s.window.flying {
		s.window.again = true
		return screen.Effects{}
	}
	return s.ask(stay)
}

// restart reads the list from its beginning, after its filter has changed. An
// answer that is still to come is for the old filter, and will be dropped; until
// then nothing is asked, so that fast typing does not pile up questions.
func (s *Items) restart() screen.Effects { return s.leap(toTop) }

func (s *Items) leap(to jump) screen.Effects {
	w := &s.window
	if w.flying {
		s.Gen++
		w.again, w.to = true, to
		return screen.Effects{}
	}
	return s.ask(to)
}

func (s *Items) ask(to jump) screen.Effects {
	w := &s.window
	s.Gen++
	w.flying, w.again, w.to = true, false, to
	at, _ := s.Table.Cursor()
	if to == toTop || w.atStart && s.Table.At() < margin {
		at = store.ID{}
	}
	w.want = act.Stretch{List: s.request(), At: at, Before: reach, After: 2 * reach, FromEnd: to == toBottom}
	return screen.Do(s.Desk.Window(s.Address(), w.want))
}

// follow reads again when the engine's numbers have changed. A list that takes
// long to read, as behind a filter that must look at every item, is read the
// less often.
func (s *Items) follow(e env.Env) screen.Effects {
	w := &s.window
	if e.Snap == nil || e.Snap.QueuesRevision == w.seen || w.looked > 0 || w.took > quick && e.Now.Sub(w.came) < patience*w.took {
		return screen.Effects{}
	}
	s.window.seen = e.Snap.QueuesRevision
	return s.reload()
}

// near reads on when the cursor has come near the edge of the rows held.
func (s *Items) near() screen.Effects {
	w := &s.window
	at, n := s.Table.At(), s.Table.Len()
	if w.flying || !w.loaded || (w.atStart || at >= margin) && (w.atEnd || at < n-margin) {
		return screen.Effects{}
	}
	return s.ask(stay)
}

// jump goes to an end of the list, which may have to be read first.
func (s *Items) jump(e env.Env, a keymap.Action) screen.Effects {
	switch {
	case a == keymap.Top && !s.window.atStart:
		return s.leap(toTop)
	case a == keymap.Bottom && !s.window.atEnd:
		return s.leap(toBottom)
	}
	return s.Move(e, a)
}

// windowed takes rows in.
func (s *Items) windowed(e env.Env, msg act.Windowed) screen.Effects {
	w := &s.window
	w.flying, w.came = false, e.Now
	if w.looked == 0 {
		w.took = 0
	}
	w.took += msg.Took
	w.looked = 0
	switch {
	case msg.Gen != s.Gen: // of a filter that has changed
	case msg.Err != nil:
		s.refuse(msg.Err)
	case msg.Window.Partial:
		return s.partly(e, msg.Window)
	default:
		s.accept(e, msg.Window)
	}
	effects := s.tellLost()
	if w.again {
		effects.Add(s.ask(w.to))
	}
	return effects
}

// tellLost says that the row in hand went away under it, unless that was our
// own doing.
func (s *Items) tellLost() screen.Effects {
	if !s.Table.Lost() || s.window.acted {
		s.window.acted = false
		return screen.Effects{}
	}
	return screen.Want(screen.Say{Toast: screen.Toast{Text: "The row in hand has gone; the next one took its place"}})
}

// refuse shows an error where it belongs: a filter's at the bar, others in
// place of the rows that could not be read, or beside those that were.
func (s *Items) refuse(err error) {
	s.once.Free()
	if s.Filter.Text() != "" && store.CodeOf(err) == store.CodeInvalid {
		s.Filter.Fail(err)
		return
	}
	s.window.err = err
}

// partly shows what was found so far and lets the search go on. Until something
// is found the rows of before stay.
func (s *Items) partly(e env.Env, got act.Window) screen.Effects {
	w := &s.window
	if len(got.Rows) > 0 {
		s.accept(e, got)
	}
	w.looked, w.flying, w.want.Have = got.Looked, true, &got
	return screen.Do(s.Desk.Window(s.Address(), w.want))
}

func (s *Items) accept(e env.Env, got act.Window) {
	w := &s.window
	s.Filter.Fail(nil)
	s.prune(got)
	w.err, w.loaded = nil, true
	s.Table.Part(!got.AtStart || !w.atStart || w.to != stay) // else rows come into reach, not into being
	w.atStart, w.atEnd, w.total, w.damaged = got.AtStart, got.AtEnd, got.Total, got.Damaged
	s.Show(e, got.Rows)
	if w.to != stay { // the list is another, or it is looked at from elsewhere
		_ = s.Table.Lost()
	}
	switch w.to {
	case toTop:
		s.Table.Move(keymap.Top, height(e), e.Now)
	case toBottom:
		s.Table.Move(keymap.Bottom, height(e), e.Now)
	}
	w.to = stay
	if !w.again { // else these rows are older than the verb's outcome
		s.came(e)
	}
}

// prune drops marks on rows that have gone from the stretch of the list which
// the window shows, unless a new filter may only hide them.
func (s *Items) prune(got act.Window) {
	if s.Table.Marked() == 0 || len(got.Rows) == 0 && !(got.AtStart && got.AtEnd) {
		return
	}
	there := make(map[store.ID]bool, len(got.Rows))
	for i := range got.Rows {
		there[got.Rows[i].ID()] = true
	}
	for id, m := range s.Table.Marks() {
		switch {
		case there[id] || m.Filter != s.where() || !s.within(got, id):
		case s.walked[id]:
			s.Table.Unmark(id)
		default:
			s.Table.Vanish(id)
		}
	}
}

// within says that an item would be among the rows of a window if it were still
// there. Only of a list in order of numbers is that known without its row.
func (s *Items) within(got act.Window, id store.ID) bool {
	if got.AtStart && got.AtEnd {
		return true
	}
	if req := s.request(); req.Sort != "" || req.Queue == "" {
		return false
	}
	first, last := got.Rows[0].Number, got.Rows[len(got.Rows)-1].Number
	low, high, start, end := first, last, got.AtStart, got.AtEnd
	if s.request().Desc {
		low, high, start, end = last, first, got.AtEnd, got.AtStart
	}
	return (start || id.Number >= low) && (end || id.Number <= high)
}
