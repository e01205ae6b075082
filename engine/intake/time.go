package intake

import (
	"strconv"
	"strings"
	"time"

	"signalbox/store"
)

const timeForms = "write it as 2026-03-01T09:30:00Z, 2026-03-01 09:30, 2026-03-01 or +2h"

// ParseTime reads a time as files and flags write it: RFC 3339, relative to
// now ("+2h", "+30d"), or a date with or without a time of day, its parts
// joined by dashes, slashes or spaces as UiPath does, in the given zone.
func ParseTime(s string, now time.Time, zone *time.Location) (store.Time, error) {
	if after, ok := strings.CutPrefix(s, "+"); ok {
		d, err := store.ParseDuration(after)
		if err != nil {
			return 0, err
		}
		return store.At(now.Add(d)), nil
	}
	if t, err := time.Parse(time.RFC3339Nano, s); err == nil {
		return stored(s, t)
	}
	date := strings.Map(func(r rune) rune {
		if r == '/' || r == ' ' || r == 'T' {
			return '-'
		}
		return r
	}, s)
	for _, layout := range []string{"2006-01-02", "2006-01-02-15:04", "2006-01-02-15:04:05"} {
		// Parse takes a fraction after the seconds by itself.
		if t, err := time.ParseInLocation(layout, date, zone); err == nil {
			return stored(s, t)
		}
	}
	return 0, store.Invalid("time "+quoted(s), "it is not a time", timeForms)
}

// stored turns t into the store's form, in which the year 1970's first instant
// would mean "no time" and what is before it can't be a date of work.
func stored(s string, t time.Time) (store.Time, error) {
	if at := store.At(t); at > 0 {
		return at, nil
	}
	return 0, store.Invalid("time "+quoted(s), "it is before 1970", "use a later one")
}

func quoted(s string) string {
	if len(s) > 80 {
		s = s[:80] + "…"
	}
	return strconv.Quote(s)
}
