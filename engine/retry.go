package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"signalbox/store"
)

// RetryDelay is how long an item waits before its k-th of n retries: each wait
// is twice the one before, and together they fill the window; none is shorter
// than the floor. In whole seconds:
//
//	max(floor, ⌊window · 2^(k−1) / (2^n − 1)⌋)
func RetryDelay(window, floor time.Duration, n, k int) time.Duration {
	if n < 1 || k < 1 || k > n {
		return floor
	}
	share := window.Seconds() * math.Exp2(float64(k-1)) / (math.Exp2(float64(n)) - 1)
	return max(floor, time.Duration(math.Floor(share))*time.Second)
}

// Retry gives items another life on an operator's word: failed, excepted or
// abandoned ones, never verified ones. Each gets a fresh budget and can be
// claimed at once: jobs in place, transactions by a linked copy. All are
// answered for in order: ok, stale (changed since it was seen), gone, refused.
func (e *Engine) Retry(ctx context.Context, r RetryRequest) ([]Outcome, error) {
	if err := validateTargets(r.Targets); err != nil {
		return nil, err
	}
	if r.Payload != nil && len(r.Targets) != 1 {
		return nil, store.Invalid("an edited retry", fmt.Sprintf("one payload for %d items", len(r.Targets)), "edit one item at a time")
	}
	if r.Payload != nil {
		if err := editable(r.Targets[0].Item, r.Payload); err != nil {
			return nil, err
		}
	}
	note := cleanText(r.Note, maxReason)
	return e.each(ctx, r.Targets, func(t *tx, q *store.Queue, i *store.Item) (store.ID, error) {
		return t.retry(q, i, r.Payload, note)
	})
}

// each acts on every target in one durable change and answers for each.
func (e *Engine) each(ctx context.Context, targets []Target, act func(*tx, *store.Queue, *store.Item) (store.ID, error)) ([]Outcome, error) {
	outcomes := make([]Outcome, len(targets))
	err := e.change(ctx, func(t *tx) error {
		for n, target := range targets {
			var err error
			if outcomes[n], err = t.onTarget(target, act); err != nil {
				return err
			}
		}
		return nil
	})
	return outcomes, err
}

func (t *tx) onTarget(target Target, act func(*tx, *store.Queue, *store.Item) (store.ID, error)) (Outcome, error) {
	i, err := t.Item(target.Item)
	if err != nil {
		return goneOr(target.Item, err)
	}
	stands := i.Status
	if target.Revision != 0 && target.Revision != i.Revision && !t.stands(&i, target.Revision) {
		last := t.lastChange(i.ID())
		err := store.Conflict(fmt.Sprintf("item %q", target.Item.String()), "changed since it was seen"+told(last, t.now)+"; it is now "+stands.String(), "look at it again")
		return answer(target.Item, Stale, err).at(stands).by(last), nil
	}
	if err := t.hidden(&i); err != nil { // or a copy would outlive its import
		return answer(target.Item, Refused, err).at(stands), nil
	}
	q, err := t.Queue(i.Queue)
	if err != nil {
		return Outcome{}, err
	}
	copied, err := act(t, &q, &i)
	if code := store.CodeOf(err); code == store.CodeConflict || code == store.CodeInvalid {
		return answer(target.Item, Refused, err).at(stands).by(t.lastChange(target.Item)), nil
	}
	return Outcome{Item: target.Item, Result: OK, Status: i.Status, Next: copied, Revision: i.Revision}, err
}

// unchanging are the events that keep nobody from an act on an item as it was seen
// before: somebody looked at its masked fields, or a date of it came.
var unchanging = []string{revealed, AtRiskEvent, OverdueEvent}

// stands says that since a revision nothing else has happened to an item.
func (t *tx) stands(i *store.Item, seen uint64) bool {
	const most = 16
	if seen > i.Revision || i.Revision-seen > most {
		return false
	}
	since := int(i.Revision - seen)
	changes, err := t.History(i.ID(), since)
	return err == nil && len(changes) == since &&
		!slices.ContainsFunc(changes, func(c store.Change) bool { return !slices.Contains(unchanging, c.Event) })
}

// lastChange is the newest of an item's history; zero where none is left or can
// be read.
func (t *tx) lastChange(id store.ID) store.Change {
	changes, err := t.History(id, 1)
	if err != nil || len(changes) == 0 {
		return store.Change{}
	}
	return changes[0]
}

// told words who made a change and how long ago.
func told(c store.Change, now store.Time) string {
	if c.Event == "" {
		return ""
	}
	return fmt.Sprintf(": %s by %s %s", c.Event, c.Actor, ago(now, c.At))
}

