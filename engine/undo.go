package engine

import (
	"context"
	"fmt"

	"signalbox/store"
)

// UndoRequest takes operators' acts back.
type UndoRequest struct {
	Targets []Target `json:"targets"`
	Note    string   `json:"note,omitempty"`
}

// Undo takes back the last operator's act on each item: a retry that nobody has
// claimed, a delete, a judgement, a deferral. The item stands again as it did
// before; a copy that the retry made is deleted. It is refused when anything
// has changed the item, or the copy, since. The history keeps the act and that
// it was taken back. All are answered for in order: ok, stale (changed since
// it was seen), gone, refused.
func (e *Engine) Undo(ctx context.Context, r UndoRequest) ([]Outcome, error) {
	if err := validateTargets(r.Targets); err != nil {
		return nil, err
	}
	note := cleanText(r.Note, maxReason)
	return e.each(ctx, r.Targets, func(t *tx, q *store.Queue, i *store.Item) (store.ID, error) {
		return store.ID{}, t.undo(q, i, note)
	})
}

// remember is what an item is before an operator's act that is about to change
// it.
func remember(i *store.Item, event Event) *store.Undo {
	return &store.Undo{
		Event: string(event), Left: i.Revision + 1, Status: i.Status, Review: i.Review,
		Spent: i.Spent, Reclaims: i.Reclaims, Retryable: i.Retryable,
		EndedAt: i.EndedAt, AvailableAt: i.AvailableAt, DeferUntil: i.DeferUntil,
	}
}

// undoable says that the item stands as an operator's act left it.
func undoable(i *store.Item) bool { return i.Undo != nil && i.Undo.Left == i.Revision }

func (t *tx) undo(q *store.Queue, i *store.Item, note string) error {
	if !undoable(i) {
		return t.notUndoable(i)
	}
	was, from := *i.Undo, i.Status
	to := *i // what it becomes is looked up by what it was
	row, err := next(q, &to, EventUndo)
	if err != nil {
		return err
	}
	if row.to.Waiting() {
		if err := t.comesBack(q, i); err != nil {
			return err
		}
	}
	if err := t.undoEffects(q, i, &was); err != nil {
		return err
	}
	if row.to.Waiting() {
		if err := t.bringBack(q, i); err != nil {
			return err
		}
	}
	i.Status, i.Review, i.Undo, i.Group = row.to, was.Review, nil, ""
	i.Spent, i.Reclaims, i.Retryable = was.Spent, was.Reclaims, was.Retryable
	i.EndedAt, i.AvailableAt, i.DeferUntil = was.EndedAt, was.AvailableAt, was.DeferUntil
	if Reviewable(i.Status) && i.Review.Status != store.Verified {
		i.Group = groupOf(i)
	}
	why := "took back: " + was.Event
	if note != "" {
		why = note + "; " + why
	}
	return t.put(i, from, EventUndo, why)
}

// undoEffects takes back what an act did besides the item's own state, or
// refuses where others have built on it.
func (t *tx) undoEffects(q *store.Queue, i *store.Item, was *store.Undo) error {
	switch {
	case was.Event == string(EventRetry) && i.Family == store.Transactions:
		if err := t.withdraw(q, i); err != nil {
			return err
		}
		i.Next = store.ID{}
	case was.Event == string(EventRetry):
		i.RetryNo--
	case was.Event == string(EventDelete) && was.Status != store.Retried:
		if err := t.takeReference(q, i.Reference); err != nil {
			return err
		}
	}
	if was.Payload == nil {
		return nil
	}
	return t.PutPayload(i.ID(), was.Payload)
}

// withdraw deletes the copy that a retry made, if nothing has come of it.
func (t *tx) withdraw(q *store.Queue, original *store.Item) error {
	c, err := t.Item(original.Next)
	switch store.CodeOf(err) {
	case 0:
	case store.CodeUnavailable, store.CodeNotFound: // damaged, or purged
		return store.Conflict(fmt.Sprintf("item %q", original.ID().String()), "its copy "+original.Next.String()+" can't be read", "see `signalbox check`")
	default:
		return err
	}
	seen := c
	if t.stands(&c, 1) {
		seen.Revision = 1
	}
	row, err := next(q, &seen, EventWithdraw)
	if err != nil {
		return store.Conflict(fmt.Sprintf("item %q", original.ID().String()), "it has gone on as "+c.ID().String()+told(t.lastChange(c.ID()), t.now), "act on that one")
	}
	return t.end(&c, row, "retry of "+original.ID().String()+" taken back")
}

// notUndoable says why nothing can be taken back.
func (t *tx) notUndoable(i *store.Item) error {
	thing := fmt.Sprintf("item %q", i.ID().String())
	if i.Undo == nil && i.Revision == 1 && !i.Previous.IsZero() {
		return store.Conflict(thing, "it was made by the retry of "+i.Previous.String(), "take that one's retry back: `signalbox item undo "+i.Previous.String()+"`")
	}
	return store.Conflict(thing, "nothing can be taken back, as what came last is no operator's act"+told(t.lastChange(i.ID()), t.now), "see `signalbox item history "+i.ID().String()+"`")
}
