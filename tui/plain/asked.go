package plain

import (
	"strings"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/act"
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
		{"delete", "ID[,ID] [NOTE]", "mark an item deleted, so that no robot gets it; asks", 1, true, (*session).delete},
		{"clear", "ID[,ID]", "take verdict, reviewer and note off an item", 1, true, func(s *session, a []string) {
			s.decide(a[0], engine.BulkRequest{Verb: engine.Clear})
		}},
		{"edit", "ID JSON", "retry an item with another payload", 2, true, (*session).edit},
		{"unmask", "ID", "show an item with its masked fields, which its history records", 1, true, (*session).unmask},
		{"retry-all", "FILTER", "retry all that match: retry-all status:failed queue:invoices; asks", 1, true, func(s *session, a []string) {
			s.many(engine.BulkRequest{Verb: engine.BulkRetry}, a)
		}},
		{"verify-all", "FILTER", "verify all that match; asks", 1, true, func(s *session, a []string) { s.many(engine.BulkRequest{Verb: engine.Verify}, a) }},
		{"assign-all", "WHO FILTER", "have somebody look at all that match; asks", 2, true, func(s *session, a []string) {
			s.many(engine.BulkRequest{Verb: engine.Assign, Reviewer: a[0]}, a[1:])
		}},
		{"clear-all", "FILTER", "take verdict, reviewer and note off all that match; asks", 1, true, func(s *session, a []string) {
			s.many(engine.BulkRequest{Verb: engine.Clear}, a)
		}},
		{"delete-all", "FILTER", "delete all that match; asks", 1, true, func(s *session, a []string) { s.many(engine.BulkRequest{Verb: engine.BulkDelete}, a) }},
		{"stop", "", "stop the act on many that was begun last; what is done stays done", 0, true, func(s *session, _ []string) { s.stop() }},
		{"undo", "", "take back the last act, while that can be", 0, true, func(s *session, _ []string) { s.takeBack() }},
		{"yes", "WORD", "go ahead with what was asked", 1, true, nil},
	}
}

func (s *session) delete(args []string) {
	request := engine.BulkRequest{Verb: engine.BulkDelete, Note: rest(args)}
	if strings.Contains(args[0], ",") {
		s.decide(args[0], request)
		return
	}
	s.ask("1", "This deletes item "+args[0], func() { s.decide(args[0], request) })
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

func said(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
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
