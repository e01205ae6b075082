package plain

import (
	"errors"
	"strings"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/act"
	"signalbox/tui/text"
)

// question is an act that waits for a word.
type question struct {
	word string // that is to be typed after yes
	act  func()
}

// ask has an act wait until yes is typed with a word, the number of what it is
// about. Any other command takes it back.
func (s *session) ask(word, what string, act func()) {
	s.asked = question{word, act}
	s.say("%s. Type yes %s to go ahead; anything else leaves it.", what, word)
}

// answer goes ahead with what was asked.
func (s *session) answer(asked question, args []string) {
	switch {
	case asked.act == nil:
		s.say("Nothing was asked.")
	case strings.ReplaceAll(args[0], ",", "") != asked.word:
		s.say("Not done: the word was %s.", asked.word)
	default:
		asked.act()
	}
}

func onMany() []command {
	return []command{
		{"delete", "ID [NOTE]", "mark an item deleted, so that no robot gets it; asks", 1, true, (*session).delete},
		{"clear", "ID", "take verdict, reviewer and note off an item", 1, true, func(s *session, a []string) { s.review("clear", engine.Clear, a[0], "", "") }},
		{"edit", "ID JSON", "retry an item with another payload", 2, true, (*session).edit},
		{"unmask", "ID", "show an item with its masked fields, which its history records", 1, true, (*session).unmask},
		{"retry-all", "FILTER", "retry all that match: retry-all status:failed queue:invoices; asks", 1, true, func(s *session, a []string) { s.many(engine.BulkRetry, a) }},
		{"verify-all", "FILTER", "verify all that match; asks", 1, true, func(s *session, a []string) { s.many(engine.Verify, a) }},
		{"delete-all", "FILTER", "delete all that match; asks", 1, true, func(s *session, a []string) { s.many(engine.BulkDelete, a) }},
		{"stop", "", "stop the act on many that was begun last; what is done stays done", 0, true, func(s *session, _ []string) { s.stop() }},
		{"undo", "", "take back the last act, while that can be", 0, true, func(s *session, _ []string) { s.takeBack() }},
		{"yes", "WORD", "go ahead with what was asked", 1, true, nil},
	}
}

func (s *session) delete(args []string) {
	s.ask("1", "This deletes item "+args[0], func() {
		s.act("delete", args[0], func(t []engine.Target) ([]engine.Outcome, error) {
			deleter, ok := s.Engine.(act.Deleter)
			if !ok {
				return nil, errors.New("the engine at the other end can't")
			}
			return deleter.Delete(s.ctx, engine.DeleteRequest{Targets: t, Note: rest(args)})
		})
	})
}

// edit retries an item with the payload that was typed.
func (s *session) edit(args []string) {
	payload, err := act.Object(rest(args))
	if err != nil {
		s.say("%v.", err)
		return
	}
	s.act("retry", args[0], func(t []engine.Target) ([]engine.Outcome, error) {
		return s.Engine.Retry(s.ctx, engine.RetryRequest{Targets: t, Payload: payload})
	})
}

// many acts on all that a filter matches now; later arrivals are left alone.
func (s *session) many(verb string, args []string) {
	list := engine.ListRequest{Filter: strings.Join(args, " ")}
	targets, err := s.Engine.Select(s.ctx, list)
	if err != nil || len(targets) == 0 {
		s.say("Not done: %v.", or(said(err), "nothing matches"))
		return
	}
	n := text.Count(int64(len(targets)))
	s.ask(strings.ReplaceAll(n, ",", ""), "To "+verb+" "+text.Plural(int64(len(targets)), "item")+" that match "+list.Filter, func() {
		bulk, err := s.Engine.StartBulk(s.ctx, engine.BulkRequest{Verb: verb, Targets: targets, Select: []engine.ListRequest{list}})
		if err != nil {
			s.say("%v.", err)
			return
		}
		s.bulk = bulk.ID
		s.undo = func() error {
			undone, err := s.Engine.StartBulk(s.ctx, engine.BulkRequest{Verb: engine.BulkUndo, Of: bulk.ID})
			s.bulk = undone.ID
			return err
		}
		s.say("Begun with %s items; stop ends it.", n)
	})
}

func said(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// manyGotOn tells how the act on many that was begun here has ended.
func (s *session) manyGotOn() {
	for i := range s.snap.Bulks {
		b := &s.snap.Bulks[i]
		if b.ID != s.bulk || b.Ended.IsZero() {
			continue
		}
		s.bulk = 0
		s.say("The act on many, %s, is %s: %s of %s done, %s not.", b.Verb, b.State, text.Count(int64(b.Done)), text.Count(int64(b.Of)), text.Count(int64(b.Tried()-b.Done)))
		for n := range b.Trouble {
			s.say("%s: %s.", b.Trouble[n].Item, or(b.Trouble[n].Error, b.Trouble[n].Result))
		}
	}
}

// stop ends the newest act on many that runs.
func (s *session) stop() {
	for i := len(s.snap.Bulks) - 1; i >= 0; i-- {
		if b := &s.snap.Bulks[i]; b.Ended.IsZero() {
			if _, err := s.Engine.CancelBulk(s.ctx, b.ID); err != nil {
				s.say("%v.", err)
				return
			}
			s.say("Stopped: what is done stays done.")
			return
		}
	}
	s.say("No act on many items is under way.")
}

func (s *session) takeBack() {
	if s.undo == nil {
		s.say("There is nothing to take back.")
		return
	}
	undo := s.undo
	s.undo = nil
	if err := undo(); err != nil {
		s.say("Not taken back: %v.", err)
		return
	}
	s.say("Taken back.")
}

// unmask shows an item whole, once that has been written down.
func (s *session) unmask(args []string) {
	s.withID(args[0], func(id store.ID) {
		revealer, ok := s.Engine.(act.Revealer)
		if !ok {
			s.say("The engine at the other end can't write down who looks.")
			return
		}
		if err := revealer.Reveal(s.ctx, id); err != nil {
			s.say("%v.", err)
			return
		}
		s.showWhole(id, nil)
	})
}
