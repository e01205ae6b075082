package engine

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"signalbox/store"
)

// Rate bounds how many items a bulk act takes in a time; the zero Rate does not.
type Rate struct {
	Items int
	Per   time.Duration
}

// rateUnits are the times that a rate may be given for.
var rateUnits = map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour}

// ParseRate reads a rate: "50/s", "100/m", "2000/h"; "" is none.
func ParseRate(s string) (Rate, error) {
	if s == "" {
		return Rate{}, nil
	}
	items, unit, _ := strings.Cut(s, "/")
	n, err := strconv.Atoi(items)
	per, ok := rateUnits[unit]
	if err != nil || !ok || n < 1 || n > 1_000_000 {
		return Rate{}, store.Invalid("rate "+strconv.Quote(s), "a rate is a number of items, 1 to 1000000, in a second, a minute or an hour", "write it as 50/s, 100/m or 2000/h")
	}
	return Rate{n, per}, nil
}

// String gives the form that ParseRate reads.
func (r Rate) String() string {
	for unit, per := range rateUnits {
		if per == r.Per {
			return fmt.Sprintf("%d/%s", r.Items, unit)
		}
	}
	return ""
}

// MarshalText implements encoding.TextMarshaler.
func (r Rate) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (r *Rate) UnmarshalText(b []byte) (err error) {
	*r, err = ParseRate(string(b))
	return err
}

// stride is how far apart the batches of a rate are, where it is not slower
// itself.
const stride = 100 * time.Millisecond

// pace says when a bulk act may take its next items.
type pace struct {
	rate  Rate
	start time.Time // when the first was due
	given int
}

// next is how many may be taken now, or, with 0, how long to wait before asking
// again. Time lost to a store that was slow is not made up for by a burst.
func (p *pace) next(now time.Time, left int) (n int, wait time.Duration) {
	if p.rate.Items == 0 {
		return min(bulkBatch, left), 0
	}
	if p.start.IsZero() {
		p.start = now
	}
	every := p.rate.Per / time.Duration(p.rate.Items)
	want := min(max(int(stride/every), 1), bulkBatch, left)
	due := int(now.Sub(p.start)/every) + 1 - p.given
	if due < want {
		return 0, p.start.Add(time.Duration(p.given+want-1) * every).Sub(now)
	}
	if due > 2*want {
		p.start = now.Add(-time.Duration(p.given+want-1) * every)
	}
	return want, 0
}
