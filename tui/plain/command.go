package plain

import (
	"errors"
	"slices"
	"strings"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/act"
	"signalbox/tui/text"
)

// command is a word that can be typed.
type command struct {
	name, args, help string
	least            int // arguments needed
	acts             bool
	run              func(s *session, args []string)
}

// commands lists what can be typed, in the order of the help.
func commands() []command {
	return slices.Concat(onLists(), onItems(), onMany(), onJobs(), onSetup(), onSession())
}

func onLists() []command {
	return []command{
		{"status", "", "how the pool and the queues stand", 0, false, func(s *session, _ []string) { s.status() }},
		{"slots", "", "who holds which slot", 0, false, func(s *session, _ []string) { s.slots() }},
		{"queues", "", "the queues with their numbers", 0, false, func(s *session, _ []string) { s.queues() }},
		{"items", "[FILTER]", "items, the newest first: items status:failed queue:invoices", 0, false, (*session).items},
		{"more", "", "go on with the list", 0, false, func(s *session, _ []string) { s.more() }},
		{"groups", "", "what waits for a person, by reason", 0, false, func(s *session, _ []string) { s.groups() }},
		{"robots", "", "who claims", 0, false, func(s *session, _ []string) { s.robots() }},
		{"events", "[FILTER]", "what happened last: events queue:invoices", 0, false, (*session).events},
	}
}

func onItems() []command {
	return []command{
		{"show", "ID", "an item whole, masked fields hidden", 1, false, func(s *session, a []string) { s.withID(a[0], s.show) }},
		{"history", "ID", "what happened to an item", 1, false, func(s *session, a []string) { s.withID(a[0], s.history) }},
		{"why", "ID", "why an item is not running, and what would help", 1, false, func(s *session, a []string) { s.withID(a[0], s.why) }},
		{"retry", "ID[,ID] [NOTE]", "give an item, or several, to the robots again", 1, true, func(s *session, a []string) {
			s.decide(a[0], engine.BulkRequest{Verb: engine.BulkRetry, Note: rest(a)})
		}},
		{"verify", "ID[,ID] [NOTE]", "decide that an item is not to be retried", 1, true, func(s *session, a []string) {
			s.decide(a[0], engine.BulkRequest{Verb: engine.Verify, Note: rest(a)})
		}},
		{"assign", "ID[,ID] WHO", "have somebody look at an item", 2, true, func(s *session, a []string) {
			s.decide(a[0], engine.BulkRequest{Verb: engine.Assign, Reviewer: a[1]})
		}},
		{"note", "ID[,ID] TEXT", "write a note on an item", 2, true, func(s *session, a []string) {
			s.decide(a[0], engine.BulkRequest{Verb: engine.Note, Note: rest(a)})
		}},
		{"pause", "QUEUE", "hand out nothing more of a queue", 1, true, func(s *session, a []string) { s.pause(a[0], true) }},
		{"resume", "QUEUE", "hand out items of a queue again", 1, true, func(s *session, a []string) { s.pause(a[0], false) }},
	}
}

func onSession() []command {
	return []command{
		{"follow", "[FILTER]", "tell changes as they come: follow event:business queue:invoices", 0, false, (*session).followed},
		{"quiet", "", "tell no changes, only notices", 0, false, func(s *session, _ []string) { s.follow = false; s.say("Quiet: notices only.") }},
		{"help", "[COMMAND]", "these words, or those on one command", 0, false, (*session).help},
		{"quit", "", "leave", 0, false, func(s *session, _ []string) { s.ended = true }},
	}
}

func rest(args []string) string { return strings.Join(args[1:], " ") }

// command does what a line says.
func (s *session) command(line string) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return
	}
	name, args := strings.ToLower(words[0]), words[1:]
	if other, ok := synonyms[name]; ok {
		name = other
	}
	asked := s.asked
	s.asked = question{}
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
		if c.name != name {
			continue
		}
		switch {
		case len(args) < c.least:
			s.say("%s needs %s.", c.name, c.args)
		case c.excess(args) != "":
			s.say("Not done: %s takes %s; leave out %q, or see help %s.", c.name, or(c.args, "no more words"), c.excess(args), c.name)
		case c.several(args):
			s.say("Not done: several items are named with a comma and no space: %s %s.", c.name, strings.ReplaceAll(strings.Join(args, ","), ",,", ","))
		case c.acts && s.barred() != "":
			s.say("Not done: %s.", s.barred())
		default:
			s.refresh()
			if c.run == nil {
				s.answer(asked, args)
				return
			}
			c.run(s, args)
		}
		return
	}
	if near := text.Nearest(name, names); near != "" {
		s.say("There is no command %q; did you mean %s?", words[0], near)
		return
	}
	s.say("There is no command %q; help lists them.", words[0])
}

// synonyms are the words of the shell's commands and of the screens.
var synonyms = map[string]string{
	"exit": "quit", "q": "quit", "explain": "why", "list": "items", "filter": "items", "open": "show",
	"review": "groups", "abandoned": "groups",
}

