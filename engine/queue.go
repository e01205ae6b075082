package engine

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"signalbox/engine/lane"
	"signalbox/store"
)

// What happens to an item whose lease ran out.
const (
	Reclaim = "reclaim" // back to waiting, within max_reclaims
	Abandon = "abandon" // marked abandoned, for a person to decide
)

// Kinds of consumer.
const (
	Manual  = "manual"  // robots pull
	Command = "command" // the engine runs a program per item or batch
	HTTP    = "http"    // the engine posts each item or batch to a URL
	Handler = "handler" // a Go function of the embedding program
)

// MaxRetries is the largest retry budget a queue may give.
const MaxRetries = 16

// MaxBatch is the largest number of items one drain claims at a time.
const MaxBatch = 1000

var nameRule = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*(\.[a-z0-9][a-z0-9_-]*)*$`)

// DefaultQueue gives the settings a new queue has where nothing else is said:
// jobs have a lease of 10 minutes and are reclaimed, transactions one of 5
// minutes and are abandoned; no retries, spread over 24 hours when given.
func DefaultQueue(name string, f store.Family) store.Queue {
	q := store.Queue{
		Name: name, Family: f, Folder: "/", Lane: string(lane.Fast),
		Consumer: store.Consumer{Kind: Manual}, BatchSize: 1,
		Lease: store.Duration(10 * time.Minute), OnExpiry: Reclaim, MaxReclaims: 3,
		RetryWindow: store.Duration(24 * time.Hour), RetryFloor: store.Duration(10 * time.Second),
	}
	if f == store.Transactions {
		q.Lease, q.OnExpiry = store.Duration(5*time.Minute), Abandon
	}
	defaultRetention(&q)
	return q
}

// AddQueue creates a queue. CodeInvalid for bad settings, CodeConflict when the
// name is taken.
func (e *Engine) AddQueue(ctx context.Context, q store.Queue) (QueueState, error) {
	defaultRetention(&q)
	if err := validateQueue(&q); err != nil {
		return QueueState{}, err
	}
	if err := e.vault.locked(&q); err != nil {
		return QueueState{}, err
	}
	q.KeyID = ""
	if q.Encrypted {
		q.KeyID = hex.EncodeToString(e.vault.id)
	}
	err := e.change(ctx, func(t *tx) error {
		if _, err := t.Queue(q.Name); err == nil {
			return store.Conflict(fmt.Sprintf("queue %q", q.Name), "there is one of this name already", "change it with `signalbox queue set "+q.Name+"`")
		}
		q.CreatedAt, q.PausedBy = t.now, pauser(&q, t.actor)
		return t.addQueue(&q, "")
	})
	if err != nil {
		return QueueState{}, err
	}
	return e.Queue(ctx, q.Name)
}

// SetQueue changes settings of a queue, given by their JSON names; the others
// stay. Name and family can't change. Items in flight keep what they were
// claimed with. A revision among them is that of the queue as it was seen:
// CodeConflict when it has been changed since.
func (e *Engine) SetQueue(ctx context.Context, name string, patch json.RawMessage) (QueueState, error) {
	err := e.change(ctx, func(t *tx) error {
		old, err := t.Queue(name)
		if err != nil {
			return err
		}
		q, err := patched(old, patch)
		if err != nil {
			return err
		}
		if q.Paused != old.Paused {
			q.PausedBy = pauser(&q, t.actor)
		}
		return t.putQueue(&q, "queue-set", string(veilPatch(patch)))
	})
	if err != nil {
		return QueueState{}, err
	}
	return e.Queue(ctx, name)
}

func patched(old store.Queue, patch json.RawMessage) (store.Queue, error) {
	q := old
	q.Consumer.Argv, q.Consumer.Env = slices.Clone(old.Consumer.Argv), slices.Clone(old.Consumer.Env)
	q.Consumer.Headers = slices.Clone(old.Consumer.Headers)
	q.Mask, q.Links = slices.Clone(old.Mask), slices.Clone(old.Links) // decoding must not write into the old one's slices
	defaultRetention(&q)
	d := json.NewDecoder(bytes.NewReader(patch))
	d.DisallowUnknownFields()
	if err := d.Decode(&q); err != nil {
		return q, store.Misread(fmt.Sprintf("settings of queue %q", old.Name), err, "see `signalbox queue set --help` for the settings")
	}
	if q.Name != old.Name || q.Family != old.Family {
		return q, store.Invalid(fmt.Sprintf("queue %q", old.Name), "a queue keeps its name and family", "add another queue")
	}
	if q.Encrypted != old.Encrypted {
		return q, store.Invalid(fmt.Sprintf("queue %q", old.Name), "whether it is encrypted is decided when it is added", "add another queue, and move the items there")
	}
	if q.Revision != old.Revision {
		return q, store.Conflict(fmt.Sprintf("queue %q", old.Name), "somebody changed it since it was seen", "look again, then apply")
	}
	q.CreatedAt = old.CreatedAt
	if q.Consumer.Kind == Manual && sameConsumer(&q, &old) { // and what it had goes
		q.Consumer = store.Consumer{Kind: Manual}
	}
	return q, validateQueue(&q)
}

// sameConsumer says that two queues' consumers differ in their kind at most.
func sameConsumer(a, b *store.Queue) bool {
	other := b.Consumer
	other.Kind = a.Consumer.Kind
	return reflect.DeepEqual(a.Consumer, other)
}

// PauseQueue pauses or resumes a queue: a paused one hands out no items; those
// in flight go on. One that stood so already stays as it is, and the answer is
// Unchanged.
func (e *Engine) PauseQueue(ctx context.Context, name string, paused bool) (QueueState, error) {
	stood := false
	err := e.change(ctx, func(t *tx) error {
		q, err := t.Queue(name)
		if stood = err == nil && q.Paused == paused; stood || err != nil {
			return err
		}
		q.Paused = paused
		q.PausedBy = pauser(&q, t.actor)
		event := "queue-resume"
		if paused {
			event = "queue-pause"
		}
		return t.putQueue(&q, event, "")
	})
	if err != nil {
		return QueueState{}, err
	}
	state, err := e.Queue(ctx, name)
	state.Unchanged = stood
	return state, err
}

// pauser is who holds a queue up, when the actor has just set whether it is.
func pauser(q *store.Queue, actor string) string {
	if q.Paused {
		return actor
	}
	return ""
}

// DeleteQueue removes a queue and its items. While items are waiting, in
// flight or abandoned it is refused unless forced.
func (e *Engine) DeleteQueue(ctx context.Context, name string, force bool) error {
	err := e.change(ctx, func(t *tx) error {
		s, err := t.Stats(name, t.now)
		if err != nil {
			return err
		}
		unsettled := s.Counts.Unsettled()
		if unsettled > 0 && !force {
			return store.Conflict(fmt.Sprintf("queue %q", name), fmt.Sprintf("it holds unsettled items: %d", unsettled), "settle them first, or delete them with it by --force")
		}
		t.touch(name)
		t.after.groups = true
		if err := firstOf(t.unfeedAll(name), t.revokeAll(name)); err != nil {
			return err
		}
		if err := t.DeleteQueue(name); err != nil {
			return err
		}
		return t.Append(t.record(name, "queue-delete", fmt.Sprintf("with %d items, %d of them unsettled", s.Counts.Total(), unsettled)))
	})
	if err == nil {
		e.rates.forget(name)
	}
	return err
}

// ConsumerFailed shows on the queue that its consumer itself broke; "" says
// that it works again.
func (e *Engine) ConsumerFailed(ctx context.Context, name, text string) error {
	text = cleanText(text, maxReason)
	return e.change(ctx, func(t *tx) error {
		q, err := t.Queue(name)
		if err != nil || q.ConsumerError == text {
			return err
		}
		q.ConsumerError, q.ConsumerErrorAt = text, t.now
		event := "consumer-error"
		if text == "" {
			q.ConsumerErrorAt, event = 0, "consumer-ok"
		} else {
			t.notice("error", "consumer of "+name+": "+text, store.ID{Queue: name})
		}
		return t.putQueue(&q, event, text)
	})
}

// Queues gives all queues with their numbers, by name.
func (e *Engine) Queues(ctx context.Context) (states []QueueState, err error) {
	err = e.store.View(ctx, func(r store.Reader) error {
		queues, err := r.Queues()
		if err != nil {
			return err
		}
		states = make([]QueueState, len(queues))
		for i := range queues {
			if states[i], err = e.queueRow(r, queues[i]); err != nil {
				return err
			}
		}
		return nil
	})
	return states, err
}

// Queue gives one queue with its numbers, or CodeNotFound.
func (e *Engine) Queue(ctx context.Context, name string) (state QueueState, err error) {
	err = e.store.View(ctx, func(r store.Reader) error {
		q, err := r.Queue(name)
		if err != nil {
			return err
		}
		state, err = e.queueState(r, q)
		return err
	})
	return state, err
}

// queueRow is queueState for a list: a queue whose numbers can't be read stands in
// it without them, and says so.
func (e *Engine) queueRow(r store.Reader, q store.Queue) (QueueState, error) {
	state, err := e.queueState(r, q)
	if store.CodeOf(err) == store.CodeUnavailable {
		q.ConsumerError = err.Error()
		return QueueState{Queue: q}, nil
	}
	return state, err
}

func (e *Engine) queueState(r store.Reader, q store.Queue) (QueueState, error) {
	s, err := r.Stats(q.Name, e.now())
	if err != nil {
		return QueueState{}, err
	}
	defaultRetention(&q)
	state := QueueState{Queue: q, Counts: s.Counts, Delayed: s.Delayed, NextAvailableAt: s.NextReady, SLA: s.Standings, datePasses: s.NextDate}
	if err, ok := e.vault.locked(&q).(*store.Error); ok {
		state.Locked = err.Rule
	}
	state.In, state.Out = e.rates.of(q.Name, e.now())
	if s.Counts.Waiting() == 0 {
		return state, nil
	}
	for i, err := range r.Items(store.Query{Queue: q.Name, Statuses: waiting(q.Family)}) {
		if err == nil {
			state.OldestWaitingAt = i.CreatedAt
			break
		}
	}
	return state, nil
}

func waiting(f store.Family) []store.Status {
	if f == store.Jobs {
		return []store.Status{store.Queued}
	}
	return []store.Status{store.Pending}
}

func validateQueue(q *store.Queue) error {
	thing := fmt.Sprintf("queue %q", q.Name)
	bad := func(rule, mend string) error { return store.Invalid(thing, rule, mend) }
	switch {
	case len(q.Name) > 128 || !nameRule.MatchString(q.Name):
		return bad("a name is at most 128 of a-z 0-9 _ - in parts joined by dots", "write it as invoices or finance.invoices")
	case strings.HasPrefix(q.Name, "signalbox."):
		return bad("names that start with signalbox. are kept for built-in queues", "choose another name")
	case q.Family != store.Jobs && q.Family != store.Transactions:
		return bad("a queue's family is jobs or transactions", "set one of these")
	case q.Lane != string(lane.Fast) && q.Lane != string(lane.Slow):
		return bad(fmt.Sprintf("lane %q: a lane is fast or slow", q.Lane), "set one of these")
	case q.BatchSize < 1 || q.BatchSize > MaxBatch:
		return bad(fmt.Sprintf("batch_size %d: from 1 to %d", q.BatchSize, MaxBatch), "choose a size in this range")
	case q.MaxDrains < 0 || q.MaxReclaims < 0:
		return bad("max_drains and max_reclaims are 0 (no limit) or more", "choose 0 or more")
	case q.OnExpiry != Reclaim && q.OnExpiry != Abandon:
		return bad(fmt.Sprintf("on_expiry %q: reclaim or abandon", q.OnExpiry), "set one of these")
	case q.Retries < 0 || q.Retries > MaxRetries:
		return bad(fmt.Sprintf("retries %d: from 0 to %d", q.Retries, MaxRetries), "choose a number in this range")
	case q.Lease < 0 || q.RetryWindow < 0 || q.RetryFloor < 0 || q.AttemptTimeout < 0:
		return bad("durations are 0 or more", "use 0 for none")
	case q.SLA < 0 || q.SLARisk < 0:
		return bad("sla and sla_risk are 0 (none) or more", "use 0 for none")
	case q.SLA > 0 && q.SLARisk > q.SLA:
		return bad(fmt.Sprintf("sla_risk %s is longer than sla %s", q.SLARisk, q.SLA), "items are at risk before they are overdue: choose a shorter sla_risk")
	case q.Lease > 0 && q.Lease < store.Duration(time.Second):
		return bad(fmt.Sprintf("lease %s: at least 1s, or 0 for one that never runs out", q.Lease), "choose a longer lease")
	}
	return firstOf(validateFolders(q), validateRetention(thing, q), validateSchemas(thing, &q.Schemas), validateConsumer(thing, &q.Consumer))
}
