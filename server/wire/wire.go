// Package wire is what server and client say to each other beside the engine's
// own types: errors with their codes, answers that carry an error, and bytes
// that JSON would rewrite.
package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"signalbox/engine"
	"signalbox/store"
)

// ActorHeader names who acts in a request.
const ActorHeader = "Signalbox-Actor"

// Trailers of an export: how many items are in it, and how many records could
// not be read.
const (
	ItemsTrailer   = "Signalbox-Items"
	DamagedTrailer = "Signalbox-Damaged"
)

// Failure is the body of every answer that is an error.
type Failure struct {
	Error *store.Error `json:"error"`
	// Results answers for each item of an add that was refused as a whole.
	Results []AddResult `json:"results,omitempty"`
	// Row is the item, from 0, for which an import was refused.
	Row *int64 `json:"row,omitempty"`
}

// ImportRow is one row of an import: an item, or the word that nothing is to
// come of it.
type ImportRow struct {
	NewItem
	Abort bool `json:"abort,omitempty"`
}

// Flat gives err as one *store.Error without causes, which is what crosses the
// wire; nil for nil.
func Flat(err error) *store.Error {
	if err == nil {
		return nil
	}
	if e, ok := err.(*store.Error); ok {
		flat := *e
		if e.Err != nil {
			flat.Rule, flat.Err = join(e.Rule, e.Err.Error()), nil
		}
		return &flat
	}
	flat := &store.Error{Code: store.CodeOf(err), Thing: err.Error()}
	if e, ok := errors.AsType[*store.Error](err); ok && e.Error() == err.Error() {
		return Flat(e)
	}
	return flat
}

func join(rule, cause string) string {
	if rule == "" {
		return cause
	}
	return rule + ": " + cause
}

// StatusFull answers who won't wait for a slot: the site is overloaded.
const StatusFull = 529

