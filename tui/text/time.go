package text

import (
	"fmt"
	"time"
)

const day = 24 * time.Hour

// Duration words how long something took or has lasted, in at most two units
// and six columns: 40ms, 0.4s, 12s, 3m05s, 2h14m, 3d4h, 412d. It cuts off
// rather than rounds, so a clock never shows a second that is not over.
func Duration(d time.Duration) string {
	if d < 0 {
		return "-" + Duration(-max(d, -1<<62))
	}
	switch {
	case d == 0:
		return "0s"
	case d < time.Millisecond:
		return "<1ms"
	case d < 100*time.Millisecond:
		return fmt.Sprintf("%dms", d/time.Millisecond)
	case d < 10*time.Second:
		return fmt.Sprintf("%d.%ds", d/time.Second, d%time.Second/(100*time.Millisecond))
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
	case d < day:
		return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
	case d < 100*day:
		return fmt.Sprintf("%dd%dh", d/day, d%day/time.Hour)
	}
	return fmt.Sprintf("%dd", d/day)
}

// Ago words how far back something lies, in one unit: now, 12s ago, 3d ago;
// what lies ahead (a negative d) is "in 12s".
func Ago(d time.Duration) string {
	switch {
	case d > -time.Second && d < time.Second:
		return "now"
	case d < 0:
		return "in " + coarse(-max(d, -1<<62))
	}
	return coarse(d) + " ago"
}

func coarse(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d < day:
		return fmt.Sprintf("%dh", d/time.Hour)
	}
	return fmt.Sprintf("%dd", d/day)
}

// Clock is the time of day in zone: 14:03:09.
func Clock(t time.Time, zone *time.Location) string {
	return t.In(zone).Format("15:04:05")
}

// ZoneName is what a clock in zone is labelled with at t: UTC, CEST, +0330.
func ZoneName(t time.Time, zone *time.Location) string {
	return t.In(zone).Format("MST")
}

// When words a moment as seen from now, as short as it stays clear: the time
// for today, with the day for this year, else the date. A nil zone words it as
// a distance. The zero time is "-".
func When(t, now time.Time, zone *time.Location) string {
	if t.IsZero() {
		return "-"
	}
	if zone == nil {
		return Ago(now.Sub(t))
	}
	t, now = t.In(zone), now.In(zone)
	switch {
	case t.Year() != now.Year():
		return t.Format("2006-01-02")
	case t.YearDay() != now.YearDay():
		return t.Format("01-02 15:04")
	}
	return t.Format("15:04:05")
}

// Stamp is a moment in full, for item pages and logs: 2026-10-08 14:03:09.250.
func Stamp(t time.Time, zone *time.Location) string {
	if t.IsZero() {
		return "-"
	}
	return t.In(zone).Format("2006-01-02 15:04:05.000")
}
