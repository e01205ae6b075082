package engine

import (
	"context"
	"fmt"
	"time"

	"signalbox/engine/lane"
	"signalbox/store"
)

// Explanation says why an item is not being worked now, or who works it.
type Explanation struct {
	Item    store.ID     `json:"item"`
	Status  store.Status `json:"status"`
	Reasons []Reason     `json:"reasons"` // in the order in which they hold it up
}

// Reason is one thing in an item's way, in plain words, with its numbers.
type Reason struct {
	Code  string     `json:"code"` // paused, job, deferred, retry, line, lane, robots, consumer, held, final
	Text  string     `json:"text"`
	Mend  string     `json:"mend,omitempty"`  // what would help
	Until store.Time `json:"until,omitzero"`  // when it ends by itself
	Ahead int        `json:"ahead,omitempty"` // items or turns before it
}

// countAhead is how far the line before an item is counted.
const countAhead = 10_000

// Explain says why an item is not being worked now: every reason, in the order
// in which they hold it up. CodeNotFound when it is not there.
func (e *Engine) Explain(ctx context.Context, id store.ID) (x Explanation, err error) {
	err = e.store.View(ctx, func(r store.Reader) error {
		i, err := r.Item(id)
		if err != nil {
			return err
		}
		q, err := r.Queue(id.Queue)
		if err != nil {
			return err
		}
		x = Explanation{Item: id, Status: i.Status}
		if !i.Status.Waiting() {
			x.Reasons = []Reason{settledReason(&i)}
			return nil
		}
		x.Reasons, err = e.waitingReasons(r, &q, &i)
		return err
	})
	return x, err
}

func settledReason(i *store.Item) Reason {
	show := "see `signalbox item show " + i.ID().String() + "`"
	switch {
	case i.Status.InFlight() && i.LeaseUntil == 0:
		return Reason{Code: "held", Text: "held by " + i.ClaimedBy + " since " + i.ClaimedAt.String() + "; its lease never runs out"}
	case i.Status.InFlight():
		return Reason{Code: "held", Text: "held by " + i.ClaimedBy + " since " + i.ClaimedAt.String(), Until: i.LeaseUntil}
	case i.Status == store.Retried && !i.Next.IsZero():
		return Reason{Code: "final", Text: "retried; " + i.Next.String() + " goes on in its place"}
	case Reviewable(i.Status):
		return Reason{Code: "final", Text: i.Status.String() + ": a person decides", Mend: "retry it, or verify it"}
	}
	return Reason{Code: "final", Text: "it is " + i.Status.String() + "; nothing more happens to it", Mend: show}
}

func (e *Engine) waitingReasons(r store.Reader, q *store.Queue, i *store.Item) (reasons []Reason, err error) {
	now := e.now()
	add := func(r Reason) { reasons = append(reasons, r) }
	if q.Paused {
		add(Reason{Code: "paused", Text: "queue " + q.Name + " is paused by " + q.PausedBy, Mend: "signalbox queue resume " + q.Name})
	}
	if err, ok := e.vault.locked(q).(*store.Error); ok {
		add(Reason{Code: "encrypted", Text: "no robot gets it: " + err.Rule, Mend: err.Mend})
	}
	if j, err := r.Job(i.Job); err == nil && inJob(i) && jobBars(&j) != nil {
		text := "its job " + j.ID + " is " + j.Status.String()
		if j.PausedBy != "" {
			text += " by " + j.PausedBy
		}
		add(Reason{Code: "job", Text: text, Mend: "signalbox job resume " + j.ID})
	}
	if i.DeferUntil > now {
		add(Reason{Code: "deferred", Text: "deferred for another " + store.Duration(i.DeferUntil.Sub(now).Round(time.Second)).String(), Until: i.DeferUntil})
	}
	if i.AvailableAt > now {
		add(Reason{Code: "retry", Text: "its retry waits another " + store.Duration(i.AvailableAt.Sub(now).Round(time.Second)).String(), Until: i.AvailableAt})
	}
	if i.ReadyAt() <= now {
		ahead, err := aheadOf(r, i, now)
		if err != nil {
			return nil, err
		}
		if ahead > 0 {
			add(Reason{Code: "line", Text: aheadText(ahead), Ahead: ahead})
		}
	}
	if q.Consumer.Kind == Manual {
		return append(reasons, e.robotReason(q, now)), nil
	}
	if q.ConsumerError != "" {
		add(Reason{Code: "consumer", Text: "its consumer broke: " + q.ConsumerError, Mend: "mend it with `signalbox queue set " + q.Name + "`"})
	}
	if r, full := e.laneReason(q); full {
		add(r)
	}
	if len(reasons) == 0 {
		add(Reason{Code: "next", Text: "nothing is in its way; a drain takes it next"})
	}
	return reasons, nil
}

// aheadOf counts the ready items that are claimed before this one.
func aheadOf(r store.Reader, i *store.Item, now store.Time) (n int, err error) {
	for other, err := range r.Ready(i.Queue, now) {
		if err != nil {
			continue
		}
		if other.Number == i.Number || n == countAhead {
			break
		}
		n++
	}
	return n, nil
}

func aheadText(n int) string {
	switch n {
	case 1:
		return "1 item is ahead of it"
	case countAhead:
		return fmt.Sprintf("more than %d items are ahead of it", n)
	}
	return fmt.Sprintf("%d items are ahead of it", n)
}

// robotReason says when somebody last asked a manual queue for work.
func (e *Engine) robotReason(q *store.Queue, now store.Time) Reason {
	r := Reason{Code: "robots", Mend: "start a robot on queue " + q.Name}
	switch at := e.rates.lastClaim(q.Name); {
	case at == 0:
		r.Text = "no robot has asked for work since the engine started"
	case now.Sub(at) < time.Minute:
		return Reason{Code: "robots", Text: "robots pull from this queue; the next claim may take it"}
	default:
		r.Text = "no robot has asked for work for " + store.Duration(now.Sub(at).Round(time.Second)).String()
	}
	return r
}

// laneReason says that the queue's lane has no free slot, and who holds them.
func (e *Engine) laneReason(q *store.Queue) (Reason, bool) {
	s := e.slots.State()
	first, last := s.Fast.First, s.Fast.Last
	if lane.Lane(q.Lane) == lane.Slow {
		first, last = s.Slow.First, s.Slow.Last
	}
	holders := map[string]int{}
	for _, slot := range s.Slots {
		if slot.Number < first || slot.Number > last {
			continue
		}
		if slot.Holder == nil {
			return Reason{}, false
		}
		holders[slot.Holder.Queue]++
	}
	most, n := "", 0
	for name, held := range holders {
		if held > n || held == n && name < most {
			most, n = name, held
		}
	}
	r := Reason{Code: "lane", Text: fmt.Sprintf("the %s lane is full: %d of %d slots are busy, %d of them with %s", q.Lane, s.Busy, s.Pool, n, most), Mend: "wait, or give the lane more slots with `signalbox slot set`"}
	for _, w := range s.Waiting {
		if w.Queue == q.Name {
			r.Ahead = w.Ahead
			r.Text += "; " + w.Standing()
			break
		}
	}
	return r, true
}
