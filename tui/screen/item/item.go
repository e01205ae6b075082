// Package item is the page of one item: what it carries, what became of it,
// who holds it, and all that happened to it.
package item

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"signalbox/engine"
	"signalbox/keymap"
	"signalbox/store"
	"signalbox/tui/act"
	"signalbox/tui/env"
	"signalbox/tui/screen"
	"signalbox/tui/text"
	"signalbox/tui/widget/dialog"
)

// changes is how much of an item's history is read.
const changes = 200

// Walk is the list that an item was opened from: a decision leads on to the
// next.
type Walk struct {
	IDs   []store.ID
	Group store.Group // whose items wait for a decision; may be none
	// Decided are those of the list that were decided on since it was read, for
	// the list to know; may be nil.
	Decided map[store.ID]bool
}

// Item is the screen.
type Item struct {
	id   int
	gen  uint64
	desk act.Desk
	item store.ID
	walk Walk
	turn act.Turn // of verbs that act at once

	record  *engine.Record // nil until read
	history []store.Change
	err     error
	flying  bool   // a read is out
	again   bool   // and must be done once more
	seen    uint64 // the picture's queues revision when last read
	top     int    // the first row shown
	at      int    // the row in hand
	page    page
	folded  map[string]bool
	search  search
	// revealed says that masked fields are shown, which has been recorded.
	revealed bool
}

// New makes the page of an item.
func New(d act.Desk, id store.ID, w Walk) *Item {
	if w.Decided == nil {
		w.Decided = map[store.ID]bool{}
	}
	return &Item{id: d.Number(), desk: d, item: id, walk: w}
}

// ID implements screen.Screen.
func (s *Item) ID() int { return s.id }

// Title implements screen.Screen.
func (s *Item) Title() text.Safe { return text.Clean(s.item.String()) }

// Scope implements screen.Screen.
func (s *Item) Scope() keymap.Scope {
	if s.search.typing {
		return keymap.Command
	}
	return keymap.Page
}

// Answers implements screen.Screen.
func (s *Item) Answers(a keymap.Action) bool {
	switch a {
	case keymap.Up, keymap.Down, keymap.Top, keymap.Bottom, keymap.PageUp, keymap.PageDown,
		keymap.Left, keymap.Right, keymap.NextPane, keymap.PrevPane, keymap.NextMatch, keymap.PrevMatch, keymap.Verbs,
		keymap.Explain, keymap.CopyIDs, keymap.CopyJSON, keymap.Filter, keymap.Fold, keymap.Open, keymap.Reveal:
		return true
	}
	_, verb := act.Of(a)
	return verb
}

// Word implements screen.Wording.
func (s *Item) Word(a keymap.Action) text.Safe {
	switch a {
	case keymap.NextMatch:
		if s.search.on() {
			return "next match"
		}
		return "next item"
	case keymap.PrevMatch:
		if s.search.on() {
			return "previous match"
		}
		return "previous item"
	case keymap.Filter:
		return "search"
	case keymap.Open:
		return "fold"
	case keymap.Reveal:
		if s.revealed {
			return "hide masked"
		}
	case keymap.Left:
		return "earlier try"
	case keymap.Right:
		return "later try"
	case keymap.NextPane:
		return "next part"
	case keymap.PrevPane:
		return "previous part"
	}
	return ""
}

// Footer implements screen.Footing.
func (s *Item) Footer(e env.Env) []keymap.Action {
	if s.search.typing {
		return []keymap.Action{keymap.Apply, keymap.Back}
	}
	var actions []keymap.Action
	if s.record != nil && !e.ReadOnly && act.Decidable(s.record.Status) {
		actions = append(actions, keymap.Retry, keymap.EditRetry, keymap.Verify, keymap.Assign, keymap.Note)
	}
	if s.record != nil && !act.Decidable(s.record.Status) {
		actions = append(actions, keymap.Explain)
	}
	if s.search.on() {
		actions = []keymap.Action{keymap.NextMatch, keymap.PrevMatch, keymap.Back}
	}
	if len(s.walk.IDs) > 1 && !s.search.on() {
		actions = append(actions, keymap.NextMatch, keymap.PrevMatch)
	}
	if s.record != nil && (!s.record.Next.IsZero() || !s.record.Previous.IsZero()) {
		actions = append(actions, keymap.Left, keymap.Right)
	}
	if s.page.veils > 0 || s.revealed {
		actions = append(actions, keymap.Reveal)
	}
	return append(actions, keymap.Fold, keymap.Filter, keymap.NextPane, keymap.Verbs, keymap.Back)
}

