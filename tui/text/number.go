package text

import (
	"math"
	"strconv"
)

// Count words a number with its thousands apart: 12,403.
func Count(n int64) string {
	digits := strconv.FormatInt(n, 10)
	start := 0
	if n < 0 {
		start = 1
	}
	if len(digits)-start <= 3 {
		return digits
	}
	b := make([]byte, 0, len(digits)+len(digits)/3)
	for i := range digits {
		if left := len(digits) - i; i > start && left%3 == 0 {
			b = append(b, ',')
		}
		b = append(b, digits[i])
	}
	return string(b)
}

// Plural words a number of things: 1 item, 12,403 items.
func Plural(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return Count(n) + " " + thing + "s"
}

// CompactCount words a number in at most five columns (six below zero):
// 999, 12.4k, 3.1M. Digits are cut off, never rounded up, so that "all but
// one" is never shown as all.
func CompactCount(n int64) string {
	if n > -1000 && n < 1000 {
		return strconv.FormatInt(n, 10)
	}
	return scaled(float64(n), 1000, "kMGTPE")
}

// Bytes words a size: 512 B, 12.4 kB, 3.1 MB.
func Bytes(n int64) string {
	if n > -1000 && n < 1000 {
		return strconv.FormatInt(n, 10) + " B"
	}
	number := scaled(float64(n), 1000, "kMGTPE")
	last := len(number) - 1
	return number[:last] + " " + number[last:] + "B"
}

// Rate words a number of events a second, a minute or an hour, whichever
// leaves something to read: 12.4/s, 3.0/m, 1.5/h.
func Rate(perSecond float64) string {
	switch {
	case perSecond <= 0 || math.IsNaN(perSecond):
		return "0/s"
	case perSecond >= 1000:
		return scaled(min(perSecond, 1e21), 1000, "kMGTPE") + "/s"
	case perSecond >= 1:
		return short(perSecond) + "/s"
	case perSecond*60 >= 1:
		return short(perSecond*60) + "/m"
	}
	return short(perSecond*3600) + "/h"
}

// Percent words part of total, cut off rather than rounded: 100% means all.
func Percent(part, total int64) string {
	if total <= 0 {
		return "0%"
	}
	share := float64(part) / float64(total) * 100
	if part != 0 && share < 1 && share > 0 {
		return "<1%"
	}
	return strconv.FormatFloat(math.Trunc(share), 'f', 0, 64) + "%"
}

func scaled(v, base float64, units string) string {
	unit := -1
	for math.Abs(v) >= base && unit < len(units)-1 {
		v /= base
		unit++
	}
	return short(v) + units[unit:unit+1]
}

// short keeps one digit after the point below 100, none from there on.
func short(v float64) string {
	if math.Abs(v) >= 100 {
		return strconv.FormatFloat(math.Trunc(v), 'f', 0, 64)
	}
	return strconv.FormatFloat(math.Trunc(v*10)/10, 'f', 1, 64)
}
