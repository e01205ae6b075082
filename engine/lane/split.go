package lane

import (
	"fmt"

	"signalbox/store"
)

// Lane is the kind of work a drain does.
type Lane string

// The two lanes, and the name of the slots both may use.
const (
	Fast    Lane = "fast" // short holds
	Slow    Lane = "slow" // long holds
	Commons Lane = "commons"
)

func (l Lane) validate() error {
	if l == Fast || l == Slow {
		return nil
	}
	return store.Invalid(fmt.Sprintf("lane %q", string(l)), "a lane is fast or slow", "use one of these")
}

// index numbers the lanes and the commons, for tables.
func (l Lane) index() int {
	switch l {
	case Fast:
		return 0
	case Slow:
		return 1
	}
	return 2
}

func (l Lane) other() Lane {
	if l == Fast {
		return Slow
	}
	return Fast
}

// The sizes a pool may have. The smallest is a reserve for each lane and one
// common slot.
const (
	Floor   = 3
	Ceiling = 2000
)

// Split divides a pool of Size slots: Fast only for the fast lane, Slow only
// for the slow one, the rest common to both.
type Split struct {
	Size int
	Fast int
	Slow int
}

// Auto gives the default split: a reserve of max(1, n div 4) per lane, the rest
// commons. Below Floor all slots are common.
func Auto(n int) Split {
	if n < Floor {
		return Split{Size: max(n, 0)}
	}
	reserve := max(1, n/4)
	return Split{n, reserve, reserve}
}

// Validate refuses a split that a pool can't have.
func (s Split) Validate() error {
	thing := fmt.Sprintf("a pool of %d slots with %d fast and %d slow", s.Size, s.Fast, s.Slow)
	switch {
	case s.Size < Floor:
		return store.Invalid(fmt.Sprintf("a pool of %d slots", s.Size), fmt.Sprintf("a pool has at least %d slots", Floor), fmt.Sprintf("use %d or more", Floor))
	case s.Size > Ceiling:
		return store.Invalid(fmt.Sprintf("a pool of %d slots", s.Size), fmt.Sprintf("a pool has at most %d slots", Ceiling), "use fewer")
	case s.Fast < 1 || s.Slow < 1:
		return store.Invalid(thing, "each lane keeps at least 1 slot for itself", "raise the smaller reserve to 1")
	case s.Fast+s.Slow > s.Size:
		return store.Invalid(thing, "the reserves together are more than the pool", fmt.Sprintf("lower them to %d together, or raise the pool", s.Size))
	}
	return nil
}

// Common is the number of slots both lanes may use.
func (s Split) Common() int { return s.Size - s.Fast - s.Slow }

// Range gives the first and last slot number of the lane, or of the commons;
// last < first when there is none. Each lane is one contiguous range, and the
// two overlap exactly on the commons.
func (s Split) Range(l Lane) (first, last int) {
	switch l {
	case Fast:
		return 1, s.Size - s.Slow
	case Slow:
		return s.Fast + 1, s.Size
	}
	return s.Fast + 1, s.Size - s.Slow
}

// Of says which part of the pool a slot belongs to.
func (s Split) Of(slot int) Lane {
	switch {
	case slot <= s.Fast:
		return Fast
	case slot > s.Size-s.Slow:
		return Slow
	}
	return Commons
}
