package intake

import (
	"strconv"
	"strings"
	"time"

	"signalbox/store"
)

const timeForms = "write it as 2026-03-01T09:30:00Z, 2026-03-01 09:30, 2026-03-01 or +2h"

// Dates says how dates are read that end with the year and have no dots, as in
// 03/01/2026.
type Dates string

// The orders; by default such dates are refused, as they mean two days.
const (
	NoDates    Dates = ""
	DayFirst   Dates = "dmy"
	MonthFirst Dates = "mdy"
)

// ParseTime reads a time as files and flags write it: RFC 3339, relative to
// now ("+2h", "+30d"), or a date with or without a time of day in the given
// zone. Dates begin with the year, their parts joined by dashes, slashes, dots
// or spaces, or have dots and end with it (01.03.2026).
func ParseTime(s string, now time.Time, zone *time.Location) (store.Time, error) {
	return parseTime(s, now, zone, NoDates)
}

func parseTime(s string, now time.Time, zone *time.Location, dates Dates) (store.Time, error) {
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
	w, ok := parseWall(s)
	if !ok {
		return 0, store.Invalid("time "+quoted(s), "it is not a time", timeForms)
	}
	if w.ambiguous && dates == NoDates {
		return 0, store.Invalid("time "+quoted(s), "the day or the month may stand first", "say which with --dates dmy or --dates mdy")
	}
	if w.ambiguous && dates == MonthFirst {
		w.day, w.month = w.month, w.day
	}
	t := time.Date(w.year, time.Month(w.month), w.day, w.hour, w.minute, w.second, w.nano, zone)
	if w.month < 1 || w.month > 12 || w.day < 1 || w.day > daysIn(w.year, w.month) {
		return 0, store.Invalid("time "+quoted(s), "it is not a time", timeForms)
	}
	return stored(s, t)
}

func daysIn(year, month int) int {
	return time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// wall is what stands on a calendar and a clock.
type wall struct {
	year, month, day           int
	hour, minute, second, nano int
	ambiguous                  bool // day and month may have to be swapped
}

// parseWall reads a date, and behind a space, a comma or a T a time of day.
func parseWall(s string) (w wall, ok bool) {
	c := cursor{s}
	first, n := c.digits()
	by := c.any("-/. ")
	second, m := c.digits()
	if by == 0 || m < 1 || m > 2 || c.any(string(by)) == 0 {
		return w, false
	}
	third, l := c.digits()
	switch {
	case n == 4 && (l == 1 || l == 2):
		w.year, w.month, w.day = first, second, third
	case l == 4 && (n == 1 || n == 2) && by != ' ':
		w.day, w.month, w.year, w.ambiguous = first, second, third, by != '.'
	default:
		return w, false
	}
	if c.rest == "" {
		return w, true
	}
	if c.any(",") != 0 {
		c.any(" ")
	} else if c.any(" T") == 0 {
		return w, false
	}
	return w, c.clock(&w)
}

// cursor takes a text apart from its beginning.
type cursor struct{ rest string }

// digits takes digits and says how many they were.
func (c *cursor) digits() (value, n int) {
	for n < len(c.rest) && n < 9 && c.rest[n] >= '0' && c.rest[n] <= '9' {
		value = value*10 + int(c.rest[n]-'0')
		n++
	}
	c.rest = c.rest[n:]
	return value, n
}

// any takes one of the characters, if one of them is next.
func (c *cursor) any(of string) byte {
	if c.rest == "" || strings.IndexByte(of, c.rest[0]) < 0 {
		return 0
	}
	b := c.rest[0]
	c.rest = c.rest[1:]
	return b
}

// clock takes a time of day to the end of the text: 9:30, 09:30:15.250, 9:30 PM.
func (c *cursor) clock(w *wall) bool {
	var n, m int
	w.hour, n = c.digits()
	if n < 1 || n > 2 || c.any(":") == 0 {
		return false
	}
	if w.minute, m = c.digits(); m != 2 {
		return false
	}
	if c.any(":") != 0 {
		var l int
		if w.second, l = c.digits(); l != 2 || !c.fraction(w) {
			return false
		}
	}
	if w.minute > 59 || w.second > 59 {
		return false
	}
	switch half := strings.ToUpper(strings.TrimLeft(c.rest, " \u00a0\u202f")); half {
	case "":
		return w.hour < 24
	case "AM", "PM":
		if w.hour < 1 || w.hour > 12 {
			return false
		}
		if w.hour %= 12; half == "PM" {
			w.hour += 12
		}
		return true
	}
	return false
}

func (c *cursor) fraction(w *wall) bool {
	if c.any(".,") == 0 {
		return true
	}
	value, n := c.digits()
	for range 9 - n {
		value *= 10
	}
	w.nano = value
	return n > 0
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
