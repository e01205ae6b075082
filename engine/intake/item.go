package intake

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"

	"signalbox/engine"
	"signalbox/engine/export"
	"signalbox/store"
)

// field is one of an item's own fields that a row may give.
type field int

const (
	reference field = iota
	key
	priority
	deferUntil
	dueAt
	riskAt
	maxAttempts
	job
	weight
	// What follows only says what an item went through.
	id
	chain
	previous
	next
	status
	state // the orchestrator's word for it
	attempts
	failures
	reclaims
	retryable
	retryNo
	fence
	progress
	claimedBy
	claimedAt
	startedAt
	endedAt
	availableAt
	createdAt
	createdBy
	errorKind
	errorReason
	errorDetails
	errorAt
	reviewStatus
	reviewer
	reviewNote
	reviewAt
	// Contents, which are JSON.
	payload
	output
	analytics
	payloadExact
	outputExact
	analyticsExact
	// Known, and passed over: they say nothing here.
	foreign
	fieldCount
)

// fieldNames are the names of fields as lists and exported files write them.
var fieldNames = map[string]field{
	"reference": reference, "key": key, "priority": priority, "defer_until": deferUntil, "due_at": dueAt, "risk_at": riskAt,
	"max_attempts": maxAttempts, "job": job, "weight": weight, "id": id, "status": status, "attempts": attempts, "failures": failures,
	"reclaims": reclaims, "retryable": retryable, "retry_no": retryNo, "fence": fence, "progress": progress,
	"claimed_by": claimedBy, "claimed_at": claimedAt, "started_at": startedAt, "ended_at": endedAt,
	"available_at": availableAt, "created_at": createdAt, "created_by": createdBy,
	"payload": payload, "output": output, "analytics": analytics,
	"payload_base64": payloadExact, "output_base64": outputExact, "analytics_base64": analyticsExact,
	"chain": chain, "previous": previous, "next": next,
	"queue": foreign, "number": foreign, "family": foreign,
	"lease_until": foreign, "group": foreign, "revision": foreign, "withheld": foreign,
}

// jsonNames are the names of fields in JSON: those, and the orchestrator's.
var jsonNames = func() map[string]field {
	names := map[string]field{"state": state}
	for name, at := range fieldNames {
		parts := strings.Split(name, "_")
		for n := 1; n < len(parts); n++ {
			parts[n] = strings.ToUpper(parts[n][:1]) + parts[n][1:]
		}
		names[name], names[strings.Join(parts, "")] = at, at
	}
	return names
}()

// columnNames are the names of an exported CSV's columns for them.
var columnNames = func() map[string]field {
	names := map[string]field{
		"item.error_kind": errorKind, "item.error_reason": errorReason, "item.error_details": errorDetails, "item.error_at": errorAt,
		"item.review_status": reviewStatus, "item.reviewer": reviewer, "item.review_note": reviewNote, "item.review_at": reviewAt,
	}
	for name, at := range fieldNames {
		names[export.Prefix+name] = at
	}
	return names
}()

// given is what a row says of an item: "" where it says nothing.
type given [fieldCount]string

// States says what becomes of the states in which a file's items are.
type States string

// The choices; by default the orchestrator's file keeps them, and others don't.
const (
	DefaultStates States = ""
	KeepStates    States = "keep" // each item is stored as it was
	NewStates     States = "new"  // each is new work
)

// keeps says whether the item that was given comes with its past.
func (s States) keeps(g *given) bool {
	switch s {
	case KeepStates:
		return g[status] != "" || g[state] != ""
	case NewStates:
		return false
	}
	return g[state] != ""
}

// reader turns what rows give into items.
type reader struct {
	now    time.Time
	zone   *time.Location
	dates  Dates
	states States
}

// item makes an item of what a row gives.
func (r *reader) item(g *given) (item engine.NewItem, err error) {
	item.Reference, item.Key, item.Job = g[reference], g[key], g[job]
	item.Payload = exactly(g[payload], g[payloadExact])
	if item.Priority, err = parsePriority(orNone(g[priority])); err != nil {
		return item, err
	}
	for _, t := range []struct {
		name string
		from field
		to   *store.Time
	}{{"due_at", dueAt, &item.DueAt}, {"defer_until", deferUntil, &item.DeferUntil}, {"risk_at", riskAt, &item.RiskAt}} {
		if *t.to, err = r.time(t.name, g[t.from]); err != nil {
			return item, err
		}
	}
	if item.MaxAttempts, err = whole("max_attempts", g[maxAttempts]); err != nil {
		return item, err
	}
	if item.Weight, err = whole("weight", g[weight]); err != nil {
		return item, err
	}
	if r.states.keeps(g) {
		item.Past, err = r.past(g)
	}
	return item, err
}

