package lane

import (
	"time"

	"signalbox/store"
)

// enough is how many holds an average needs before it tells anything, and
// about how many of the latest it follows.
const enough = 8

// average follows how long a lane's holders hold their slots.
type average struct {
	mean    float64 // nanoseconds
	samples int
}

func (a *average) add(d time.Duration) {
	a.samples = min(a.samples+1, enough)
	a.mean += (float64(max(d, 0)) - a.mean) / float64(a.samples)
}

// rate is how many of the slots lane l may use come free in a nanosecond, as far
// as their holders' lanes tell.
func (p *Pool) rate(l Lane) (r float64) {
	for i, t := range p.lanes {
		if t.hold.samples < enough || t.hold.mean == 0 {
			continue
		}
		r += float64(p.part(l).held[i]+p.part(Commons).held[i]) / t.hold.mean
	}
	return r
}

// expected estimates how long a waiter with so many turns ahead of it waits,
// given the rate at which slots come free; 0 when the rate is not known.
func expected(ahead int, rate float64) store.Duration {
	if rate == 0 {
		return 0
	}
	d := time.Duration(float64(ahead+1) / rate)
	return store.Duration(max(d.Round(time.Second), time.Second))
}
