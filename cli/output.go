package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"signalbox/store"
	"signalbox/tui/text"
)

// Formats of output.
const (
	asTable = "table"
	asJSON  = "json"
	asJSONL = "jsonl"
	asCSV   = "csv"
)

// format is the format asked for, or else the command's own.
func (a *app) format(otherwise string) (string, error) {
	switch a.output {
	case "":
		return otherwise, nil
	case asTable, asJSON, asJSONL, asCSV:
		return a.output, nil
	}
	return "", usage(fmt.Sprintf("--format %q", a.output), "no such format", "use table, json, jsonl or csv")
}

// printOne prints one object: as JSON, or its fields line by line for a person.
func (a *app) printOne(v any) error {
	format, err := a.formatOfOne()
	switch {
	case err != nil:
		return err
	case format == asTable:
		return a.printFields(v)
	}
	return a.writeJSON(a.Stdout, v)
}

// formatOfOne is the format in which printOne prints.
func (a *app) formatOfOne() (string, error) {
	otherwise := asJSON
	if a.IsTerminal(a.Stdout) {
		otherwise = asTable
	}
	format, err := a.format(otherwise)
	if format == asCSV {
		err = usage("--format csv", "this command prints one object", "use json or table")
	}
	return format, err
}

// printFields prints an object's fields in their order, each on a line.
func (a *app) printFields(v any) error {
	b, err := store.Encode(v)
	if err != nil {
		return err
	}
	d := json.NewDecoder(strings.NewReader(string(b)))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return err
		}
		value := string(raw)
		if raw[0] == '"' {
			if err := json.Unmarshal(raw, &value); err != nil {
				return err
			}
		}
		if _, err := fmt.Fprintf(a.Stdout, "%-20s %s\n", name, text.Clean(value)); err != nil {
			return err
		}
	}
	return nil
}

// location is the zone in which times are shown and read.
func (a *app) location() (*time.Location, error) {
	if a.zone == "" {
		return a.Zone, nil
	}
	zone, err := time.LoadLocation(a.zone)
	if err != nil {
		return nil, usage(fmt.Sprintf("--tz %q", a.zone), "no such time zone", "write it as Europe/Berlin or UTC")
	}
	return zone, nil
}

// counted is a number of things in words: 1 item, 2,000 items.
func counted(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return text.Count(int64(n)) + " " + thing
}

// when words a time for a table.
func when(t store.Time, now time.Time, zone *time.Location) string {
	if t.IsZero() {
		return ""
	}
	return text.When(t.Time(), now, zone)
}
