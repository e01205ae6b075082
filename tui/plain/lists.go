package plain

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/act"
	"signalbox/tui/env"
	"signalbox/tui/text"
)

// status tells how everything stands.
func (s *session) status() {
	p := &s.snap.Slots
	if p.Pool == 0 {
		s.say("The pool could not be read.")
	} else {
		s.say("%d of %d slots are busy. %d in line for the fast lane, %d for the slow one.", p.Busy, p.Pool, p.Fast.Waiting, p.Slow.Waiting)
	}
	var waiting, running, decisions int64
	for i := range s.snap.Queues {
		waiting += s.snap.Queues[i].Counts.Waiting()
		running += s.snap.Queues[i].Counts.InFlight()
	}
	for i := range s.snap.Groups {
		decisions += s.snap.Groups[i].Count
	}
	s.say("%s. %s waiting, %s running, %s for a person to decide.", text.Plural(int64(len(s.snap.Queues)), "queue"),
		text.Plural(waiting, "item"), text.Count(running), text.Count(decisions))
}

func (s *session) slots() {
	free := 0
	for i := range s.snap.Slots.Slots {
		slot := &s.snap.Slots.Slots[i]
		if slot.Holder == nil {
			free++
			continue
		}
		h := slot.Holder
		s.say("Slot %d: %s work, %s, held for %s by %s.", slot.Number, h.Lane, or(h.Item, h.Queue), s.since(h.Since), or(env.Robot(h.Robot), "nobody named"))
	}
	s.say("%s free.", text.Plural(int64(free), "slot"))
	for i := range s.snap.Slots.Waiting {
		w := &s.snap.Slots.Waiting[i]
		s.say("In line for the %s lane, place %d: %s, since %s.", w.Lane, w.Place, or(w.Item, w.Queue), s.since(w.Since))
	}
}

func (s *session) since(t store.Time) string {
	return string(env.Span(max(s.Clock().Sub(t.Time()), 0).Truncate(time.Second)))
}

func (s *session) queues() {
	for i := range s.snap.Queues {
		q := &s.snap.Queues[i]
		words := fmt.Sprintf("Queue %s, %s, %s lane: %s waiting, %s running, %s done, %s excepted, %s failed, %s abandoned", q.Name, q.Family, q.Lane,
			text.Count(q.Counts.Waiting()), text.Count(q.Counts.InFlight()),
			text.Count(q.Counts[store.Completed]+q.Counts[store.Successful]), text.Count(q.Counts[store.BusinessException]),
			text.Count(q.Counts[store.Failed]+q.Counts[store.SystemException]), text.Count(q.Counts[store.Abandoned]))
		if q.Paused {
			words += ", paused by " + or(q.PausedBy, "somebody")
		}
		if q.ConsumerError != "" {
			words += ", consumer error: " + q.ConsumerError
		}
		s.say("%s.", words)
	}
	if len(s.snap.Queues) == 0 {
		s.say("There is no queue yet. signalbox queue add NAME makes one.")
	}
}

func (s *session) items(args []string) {
	s.list = &engine.ListRequest{Filter: strings.Join(args, " "), Desc: true, Limit: paging}
	s.more()
}

// more tells the next rows of the list.
func (s *session) more() {
	if s.list == nil {
		s.say("There is no list to go on with; items begins one.")
		return
	}
	page, err := s.Engine.List(s.ctx, *s.list)
	if err != nil {
		s.list = nil
		s.say("%v.", err)
		return
	}
	for i := range page.Items {
		s.item(&page.Items[i])
	}
	switch {
	case page.More:
		s.list.After, s.list.AfterReference = page.Next, page.NextReference
		s.say("There are more; type more.")
	case len(page.Items) == 0:
		s.list = nil
		s.say("Nothing matches.")
	default:
		s.list = nil
		s.say("That is all.")
	}
}

func (s *session) item(i *store.Item) {
	words := i.ID().String() + ", " + i.Status.String()
	if i.Reference != "" {
		words = i.ID().String() + ", " + i.Reference + ", " + i.Status.String()
	}
	if i.Status.InFlight() {
		words += ", held by " + env.Robot(i.ClaimedBy) + " for " + s.since(i.ClaimedAt)
	}
	if i.Error != nil && !i.Status.InFlight() {
		words += ": " + i.Error.Reason
	}
	s.say("%s.", words)
}

