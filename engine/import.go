package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"signalbox/store"
)

// Past is what an item went through before it came here: in another system, or
// in a queue it was exported from. Given with a NewItem, the item is stored as
// it was, and its history begins with a record that says where it came from.
//
// Its lease and its number are not taken over: they are of where it came from. An
// item that was held by a robot has no lease here, so it is dealt with as one
// whose lease ran out: by the queue's on_expiry it waits again, or is abandoned for
// a person to decide. Links to retries are kept as Links says.
type Past struct {
	ID          string         `json:"id,omitempty"` // what it was called there
	State       string         `json:"state"`        // one of ours, or another system's name for one
	Attempts    int            `json:"attempts,omitempty"`
	Failures    int            `json:"failures,omitempty"`
	Reclaims    int            `json:"reclaims,omitempty"`
	RetryNo     int            `json:"retry_no,omitempty"`
	NoRetry     bool           `json:"no_retry,omitempty"` // it was said not to be retried any more
	Fence       uint64         `json:"fence,omitempty"`    // at least Attempts is kept
	Progress    string         `json:"progress,omitempty"`
	ClaimedBy   string         `json:"claimed_by,omitempty"`
	ClaimedAt   store.Time     `json:"claimed_at,omitzero"`
	StartedAt   store.Time     `json:"started_at,omitzero"`
	EndedAt     store.Time     `json:"ended_at,omitzero"` // of an ended item; 0 = now
	AvailableAt store.Time     `json:"available_at,omitzero"`
	CreatedAt   store.Time     `json:"created_at,omitzero"` // 0 = now
	CreatedBy   string         `json:"created_by,omitempty"`
	Error       *store.Failure `json:"error,omitempty"` // its kind is system unless it says business
	Review      store.Review   `json:"review,omitzero"`
	Output      []byte         `json:"output_base64,omitempty"` // a JSON object, byte for byte
	Analytics   []byte         `json:"analytics_base64,omitempty"`
	// Archived says that it comes from an archive that retention wrote: one that
	// is still there is not added again, and sealed contents are opened by Chain.
	Archived bool `json:"archived,omitempty"`
	// The ID of the item it was a retry of, of its own retry, and of the first of
	// them all, which need not say so.
	Previous string `json:"previous,omitempty"`
	Next     string `json:"next,omitempty"`
	Chain    string `json:"chain,omitempty"`
	Kin      *Kin   `json:"kin,omitempty"` // those that the import stored before, filled by Links
}

// maxPastCount bounds the counters that a past brings, maxFence its fence: both go on
// growing, and are numbers that JSON knows.
const (
	maxPastCount = 1 << 30
	maxFence     = 1 << 52
)

// validate holds a past against the limits that hold for what is reported here.
func (p *Past) validate() error {
	if _, err := pastStatus(store.Transactions, p.State, nil); err != nil {
		return err
	}
	for _, n := range []struct {
		name  string
		count int
	}{{"attempts", p.Attempts}, {"failures", p.Failures}, {"reclaims", p.Reclaims}, {"retry_no", p.RetryNo}} {
		if n.count < 0 || n.count > maxPastCount {
			return store.Invalid(n.name, fmt.Sprintf("%d is not from 0 to %d", n.count, maxPastCount), "give how often it happened")
		}
	}
	if p.Fence > maxFence {
		return store.Invalid("fence", fmt.Sprintf("%d is more than %d", p.Fence, uint64(maxFence)), "give that of its last claim")
	}
	texts := []pastText{
		{"id", p.ID, 1024}, {"previous", p.Previous, 1024}, {"next", p.Next, 1024}, {"chain", p.Chain, 1024}, {"progress", p.Progress, MaxProgress}, {"claimed_by", p.ClaimedBy, maxRobot}, {"created_by", p.CreatedBy, maxRobot},
		{"reviewer", p.Review.Reviewer, 256}, {"review note", p.Review.Note, maxReason},
	}
	if e := p.Error; e != nil {
		texts = append(texts, pastText{"reason", e.Reason, maxReason}, pastText{"details", e.Details, maxReason})
		if e.Kind != "" && e.Kind != Business && e.Kind != System {
			return store.Invalid(fmt.Sprintf("kind %q", e.Kind), "an error is business or system", "use one of these")
		}
	}
	for _, t := range texts {
		if n := utf8.RuneCountInString(t.text); n > t.limit {
			return overLimit(t.name, n, t.limit, "characters")
		}
	}
	return firstOf(pastObject("output", p.Output, MaxOutput), pastObject("analytics", p.Analytics, MaxAnalytics))
}

