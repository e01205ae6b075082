package lane

import "time"

// minutes is how far back the use of the pool is kept.
const minutes = 15

// usage is the busy time of the pool in each of the last minutes, integrated
// whenever the number of busy slots changes.
type usage struct {
	last  time.Time // integrated up to here
	next  time.Time // when the running minute ends
	spans []span    // oldest first, the running minute last
}

func newUsage(now time.Time) usage {
	return usage{last: now, next: endOf(now), spans: make([]span, 1, 2*minutes)}
}

// span is one minute's slot time.
type span struct {
	busy, size time.Duration // busy slots, and all slots, times how long
}

// advance accounts for the time since the last call, in which busy of size
// slots were held.
func (u *usage) advance(now time.Time, busy, size int) {
	if now.Sub(u.last) > minutes*time.Minute {
		u.last = now.Add(-minutes * time.Minute)
		u.next = endOf(u.last)
		u.spans = append(u.spans[:0], span{})
	}
	for !now.Before(u.next) {
		u.add(u.next.Sub(u.last), busy, size)
		u.last, u.next = u.next, u.next.Add(time.Minute)
		u.open()
	}
	// A clock set back gives a negative stretch: it is left out.
	u.add(max(0, now.Sub(u.last)), busy, size)
	u.last = now
}

func endOf(minute time.Time) time.Time { return minute.Truncate(time.Minute).Add(time.Minute) }

func (u *usage) add(d time.Duration, busy, size int) {
	s := &u.spans[len(u.spans)-1]
	s.busy += d * time.Duration(busy)
	s.size += d * time.Duration(size)
}

// open starts a new minute and drops those that are too old.
func (u *usage) open() {
	if len(u.spans) == cap(u.spans) {
		u.spans = u.spans[:copy(u.spans, u.spans[len(u.spans)-minutes+1:])]
	}
	u.spans = append(u.spans, span{})
}

// percent gives each minute's share of slot time that was busy.
func (u *usage) percent() []int {
	spans := u.spans[max(0, len(u.spans)-minutes):]
	out := make([]int, len(spans))
	for i, s := range spans {
		if s.size > 0 {
			out[i] = int((100*s.busy + s.size/2) / s.size)
		}
	}
	return out
}

// Utilisation gives the share of the pool that was busy, in percent, in each of
// the last 15 minutes since the pool was made, oldest first; the last is the
// running minute.
func (p *Pool) Utilisation() []int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.usage.advance(p.now(), p.busy, p.split.Size)
	return p.usage.percent()
}
