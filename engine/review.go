package engine

import (
	"context"
	"fmt"

	"signalbox/store"
)

// Review records a person's judgement on failed, excepted or abandoned items:
// assign puts them in review, verify decides that they are not to be retried
// any more, note only writes, clear takes all of it back. All are answered for
// in order: ok, stale (changed since it was seen), gone, refused.
func (e *Engine) Review(ctx context.Context, r ReviewRequest) ([]Outcome, error) {
	if err := validateTargets(r.Targets); err != nil {
		return nil, err
	}
	if err := r.validate(); err != nil {
		return nil, err
	}
	return e.each(ctx, r.Targets, func(t *tx, _ *store.Queue, i *store.Item) (store.ID, error) {
		return store.ID{}, t.review(i, &r)
	})
}

// validate refuses what can't be judged so, and cleans the words.
func (r *ReviewRequest) validate() error {
	switch r.Action {
	case Assign, Verify, Note, Clear:
	default:
		return store.Invalid(fmt.Sprintf("review action %q", r.Action), "assign, verify, note or clear", "use one of these")
	}
	if r.Action == Note && r.Note == "" {
		return store.Invalid("a review note", "it is empty", "say it with --note")
	}
	r.Note, r.Reviewer = cleanText(r.Note, maxReason), cleanText(r.Reviewer, 256)
	return nil
}

// decided says that a verdict stands in the way of a review action.
func decided(i *store.Item, action string) bool {
	return i.Review.Status == store.Verified && action != Clear && action != Note
}

func (t *tx) review(i *store.Item, r *ReviewRequest) error {
	thing := fmt.Sprintf("item %q", i.ID().String())
	if !Reviewable(i.Status) {
		return store.Conflict(thing, "it is "+i.Status.String()+"; only failed, excepted and abandoned items are reviewed", "leave it out")
	}
	if decided(i, r.Action) {
		return store.Conflict(thing, "already verified by "+i.Review.Reviewer+" "+ago(t.now, i.Review.At), "clear its review first")
	}
	event := Event("review-" + r.Action)
	i.Undo = remember(i, event)
	v := &i.Review
	v.At = t.now
	if r.Note != "" {
		v.Note = r.Note
	}
	switch r.Action {
	case Assign:
		v.Status, v.Reviewer = store.InReview, or(r.Reviewer, t.actor)
	case Verify:
		v.Status, v.Reviewer = store.Verified, or(r.Reviewer, t.actor)
		i.Group = ""
	case Clear:
		*v = store.Review{}
		i.Group = groupOf(i)
	}
	return t.put(i, i.Status, event, r.Note)
}

// groupOf is the group in which a reviewable item waits for a decision; one
// whose reason says nothing waits too.
func groupOf(i *store.Item) string {
	reason := ""
	if i.Error != nil {
		reason = Fold(i.Error.Reason)
	}
	return or(reason, "no reason was given")
}

// Groups counts the items that wait for a person's decision, by queue, status
// and folded reason; queue "" = of all.
func (e *Engine) Groups(ctx context.Context, queue string) (groups []store.Group, err error) {
	err = e.store.View(ctx, func(r store.Reader) error {
		groups, err = r.Groups(queue)
		return err
	})
	return groups, err
}
