package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"signalbox/store"
)

// EditRequest changes a waiting item. Fields left nil stay as they are; a zero
// time takes a date off.
type EditRequest struct {
	Target
	Payload    json.RawMessage `json:"payload,omitempty"`
	Reference  *string         `json:"reference,omitempty"`
	Priority   *store.Priority `json:"priority,omitempty"`
	DueAt      *store.Time     `json:"due_at,omitempty"`
	DeferUntil *store.Time     `json:"defer_until,omitempty"`
}

// defers says that an edit changes nothing but when the item may be claimed.
func (r *EditRequest) defers() bool {
	return r.DeferUntil != nil && r.Payload == nil && r.Reference == nil && r.Priority == nil && r.DueAt == nil
}

// Edit changes an item that waits; what was changed is kept in its history.
// CodeConflict when it no longer waits, has changed since it was seen, or the
// new reference is taken; CodeInvalid for content over a limit.
func (e *Engine) Edit(ctx context.Context, r EditRequest) (rec Record, err error) {
	if r.Payload != nil {
		if err := editable(r.Item, r.Payload); err != nil {
			return rec, err
		}
	}
	if r.Reference != nil {
		if err := validateReference(*r.Reference); err != nil {
			return rec, err
		}
	}
	err = e.change(ctx, func(t *tx) error {
		o, err := t.onTarget(r.Target, func(t *tx, q *store.Queue, i *store.Item) (store.ID, error) {
			return store.ID{}, t.edit(q, i, &r)
		})
		if err != nil || o.Err != nil {
			return firstOf(err, o.Err)
		}
		i, err := t.Item(r.Item)
		if err != nil {
			return err
		}
		rec, err = t.e.whole(t, i)
		return err
	})
	return rec, err
}

// editable says whether an item may get another payload.
func editable(id store.ID, payload json.RawMessage) error {
	if Builtin(id.Queue) {
		return reserved(id.Queue)
	}
	return validatePayload(payload)
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) edit(q *store.Queue, i *store.Item, r *EditRequest) error {
	if !i.Status.Waiting() {
		return store.Conflict(fmt.Sprintf("item %q", i.ID().String()), "it is "+i.Status.String()+"; only waiting items are edited", "wait until it waits again, or retry it with an edited payload")
	}
	if r.defers() {
		i.Undo = remember(i, "edit")
	}
	var why []string
	note := func(field string, from, to any) { why = append(why, fmt.Sprintf("%s: %v → %v", field, from, to)) }
	if r.Payload != nil {
		if err := t.e.vault.locked(q); err != nil {
			return err
		}
		change, err := t.editPayload(q, i, r.Payload)
		if err != nil {
			return err
		}
		why = append(why, change)
	}
	if r.Reference != nil && *r.Reference != i.Reference {
		if err := t.takeReference(q, *r.Reference); err != nil {
			return err
		}
		note("reference", i.Reference, *r.Reference)
		i.Reference = *r.Reference
	}
	if r.Priority != nil && *r.Priority != i.Priority {
		note("priority", i.Priority, *r.Priority)
		i.Priority = *r.Priority
	}
	if r.DueAt != nil && *r.DueAt != i.DueAt {
		note("due", i.DueAt, *r.DueAt)
		i.DueAt, i.DueTold = *r.DueAt, false
	}
	if r.DeferUntil != nil && *r.DeferUntil != i.DeferUntil {
		note("deferred until", i.DeferUntil, *r.DeferUntil)
		i.DeferUntil = *r.DeferUntil
	}
	return t.put(i, i.Status, "edit", or(strings.Join(why, "; "), "nothing changed"))
}

func (t *tx) editPayload(q *store.Queue, i *store.Item, payload json.RawMessage) (change string, err error) {
	if err := firstOf(validateFamily(q, payload), t.e.schemas.keeps(q, payload)); err != nil {
		return "", err
	}
	old, err := t.openPayload(q, i)
	if err != nil {
		return "", err
	}
	return edited("", q, old, payload), t.PutPayload(i.ID(), payload)
}

// takeReference checks that a reference is free where references are unique.
func (t *tx) takeReference(q *store.Queue, reference string) error {
	if !q.UniqueReferences || reference == "" {
		return nil
	}
	holder, err := t.referenceHolder(q.Name, reference)
	if err != nil || holder.IsZero() {
		return err
	}
	return store.Conflict(fmt.Sprintf("reference %q", reference), "it is already in queue "+q.Name, "use another reference, or retry "+holder.String())
}

// DeleteRequest deletes items that no robot holds.
type DeleteRequest struct {
	Targets []Target `json:"targets"`
	Note    string   `json:"note,omitempty"`
}

// Delete marks items deleted: they are worked and shown no more, and their
// references are free again; payload and history stay. All are answered for in
// order: ok, stale (changed since it was seen), gone, or refused.
func (e *Engine) Delete(ctx context.Context, r DeleteRequest) ([]Outcome, error) {
	if err := validateTargets(r.Targets); err != nil {
		return nil, err
	}
	note := cleanText(r.Note, maxReason)
	return e.each(ctx, r.Targets, func(t *tx, q *store.Queue, i *store.Item) (store.ID, error) {
		return store.ID{}, t.delete(q, i, note)
	})
}

func (t *tx) delete(q *store.Queue, i *store.Item, note string) error {
	row, err := next(q, i, EventDelete)
	if err != nil {
		return err
	}
	i.Undo = remember(i, EventDelete)
	return t.end(i, row, note)
}
