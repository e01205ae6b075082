package engine

import (
	"context"
	"encoding/json"

	"signalbox/engine/lane"
	"signalbox/store"
)

// Record is an item whole: what lists show, its payload, and its last result.
type Record struct {
	store.Item
	Payload   json.RawMessage
	Output    json.RawMessage
	Analytics json.RawMessage
	// SlotWait tells of one item that is looked at, ready but for a slot; else nil.
	SlotWait *SlotWait
}

type recordJSON struct {
	Payload   json.RawMessage `json:"payload,omitempty"`
	Output    json.RawMessage `json:"output,omitempty"`
	Analytics json.RawMessage `json:"analytics,omitempty"`
	SlotWait  *SlotWait       `json:"slot_wait,omitempty"`
}

// MarshalJSON writes the item's fields and its contents as one flat object.
func (r Record) MarshalJSON() ([]byte, error) {
	type plain store.Item
	return store.Encode(struct {
		ID store.ID `json:"id"`
		plain
		recordJSON
	}{r.ID(), plain(r.Item), recordJSON{r.Payload, r.Output, r.Analytics, r.SlotWait}})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *Record) UnmarshalJSON(b []byte) error {
	type plain store.Item
	var v struct {
		plain
		recordJSON
	}
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	*r = Record{store.Item(v.plain), v.Payload, v.Output, v.Analytics, v.SlotWait}
	return nil
}

// NewItem is what a caller gives to add an item. Only Payload is required.
type NewItem struct {
	Payload     json.RawMessage `json:"payload"`
	Reference   string          `json:"reference,omitempty"`
	Key         string          `json:"key,omitempty"`
	Priority    store.Priority  `json:"priority,omitzero"`
	DeferUntil  store.Time      `json:"defer_until,omitzero"`
	DueAt       store.Time      `json:"due_at,omitzero"`
	RiskAt      store.Time      `json:"risk_at,omitzero"`
	MaxAttempts int             `json:"max_attempts,omitempty"` // 0 = the queue's retries + 1
	Job         string          `json:"job,omitempty"`          // the job it belongs to; started if there is none of this id
	Weight      int             `json:"weight,omitempty"`       // its units of work in the job; 0 = 1
	Past        *Past           `json:"past,omitempty"`         // of an item that was elsewhere before; nil = a new one
}

// ClaimRequest asks for work.
type ClaimRequest struct {
	Queue     string         `json:"queue"`
	Robot     string         `json:"robot"`
	N         int            `json:"n,omitempty"`    // at most this many; 0 = 1
	Wait      store.Duration `json:"wait,omitempty"` // how long to park when there is nothing; 0 = not
	Reference string         `json:"reference,omitempty"`
	Exact     bool           `json:"exact,omitempty"`  // Reference must equal, not begin
	Filter    string         `json:"filter,omitempty"` // only items that match; see ParseFilter
	Job       string         `json:"job,omitempty"`    // only items of this job
	Item      store.ID       `json:"item,omitzero"`    // exactly this item
	NoStart   bool           `json:"no_start,omitempty"`

	// Settings, where set, is filled with the queue's settings as the items were
	// claimed under them; left alone when there were none, or after a wait.
	Settings *store.Queue `json:"-"`
}

// Holding names a claim: the item and the fence the claim was given.
type Holding struct {
	Item  store.ID `json:"item"`
	Fence uint64   `json:"fence"`
}

// Settle statuses.
const (
	Success  = "success"
	Business = "business"
	System   = "system"
)

// Settlement is a robot's report on one item it holds.
type Settlement struct {
	Item      store.ID        `json:"item"`
	Fence     uint64          `json:"fence"`
	Status    string          `json:"status"` // success, business or system
	Reason    string          `json:"reason,omitempty"`
	Details   string          `json:"details,omitempty"`
	Output    json.RawMessage `json:"output,omitempty"`
	Analytics json.RawMessage `json:"analytics,omitempty"`
	Final     bool            `json:"final,omitempty"` // a system exception not to be retried
	// RetryAfter is when a retry may come, in place of the queue's delay; never
	// sooner than its retry floor, nor later than MaxRetryAfter. 0 = the delay.
	RetryAfter store.Duration `json:"retry_after,omitempty"`
}

