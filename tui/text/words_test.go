package text

import (
	"math"
	"testing"
	"time"
)

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0:                                "0s",
		300 * time.Microsecond:           "<1ms",
		40 * time.Millisecond:            "40ms",
		420 * time.Millisecond:           "0.4s",
		9990 * time.Millisecond:          "9.9s",
		12 * time.Second:                 "12s",
		59999 * time.Millisecond:         "59s",
		185 * time.Second:                "3m05s",
		134 * time.Minute:                "2h14m",
		76 * time.Hour:                   "3d4h",
		412 * 24 * time.Hour:             "412d",
		-12 * time.Second:                "-12s",
		time.Duration(math.MinInt64):     "-53375d",
		time.Hour - time.Nanosecond:      "59m59s",
		24*time.Hour - time.Nanosecond:   "23h59m",
		2400*time.Hour - time.Nanosecond: "99d23h",
	} {
		if got := Duration(d); got != want {
			t.Errorf("Duration(%v) = %q, want %q", int64(d), got, want)
		}
	}
}

func TestAgo(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "now", 900 * time.Millisecond: "now", 12 * time.Second: "12s ago", 3 * time.Minute: "3m ago",
		50 * time.Hour: "2d ago", -12 * time.Minute: "in 12m",
	} {
		if got := Ago(d); got != want {
			t.Errorf("Ago(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestWhen(t *testing.T) {
	zone := time.FixedZone("CEST", 2*3600)
	now := time.Date(2026, 10, 8, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		at   time.Time
		zone *time.Location
		want string
	}{
		{now.Add(-time.Hour), zone, "13:00:00"},
		{now.Add(11 * time.Hour), zone, "10-09 01:00"},
		{now.AddDate(0, -1, 0), time.UTC, "09-08 12:00"},
		{now.AddDate(-1, 0, 0), time.UTC, "2025-10-08"},
		{now.Add(-90 * time.Second), nil, "1m ago"},
		{time.Time{}, zone, "-"},
	} {
		if got := When(c.at, now, c.zone); got != c.want {
			t.Errorf("When(%v) = %q, want %q", c.at, got, c.want)
		}
	}
	if got := Stamp(now, zone) + " " + ZoneName(now, zone); got != "2026-10-08 14:00:00.000 CEST" {
		t.Errorf("Stamp = %q", got)
	}
	if got := Clock(now, zone); got != "14:00:00" {
		t.Errorf("Clock = %q", got)
	}
}

func TestNumbers(t *testing.T) {
	for n, want := range map[int64][2]string{
		0: {"0", "0"}, 7: {"7", "7"}, 999: {"999", "999"}, 1000: {"1,000", "1.0k"}, 12403: {"12,403", "12.4k"},
		123456: {"123,456", "123k"}, 999999: {"999,999", "999k"}, 1000000: {"1,000,000", "1.0M"}, -12403: {"-12,403", "-12.4k"}, -999: {"-999", "-999"},
		math.MaxInt64: {"9,223,372,036,854,775,807", "9.2E"}, math.MinInt64: {"-9,223,372,036,854,775,808", "-9.2E"},
	} {
		if got := [2]string{Count(n), CompactCount(n)}; got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
	if got := Bytes(12403); got != "12.4 kB" {
		t.Errorf("Bytes = %q", got)
	}
}

func TestRate(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0/s", -1: "0/s", math.NaN(): "0/s", 12.44: "12.4/s", 0.5: "30.0/m", 0.01: "36.0/h", 4200: "4.2k/s", 150: "150/s", math.Inf(1): "1000E/s",
	} {
		if got := Rate(v); got != want {
			t.Errorf("Rate(%v) = %q, want %q", v, got, want)
		}
	}
}

func TestPercentNeverClaimsAllOrNothingFalsely(t *testing.T) {
	for _, c := range []struct {
		part, total int64
		want        string
	}{{0, 0, "0%"}, {0, 9, "0%"}, {1, 1000, "<1%"}, {999, 1000, "99%"}, {1000, 1000, "100%"}, {1, 3, "33%"}} {
		if got := Percent(c.part, c.total); got != c.want {
			t.Errorf("Percent(%d, %d) = %q, want %q", c.part, c.total, got, c.want)
		}
	}
}

func TestNearest(t *testing.T) {
	words := []string{"retry", "verify", "mark", "mark-all", "page-down"}
	for in, want := range map[string]string{
		"retyr": "retry", "rety": "retry", "verfy": "verify", "markall": "mark-all", "page_down": "page-down", "zzz": "", "": "",
	} {
		if got := Nearest(in, words); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", in, got, want)
		}
	}
}