// Ticks implements screen.Ticking: holds, leases and delays run.
func (s *Item) Ticks(e env.Env) bool {
	return s.record != nil && (e.Zone == env.Relative || s.record.Status.InFlight() || s.record.ReadyAt() > store.At(e.Now))
}

// Update implements screen.Screen.
func (s *Item) Update(e env.Env, msg tea.Msg) screen.Effects {
	switch msg := msg.(type) {
	case screen.Shown:
		return s.load()
	case screen.Fed:
		if e.Snap != nil && e.Snap.QueuesRevision != s.seen {
			s.seen = e.Snap.QueuesRevision
			return s.load()
		}
	case act.Loaded:
		return s.loaded(e, msg)
	case act.Done:
		return s.done(msg)
	case act.Explained:
		return msg.Show(e)
	case act.Copied:
		return msg.Tell()
	case act.Opened:
		return screen.Do(msg.Editor(s.desk))
	case act.Edited:
		return s.desk.Retried(msg)
	case act.Revealed:
		return s.shown(e, msg)
	case screen.Typed, screen.Pasted:
		return s.edit(e, msg)
	case screen.Click:
		return s.click(e, msg)
	case screen.Wheel:
		s.wheel(e, msg.By)
	case screen.Key:
		return s.key(e, msg.Action)
	}
	return screen.Effects{}
}

func (s *Item) address() screen.Addr { return screen.Addr{Screen: s.id, Gen: s.gen} }

// load reads the item anew. While a read is out the next one waits for it, so
// that a busy engine and a key held down pile none up.
func (s *Item) load() screen.Effects {
	if s.flying {
		s.again = true
		return screen.Effects{}
	}
	s.gen++
	s.flying, s.again = true, false
	return screen.Do(s.desk.Load(screen.Addr{Screen: s.id, Gen: s.gen}, s.item, changes))
}

func (s *Item) loaded(e env.Env, msg act.Loaded) screen.Effects {
	s.flying = false
	if msg.Gen == s.gen { // else it is of an item left behind
		s.take(e, msg)
	}
	if s.again {
		return s.load()
	}
	return screen.Effects{}
}

// take shows what was read.
func (s *Item) take(e env.Env, msg act.Loaded) {
	s.err = msg.Err
	if msg.Err != nil {
		return
	}
	same := s.record != nil && s.record.ID() == msg.Record.ID() && s.record.Revision == msg.Record.Revision
	record := msg.Record
	s.record, s.history = &record, msg.History
	s.turn.Came(e.Now, true)
	if !same {
		s.recompose(e)
	}
}

func (s *Item) key(e env.Env, a keymap.Action) screen.Effects {
	if effects, was := s.searchKey(e, a); was {
		return effects
	}
	if verb, ok := act.Of(a); ok {
		return s.press(e, verb)
	}
	switch a {
	case keymap.Back:
		return screen.Want(screen.Leave{})
	case keymap.Explain:
		return s.desk.Explain(s.address(), s.item)
	case keymap.CopyIDs:
		return act.CopyIDs([]store.ID{s.item})
	case keymap.CopyJSON:
		return s.desk.CopyJSON(s.address(), []store.ID{s.item}, e.Mask)
	case keymap.NextMatch:
		return s.along(1, "This is the last of its list")
	case keymap.PrevMatch:
		return s.along(-1, "This is the first of its list")
	case keymap.Right:
		return s.follow(func(r *engine.Record) store.ID { return r.Next })
	case keymap.Left:
		return s.follow(func(r *engine.Record) store.ID { return r.Previous })
	case keymap.Verbs:
		return s.menu(e)
	case keymap.Fold, keymap.Open:
		return s.fold(e)
	case keymap.Reveal:
		return s.reveal(e)
	default:
		s.move(e, a)
	}
	return screen.Effects{}
}