// Outcomes of an act on one item.
const (
	OK      = "ok"
	Stale   = "stale"   // settle: the lease was lost; act: the item has changed since it was seen
	Gone    = "gone"    // the item is not there
	Refused = "refused" // not allowed in the item's state, or bad content
)

// Outcome answers for one item of a bulk call, in the order asked.
type Outcome struct {
	Item   store.ID     `json:"item"`
	Result string       `json:"result"` // ok, stale, gone or refused
	Error  string       `json:"error,omitempty"`
	Status store.Status `json:"status,omitzero"` // the item's status now
	Next   store.ID     `json:"next,omitzero"`   // the copy a retry made
	// Revision is the item's as an operator's act left it.
	Revision uint64 `json:"revision,omitempty"`
	// LastEvent, LastBy and LastAt tell, where an operator's act was not done,
	// what was done to the item before, by whom and when.
	LastEvent string     `json:"last_event,omitempty"`
	LastBy    string     `json:"last_by,omitempty"`
	LastAt    store.Time `json:"last_at,omitzero"`
	// Err is the error behind Error, with its code; not sent over the wire.
	Err error `json:"-"`
}

// Target names an item an operator acts on, as it was seen. Revision 0 acts on
// it whatever has happened since.
type Target struct {
	Item     store.ID `json:"item"`
	Revision uint64   `json:"revision,omitempty"`
}

// RetryRequest asks for an operator's retry.
type RetryRequest struct {
	Targets []Target        `json:"targets"`
	Payload json.RawMessage `json:"payload,omitempty"` // edited payload; one target only
	Note    string          `json:"note,omitempty"`
}

// Review actions.
const (
	Assign = "assign" // to Reviewer; in-review
	Verify = "verify" // decided: not to be retried any more
	Note   = "note"   // only sets the note
	Clear  = "clear"  // back to no review
)

// ReviewRequest asks for a judgement on items.
type ReviewRequest struct {
	Targets  []Target `json:"targets"`
	Action   string   `json:"action"`
	Reviewer string   `json:"reviewer,omitempty"`
	Note     string   `json:"note,omitempty"`
}

// ListRequest selects a page of items.
type ListRequest struct {
	Queue    string         `json:"queue,omitempty"`
	Statuses []store.Status `json:"statuses,omitempty"`
	Group    string         `json:"group,omitempty"`
	Kind     string         `json:"kind,omitempty"`   // of the error: business or system; "" = any
	Filter   string         `json:"filter,omitempty"` // the filter language; see ParseFilter
	After    store.ID       `json:"after,omitzero"`   // exclusive cursor
	Desc     bool           `json:"desc,omitempty"`   // highest number first
	Sort     string         `json:"sort,omitempty"`   // one of Orders; "" = by number
	Limit    int            `json:"limit,omitempty"`  // 0 = 100
	// Order is number (the default), reference (needs a filter by it), or any:
	// whichever is found fastest. To go on in order of reference or of Sort takes
	// AfterReference, the NextReference of the page before: the reference of the
	// item After, or the value it was sorted by.
	Order          string `json:"order,omitempty"`
	AfterReference string `json:"after_reference,omitempty"`
	// Budget is how long the page may take to be found: what was found by then
	// comes, and where to go on. 0 = until it is full.
	Budget store.Duration `json:"budget,omitempty"`
	// Whole says that the list is read to its end, page by page. One in order of Sort
	// then looks at all items once and not for each page: what comes meanwhile may be
	// left out.
	Whole bool `json:"whole,omitempty"`
}