func (s *session) groups() {
	for i := range s.snap.Groups {
		g := &s.snap.Groups[i]
		kind := "a fault, a retry may do"
		switch {
		case env.Business(g.Status, g.Kind):
			kind = "a business exception, a person must look"
		case g.Status == store.Abandoned:
			kind = "abandoned, nobody reported"
		}
		s.say("%s in %s, %s: %s.", text.Plural(g.Count, "item"), g.Queue, kind, g.Text)
	}
	if len(s.snap.Groups) == 0 {
		s.say("Nothing waits for a person.")
	}
}

func (s *session) robots() {
	roller, ok := s.Engine.(act.Roller)
	if !ok {
		s.say("The engine at the other end does not tell.")
		return
	}
	robots, err := roller.Robots(s.ctx)
	if err != nil {
		s.say("%v.", err)
		return
	}
	for i := range robots {
		r := &robots[i]
		words := fmt.Sprintf("%s in %s: holds %d, done %d, failed %d, last seen %s ago", env.Robot(r.Name), strings.Join(r.Queues, " and "), r.Held, r.Done, r.Failed, s.since(r.SeenAt))
		if r.Held > 0 {
			words += ", oldest " + r.Oldest.String() + " for " + s.since(r.OldestAt)
		}
		s.say("%s.", words)
	}
	if len(robots) == 0 {
		s.say("No robot has claimed anything lately.")
	}
}

func (s *session) show(id store.ID) {
	var mask []string
	for i := range s.snap.Queues {
		if s.snap.Queues[i].Name == id.Queue {
			mask = s.snap.Queues[i].Mask
		}
	}
	s.showWhole(id, mask)
}

func (s *session) showWhole(id store.ID, mask []string) {
	r, err := s.Engine.Item(s.ctx, id)
	if err != nil {
		s.say("%v.", err)
		return
	}
	s.item(&r.Item)
	s.say("Added %s by %s. %s, %s.", s.clock(r.CreatedAt), or(r.CreatedBy, "somebody"), text.Plural(int64(r.Attempts), "claim"), text.Plural(int64(r.Failures), "failure"))
	if r.Review.Status != store.NoReview || r.Review.Note != "" {
		s.say("Review %s by %s: %s.", r.Review.Status, or(r.Review.Reviewer, "nobody"), or(r.Review.Note, "no note"))
	}
	s.contents(&r, mask)
}

// contents tells what an item carries, without what is masked.
func (s *session) contents(r *engine.Record, mask []string) {
	for _, part := range []struct {
		name string
		raw  json.RawMessage
	}{{"Payload", r.Payload}, {"Output", r.Output}, {"Analytics", r.Analytics}} {
		if len(part.raw) > 0 {
			s.say("%s: %s", part.name, engine.Mask(part.raw, mask))
		}
	}
}

func (s *session) history(id store.ID) {
	changes, err := s.Engine.History(s.ctx, id, paging)
	if err != nil {
		s.say("%v.", err)
		return
	}
	for i := range changes {
		s.change(&changes[i])
	}
}

func (s *session) why(id store.ID) {
	explainer, ok := s.Engine.(act.Explainer)
	if !ok {
		s.say("The engine at the other end does not tell.")
		return
	}
	x, err := explainer.Explain(s.ctx, id)
	if err != nil {
		s.say("%v.", err)
		return
	}
	for _, r := range x.Reasons {
		words := r.Text
		if r.Mend != "" {
			words += ". What helps: " + r.Mend
		}
		s.say("%s.", words)
	}
}

// events tells what happened last, the oldest first.
func (s *session) events(args []string) {
	source, ok := s.Engine.(act.Streamer)
	if !ok {
		s.say("The engine at the other end does not tell.")
		return
	}
	got, err := source.Stream(s.ctx, engine.StreamRequest{Filter: strings.Join(args, " "), Limit: paging})
	if err != nil {
		s.say("%v.", err)
		return
	}
	for i := len(got.Changes) - 1; i >= 0; i-- {
		s.change(&got.Changes[i])
	}
	if len(got.Changes) == 0 {
		s.say("Nothing matches.")
	}
}
