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

// decide does to the items that were named what a request says: at once to one,
// and when that was agreed to, as an act on many, to several.
func (s *session) decide(names string, r engine.BulkRequest) {
	if !strings.Contains(names, ",") {
		s.act(r.Verb, names, func(t []engine.Target) ([]engine.Outcome, error) { return s.one(r, t) })
		return
	}
	var said []string
	for name := range strings.SplitSeq(names, ",") {
		id, err := store.ParseID(name)
		if err != nil {
			s.say("Not done: %v.", err)
			return
		}
		if slices.Contains(said, name) {
			continue
		}
		record, err := s.Engine.Item(s.ctx, id)
		if err != nil {
			s.say("Not done: %v.", err)
			return
		}
		said = append(said, name)
		r.Targets = append(r.Targets, engine.Target{Item: id, Revision: record.Revision})
	}
	s.consent(r, text.Plural(int64(len(said)), "item")+to(&r)+": "+strings.Join(said, ", "))
}

// one does to one item what a request for many would.
func (s *session) one(r engine.BulkRequest, t []engine.Target) ([]engine.Outcome, error) {
	switch r.Verb {
	case engine.BulkRetry:
		return s.Engine.Retry(s.ctx, engine.RetryRequest{Targets: t, Note: r.Note})
	case engine.BulkDelete:
		deleter, ok := s.Engine.(act.Deleter)
		if !ok {
			return nil, errors.New("the engine at the other end can't")
		}
		return deleter.Delete(s.ctx, engine.DeleteRequest{Targets: t, Note: r.Note})
	}
	return s.Engine.Review(s.ctx, engine.ReviewRequest{Targets: t, Action: r.Verb, Reviewer: r.Reviewer, Note: r.Note})
}

// many acts on all that a filter matches now; later arrivals are left alone.
func (s *session) many(r engine.BulkRequest, filter []string) {
	list := engine.ListRequest{Filter: strings.Join(filter, " ")}
	targets, err := s.Engine.Select(s.ctx, list)
	if err != nil || len(targets) == 0 {
		s.say("Not done: %v.", or(said(err), "nothing matches"))
		return
	}
	r.Targets, r.Select = targets, []engine.ListRequest{list}
	s.consent(r, text.Plural(int64(len(targets)), "item")+to(&r)+" that match "+list.Filter)
}

// to names who is to look at items.
func to(r *engine.BulkRequest) string {
	if r.Reviewer == "" {
		return ""
	}
	return " to " + r.Reviewer
}

// consent begins an act on many when that was agreed to.
func (s *session) consent(r engine.BulkRequest, on string) {
	n := text.Count(int64(len(r.Targets)))
	s.ask(strings.ReplaceAll(n, ",", ""), "To "+r.Verb+" "+on, func() {
		bulk, err := s.Engine.StartBulk(s.ctx, r)
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
		s.say("Begun with %s; stop ends it.", text.Plural(int64(len(r.Targets)), "item"))
	})
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
