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

// Limits on what an item may carry.
const (
	MaxPayloadChars = 256_000
	MaxPayloadBytes = 512_000
	MaxOutput       = 51_200  // characters
	MaxAnalytics    = 5_120   // characters
	MaxProgress     = 104_857 // characters
	MaxReference    = 128     // characters
	maxReason       = 102_400 // characters, of reasons and details each
	maxKey          = 512     // bytes
)

// Commit modes of AddRequest.
const (
	AllOrNothing       = "all-or-nothing"
	StopOnFirstFailure = "stop-on-first-failure"
	Independent        = "independent"
)

// AddRequest adds items to a queue. With AllOrNothing (the default) one bad
// item keeps all out; StopOnFirstFailure stores those before it; Independent
// stores every good one. A payload that breaks the queue's schema makes an item
// that is a business exception at once, for a person to see; with Strict it is
// refused. An item with a Past is stored in the state it had; From says in its
// history where it came from.
type AddRequest struct {
	Queue  string    `json:"queue"`
	Items  []NewItem `json:"items"`
	Mode   string    `json:"mode,omitempty"`
	Strict bool      `json:"strict,omitempty"`
	From   string    `json:"from,omitempty"`
	// Start is the job that the items belong to, started in the change that stores
	// them: all or nothing. CodeConflict while its singleton key has an open job.
	Start *JobRequest `json:"start,omitempty"`
	// Filling says that more items are to come: the jobs that these belong to stay
	// open until they are sealed.
	Filling bool `json:"filling,omitempty"`
}

// AddResult answers for one item of an AddRequest. Existing says that the
// caller's idempotency key was known and Item is the one added with it before.
type AddResult struct {
	Item     store.Item `json:"item"`
	Existing bool       `json:"existing,omitempty"`
	Error    string     `json:"error,omitempty"`
	Err      error      `json:"-"`
}

// Add stores new items and answers for each, in order. With AllOrNothing the
// first refusal is also returned as the error. CodeInvalid for content over a
// limit or not JSON, CodeConflict for a duplicate reference in a queue with
// unique references, CodeNotFound for a queue that is not there.
func (e *Engine) Add(ctx context.Context, r AddRequest) ([]AddResult, error) {
	switch r.Mode {
	case "", AllOrNothing, StopOnFirstFailure, Independent:
	default:
		return nil, store.Invalid(fmt.Sprintf("mode %q", r.Mode), "a mode is all-or-nothing, stop-on-first-failure or independent", "use one of these")
	}
	if r.Start != nil {
		if r.Mode != "" && r.Mode != AllOrNothing {
			return nil, store.Invalid("mode "+r.Mode, "a job is started only where all items are stored or none", "use all-or-nothing")
		}
		if err := r.Start.validate(); err != nil {
			return nil, err
		}
	}
	if len(r.Items) == 0 {
		return nil, store.Invalid("an add to queue "+r.Queue, "holds no items", "give at least one")
	}
	return e.add(ctx, r, nil)
}

// add is Add, and with an import under way its items are part of that.
func (e *Engine) add(ctx context.Context, r AddRequest, of *staged) ([]AddResult, error) {
	if Builtin(r.Queue) {
		return nil, reserved(r.Queue)
	}
	bad := make([]error, len(r.Items)) // found here, where it holds up nobody else's commit
	if err := e.openPasts(ctx, &r, bad); err != nil {
		return nil, err
	}
	for i := range r.Items {
		bad[i] = firstOf(bad[i], r.Items[i].Validate())
		if of == nil && r.Start != nil {
			bad[i] = firstOf(bad[i], r.Start.takes(&r.Items[i]))
		}
	}
	held := e.schemas.heldAgainst(&r)
	results := make([]AddResult, len(r.Items))
	err := e.change(ctx, func(t *tx) error {
		clear(results)
		t.staging = of != nil
		err := t.addAll(&r, bad, held, results)
		if err == nil && of != nil {
			err = of.mark(t, results)
		}
		if err == nil && r.Filling {
			err = t.fill(ctx, results)
		}
		return err
	})
	return results, err
}

