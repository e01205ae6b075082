package store

import (
	"encoding/json"
	"strconv"
	"strings"
)

// ID names an item: its queue, and its insertion sequence in it from 1.
type ID struct {
	Queue  string
	Number uint64
}

// ParseID reads "queue/number".
func ParseID(s string) (ID, error) {
	i := strings.LastIndexByte(s, '/')
	if i > 0 {
		if n, err := strconv.ParseUint(s[i+1:], 10, 64); err == nil && n > 0 {
			return ID{s[:i], n}, nil
		}
	}
	return ID{}, Invalid("item "+quote(s), "an item's id is its queue, a slash and its number", "write it as orders/12")
}

// IsZero says that no item is named.
func (id ID) IsZero() bool { return id == ID{} }

// String gives "queue/number", or "" for no item.
func (id ID) String() string {
	if id.IsZero() {
		return ""
	}
	return id.Queue + "/" + strconv.FormatUint(id.Number, 10)
}

// MarshalText implements encoding.TextMarshaler.
func (id ID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (id *ID) UnmarshalText(b []byte) (err error) {
	if len(b) == 0 {
		*id = ID{}
		return nil
	}
	*id, err = ParseID(string(b))
	return err
}

// Consumer says how a queue's items get worked.
type Consumer struct {
	Kind    string   `json:"kind"` // manual, command, http or handler
	Argv    []string `json:"argv,omitempty"`
	Env     []string `json:"env,omitempty"` // NAME=VALUE, added to the engine's own
	Dir     string   `json:"dir,omitempty"`
	Shell   bool     `json:"shell,omitempty"` // run Argv joined by spaces through sh -c
	Timeout Duration `json:"timeout,omitempty"`
	URL     string   `json:"url,omitempty"`
	Headers []string `json:"headers,omitempty"` // "Name: value"; may hold secrets
}

// Queue is a queue's settings, and what its consumer last broke on.
// Design: the settings' rules and defaults are the engine's.
type Queue struct {
	Name             string   `json:"name"`
	Family           Family   `json:"family"`
	Folder           string   `json:"folder"`
	Links            []string `json:"links,omitempty"` // further folders it is shown in
	Description      string   `json:"description,omitempty"`
	Lane             string   `json:"lane"` // fast or slow
	Consumer         Consumer `json:"consumer"`
	BatchSize        int      `json:"batch_size"`
	MaxDrains        int      `json:"max_drains"` // 0 = as many as slots allow
	Paused           bool     `json:"paused"`
	PausedBy         string   `json:"paused_by,omitempty"`
	Lease            Duration `json:"lease"` // 0 = never runs out
	OnExpiry         string   `json:"on_expiry"`
	MaxReclaims      int      `json:"max_reclaims"` // 0 = no limit
	Retries          int      `json:"retries"`
	RetryWindow      Duration `json:"retry_window"`
	RetryFloor       Duration `json:"retry_floor"`
	RetryAbandoned   bool     `json:"retry_abandoned"`
	AttemptTimeout   Duration `json:"attempt_timeout"` // 0 = none
	UniqueReferences bool     `json:"unique_references"`
	SLA              Duration `json:"sla,omitempty"`
	SLARisk          Duration `json:"sla_risk,omitempty"`
	// How long settled items stay, and those that failed, were excepted or
	// abandoned, and what then becomes of them: keep, delete or archive.
	RetainSettled      Duration `json:"retain_settled"`
	RetainSettledThen  string   `json:"retain_settled_then"`
	RetainExcepted     Duration `json:"retain_excepted"`
	RetainExceptedThen string   `json:"retain_excepted_then"`

	Mask            []string `json:"mask,omitempty"`
	Schemas         Schemas  `json:"schemas,omitzero"`
	Encrypted       bool     `json:"encrypted"` // contents at rest; for life
	KeyID           string   `json:"-"`         // of the key that they are under; "" = not known yet
	CreatedAt       Time     `json:"created_at"`
	Revision        uint64   `json:"revision"`
	ConsumerError   string   `json:"consumer_error,omitempty"`
	ConsumerErrorAt Time     `json:"consumer_error_at,omitzero"`
}

// Schemas are the JSON Schemas that a queue holds its items' contents against;
// "" = none.
type Schemas struct {
	Payload   JSON `json:"payload,omitempty"`
	Output    JSON `json:"output,omitempty"`
	Analytics JSON `json:"analytics,omitempty"`
}

// JSON is a JSON value as text, which JSON writes and reads as the value it is;
// null reads as "".
type JSON string

// MarshalJSON implements json.Marshaler.
func (j JSON) MarshalJSON() ([]byte, error) {
	if j == "" {
		return []byte("null"), nil
	}
	return []byte(j), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (j *JSON) UnmarshalJSON(b []byte) error {
	if *j = JSON(b); *j == "null" {
		*j = ""
	}
	return nil
}

// Failure is the error an item ended or was last tried with. Lists leave
// Details empty; it is kept with the item's Result.
type Failure struct {
	Kind    string `json:"kind"` // business or system
	Reason  string `json:"reason"`
	Details string `json:"details,omitempty"`
	At      Time   `json:"at"`
}

// Review is a person's judgement of a failed, excepted or abandoned item.
type Review struct {
	Status   ReviewStatus `json:"status"`
	Reviewer string       `json:"reviewer,omitempty"`
	Note     string       `json:"note,omitempty"`
	At       Time         `json:"at,omitzero"`
}

// ReviewStatus is how far a review has come.
type ReviewStatus uint8

// The four review statuses.
const (
	NoReview ReviewStatus = iota
	InReview
	Verified
	ReviewRetried
)

var reviewNames = [...]string{"none", "in-review", "verified", "retried"}

// String gives the review status's name.
func (s ReviewStatus) String() string { return nameOf(reviewNames[:], int(s)) }

// MarshalText implements encoding.TextMarshaler.
func (s ReviewStatus) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *ReviewStatus) UnmarshalText(b []byte) error {
	i := indexOf(reviewNames[:], string(b))
	if i < 0 {
		return Invalid("review status "+quote(string(b)), "no review has this status", "use none, in-review, verified or retried")
	}
	*s = ReviewStatus(i)
	return nil
}

// Item is the small part of an item: all that lists, claims and rules need.
// Payload and Result are kept beside it and read only when asked for.
type Item struct {
	Queue       string   `json:"queue"`
	Number      uint64   `json:"number"`
	Family      Family   `json:"family"`
	Status      Status   `json:"status"`
	Reference   string   `json:"reference,omitempty"`
	Key         string   `json:"key,omitempty"` // caller's idempotency key
	Priority    Priority `json:"priority"`
	Progress    string   `json:"progress,omitempty"`
	Attempts    int      `json:"attempts"` // claims so far
	Failures    int      `json:"failures"` // failures reported so far
	Spent       int      `json:"-"`        // failures charged to the present retry budget
	Reclaims    int      `json:"reclaims"` // expired claims put back
	MaxAttempts int      `json:"max_attempts"`
	Retryable   bool     `json:"retryable"`
	RetryNo     int      `json:"retry_no"`
	Chain       ID       `json:"chain"` // first item of the chain of retries; itself when none
	Previous    ID       `json:"previous,omitzero"`
	Next        ID       `json:"next,omitzero"`
	ClaimedBy   string   `json:"claimed_by,omitempty"`
	ClaimedAt   Time     `json:"claimed_at,omitzero"`
	LeaseUntil  Time     `json:"lease_until,omitzero"` // in flight and zero: never runs out
	Fence       uint64   `json:"fence"`                // grows with every claim, never reset
	StartedAt   Time     `json:"started_at,omitzero"`
	EndedAt     Time     `json:"ended_at,omitzero"`
	AvailableAt Time     `json:"available_at,omitzero"` // retry delay
	DeferUntil  Time     `json:"defer_until,omitzero"`
	DueAt       Time     `json:"due_at,omitzero"`
	RiskAt      Time     `json:"risk_at,omitzero"`
	// DueTold and RiskTold say that its date has come and everybody was told.
	DueTold   bool   `json:"-"`
	RiskTold  bool   `json:"-"`
	CreatedAt Time   `json:"created_at"`
	CreatedBy string `json:"created_by,omitempty"`
	Job       string `json:"job,omitempty"`
	// Weight is how many units of work the item is in its Job's counters; 0
	// counts nowhere.
	Weight int `json:"weight,omitempty"`
	// Tally is what the item counts as once it is completed, where that is not its
	// Weight.
	Tally Tally `json:"-"`
	// Withheld keeps a waiting item out of Ready: its job is paused.
	Withheld bool     `json:"withheld,omitempty"`
	Error    *Failure `json:"error,omitempty"`
	Review   Review   `json:"review"`
	// Group is the folded reason under which the item waits for a person's
	// decision, "" when it waits for none. Stores index and count by it.
	Group string `json:"group,omitempty"`
	// Revision grows with every write of the item.
	Revision uint64 `json:"revision"`
	// LastChange is the Seq of the item's newest history record; each Change
	// names the one before, so an item's history is a chain through one
	// append-only stream.
	LastChange uint64 `json:"-"`
	// Undo is what taking back the operator's act that came last restores; nil
	// when something else came last.
	Undo *Undo `json:"-"`
}

// Tally is how much of an item that does many things was done, and how much not, in
// units of its job.
type Tally struct {
	Known        bool
	Done, Failed int
}

// ID gives the item's name.
func (i *Item) ID() ID { return ID{i.Queue, i.Number} }

// ErrorKind is the kind of the item's error, "" when it has none.
func (i *Item) ErrorKind() string {
	if i.Error == nil {
		return ""
	}
	return i.Error.Kind
}

// ReadyAt is when a waiting item may be claimed: the later of its retry delay
// and its deferral; 0 = at once.
func (i *Item) ReadyAt() Time { return max(i.AvailableAt, i.DeferUntil) }

// NextDate is the earliest of its dates that has not been told of, 0 when there is
// none: a settled item has none, and a risk date behind the due date says nothing.
func (i *Item) NextDate() Time {
	switch {
	case !i.Status.Waiting() && !i.Status.InFlight():
		return 0
	case i.RiskAt != 0 && !i.RiskTold && (i.DueAt == 0 || i.RiskAt < i.DueAt && !i.DueTold):
		return i.RiskAt
	case !i.DueTold:
		return i.DueAt
	}
	return 0
}

// MarshalJSON writes the item's id before its fields.
func (i Item) MarshalJSON() ([]byte, error) {
	type plain Item
	return Encode(struct {
		ID ID `json:"id"`
		plain
	}{i.ID(), plain(i)})
}

// Result is what an attempt left behind, besides its status.
type Result struct {
	Output    []byte // a JSON object, or nil
	Analytics []byte // a JSON object, or nil
	Details   string // of Item.Error
}

// IsZero says that there is nothing to keep.
func (r Result) IsZero() bool {
	return len(r.Output) == 0 && len(r.Analytics) == 0 && r.Details == ""
}

// Change is one record of the history: append-only, one stream for all.
type Change struct {
	Seq    uint64 `json:"seq"` // place in the stream, from 1; set by the store
	At     Time   `json:"at"`
	Actor  string `json:"actor"`
	Queue  string `json:"queue,omitempty"`
	Number uint64 `json:"number,omitempty"` // 0: of the queue, or of the pool when Queue is ""
	Event  string `json:"event"`            // add, claim, complete, retry, pause…
	From   Status `json:"from,omitempty"`
	To     Status `json:"to,omitempty"`
	Fence  uint64 `json:"fence,omitempty"`
	Why    string `json:"why,omitempty"`
	Prev   uint64 `json:"-"` // Seq of the same item's change before; set by the store
}

// Pool is the concurrency slots and their split between the lanes.
type Pool struct {
	Size     int    `json:"pool"`
	Fast     int    `json:"fast"` // slots only the fast lane may use
	Slow     int    `json:"slow"` // slots only the slow lane may use
	Auto     bool   `json:"auto"` // reserves follow Size by the default split
	Revision uint64 `json:"revision"`
}

// Counts holds a number of items for each status.
type Counts [Statuses]int64

// Total is the number of all items.
func (c *Counts) Total() (n int64) {
	for _, v := range c {
		n += v
	}
	return n
}

// Waiting is the number of queued or pending items, delayed ones included.
func (c *Counts) Waiting() int64 { return c[Queued] + c[Pending] }

// InFlight is the number of items held by robots.
func (c *Counts) InFlight() int64 { return c[Claimed] + c[Processing] }

// Unsettled is the number of items of which something is still to come: waiting,
// held or abandoned.
func (c *Counts) Unsettled() int64 { return c.Waiting() + c.InFlight() + c[Abandoned] }

// MarshalJSON writes {"pending":3,…}, statuses without items left out.
func (c Counts) MarshalJSON() ([]byte, error) {
	m := map[string]int64{}
	for s, n := range c {
		if n != 0 {
			m[Status(s).String()] = n
		}
	}
	return Encode(m)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (c *Counts) UnmarshalJSON(b []byte) error {
	m := map[Status]int64{}
	if err := json.Unmarshal(b, &m); err != nil {
		return err
	}
	*c = Counts{}
	for s, n := range m {
		c[s] = n
	}
	return nil
}

// Group counts the items of one queue, status and kind of failure that wait for
// a person's decision under one folded reason.
type Group struct {
	Queue  string `json:"queue"`
	Status Status `json:"status"`
	Kind   string `json:"kind"` // Item.ErrorKind
	Text   string `json:"text"` // Item.Group
	Count  int64  `json:"count"`
}