// excess is what stands behind the arguments that a command takes, "" where
// nothing does. An undo that is given an item would else take back another's.
func (c *command) excess(args []string) string {
	takes := strings.Fields(c.args)
	if n := len(takes); n > 0 {
		switch strings.Trim(takes[n-1], "[]") {
		case "FILTER", "NOTE", "TEXT", "JSON", "VALUE": // as many words as there are
			return ""
		}
	}
	return strings.Join(args[min(len(takes), len(args)):], " ")
}

// several says that what is to be a note names items too: they would be left
// alone.
func (c *command) several(args []string) bool {
	if !strings.HasSuffix(c.args, "[NOTE]") || len(args) < 2 {
		return false
	}
	return !slices.ContainsFunc(args[1:], func(word string) bool {
		_, err := store.ParseID(strings.Trim(word, ","))
		return err != nil
	})
}

// refresh takes the picture as it is now; where there is none, the last stays.
func (s *session) refresh() {
	if snap, err := s.Engine.Watch(s.ctx, 0); err == nil {
		s.snap = snap
	}
}

// barred says why nothing can be changed, "" where it can.
func (s *session) barred() string {
	if s.ReadOnly || s.snap.ReadOnly {
		return "this console is read-only"
	}
	return ""
}

// help tells of all commands, or of those whose name begins as one that is asked
// for.
func (s *session) help(args []string) {
	found := false
	for _, c := range commands() {
		if len(args) > 0 && !strings.HasPrefix(c.name, strings.ToLower(args[0])) {
			continue
		}
		found = true
		s.say("%s: %s.", strings.TrimSpace(c.name+" "+c.args), c.help)
	}
	if !found {
		s.say("There is no command %q; help lists them.", args[0])
	}
}

// withID does something with the item that was named.
func (s *session) withID(name string, do func(store.ID)) {
	id, err := store.ParseID(name)
	if err != nil {
		s.say("%v.", err)
		return
	}
	do(id)
}

// act does something to one item as it is now, and tells how it went.
func (s *session) act(verb, name string, do func([]engine.Target) ([]engine.Outcome, error)) {
	s.withID(name, func(id store.ID) {
		record, err := s.Engine.Item(s.ctx, id)
		if err != nil {
			s.say("Could not %s: %v.", verb, err)
			return
		}
		outcomes, err := do([]engine.Target{{Item: id, Revision: record.Revision}})
		switch {
		case err != nil:
			s.say("Could not %s: %v.", verb, err)
		case len(outcomes) == 0:
			s.say("Could not %s: the engine said nothing.", verb)
		case outcomes[0].Result != engine.OK:
			s.say("Could not %s %s: %s.", verb, id, or(outcomes[0].Error, outcomes[0].Result))
		case !outcomes[0].Next.IsZero():
			s.undoes(outcomes[0])
			s.say("Done: %s is %s, and goes on as %s.", id, outcomes[0].Status, outcomes[0].Next)
		default:
			s.undoes(outcomes[0])
			s.say("Done: %s is %s.", id, outcomes[0].Status)
		}
	})
}

// undoes keeps how the act on an item is taken back.
func (s *session) undoes(o engine.Outcome) {
	s.undo = func() error {
		outcomes, err := s.Engine.Undo(s.ctx, engine.UndoRequest{Targets: []engine.Target{{Item: o.Item, Revision: o.Revision}}})
		if err == nil && len(outcomes) > 0 && outcomes[0].Result != engine.OK {
			err = errors.New(or(outcomes[0].Error, outcomes[0].Result))
		}
		return err
	}
}

func (s *session) pause(queue string, paused bool) {
	q, err := s.Engine.PauseQueue(s.ctx, queue, paused)
	switch {
	case err != nil:
		s.say("%v.", err)
	case q.Unchanged:
		s.say("Queue %s stood so already.", q.Name)
	case q.Paused:
		s.unpauses(q.Name, false)
		s.say("Queue %s is paused: what runs goes on, nothing new is taken.", q.Name)
	default:
		s.unpauses(q.Name, true)
		s.say("Queue %s goes on.", q.Name)
	}
}

// unpauses keeps how a pause or its end is taken back.
func (s *session) unpauses(queue string, paused bool) {
	s.undo = func() error {
		_, err := s.Engine.PauseQueue(s.ctx, queue, paused)
		return err
	}
}

// followed tells changes from now on.
func (s *session) followed(args []string) {
	filter := strings.Join(args, " ")
	if source, ok := s.Engine.(act.Streamer); ok {
		got, err := source.Stream(s.ctx, engine.StreamRequest{Filter: filter, Limit: 1})
		if err != nil {
			s.say("%v.", err)
			return
		}
		s.last = got.Last
	}
	s.follow, s.filter = true, filter
	s.say("Changes are told as they come.")
}
