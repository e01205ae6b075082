package intake

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"signalbox/engine"
	"signalbox/store"
)

// lineRows reads one JSON object a line.
func (f *File) lineRows(yield func(Row, error) bool) {
	for {
		line, err := f.in.next()
		switch {
		case errors.Is(err, io.EOF):
			return
		case errors.Is(err, errLong):
			if !yield(Row{Line: f.in.n, Err: tooLong}, nil) {
				return
			}
			continue
		case err != nil:
			yield(Row{}, unreadable(err))
			return
		}
		raw := bytes.TrimSpace(line)
		if len(raw) > 0 && !yield(f.row(f.in.n, raw), nil) {
			return
		}
	}
}

func (f *File) row(line int, raw []byte) Row {
	row := Row{Line: line, Raw: raw}
	row.Item, row.Err = f.object(raw)
	return row
}

// object makes an item of a JSON object: of its fields when it has a payload,
// otherwise the object itself is the payload.
func (f *File) object(raw []byte) (engine.NewItem, error) {
	var item engine.NewItem
	if err := checkText(raw); err != nil {
		return item, err
	}
	if len(raw) == 0 || raw[0] != '{' {
		return item, store.Invalid("the row", "it is not a JSON object", "write {…}")
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(raw, &object); err != nil {
		return item, badJSON(raw, err)
	}
	if inner, ok := object["row"]; ok && len(object) == 3 && object[rejectedLine] != nil && object[rejectedReason] != nil {
		return f.object(inner)
	}
	if _, ok := object["payload"]; ok {
		return f.itemOf(object)
	}
	values, err := cells(object, f.opt.Columns.Reference, f.opt.Columns.Due, f.opt.Columns.Priority, f.opt.Columns.Defer)
	if err != nil {
		return item, err
	}
	item.Payload = raw
	return item, newFields(f.opt).set(&item, values[0], values[1], values[2], values[3])
}

// itemOf reads an item's fields. Those that only the engine sets, which an
// exported item carries, are passed over; unknown ones are refused, since they
// are most often misspelt.
func (f *File) itemOf(object map[string]json.RawMessage) (engine.NewItem, error) {
	var item engine.NewItem
	for name := range object {
		if !itemFields[name] {
			return item, store.Invalid(fmt.Sprintf("field %q", name), "an item has no such field", "put it inside payload")
		}
	}
	values, err := cells(object, "reference", "due_at", "priority", "defer_until", "risk_at", "key", "job", "max_attempts")
	if err != nil {
		return item, err
	}
	read := newFields(f.opt)
	if err := read.set(&item, values[0], values[1], values[2], values[3]); err != nil {
		return item, err
	}
	if item.RiskAt, err = read.time("risk_at", values[4]); err != nil {
		return item, err
	}
	item.Payload, item.Key, item.Job = object["payload"], values[5], values[6]
	if n := object["max_attempts"]; values[7] != "" {
		if err := json.Unmarshal(n, &item.MaxAttempts); err != nil {
			return item, store.Invalid("max_attempts "+values[7], "it is not a whole number", "write it as 3")
		}
	}
	return item, nil
}

// itemFields are all the names of section "Items" of the manual, as listed by
// `signalbox item list -o jsonl` and `item show`.
var itemFields = nameSet(`payload reference key priority defer_until due_at risk_at max_attempts job
	id queue number family status output analytics progress attempts failures reclaims retryable retry_no chain previous
	next claimed_by claimed_at lease_until fence started_at ended_at available_at created_at created_by error review group
	revision`)

func nameSet(names string) map[string]bool {
	set := map[string]bool{}
	for _, name := range strings.Fields(names) {
		set[name] = true
	}
	return set
}

// cells gives the object's values of the names as text; "" where there is none.
func cells(object map[string]json.RawMessage, names ...string) ([]string, error) {
	values := make([]string, len(names))
	for i, name := range names {
		raw, ok := object[name]
		if name == "" || !ok || string(raw) == "null" {
			continue
		}
		switch raw[0] {
		case '{', '[', 't', 'f':
			return nil, store.Invalid(fmt.Sprintf("field %q", name), "it is neither text nor a number", "write it as text")
		case '"':
			if err := json.Unmarshal(raw, &values[i]); err != nil {
				return nil, badJSON(raw, err)
			}
		default:
			values[i] = string(raw)
		}
	}
	return values, nil
}

// badJSON says what is wrong with a row's JSON, and where in the row.
func badJSON(raw []byte, err error) error {
	syntax, ok := errors.AsType[*json.SyntaxError](err)
	if !ok {
		return store.Invalid("the row", "it is not valid JSON: "+err.Error(), "")
	}
	before := raw[:min(int(syntax.Offset), len(raw))]
	place := fmt.Sprintf("column %d", len(before)-bytes.LastIndexByte(before, '\n')-1)
	if n := bytes.Count(before, []byte("\n")); n > 0 {
		place = fmt.Sprintf("its line %d, %s", n+1, place)
	}
	return store.Invalid("at "+place, "it is not valid JSON: "+syntax.Error(), "")
}
