package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf8"

	"signalbox/store"
)

// Settle reports the results of items a robot holds, many in one durable
// change, and answers for each in order: ok, stale (the lease was lost), gone,
// or refused. The good ones are settled whatever happens to the others.
//
// Content never keeps an item from being settled: NUL and invalid UTF-8 are
// replaced, over-long reasons and details cut with a mark, an output that is
// not a JSON object is kept as {"text": …}. Only an output or analytics over
// its limit, and a failure without a reason, is refused.
func (e *Engine) Settle(ctx context.Context, settlements []Settlement) ([]Outcome, error) {
	if len(settlements) == 0 {
		return nil, nil
	}
	b := cleanSettlements(settlements)
	err := e.change(ctx, func(t *tx) error { return t.settleAll(b) })
	return b.outcomes, err
}

// settling is a call's settlements on their way: cleaned, and those that are
// bad in themselves found, before any commit is held up by it.
type settling struct {
	cleaned  []Settlement
	bad      []error
	outcomes []Outcome
}

func cleanSettlements(settlements []Settlement) settling {
	b := settling{make([]Settlement, len(settlements)), make([]error, len(settlements)), make([]Outcome, len(settlements))}
	for n, s := range settlements {
		b.cleaned[n], b.bad[n] = cleanSettlement(s)
	}
	return b
}

func (t *tx) settleAll(b settling) (err error) {
	for n := range b.cleaned {
		if b.bad[n] != nil {
			b.outcomes[n] = answer(b.cleaned[n].Item, Refused, b.bad[n])
			continue
		}
		if b.outcomes[n], err = t.settle(&b.cleaned[n]); err != nil {
			return err
		}
	}
	return nil
}

func cleanSettlement(s Settlement) (Settlement, error) {
	s.Reason = cleanText(s.Reason, maxReason)
	s.Details = cleanText(s.Details, maxReason)
	s.Output = cleanObject(s.Output)
	s.Analytics = cleanObject(s.Analytics)
	var err error
	switch {
	case s.Status != Success && s.Status != Business && s.Status != System:
		err = store.Invalid(fmt.Sprintf("status %q", s.Status), "a settle says success, business or system", "use one of these")
	case s.Status != Success && s.Reason == "":
		err = store.Invalid("item "+s.Item.String(), "a failure needs a reason", "say what went wrong")
	case utf8.RuneCount(s.Output) > MaxOutput:
		err = overLimit("output", utf8.RuneCount(s.Output), MaxOutput, "characters")
	case utf8.RuneCount(s.Analytics) > MaxAnalytics:
		err = overLimit("analytics", utf8.RuneCount(s.Analytics), MaxAnalytics, "characters")
	}
	return s, err
}

// cleanText makes text from outside storable: NUL and invalid UTF-8 replaced,
// cut with a mark when it has more than limit characters.
func cleanText(s string, limit int) string {
	if !utf8.ValidString(s) || bytes.IndexByte([]byte(s), 0) >= 0 {
		s = string(bytes.ReplaceAll(bytes.ToValidUTF8([]byte(s), []byte("\uFFFD")), []byte{0}, []byte("\u2400")))
	}
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	const mark = " … [cut]"
	runes := []rune(s)
	return string(runes[:limit-utf8.RuneCountInString(mark)]) + mark
}

// cleanObject gives b when it is a JSON object, and otherwise one that holds it
// as text.
func cleanObject(b json.RawMessage) json.RawMessage {
	if len(bytes.TrimSpace(b)) == 0 {
		return nil
	}
	if b = bytes.ToValidUTF8(b, []byte("\uFFFD")); isObject(b) && json.Valid(b) {
		return b
	}
	text, _ := store.Encode(map[string]string{"text": cleanText(string(b), len(b))}) // a string always marshals
	return text
}

func (t *tx) settle(s *Settlement) (Outcome, error) {
	i, err := t.Item(s.Item)
	if err != nil {
		return goneOr(s.Item, err)
	}
	q, err := t.settings(i.Queue)
	if err != nil {
		return Outcome{}, err
	}
	if result, err := held(&i, s.Fence); err != nil {
		return answer(s.Item, result, err).at(i.Status), nil
	}
	if err := t.e.vault.locked(q); err != nil && (len(s.Output) > 0 || len(s.Analytics) > 0 || s.Details != "") {
		return answer(s.Item, Refused, err).at(i.Status), nil
	}
	hadResult := i.Error != nil
	copied, err := t.report(q, &i, *s)
	if err != nil {
		return Outcome{}, err
	}
	if res := (store.Result{Output: s.Output, Analytics: s.Analytics, Details: s.Details}); hadResult || !res.IsZero() {
		if err := t.PutResult(i.ID(), res); err != nil {
			return Outcome{}, err
		}
	}
	return Outcome{Item: s.Item, Result: OK, Status: i.Status, Next: copied}, nil
}

