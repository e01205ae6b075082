package store

import (
	"math"
	"strconv"
	"time"
)

// Time is an instant in milliseconds since the Unix epoch, UTC; 0 is no time.
// Records hold it instead of time.Time: it is a third of the size, has no
// pointer, and is written with exactly the milliseconds the formats promise.
type Time int64

// Layout is how a Time is written: RFC 3339, UTC, milliseconds.
const Layout = "2006-01-02T15:04:05.000Z"

// At turns t into a Time, cutting below a millisecond; the zero time gives 0.
func At(t time.Time) Time {
	if t.IsZero() {
		return 0
	}
	return Time(t.UnixMilli())
}

// Time gives the instant in UTC; 0 gives the zero time.
func (t Time) Time() time.Time {
	if t == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(t)).UTC()
}

// IsZero says that no time is set.
func (t Time) IsZero() bool { return t == 0 }

// Add gives t shifted by d; no time stays no time.
func (t Time) Add(d time.Duration) Time {
	if t == 0 {
		return 0
	}
	return t + Time(d.Milliseconds())
}

// Sub gives the duration from u to t; one beyond 292 years is as long as a
// duration can be.
func (t Time) Sub(u Time) time.Duration {
	const most = math.MaxInt64 / int64(time.Millisecond)
	return time.Duration(min(max(int64(t-u), -most), most)) * time.Millisecond
}

// String gives t in Layout, or "" for no time.
func (t Time) String() string {
	if t == 0 {
		return ""
	}
	return t.Time().Format(Layout)
}

// MarshalText implements encoding.TextMarshaler.
func (t Time) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler; it takes any RFC 3339 time.
func (t *Time) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		*t = 0
		return nil
	}
	v, err := time.Parse(time.RFC3339Nano, string(b))
	if err != nil || v.UTC().Year() > 9999 || v.UTC().Year() < 0 { // which could not be written so again
		return Invalid("time "+quote(string(b)), "not an RFC 3339 time", "write it as 2026-03-01T09:30:00Z")
	}
	*t = At(v)
	return nil
}

// Duration is a time.Duration written as text ("10m", "24h0m0s" shortened to "24h").
type Duration time.Duration

// String gives d without zero tails: 10m, not 10m0s; whole days from two on as
// such: 30d.
func (d Duration) String() string {
	const day = Duration(24 * time.Hour)
	if d >= 2*day && d%day == 0 {
		return strconv.FormatInt(int64(d/day), 10) + "d"
	}
	s := time.Duration(d).String()
	if n := len(s); n > 2 && s[n-2:] == "0s" && (s[n-3] == 'm') {
		s = s[:n-2]
		if n := len(s); n > 2 && s[n-2:] == "0m" && s[n-3] == 'h' {
			s = s[:n-2]
		}
	}
	return s
}

// MarshalText implements encoding.TextMarshaler.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler: Go durations, with d for
// days of 24 hours ("30d"). Negative durations are refused.
func (d *Duration) UnmarshalText(b []byte) error {
	v, err := ParseDuration(string(b))
	*d = Duration(v)
	return err
}

// ParseDuration reads a duration: Go's form ("90s", "1h30m"), whole days
// ("30d"), or "0". Negative durations are refused.
func ParseDuration(s string) (time.Duration, error) {
	bad := Invalid("duration "+quote(s), "a duration is a number with a unit", "write it as 90s, 10m, 24h or 30d")
	if n := len(s); n > 1 && s[n-1] == 'd' {
		days, err := strconv.ParseUint(s[:n-1], 10, 32)
		if err != nil || days > math.MaxInt64/uint64(24*time.Hour) {
			return 0, bad
		}
		return time.Duration(days) * 24 * time.Hour, nil
	}
	v, err := time.ParseDuration(s)
	if err != nil || v < 0 {
		return 0, bad
	}
	return v, nil
}
