package intake

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"signalbox/engine"
	"signalbox/engine/object"
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
		if len(raw) == 0 {
			continue
		}
		if row := f.row(f.in.n, raw); !f.repeats() && !yield(row, nil) {
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
	if err := f.checkText(raw); err != nil {
		return item, err
	}
	if len(raw) == 0 || raw[0] != '{' {
		return item, store.Invalid("the row", "it is not a JSON object", "write {…}")
	}
	if !json.Valid(raw) {
		var v any
		return item, badJSON(raw, json.Unmarshal(raw, &v))
	}
	list, _ := object.Split(f.split[:0], raw)
	f.split = list
	if inner, ok := rejectedRow(list); ok {
		return f.object(inner)
	}
	if isArchived(list) {
		return f.archived(raw)
	}
	if lookUp(list, "payload") != nil || lookUp(list, "payload_base64") != nil {
		return f.itemOf(list)
	}
	if f.Format == Orchestrator {
		return item, store.Invalid("the row", "it has no payload", `write it as {"state": "available", "payload": {…}}`)
	}
	item.Payload = raw
	c := f.opt.Columns
	if c == (Columns{}) {
		return item, nil
	}
	var cells [4]string
	for n, name := range []string{c.Reference, c.Due, c.Priority, c.Defer} {
		value := lookUp(list, name)
		if name == "" || value == nil {
			continue
		}
		var err error
		if cells[n], err = scalar(name, value); err != nil {
			return item, err
		}
	}
	return item, f.read.cells(&item, cells[0], cells[1], cells[2], cells[3])
}

// rejectedRow gives the row that a line of a rejects file holds.
func rejectedRow(list []object.Field) ([]byte, bool) {
	if len(list) != 3 || lookUp(list, rejectedLine) == nil || lookUp(list, rejectedReason) == nil {
		return nil, false
	}
	inner := lookUp(list, "row")
	return inner, inner != nil
}

// lookUp gives the value of a name, nil when it is not there; of a name that
// stands twice the last.
func lookUp(list []object.Field, name string) []byte {
	for n := len(list) - 1; n >= 0; n-- {
		if nameOf(list[n].Key) == name {
			return list[n].Value
		}
	}
	return nil
}

// nameOf gives a field's name; one that no text can hold as it stands.
func nameOf(key []byte) string {
	if bytes.IndexByte(key, '\\') >= 0 {
		if name, ok := object.Text(key); ok {
			return name
		}
	}
	return string(key[1 : len(key)-1])
}

// itemOf reads an item's fields. Unknown ones are refused, since they are most
// often misspelt; in a row with a state, the orchestrator's, which keeps things
// that mean nothing here, they are passed over.
func (f *File) itemOf(list []object.Field) (engine.NewItem, error) {
	foreigner := lookUp(list, "state") != nil
	var g given
	for _, of := range list {
		name := nameOf(of.Key)
		at, known := jsonNames[name]
		var err error
		switch {
		case name == "error":
			err = within(&g, name, of.Value, errorFields)
		case name == "review":
			err = within(&g, name, of.Value, reviewFields)
		case !known && foreigner:
		case !known:
			err = store.Invalid(fmt.Sprintf("field %q", name), "an item has no such field", "put it inside payload")
		case at == foreign:
		case at == payload:
			g[at] = string(of.Value)
		case at == output || at == analytics:
			g[at] = content(of.Value)
		default:
			g[at], err = scalar(name, of.Value)
		}
		if err != nil {
			return engine.NewItem{}, err
		}
	}
	if f.Format == Orchestrator && g[state] == "" {
		g[state] = "available"
	}
	return f.read.item(&g)
}

// content is JSON as text; null is none.
func content(raw []byte) string {
	if string(raw) == "null" {
		return ""
	}
	return string(raw)
}

var (
	errorFields  = map[string]field{"kind": errorKind, "reason": errorReason, "message": errorReason, "details": errorDetails, "at": errorAt}
	reviewFields = map[string]field{"status": reviewStatus, "reviewer": reviewer, "note": reviewNote, "at": reviewAt}
)

// within reads the fields of an object within an item. Text in the place of an
// error is its reason.
func within(g *given, name string, raw []byte, names map[string]field) error {
	if string(raw) == "null" {
		return nil
	}
	list, ok := object.Split(nil, raw)
	if !ok {
		text, err := scalar(name, raw)
		if err != nil || name != "error" {
			return store.Invalid(fmt.Sprintf("field %q", name), "it is not an object", "write {…}")
		}
		g[errorReason] = text
		return nil
	}
	for _, of := range list {
		if at, known := names[nameOf(of.Key)]; known {
			text, err := scalar(name+"."+nameOf(of.Key), of.Value)
			if err != nil {
				return err
			}
			g[at] = text
		}
	}
	return nil
}

// scalar gives a JSON value as text; null is "".
func scalar(name string, raw []byte) (string, error) {
	switch raw[0] {
	case '"':
		text, ok := object.Text(raw)
		if !ok {
			return "", store.Invalid(fmt.Sprintf("field %q", name), "it holds half a character", "write it as text")
		}
		return text, nil
	case 'n':
		return "", nil
	case '{', '[':
		return "", store.Invalid(fmt.Sprintf("field %q", name), "it is neither text nor a number", "write it as text")
	case 't', 'f':
		if name != "retryable" {
			return "", store.Invalid(fmt.Sprintf("field %q", name), "it is neither text nor a number", "write it as text")
		}
	}
	return string(raw), nil
}

// badJSON says what is wrong with a row's JSON, and where in the row.
func badJSON(raw []byte, err error) error {
	syntax, ok := errors.AsType[*json.SyntaxError](err)
	if !ok {
		return store.Invalid("the row", "it is not valid JSON", "")
	}
	before := raw[:min(int(syntax.Offset), len(raw))]
	place := fmt.Sprintf("column %d", len(before)-bytes.LastIndexByte(before, '\n')-1)
	if n := bytes.Count(before, []byte("\n")); n > 0 {
		place = fmt.Sprintf("its line %d, %s", n+1, place)
	}
	return store.Invalid("at "+place, "it is not valid JSON: "+store.Unreadable(syntax), "")
}