// follow goes along the chain of retries.
func (s *Item) follow(link func(*engine.Record) store.ID) screen.Effects {
	if s.record == nil || link(s.record).IsZero() {
		return screen.Effects{}
	}
	return s.show(link(s.record))
}

// step goes along the list that the item was opened from, if it goes on there.
func (s *Item) step(by int) (effects screen.Effects, went bool) {
	at := slices.Index(s.walk.IDs, s.item)
	for i := at + by; at >= 0 && i >= 0 && i < len(s.walk.IDs); i += by {
		if !s.walk.Decided[s.walk.IDs[i]] {
			return s.show(s.walk.IDs[i]), true
		}
	}
	return screen.Effects{}, false
}

// along is step, which tells where there is none.
func (s *Item) along(by int, end text.Safe) screen.Effects {
	effects, went := s.step(by)
	if !went {
		effects.Want(screen.Say{Toast: screen.Toast{Text: end, Brief: true}})
	}
	return effects
}

func (s *Item) show(id store.ID) screen.Effects {
	s.item, s.record, s.history, s.err, s.top, s.at = id, nil, nil, nil, 0, 0
	s.search, s.revealed = search{}, false
	s.turn.Free()
	s.gen++
	return s.load()
}

// press begins a verb on the item shown.
func (s *Item) press(e env.Env, verb act.Verb) screen.Effects {
	if s.record == nil {
		return screen.Effects{}
	}
	if ok, told := s.turn.Takes(e.Now); !ok {
		return told
	}
	effects := s.begin(e, verb, s.record)
	if slices.Contains(effects.Intents, screen.Intent(screen.Started{})) {
		s.turn.Begin(e.Now)
	}
	return effects
}

// begin acts on an item as it was seen.
func (s *Item) begin(e env.Env, verb act.Verb, record *engine.Record) screen.Effects {
	if record == nil {
		return screen.Effects{}
	}
	if why := verb.Refusal(e, &record.Item); why != "" {
		return act.Refuse(verb, why)
	}
	seen := []engine.Target{{Item: record.ID(), Revision: record.Revision}}
	if verb == act.Edit {
		return s.desk.Edit(e, s.address(), seen[0])
	}
	return s.desk.Begin(e, s.address(), act.Order{Verb: verb, Targets: seen}, false)
}

func (s *Item) menu(e env.Env) screen.Effects {
	var row *store.Item
	record := s.record // the page may go on to another item under the menu
	if record != nil {
		row = &record.Item
	}
	return screen.Want(screen.Ask{Dialog: dialog.NewMenu("Verbs for "+s.Title(), s.desk.Choices(e, row, act.Many{}),
		func(e env.Env, a keymap.Action) screen.Effects {
			verb, _ := act.Of(a)
			return s.begin(e, verb, record)
		})})
}

// done tells the outcome. After a decision on the item shown the next one comes
// by itself.
func (s *Item) done(msg act.Done) screen.Effects {
	s.turn.End(false)
	effects := msg.Tell()
	if msg.Err != nil || !msg.Order.Verb.Decides() || msg.OK() == 0 {
		effects.Add(s.load())
		return effects
	}
	over := msg.Over()
	for _, id := range over {
		s.walk.Decided[id] = true
	}
	if !slices.Contains(over, s.item) { // the person has gone on already
		effects.Add(s.load())
		return effects
	}
	next, went := s.step(1)
	if !went {
		next, went = s.step(-1)
	}
	switch {
	case went:
		s.turn.End(true)
		effects.Add(next)
	case len(s.walk.IDs) > 1:
		effects.Want(screen.Leave{})
	default:
		effects.Add(s.load())
	}
	return effects
}

// left is the number of items that wait in the group, as the picture has it.
func (s *Item) left(e env.Env) int64 {
	if e.Snap == nil || s.walk.Group.Text == "" {
		return 0
	}
	want := s.walk.Group
	for _, g := range e.Snap.Groups {
		if g.Queue == want.Queue && g.Status == want.Status && g.Kind == want.Kind && g.Text == want.Text {
			return g.Count
		}
	}
	return 0
}