func (t *tx) addAll(r *AddRequest, bad []error, held violations, results []AddResult) error {
	q, err := t.Queue(r.Queue)
	if err != nil {
		return err
	}
	if err := t.e.vault.locked(&q); err != nil {
		return err
	}
	held = t.e.schemas.heldStill(held, &q, r.Items)
	seen := names{map[string]bool{}, map[string]bool{}}
	check := func(i int) error {
		n, fresh, err := &r.Items[i], false, bad[i]
		if err == nil {
			fresh, err = t.admit(&q, n, &seen, &results[i])
		}
		if err == nil && n.Weight > 0 && n.Job == "" && r.Start == nil {
			err = store.Invalid("weight", "it counts in a job, and the item names none", "name one with --job")
		}
		if fresh && err == nil && r.Strict && n.Past.waits() {
			err = held.refusal(i)
		}
		if fresh && err == nil {
			seen.note(n)
		}
		if err != nil {
			results[i].Err, results[i].Error = err, err.Error()
		}
		return err
	}
	atomic := r.Mode == "" || r.Mode == AllOrNothing
	if atomic { // all are looked at before any is written
		var first error
		for i := range r.Items {
			if err := check(i); err != nil && first == nil {
				first = err
			}
		}
		if first != nil {
			return first
		}
		if r, err = t.startFor(&q, r, results); err != nil {
			return err
		}
	}
	var of tying
	for i := range r.Items {
		if !atomic && check(i) != nil {
			if r.Mode == StopOnFirstFailure {
				return nil
			}
			continue
		}
		if err := t.addOne(&q, r, i, held.of(i), &of, results); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) addOne(q *store.Queue, r *AddRequest, at int, violation string, of *tying, results []AddResult) error {
	res := &results[at]
	if res.Existing {
		return nil
	}
	n := &r.Items[at]
	if n.Key != "" { // an earlier item of the same call may have taken the key
		if err := t.repeated(q, n, res); err != nil || res.Existing {
			return err
		}
	}
	res.Item = store.Item{
		Queue: q.Name, Family: q.Family, Status: waiting(q.Family)[0],
		Reference: n.Reference, Key: n.Key, Priority: n.Priority,
		MaxAttempts: n.MaxAttempts, Retryable: true,
		DeferUntil: n.DeferUntil, DueAt: n.DueAt, RiskAt: n.RiskAt, Job: n.Job,
	}
	if n.joins() && (n.Past == nil || t.joinable(q, n.Job) == nil) { // else the name alone is kept
		if err := t.join(q, n.Job); err != nil {
			return err
		}
		res.Item.Weight = max(1, n.Weight)
	} else if n.Job != "" {
		if err := t.nameOnly(q.Name); err != nil {
			return err
		}
	}
	if err := t.tie(q, of, n.Past, &res.Item); err != nil {
		return err
	}
	if !n.Past.waits() {
		err := t.addPast(q, n, r.From, &res.Item)
		if err == nil {
			err = t.tied(of, n.Past, at, results)
		}
		present(q, &res.Item)
		return err
	}
	if res.Item.DueAt == 0 && q.SLA > 0 {
		res.Item.DueAt = t.now.Add(time.Duration(q.SLA))
	}
	if res.Item.RiskAt == 0 && q.SLARisk > 0 {
		res.Item.RiskAt = t.now.Add(time.Duration(q.SLARisk))
	}
	if violation != "" {
		t.exceptAtOnce(&res.Item, violation)
	}
	var err error
	if n.Past != nil && violation == "" {
		err = t.addPast(q, n, r.From, &res.Item)
	} else {
		err = t.add(&res.Item, n.Payload, "add", violation)
	}
	if err == nil {
		err = t.tied(of, n.Past, at, results)
	}
	present(q, &res.Item)
	return err
}

// Validate says what is wrong with an item in itself, whatever queue it is for;
// Add refuses it for the same. CodeInvalid.
func (n *NewItem) Validate() error {
	if err := validatePayload(n.Payload); err != nil {
		return err
	}
	if err := validateReference(n.Reference); err != nil {
		return err
	}
	switch {
	case len(n.Key) > maxKey:
		return store.Invalid("key", fmt.Sprintf("%d bytes long, the limit is %d", len(n.Key), maxKey), "use a shorter key")
	case cleanText(n.Key, maxKey) != n.Key:
		return store.Invalid(fmt.Sprintf("key %q", n.Key), "a key is UTF-8 without NUL", "leave them out")
	}
	if err := (&JobRequest{ID: n.Job}).validate(); err != nil {
		return err
	}
	if n.Weight < 0 || n.Weight > MaxWeight {
		return store.Invalid("weight", fmt.Sprintf("%d is not from 1 to %d", n.Weight, MaxWeight), "choose a number in this range")
	}
	if n.MaxAttempts < 0 || n.MaxAttempts > MaxRetries+1 {
		return store.Invalid("max_attempts", fmt.Sprintf("%d is not from 1 to %d", n.MaxAttempts, MaxRetries+1), "choose a number in this range")
	}
	if n.Past != nil {
		return n.Past.validate()
	}
	return nil
}

func validatePayload(payload []byte) error {
	if len(payload) > MaxPayloadBytes {
		return overLimit("payload", len(payload), MaxPayloadBytes, "bytes")
	}
	if n := utf8.RuneCount(payload); n > MaxPayloadChars {
		return overLimit("payload", n, MaxPayloadChars, "characters")
	}
	if line, col, why := badJSON(payload); why != "" {
		return store.Invalid("payload", fmt.Sprintf("line %d, column %d: %s", line, col, why), "give valid JSON in UTF-8")
	}
	return nil
}

func validateFamily(q *store.Queue, payload []byte) error {
	if q.Family == store.Transactions && !isObject(payload) {
		return store.Invalid("payload", "an item of a transactions queue holds a JSON object", `write it as {"name": "value"}`)
	}
	return nil
}

func validateReference(ref string) error {
	if n := utf8.RuneCountInString(ref); n > MaxReference {
		return store.Invalid("reference", fmt.Sprintf("%d characters, the limit is %d", n, MaxReference), "use a shorter one and keep the rest in the payload")
	}
	for _, c := range ref {
		if c == '"' || c < ' ' || c == 0x7f || c >= 0x80 && c < 0xa0 || c == utf8.RuneError {
			return store.Invalid(fmt.Sprintf("reference %q", ref), "it may hold no double quote and no control character", "leave them out")
		}
	}
	return nil
}

func overLimit(field string, size, limit int, unit string) error {
	return store.Invalid(field, fmt.Sprintf("%d %s, the limit is %d", size, unit, limit), "keep large data elsewhere and store a link to it")
}

// badJSON finds the first place at which b stops being one JSON value.
func badJSON(b []byte) (line, col int, why string) {
	at := -1
	switch {
	case len(bytes.TrimSpace(b)) == 0:
		return 1, 1, "empty"
	case !utf8.Valid(b):
		at = invalidUTF8(b)
		why = "not UTF-8"
	case json.Valid(b):
		return 0, 0, ""
	default:
		var v any
		err := json.Unmarshal(b, &v)
		at, why = len(b)-1, "ends too early"
		if s, ok := err.(*json.SyntaxError); ok {
			at, why = max(int(s.Offset)-1, 0), store.Unreadable(s)
		}
	}
	before := b[:at]
	line = 1 + bytes.Count(before, []byte("\n"))
	col = 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return line, col, why
}

func invalidUTF8(b []byte) int {
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return 0
}

func isObject(b []byte) bool {
	b = bytes.TrimLeft(b, " \t\r\n")
	return len(b) > 0 && b[0] == '{'
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// Item gives an item whole, or CodeNotFound.
func (e *Engine) Item(ctx context.Context, id store.ID) (rec Record, err error) {
	err = e.store.View(ctx, func(r store.Reader) error {
		i, err := r.Item(id)
		if err != nil {
			return gone(r, id, err)
		}
		rec, err = e.whole(r, i)
		rec.SlotWait = e.itemWait(&i)
		return err
	})
	return rec, err
}

// whole reads an item's contents beside it, for whoever looks.
func (e *Engine) whole(r store.Reader, i store.Item) (Record, error) {
	rec, encrypted, err := kept(r, i)
	if err == nil && encrypted {
		e.vault.show(&rec)
	}
	return rec, err
}

// kept reads an item's contents as the store has them: sealed, where its queue
// is encrypted.
func kept(r store.Reader, i store.Item) (rec Record, encrypted bool, err error) {
	q, err := r.Queue(i.Queue)
	if err != nil {
		return Record{}, false, err
	}
	rec = Record{Item: i}
	present(&q, &rec.Item)
	if rec.Payload, err = r.Payload(i.ID()); err != nil {
		return rec, false, err
	}
	res, err := r.Result(i.ID())
	if err != nil {
		return rec, false, err
	}
	rec.Output, rec.Analytics = res.Output, res.Analytics
	if rec.Error != nil && res.Details != "" {
		failure := *rec.Error
		failure.Details = res.Details
		rec.Error = &failure
	}
	return rec, q.Encrypted, nil
}

// present fills what an item takes from its queue unless it has its own.
func present(q *store.Queue, i *store.Item) {
	if i.MaxAttempts == 0 {
		i.MaxAttempts = q.Retries + 1
	}
}

// History gives an item's changes, newest first, at most limit (0 = 100).
func (e *Engine) History(ctx context.Context, id store.ID, limit int) (changes []store.Change, err error) {
	err = e.store.View(ctx, func(r store.Reader) error {
		if _, err := r.Item(id); err != nil {
			return gone(r, id, err)
		}
		changes, err = r.History(id, pageSize(limit))
		return err
	})
	return changes, err
}

// Changes gives the history of everything after a sequence number, oldest
// first, at most limit (0 = 100).
func (e *Engine) Changes(ctx context.Context, after uint64, limit int) (changes []store.Change, err error) {
	err = e.store.View(ctx, func(r store.Reader) error {
		changes, err = r.Changes(after, pageSize(limit))
		return err
	})
	return changes, err
}