// past makes what an item went through of what its row gives.
func (r *reader) past(g *given) (*engine.Past, error) {
	p := &engine.Past{
		ID: g[id], Chain: g[chain], Previous: g[previous], Next: g[next], State: g[state], Progress: g[progress], ClaimedBy: g[claimedBy], CreatedBy: g[createdBy],
		NoRetry: g[retryable] == "false",
		Output:  exactly(g[output], g[outputExact]), Analytics: exactly(g[analytics], g[analyticsExact]),
	}
	if p.State == "" {
		p.State = g[status]
	}
	if g[errorKind] != "" || g[errorReason] != "" || g[errorDetails] != "" {
		p.Error = &store.Failure{Kind: g[errorKind], Reason: g[errorReason], Details: g[errorDetails]}
	}
	p.Review.Reviewer, p.Review.Note = g[reviewer], g[reviewNote]
	if g[reviewStatus] != "" {
		if err := p.Review.Status.UnmarshalText([]byte(g[reviewStatus])); err != nil {
			return nil, err
		}
	}
	for _, n := range []struct {
		name string
		from field
		to   *int
	}{{"attempts", attempts, &p.Attempts}, {"failures", failures, &p.Failures}, {"reclaims", reclaims, &p.Reclaims}, {"retry_no", retryNo, &p.RetryNo}} {
		var err error
		if *n.to, err = whole(n.name, g[n.from]); err != nil {
			return nil, err
		}
	}
	f, err := whole("fence", g[fence])
	if err != nil || f < 0 {
		return nil, store.Invalid("fence "+quoted(g[fence]), "it is not a number", "leave it out")
	}
	p.Fence = uint64(f)
	return p, r.pastTimes(g, p)
}

func (r *reader) pastTimes(g *given, p *engine.Past) (err error) {
	var errorTime store.Time
	for _, t := range []struct {
		name string
		from field
		to   *store.Time
	}{
		{"claimed_at", claimedAt, &p.ClaimedAt}, {"started_at", startedAt, &p.StartedAt}, {"ended_at", endedAt, &p.EndedAt},
		{"available_at", availableAt, &p.AvailableAt}, {"created_at", createdAt, &p.CreatedAt},
		{"error at", errorAt, &errorTime}, {"review at", reviewAt, &p.Review.At},
	} {
		if *t.to, err = r.time(t.name, g[t.from]); err != nil {
			return err
		}
	}
	if p.Error != nil {
		p.Error.At = errorTime
	}
	return nil
}

// exactly gives a content as it was before its file laid it out on one line, if
// the file still has it so: a content that was edited since is what counts.
func exactly(line, exact string) []byte {
	if exact == "" {
		return []byte(line)
	}
	raw, err := base64.StdEncoding.DecodeString(exact)
	if err != nil || line != "" && string(export.Flat(raw)) != line {
		return []byte(line)
	}
	return raw
}

// whole reads a whole number; "" is 0.
func whole(name, s string) (int, error) {
	if s == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0, store.Invalid(name+" "+quoted(s), "it is not a whole number", "write it as 3")
	}
	return n, nil
}

// cells sets an item's own fields from the cells of a table that names them. An
// empty cell and the text NULL, which databases export for nothing, mean none.
func (r *reader) cells(item *engine.NewItem, reference, due, priority, deferral string) (err error) {
	item.Reference = orNone(reference)
	if item.DueAt, err = r.time("due", due); err != nil {
		return err
	}
	if item.DeferUntil, err = r.time("defer", deferral); err != nil {
		return err
	}
	item.Priority, err = parsePriority(orNone(priority))
	return err
}

func (r *reader) time(name, cell string) (store.Time, error) {
	text := orNone(cell)
	if text == "" {
		return 0, nil
	}
	t, err := parseTime(text, r.now, r.zone, r.dates)
	if err == nil {
		return t, nil
	}
	if e, ok := err.(*store.Error); ok {
		return 0, store.Invalid(fmt.Sprintf("%s %s", name, quoted(text)), e.Rule, e.Mend)
	}
	return 0, err
}

func orNone(cell string) string {
	cell = strings.TrimSpace(cell)
	if cell == "NULL" {
		return ""
	}
	return cell
}

// parsePriority takes UiPath's numbers beside the names.
func parsePriority(s string) (store.Priority, error) {
	switch s {
	case "1":
		return store.Low, nil
	case "2":
		return store.Normal, nil
	case "3":
		return store.High, nil
	}
	return store.ParsePriority(s)
}
