package act

import (
	"bytes"
	"encoding/json"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/screen"
	"signalbox/tui/text"
)

// Field is a value that stands at the top of a payload.
type Field struct {
	Name    string
	Value   text.Safe
	Numeric bool
}

// longest is how much of a value is kept, and the longest name. Of a payload that is a
// table by itself, with thousands of names, only the first are read.
const (
	longest    = 80
	mostFields = 50
)

// Fielded answers Fields.
type Fielded struct {
	screen.Addr
	Fields map[store.ID][]Field // of those that could be read
	Asked  []store.Item
}

// Fields reads the payloads of a few items, for lists never carry them. What the
// mask hides is left out, and so is what holds other values.
func (d Desk) Fields(to screen.Addr, items []store.Item, mask []string) tea.Cmd {
	return func() tea.Msg {
		done := Fielded{Addr: to, Fields: map[store.ID][]Field{}, Asked: items}
		for i := range items {
			id := items[i].ID()
			if record, err := d.engine.Item(d.ctx, id); err == nil { // else the item's own page says why not
				done.Fields[id] = fieldsOf(engine.Mask(record.Payload, mask))
			}
			if d.ctx.Err() != nil {
				break
			}
		}
		return done
	}
}

// fieldsOf are the first plain values at the top of a masked payload, in their order.
func fieldsOf(payload json.RawMessage) []Field {
	d := json.NewDecoder(bytes.NewReader(payload))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	var all []Field
	for len(all) < mostFields && d.More() {
		name, err := d.Token()
		if err != nil {
			return all
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return all
		}
		if f, ok := field(name.(string), bytes.TrimSpace(value)); ok {
			all = append(all, f)
		}
	}
	return all
}

func field(name string, value json.RawMessage) (Field, bool) {
	f := Field{Name: name}
	switch {
	case len(name) > longest || len(value) == 0 || value[0] == '{' || value[0] == '[' || string(value) == "null" || string(value) == quoted(engine.Veil):
		return f, false
	case value[0] == '"':
		var s string
		if json.Unmarshal(value, &s) != nil {
			return f, false
		}
		f.Value = text.Clean(s)
	default:
		f.Value = text.Clean(string(value))
	}
	f.Value = text.Truncate(f.Value, longest, "")
	_, err := strconv.ParseFloat(string(f.Value), 64)
	f.Numeric = err == nil
	return f, true
}