type pastText struct {
	name, text string
	limit      int
}

func pastObject(name string, content []byte, limit int) error {
	if len(content) == 0 {
		return nil
	}
	if n := utf8.RuneCount(content); n > limit {
		return overLimit(name, n, limit, "characters")
	}
	if !isObject(content) || !utf8.Valid(content) || !json.Valid(content) {
		return store.Invalid(name, "it is no JSON object", `write it as {"name": "value"}`)
	}
	return nil
}

// pastStatus finds the status of a family that a state's name stands for, be it
// ours or another system's. A plain failure is told apart by its error.
func pastStatus(f store.Family, state string, failure *store.Failure) (store.Status, error) {
	jobs := f == store.Jobs
	either := func(job, transaction store.Status) store.Status {
		if jobs {
			return job
		}
		return transaction
	}
	name := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(state)), "_", "-")
	switch name {
	case "queued", "pending", "available", "waiting", "new":
		return either(store.Queued, store.Pending), nil
	case "claimed":
		return store.Claimed, nil
	case "processing", "in-flight", "inprogress", "in-progress":
		return either(store.Claimed, store.Processing), nil
	case "completed", "successful", "complete":
		return either(store.Completed, store.Successful), nil
	case "failed", "exception":
		if failure != nil && failure.Kind == Business {
			return either(store.Failed, store.BusinessException), nil
		}
		return either(store.Failed, store.SystemException), nil
	case "business-exception":
		return either(store.Failed, store.BusinessException), nil
	case "system-exception":
		return either(store.Failed, store.SystemException), nil
	case "abandoned":
		return store.Abandoned, nil
	case "deleted":
		return store.Deleted, nil
	case "retried":
		if !jobs {
			return store.Retried, nil
		}
		return 0, store.Invalid(fmt.Sprintf("state %q", state), "jobs are retried in place, so none is retried", "import it into a transactions queue")
	case "cancelled", "canceled":
		return store.Cancelled, nil
	}
	return 0, store.Invalid(fmt.Sprintf("state %q", state), "no item has this state", "use one of available, in_flight, complete, failed, abandoned, retried, cancelled, deleted, or a status of ours")
}

// free says that an item with this past keeps nobody from using its reference.
func (p *Past) free() bool {
	if p == nil {
		return false
	}
	s, _ := pastStatus(store.Transactions, p.State, nil)
	return s == store.Retried || s == store.Deleted
}

// waits says that an item with this past is still to be worked: only then is its
// payload held against the schema, and does it get the queue's dates.
func (p *Past) waits() bool {
	if p == nil {
		return true
	}
	s, _ := pastStatus(store.Transactions, p.State, nil)
	return s.Waiting()
}

