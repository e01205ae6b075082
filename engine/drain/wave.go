package drain

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"signalbox/engine"
	"signalbox/store"
)

// wave is what a program is given for several items at once.
type wave struct {
	Queue string     `json:"queue"`
	Job   string     `json:"job"`
	Items []waveItem `json:"items"`
}

type waveItem struct {
	ID          store.ID        `json:"id"`
	Payload     json.RawMessage `json:"payload"`
	Reference   string          `json:"reference"`
	AvailableAt store.Time      `json:"available_at"`
	Attempt     int             `json:"attempt"`
	Job         string          `json:"job"`
}

func newWave(queue string, records []engine.Record) wave {
	w := wave{Queue: queue, Job: sharedJob(records)}
	for _, r := range records {
		w.Items = append(w.Items, waveItem{r.ID(), r.Payload, r.Reference, r.AvailableAt, r.Attempts, r.Job})
	}
	return w
}

// answer is what a program says of one item of a wave.
type answer struct {
	ID        store.ID        `json:"id"`
	Status    string          `json:"status"`
	Output    json.RawMessage `json:"output"`
	Analytics json.RawMessage `json:"analytics"`
	Error     answerError     `json:"error"`
}

// answerError is a text, or an object with reason (or message) and details.
type answerError struct {
	Reason  string `json:"reason"`
	Message string `json:"message"`
	Details string `json:"details"`
}

func (e *answerError) reason() string { return cmp.Or(e.Reason, e.Message) }

func (e *answerError) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &e.Reason)
	}
	type plain answerError
	return json.Unmarshal(b, (*plain)(e))
}

// statuses are the words a program may use for how an item went.
var statuses = map[string]string{
	"success": engine.Success, "successful": engine.Success, "complete": engine.Success, "completed": engine.Success,
	"business": engine.Business, "business-exception": engine.Business,
	"system": engine.System, "system-exception": engine.System, "fail": engine.System, "failed": engine.System,
}

// input is what a consumer is given: the item, or all of a claim.
func input(queue string, records []engine.Record, together bool) ([]byte, error) {
	if together {
		return store.Encode(newWave(queue, records))
	}
	return store.Encode(records[0])
}

// Bounds of how much of what a consumer says is kept.
const (
	saidKept    = 1 << 20 // of one item
	saidKeptMax = 64 << 20
)

func kept(records []engine.Record, together bool) int {
	if together {
		return min(saidKept*len(records), saidKeptMax)
	}
	return saidKept
}

// readWave reads the results of several items: the array the consumer said, or
// else what all have alike. An array is never guessed at: what it leaves out
// (unsaid) or says unclearly is a system exception.
func readWave(records []engine.Record, out *head, details string, alike result, unsaid engine.Settlement) result {
	said := bytes.TrimSpace(out.clean())
	if len(said) == 0 || said[0] != '[' || !out.cutOff() && !json.Valid(said) {
		return alike
	}
	if out.cutOff() {
		return failed(engine.System, fmt.Sprintf("the results are too long: %d bytes, of which %d are read", out.total, out.limit), details)
	}
	var answers []answer
	if err := json.Unmarshal(said, &answers); err != nil {
		return failed(engine.System, "the results can't be read: "+unlike(err), string(said))
	}
	byID := make(map[store.ID][]answer, len(answers))
	for _, a := range answers {
		byID[a.ID] = append(byID[a.ID], a)
	}
	res := result{reports: make([]engine.Settlement, len(records))}
	for i, r := range records {
		switch said := byID[r.ID()]; len(said) {
		case 0:
			res.reports[i] = unsaid
		case 1:
			res.reports[i] = said[0].settlement()
		default:
			res.reports[i] = engine.Settlement{Status: engine.System, Reason: fmt.Sprintf("the results name this item %d times", len(said)), Details: details}
		}
		delete(byID, r.ID())
	}
	stranger := slices.IndexFunc(answers, func(a answer) bool { return byID[a.ID] != nil })
	for i := range res.reports {
		if stranger >= 0 && res.reports[i].Reason == unsaid.Reason {
			res.reports[i].Reason += fmt.Sprintf("; they name %q, which was not given", answers[stranger].ID.String())
		}
	}
	return res
}

// unlike words why results are not what they should be.
func unlike(err error) string {
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		what := "a result"
		if e.Field != "" {
			what = "the " + e.Field + " of one"
		}
		return fmt.Sprintf("%s is a JSON %s; they are objects with id, status, output, analytics and error", what, e.Value)
	}
	return store.Unreadable(err)
}

// allAlike settles all items by the exit code.
func (p *process) allAlike() result {
	switch p.code() {
	case 0:
		return result{reports: []engine.Settlement{{Status: engine.Success}}}
	case exitBusiness:
		return failed(engine.Business, p.reason(), p.stderr.text())
	}
	return failed(engine.System, p.reason(), p.stderr.text())
}

// unsaid is the report on an item the program left out of its results.
func (p *process) unsaid() engine.Settlement {
	reason := "the program's results leave this item out"
	if p.code() != 0 {
		reason = p.reason()
	}
	return engine.Settlement{Status: engine.System, Reason: reason, Details: p.stderr.text()}
}

func (a *answer) settlement() engine.Settlement {
	status, ok := statuses[a.Status]
	if !ok {
		return engine.Settlement{Status: engine.System, Reason: fmt.Sprintf("the program gave the unknown status %q; it is success, business or system", a.Status)}
	}
	s := engine.Settlement{Status: status, Reason: a.Error.reason(), Details: a.Error.Details, Output: a.Output, Analytics: a.Analytics}
	if bytes.Equal(s.Output, []byte("null")) {
		s.Output = nil
	}
	if bytes.Equal(s.Analytics, []byte("null")) {
		s.Analytics = nil
	}
	if status != engine.Success && s.Reason == "" {
		s.Reason = "no reason was given"
	}
	return s
}