// Status is the HTTP status of a code.
func Status(c store.Code) int {
	switch c {
	case 0:
		return http.StatusOK
	case store.CodeInvalid:
		return http.StatusBadRequest
	case store.CodeNotFound:
		return http.StatusNotFound
	case store.CodeEmpty:
		return http.StatusNoContent
	case store.CodeConflict:
		return http.StatusConflict
	case store.CodeForbidden:
		return http.StatusForbidden
	case store.CodeUnavailable:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// Health says what a server serves.
type Health struct {
	Store string `json:"store"`
	PID   int    `json:"pid"`
}

// Check is what a check of the store found.
type Check struct {
	Problems []string `json:"problems"`
}

// NewItem is an item to add. Exact, when set, is its payload byte for byte,
// which JSON inside JSON would not keep; an empty one stays empty.
type NewItem struct {
	engine.NewItem
	Exact []byte `json:"payload_base64,omitzero"`
}

// AddRequest is engine.AddRequest.
type AddRequest struct {
	Queue  string             `json:"queue"`
	Items  []NewItem          `json:"items"`
	Mode   string             `json:"mode,omitempty"`
	Strict bool               `json:"strict,omitempty"`
	From   string             `json:"from,omitempty"`
	Start  *engine.JobRequest `json:"start,omitempty"`
	// Filling keeps the items' jobs open until they are sealed.
	Filling bool `json:"filling,omitempty"`
}

// AddResult is engine.AddResult with its error's code; a refused one has no item.
type AddResult struct {
	Item     *store.Item  `json:"item,omitempty"`
	Existing bool         `json:"existing,omitempty"`
	Problem  *store.Error `json:"problem,omitempty"`
}

// AddResults prepares results for the wire.
func AddResults(results []engine.AddResult) []AddResult {
	wired := make([]AddResult, len(results))
	for i, r := range results {
		wired[i] = AddResult{Existing: r.Existing, Problem: Flat(r.Err)}
		if r.Item.Number != 0 {
			wired[i].Item = &results[i].Item
		}
	}
	return wired
}

// Added gives results their errors back.
func Added(wired []AddResult) []engine.AddResult {
	results := make([]engine.AddResult, len(wired))
	for i, w := range wired {
		results[i].Existing = w.Existing
		if w.Item != nil {
			results[i].Item = *w.Item
		}
		if w.Problem != nil {
			results[i].Err, results[i].Error = w.Problem, w.Problem.Error()
		}
	}
	return results
}

// Outcome is engine.Outcome with its error's code.
type Outcome struct {
	engine.Outcome
	Problem *store.Error `json:"problem,omitempty"`
}

// Outcomes prepares outcomes for the wire.
func Outcomes(outcomes []engine.Outcome) []Outcome {
	wired := make([]Outcome, len(outcomes))
	for i, o := range outcomes {
		wired[i] = Outcome{o, Flat(o.Err)}
	}
	return wired
}

// Answered gives outcomes their errors back.
func Answered(wired []Outcome) []engine.Outcome {
	outcomes := make([]engine.Outcome, len(wired))
	for i, w := range wired {
		outcomes[i] = w.Outcome
		if w.Problem != nil {
			outcomes[i].Err = w.Problem
		}
	}
	return outcomes
}

// BulkResults is engine.BulkResults with its errors' codes.
type BulkResults struct {
	Results []Outcome `json:"results"`
	Next    int       `json:"next"`
	More    bool      `json:"more"`
}

// Settlement is engine.Settlement. ExactOutput and ExactAnalytics, when set,
// stand for contents that are no JSON: what to make of them is the engine's rule.
type Settlement struct {
	engine.Settlement
	ExactOutput    []byte `json:"output_base64,omitempty"`
	ExactAnalytics []byte `json:"analytics_base64,omitempty"`
	// Bad is the rule that a word of it broke as it was read, so that it is refused
	// in its place and the others of its wave are settled.
	Bad error `json:"-"`
}

// UnmarshalJSON implements json.Unmarshaler; unknown fields are an error.
func (s *Settlement) UnmarshalJSON(b []byte) error {
	type plain Settlement
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	err := d.Decode((*plain)(s))
	if bad, ok := errors.AsType[*store.Error](err); ok {
		s.Bad, err = bad, nil
	}
	return err
}

// InPlace gives the outcomes of settlements, in their order, from those of the
// ones that are not bad.
func InPlace(wired []Settlement, outcomes []engine.Outcome) []Outcome {
	all := make([]engine.Outcome, 0, len(wired))
	for _, s := range wired {
		switch {
		case s.Bad != nil:
			all = append(all, engine.Outcome{Item: s.Item, Result: engine.Refused, Error: s.Bad.Error(), Err: s.Bad})
		case len(outcomes) > 0:
			all, outcomes = append(all, outcomes[0]), outcomes[1:]
		}
	}
	return Outcomes(all)
}

// Settlements prepares settlements for the wire.
func Settlements(settlements []engine.Settlement) []Settlement {
	wired := make([]Settlement, len(settlements))
	for i, s := range settlements {
		wired[i].Settlement = s
		wired[i].Output, wired[i].ExactOutput = exact(s.Output)
		wired[i].Analytics, wired[i].ExactAnalytics = exact(s.Analytics)
	}
	return wired
}

// Settled gives the settlements that are not bad their contents back.
func Settled(wired []Settlement) []engine.Settlement {
	settlements := make([]engine.Settlement, 0, len(wired))
	for _, w := range wired {
		if w.Bad != nil {
			continue
		}
		if w.ExactOutput != nil {
			w.Output = w.ExactOutput
		}
		if w.ExactAnalytics != nil {
			w.Analytics = w.ExactAnalytics
		}
		settlements = append(settlements, w.Settlement)
	}
	return settlements
}

func exact(content json.RawMessage) (asJSON json.RawMessage, asBytes []byte) {
	if len(content) == 0 || json.Valid(content) {
		return content, nil
	}
	return nil, content
}

// RetryRequest is engine.RetryRequest, its payload as NewItem's.
type RetryRequest struct {
	engine.RetryRequest
	Exact []byte `json:"payload_base64,omitzero"`
}

// EditRequest is engine.EditRequest, its payload as NewItem's.
type EditRequest struct {
	engine.EditRequest
	Exact []byte `json:"payload_base64,omitzero"`
}

// NextRequest settles and claims at once.
type NextRequest struct {
	Settlements []Settlement        `json:"settlements"`
	Claim       engine.ClaimRequest `json:"claim"`
}

// NextAnswer answers for the settlements, and gives what was claimed or why
// nothing was.
type NextAnswer struct {
	Outcomes []Outcome       `json:"outcomes"`
	Items    []engine.Record `json:"items"`
	Problem  *store.Error    `json:"problem,omitempty"`
}

// Unclaimed says that an error is about the claim alone: what was to be settled
// with it stands.
func Unclaimed(err error) bool {
	switch store.CodeOf(err) {
	case store.CodeEmpty, store.CodeConflict, store.CodeNotFound:
		return true
	}
	return false
}

// DispatchRequest is engine.DispatchRequest, its payload as NewItem's.
type DispatchRequest struct {
	engine.DispatchRequest
	Exact []byte `json:"payload_base64,omitzero"`
}

// Note is a word to go with an act.
type Note struct {
	Note string `json:"note,omitempty"`
}

// Progress is a robot's word on how far it is.
type Progress struct {
	engine.Holding
	Text string `json:"progress"`
}

// Postponement gives an item back until an instant.
type Postponement struct {
	engine.Holding
	Until store.Time `json:"until"`
}

// Link is a folder to show a queue in, or no longer.
type Link struct {
	Folder string `json:"folder"`
	Remove bool   `json:"remove,omitempty"`
}

// ListQuery writes a list request as a URL's query.
func ListQuery(r engine.ListRequest) url.Values {
	q := url.Values{}
	set := func(name, value string) {
		if value != "" {
			q.Set(name, value)
		}
	}
	set("queue", r.Queue)
	set("group", r.Group)
	set("kind", r.Kind)
	set("filter", r.Filter)
	set("sort", r.Sort)
	set("after", r.After.String())
	for _, s := range r.Statuses {
		q.Add("status", s.String())
	}
	if r.Desc {
		q.Set("desc", "true")
	}
	if r.Limit != 0 {
		q.Set("limit", strconv.Itoa(r.Limit))
	}
	set("order", r.Order)
	set("after_reference", r.AfterReference)
	if r.Budget != 0 {
		q.Set("budget", r.Budget.String())
	}
	if r.Whole {
		q.Set("whole", "true")
	}
	return q
}