// held says whether the fence is the one under which the item is held now: nil,
// or the outcome (stale or refused) and the reason.
func held(i *store.Item, fence uint64) (string, error) {
	if i.Status.InFlight() && i.Fence == fence {
		return OK, nil
	}
	thing := fmt.Sprintf("item %q", i.ID().String())
	mend := "claim it again"
	switch {
	case fence > i.Fence:
		return Stale, store.Conflict(thing, fmt.Sprintf("fence %d was never given out", fence), "use the fence of your claim")
	case i.Status.InFlight():
		return Stale, store.Conflict(thing, "lease lost, now held by "+i.ClaimedBy, mend)
	case i.Fence == fence && Final(i.Status) && i.Status != store.Retried:
		return Refused, store.Conflict(thing, "already final ("+i.Status.String()+")", "nothing is left to report on it")
	case Final(i.Status):
		return Stale, store.Conflict(thing, "lease lost, the item is "+i.Status.String(), "nothing is left to report on it")
	}
	if i.Status == store.Abandoned {
		mend = "retry it with `signalbox item retry " + i.ID().String() + "`"
	}
	return Stale, store.Conflict(thing, "lease lost, now held by nobody (the item is "+i.Status.String()+")", mend)
}

// report moves a held item to where the robot's word leads it.
func (t *tx) report(q *store.Queue, i *store.Item, s Settlement) (copied store.ID, err error) {
	event := EventComplete
	i.Error = nil
	if s.Status == Success {
		if reason := t.e.schemas.resultViolation(q, &s); reason != "" {
			s.Status, s.Reason = Business, reason
		}
	}
	if s.Status != Success {
		i.Error = &store.Failure{Kind: s.Status, Reason: s.Reason, At: t.now}
	}
	switch s.Status {
	case Business:
		event = EventBusiness
	case System:
		event = EventSystem
		i.Failures++
		i.Retryable = i.Retryable && !s.Final
	}
	row, err := next(q, i, event)
	if err != nil {
		return store.ID{}, err
	}
	if row.guard == retryLeft {
		return t.retryLater(q, i, row, s.Reason, time.Duration(s.RetryAfter))
	}
	return store.ID{}, t.end(i, row, s.Reason)
}

// retryLater spends one retry: jobs go back to waiting in place, transactions
// get a linked copy, either one after a delay: the queue's, or the one that was
// asked for.
func (t *tx) retryLater(q *store.Queue, i *store.Item, row transition, why string, after time.Duration) (copied store.ID, err error) {
	spent := i.Spent + 1
	delay := RetryDelay(time.Duration(q.RetryWindow), time.Duration(q.RetryFloor), budget(q, i), spent)
	if after > 0 {
		delay = max(time.Duration(q.RetryFloor), min(after, MaxRetryAfter))
	}
	at := t.now.Add(delay)
	if i.Family == store.Jobs {
		i.Spent, i.AvailableAt = spent, at
		return store.ID{}, t.end(i, row, why)
	}
	copied, err = t.copyOf(q, i, nil, func(c *store.Item) {
		c.Spent, c.Failures, c.AvailableAt = spent, i.Failures, at
	})
	if err != nil {
		return store.ID{}, err
	}
	i.Next = copied
	return copied, t.end(i, row, why)
}

// end takes an item out of flight by a row of the table.
func (t *tx) end(i *store.Item, row transition, why string) error {
	from := i.Status
	i.Status, i.LeaseUntil, i.Group = row.to, 0, ""
	if !row.to.Waiting() {
		i.EndedAt = t.now
	}
	if Reviewable(row.to) {
		i.Group = groupOf(i)
	}
	return t.put(i, from, row.event, why)
}

// goneOr makes an outcome of an item that is not there, or whose record can't be
// read: the others of a wave go on. Other errors end it.
func goneOr(id store.ID, err error) (Outcome, error) {
	switch store.CodeOf(err) {
	case store.CodeNotFound:
		return answer(id, Gone, err), nil
	case store.CodeUnavailable:
		return answer(id, Refused, err), nil
	}
	return Outcome{}, err
}

func answer(id store.ID, result string, err error) Outcome {
	return Outcome{Item: id, Result: result, Error: err.Error(), Err: err}
}

// by says who changed the item last, and when.
func (o Outcome) by(c store.Change) Outcome {
	o.LastEvent, o.LastBy, o.LastAt = c.Event, c.Actor, c.At
	return o
}

func (o Outcome) at(s store.Status) Outcome {
	o.Status = s
	return o
}