// recall makes i what it was. The error is of a state its family does not have.
func (p *Past) recall(q *store.Queue, i *store.Item, now store.Time) (err error) {
	if i.Status, err = pastStatus(i.Family, p.State, p.Error); err != nil {
		return err
	}
	i.Attempts, i.Failures, i.Reclaims, i.RetryNo = p.Attempts, p.Failures, p.Reclaims, p.RetryNo
	i.Spent, i.Retryable, i.Fence = p.Failures, !p.NoRetry, max(p.Fence, uint64(p.Attempts))
	i.Progress, i.ClaimedBy, i.CreatedBy = cleanText(p.Progress, MaxProgress), cleanText(p.ClaimedBy, maxRobot), cleanText(p.CreatedBy, maxRobot)
	i.ClaimedAt, i.StartedAt, i.AvailableAt, i.CreatedAt = p.ClaimedAt, p.StartedAt, p.AvailableAt, p.CreatedAt
	i.Review = p.Review
	i.Review.Reviewer, i.Review.Note = cleanText(i.Review.Reviewer, 256), cleanText(i.Review.Note, maxReason)
	p.recallError(i, now)
	if i.Status.InFlight() {
		return letGo(q, i, now)
	}
	if !i.Status.Waiting() {
		if i.EndedAt = p.EndedAt; i.EndedAt == 0 {
			i.EndedAt = now
		}
	}
	if Reviewable(i.Status) && i.Review.Status != store.Verified {
		i.Group = groupOf(i)
	}
	return nil
}

// recallError gives i the error it had; one that failed has one.
func (p *Past) recallError(i *store.Item, now store.Time) {
	failed := Reviewable(i.Status) && i.Status != store.Abandoned
	if p.Error == nil && !failed {
		return
	}
	e := store.Failure{At: or0(p.EndedAt, now)}
	if p.Error != nil {
		e = *p.Error
	}
	switch {
	case i.Status == store.BusinessException || strings.HasPrefix(strings.ToLower(p.State), "business"):
		e.Kind = Business
	case i.Status == store.SystemException || e.Kind == "":
		e.Kind = System
	}
	e.Reason, e.Details = or(cleanText(e.Reason, maxReason), "no reason was given"), ""
	i.Error = &e
}

func or0(t, otherwise store.Time) store.Time {
	if t == 0 {
		return otherwise
	}
	return t
}

// letGo ends the claim that an item had elsewhere, by the table. Nothing is
// copied: where a retry is left, the item itself waits.
func letGo(q *store.Queue, i *store.Item, now store.Time) error {
	row, err := next(q, i, EventExpire)
	if err != nil {
		return err
	}
	why := "held by a robot where it came from"
	if i.ClaimedBy != "" {
		why = fmt.Sprintf("held by robot %q where it came from", i.ClaimedBy)
	}
	i.Error = &store.Failure{Kind: System, Reason: why + ", which has no lease here", At: now}
	i.Status = row.to
	switch row.guard {
	case expiryPays:
		i.Spent, i.Status = i.Spent+1, waiting(i.Family)[0]
	case reclaim:
		i.Reclaims++
	}
	if i.Status == store.Abandoned {
		i.EndedAt, i.Group = now, groupOf(i)
	}
	return nil
}

// addPast stores an item as it was, and what its last attempt left.
func (t *tx) addPast(q *store.Queue, n *NewItem, from string, i *store.Item) error {
	p := n.Past
	if err := p.recall(q, i, t.now); err != nil {
		return err
	}
	why := "from " + or(from, "outside")
	if p.ID != "" {
		why += ", was " + p.ID
	}
	i.CreatedAt = or0(i.CreatedAt, t.now)
	i.CreatedBy = or(i.CreatedBy, t.actor)
	t.withhold(i)
	t.touch(i.Queue).in++
	c := store.Change{At: t.now, Actor: t.actor, Event: "import", To: i.Status, Fence: i.Fence, Why: cleanText(why+" ("+p.State+")", maxReason)}
	if err := t.Add(i, n.Payload, c); err != nil {
		return err
	}
	t.follow(i, i.Status, "import") // what ended elsewhere did not end here now
	res := store.Result{Output: own(p.Output), Analytics: own(p.Analytics)}
	if p.Error != nil {
		res.Details = cleanText(p.Error.Details, maxReason)
	}
	if res.IsZero() {
		return nil
	}
	return t.PutResult(i.ID(), res)
}

// own is a content of its own memory; an empty one is none.
func own(content []byte) []byte {
	if len(content) == 0 {
		return nil
	}
	return bytes.Clone(content)
}
