package engine

import (
	"fmt"
	"strings"
	"time"

	"signalbox/store"
)

// Reading says how the rows of a file are read; the zero value is right for most.
type Reading struct {
	States   string // keep or new; "" = by what the file is
	Dates    string // like 03/01/2026: dmy or mdy; "" = refused
	Encoding string // of the text; "" = told from its beginning
	From     int    // the line from which on rows are wanted
}

// Validate refuses values that there are not.
func (r *Reading) Validate() error {
	switch r.States {
	case "", "keep", "new":
	default:
		return store.Invalid("states "+quote(r.States), "states are kept or new", "use keep or new")
	}
	switch r.Dates {
	case "", "dmy", "mdy":
	default:
		return store.Invalid("dates "+quote(r.Dates), "dates begin with the day or the month", "use dmy or mdy")
	}
	if r.From < 0 {
		return store.Invalid(fmt.Sprintf("line %d to read from", r.From), "a line's number is 1 or more", "write it as 4")
	}
	switch strings.ToLower(r.Encoding) {
	case "", "utf-8", "utf-16", "utf-16le", "utf-16be", "windows-1252":
		return nil
	}
	return store.Invalid("encoding "+quote(r.Encoding), "a file is utf-8, utf-16, utf-16le, utf-16be or windows-1252", "use one of these")
}

// ZoneOf finds a time zone by its name.
func ZoneOf(name string) (*time.Location, error) {
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, store.Invalid("zone "+quote(name), "there is none of this name", "write it as Europe/Berlin")
	}
	return zone, nil
}

// quote shows what was given, or the beginning of it.
func quote(s string) string {
	if len(s) > 80 {
		s = s[:80] + "…"
	}
	return fmt.Sprintf("%q", s)
}