func (t *tx) retry(q *store.Queue, i *store.Item, payload json.RawMessage, note string) (store.ID, error) {
	row, err := next(q, i, EventRetry)
	if err != nil {
		return store.ID{}, err
	}
	if payload != nil {
		if err := firstOf(validateFamily(q, payload), t.e.schemas.keeps(q, payload)); err != nil {
			return store.ID{}, err
		}
	}
	if err := t.comesBack(q, i); err != nil {
		return store.ID{}, err
	}
	if err := t.bringBack(q, i); err != nil {
		return store.ID{}, err
	}
	from := i.Status
	was := remember(i, EventRetry)
	i.Status, i.Group = row.to, ""
	i.Review.Status = store.ReviewRetried
	if i.Family == store.Transactions {
		copied, err := t.copyOf(q, i, payload, func(*store.Item) {})
		if err != nil {
			return store.ID{}, err
		}
		i.Next, i.Undo = copied, was
		return copied, t.put(i, from, EventRetry, note)
	}
	if payload != nil {
		kept, err := t.Payload(i.ID()) // sealed as it is, where it is sealed
		if err != nil {
			return store.ID{}, err
		}
		old, err := t.openPayload(q, i)
		if err != nil {
			return store.ID{}, err
		}
		if err := t.PutPayload(i.ID(), payload); err != nil {
			return store.ID{}, err
		}
		note = edited(note, q, old, payload)
		was.Payload = kept
	}
	i.Undo = was
	i.Spent, i.Reclaims, i.RetryNo = 0, 0, i.RetryNo+1
	i.Retryable = true
	i.AvailableAt, i.DeferUntil, i.EndedAt, i.LeaseUntil = 0, 0, 0, 0
	return store.ID{}, t.put(i, from, EventRetry, note)
}

// copyOf adds the next item of a transaction's chain, linked both ways (the
// caller writes the original's Next). A nil payload copies the original's.
func (t *tx) copyOf(q *store.Queue, i *store.Item, payload []byte, with func(*store.Item)) (store.ID, error) {
	why := "retry of " + i.ID().String()
	var err error
	if payload == nil {
		payload, err = t.Payload(i.ID()) // sealed as it is, where it is sealed
	} else {
		var old []byte
		old, err = t.openPayload(q, i)
		why = edited(why, q, old, payload)
	}
	if err != nil {
		return store.ID{}, err
	}
	c := store.Item{
		Queue: i.Queue, Family: i.Family, Status: waiting(i.Family)[0],
		Reference: i.Reference, Priority: i.Priority, MaxAttempts: i.MaxAttempts, Retryable: true,
		RetryNo: i.RetryNo + 1, Chain: i.Chain, Previous: i.ID(),
		DueAt: i.DueAt, RiskAt: i.RiskAt, DueTold: i.DueTold, RiskTold: i.RiskTold, Job: i.Job, Weight: i.Weight,
	}
	if _, err := t.Job(i.Job); inJob(i) && store.CodeOf(err) == store.CodeNotFound {
		c.Weight = 0 // the job was deleted
	}
	with(&c)
	if err := t.add(&c, payload, "add", why); err != nil {
		return store.ID{}, err
	}
	return c.ID(), nil
}

func validateTargets(targets []Target) error {
	if len(targets) == 0 {
		return store.Invalid("an act on items", "names no item", "name at least one; an empty set never means all")
	}
	return nil
}

// edited says in the history what an edit changed, by the names of the fields
// when both payloads are objects; what is in masked fields it does not tell, and
// nothing of encrypted ones.
func edited(note string, q *store.Queue, old, new []byte) string {
	var a, b map[string]json.RawMessage
	what := "payload replaced"
	if q.Encrypted {
		what = "payload edited; it is encrypted, so history does not tell how"
	} else if json.Unmarshal(old, &a) == nil && json.Unmarshal(new, &b) == nil {
		var changes []string
		told := func(name string, v json.RawMessage) string {
			if slices.Contains(q.Mask, name) {
				return Veil
			}
			return string(v)
		}
		for _, name := range slices.Sorted(maps.Keys(b)) {
			if before, ok := a[name]; !ok {
				changes = append(changes, fmt.Sprintf("%s: added %s", name, told(name, b[name])))
			} else if !bytes.Equal(before, b[name]) {
				changes = append(changes, fmt.Sprintf("%s: %s → %s", name, told(name, before), told(name, b[name])))
			}
		}
		for _, name := range slices.Sorted(maps.Keys(a)) {
			if _, ok := b[name]; !ok {
				changes = append(changes, fmt.Sprintf("%s: %s removed", name, told(name, a[name])))
			}
		}
		what = "edited " + or(strings.Join(changes, ", "), "nothing")
	}
	if note != "" {
		what = note + "; " + what
	}
	return cleanText(what, maxReason)
}
