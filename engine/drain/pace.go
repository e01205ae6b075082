package drain

import (
	"slices"
	"time"
)

// Waits between looks at the available queues.
const (
	// rest is the least of them, so that a flood of signals costs no flood of
	// looks.
	rest = 2 * time.Millisecond
	// share is how many times its own cost a look is followed by nothing.
	share = 10
	// longest is the most of them, whatever a look costs.
	longest = time.Second
)

// pace says how long to wait between looks. What a look costs is taken to be the
// shortest of the last few: one that stood still because the store or the machine
// did says nothing of its cost, and must not put the next one off.
type pace struct {
	took [8]time.Duration // of the last looks; the eldest is overwritten
	n    int
}

// after gives the wait after a look that took so long.
func (p *pace) after(took time.Duration) time.Duration {
	p.took[p.n%len(p.took)] = took
	p.n++
	cost := slices.Min(p.took[:min(p.n, len(p.took))])
	return min(max(rest, share*cost), longest)
}