// Page is a window on the selected items.
type Page struct {
	Items []store.Item `json:"items"`
	// More says that items follow; go on with After = Next, AfterReference =
	// NextReference and the page's Order. Without a Budget that is the last item.
	More          bool     `json:"more"`
	Next          store.ID `json:"next,omitzero"`
	NextReference string   `json:"next_reference,omitempty"`
	Order         string   `json:"order"` // number or reference
	// Looked is how many items were looked at for this page.
	Looked int64 `json:"looked"`
	// Total is the number of all selected items, or -1 where only a scan
	// could tell.
	Total int64 `json:"total"`
	// Damaged counts unreadable records that were passed over.
	Damaged int `json:"damaged,omitempty"`
}

// QueueState is a queue's settings with its numbers.
type QueueState struct {
	store.Queue
	Counts          store.Counts `json:"counts"`
	Delayed         int64        `json:"delayed"`
	OldestWaitingAt store.Time   `json:"oldest_waiting_at,omitzero"`
	NextAvailableAt store.Time   `json:"next_available_at,omitzero"`
	// SLA counts the waiting items that have a due or risk date: on time, at
	// risk, overdue.
	SLA store.Standings `json:"sla_counts"`
	// datePasses is when that changes by itself; 0 = it does not.
	datePasses store.Time
	// Locked is why contents of an encrypted queue can be neither read nor written.
	Locked string `json:"locked,omitempty"`
	// In and Out are items added and settled in each of the last 15 minutes
	// since the engine started, oldest first, the running minute last.
	In  []int `json:"in,omitempty"`
	Out []int `json:"out,omitempty"`
	// Unchanged says, in the answer to a pause or resume, that the queue stood
	// so already.
	Unchanged bool `json:"unchanged,omitempty"`
}

// Notice is something an operator should be told, once.
type Notice struct {
	Seq   uint64     `json:"seq"`
	At    store.Time `json:"at"`
	Level string     `json:"level"` // info, warn or error
	Text  string     `json:"text"`
	Item  store.ID   `json:"item,omitzero"`
	Queue string     `json:"queue,omitempty"`
	Job   string     `json:"job,omitempty"`
	For   string     `json:"for,omitempty"` // whom it concerns, "" = everybody
}

// Snapshot is the picture a console draws: immutable, made anew when something
// changed. A section whose revision is unchanged is equal to the one before.
type Snapshot struct {
	Revision       uint64       `json:"revision"`
	At             store.Time   `json:"at"`
	Store          string       `json:"store"` // "bolt:/path", for the header
	ReadOnly       bool         `json:"read_only,omitempty"`
	SlotsRevision  uint64       `json:"slots_revision"`
	Slots          lane.State   `json:"slots"`
	QueuesRevision uint64       `json:"queues_revision"`
	Queues         []QueueState `json:"queues"`
	JobsRevision   uint64       `json:"jobs_revision"`
	// Jobs are those that have not ended, newest first, at most 100, then the
	// newest of the others until there are 100.
	Jobs []JobState `json:"jobs"`
	// Groups is every group of items that wait for a person's decision.
	Groups  []store.Group `json:"groups"`
	Notices []Notice      `json:"notices"` // the newest 100, oldest first
	// Utilisation is the share of the pool that was busy, in percent, in each
	// of the last 15 minutes since the engine started, oldest first.
	Utilisation []int `json:"utilisation"`
	// Bulks is the bulk acts under way and the newest that have ended, oldest
	// first.
	Bulks []BulkState `json:"bulks,omitempty"`
	// Upkeep is how the engine's own loops fare.
	Upkeep []Upkeep `json:"upkeep,omitempty"`
}

// SplitRequest changes the pool. Auto follows the default split; otherwise the
// reserves are as given, or with Keep as they are.
type SplitRequest struct {
	Size int  `json:"pool"`
	Fast int  `json:"fast"`
	Slow int  `json:"slow"`
	Auto bool `json:"auto,omitempty"`
	Keep bool `json:"keep,omitempty"`
}

type actorKey struct{}

// WithActor names who acts in calls made with the context: a person's login,
// a robot, a program. It is written into the history.
func WithActor(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, actorKey{}, name)
}

// Actor gives the name set by WithActor, or "engine".
func Actor(ctx context.Context) string {
	if name, ok := ctx.Value(actorKey{}).(string); ok && name != "" {
		return name
	}
	return "engine"
}
