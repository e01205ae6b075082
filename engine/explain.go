package engine

import (
	"context"
	"fmt"
	"strings"
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
	Code  string     `json:"code"` // engine, paused, job, deferred, retry, line, lane, robots, consumer, held, final
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
		switch {
		case i.Status.InFlight():
			x.Reasons = []Reason{heldReason(&q, &i, e.now())}
			if i.LeaseUntil != 0 && i.LeaseUntil <= e.now() {
				x.Reasons = append(x.Reasons, e.neglect(LeaseLoop)...)
			}
			return nil
		case !i.Status.Waiting():
			x.Reasons = []Reason{endedReason(&q, &i, e.now())}
			return nil
		}
		x.Reasons, err = e.waitingReasons(r, &q, &i)
		return err
	})
	return x, err
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
		add(Reason{Code: "deferred", Text: "deferred for another " + lasting(i.DeferUntil.Sub(now)), Until: i.DeferUntil, Mend: "signalbox item edit " + i.ID().String() + " --defer none"})
	}
	if i.AvailableAt > now {
		add(Reason{Code: "retry", Text: fmt.Sprintf("retry %d of %d waits another %s", i.Spent, budget(q, i), lasting(i.AvailableAt.Sub(now))), Until: i.AvailableAt})
	}
	if at := i.ReadyAt(); at != 0 && at <= now {
		reasons = append(reasons, e.neglect(LeaseLoop)...)
	}
	if i.ReadyAt() <= now {
		if ahead := aheadOf(r, i, now); ahead.total() > 0 {
			add(ahead.reason(i))
		}
	}
	if q.Consumer.Kind == Manual {
		add(e.robotReason(q, now))
		return append(reasons, dateReason(i, now)...), nil
	}
	reasons = append(reasons, e.neglect(DrainLoop)...)
	if q.ConsumerError != "" {
		add(Reason{Code: "consumer", Text: "its consumer broke: " + q.ConsumerError, Mend: "mend it with `signalbox queue set " + q.Name + "`"})
	}
	if n := e.drainsOf(q.Name); q.MaxDrains > 0 && n >= q.MaxDrains {
		add(Reason{Code: "drains", Text: fmt.Sprintf("%d of the %s that the queue may have are running", n, plural(q.MaxDrains, "drain")), Mend: "signalbox queue set " + q.Name + " --max-drains 0"})
	} else if r, full := e.laneReason(q); full {
		add(r)
	}
	if len(reasons) == 0 {
		add(Reason{Code: "next", Text: "nothing is in its way; a drain takes it next"})
	}
	return append(reasons, dateReason(i, now)...), nil
}

// neglect says that one of the engine's loops fails, if it does.
func (e *Engine) neglect(loop string) []Reason {
	for _, u := range e.Upkeep() {
		if u.Loop == loop && u.Failing() {
			text := fmt.Sprintf("%s, for %s: %s", u.Undone(), lasting(e.now().Sub(u.FailingSince)), u.Error)
			return []Reason{{Code: "engine", Text: text, Mend: "mend what the error names; the engine tries again by itself"}}
		}
	}
	return nil
}

// drainsOf counts the slots that a queue's drains hold.
func (e *Engine) drainsOf(queue string) (n int) {
	for _, slot := range e.slots.State().Slots {
		if slot.Holder != nil && slot.Holder.Queue == queue {
			n++
		}
	}
	return n
}

// dateReason tells how the item stands to its dates, if it has any.
func dateReason(i *store.Item, now store.Time) []Reason {
	switch standing(i, now) {
	case Overdue:
		return []Reason{{Code: "sla", Text: "overdue by " + lasting(now.Sub(i.DueAt))}}
	case AtRisk:
		if i.DueAt == 0 {
			return []Reason{{Code: "sla", Text: "at risk for " + lasting(now.Sub(i.RiskAt))}}
		}
		return []Reason{{Code: "sla", Text: "at risk: due in " + lasting(i.DueAt.Sub(now)), Until: i.DueAt}}
	}
	return nil
}

// line counts the items that are claimed before one, by why they are.
type line struct {
	dated, urgent, earlier int
	more                   bool // than were counted
}

func (l *line) total() int { return l.dated + l.urgent + l.earlier }

// aheadOf counts the ready items that are claimed before this one.
func aheadOf(r store.Reader, i *store.Item, now store.Time) (l line) {
	for other, err := range r.Ready(i.Queue, now) {
		if err != nil {
			continue
		}
		if l.more = l.total() == countAhead; l.more || other.Number == i.Number {
			break
		}
		switch {
		case other.DueAt != 0 && (i.DueAt == 0 || other.Priority == i.Priority && other.DueAt < i.DueAt):
			l.dated++
		case other.Priority < i.Priority:
			l.urgent++
		default:
			l.earlier++
		}
	}
	return l
}

func (l *line) reason(i *store.Item) Reason {
	verb := " are ahead of it"
	if l.total() == 1 {
		verb = " is ahead of it"
	}
	text := plural(l.total(), "item") + verb
	if l.more {
		text = "more than " + text
	}
	var why []string
	for _, part := range []struct {
		n    int
		word string
	}{{l.dated, "due sooner"}, {l.urgent, "of higher priority"}, {l.earlier, "added before"}} {
		if part.n > 0 {
			why = append(why, fmt.Sprintf("%d %s", part.n, part.word))
		}
	}
	r := Reason{Code: "line", Text: text + ": " + strings.Join(why, ", "), Ahead: l.total()}
	if i.Priority != store.High {
		r.Mend = "signalbox item edit " + i.ID().String() + " --priority high"
	}
	return r
}

// robotReason says when somebody last asked a manual queue for work.
func (e *Engine) robotReason(q *store.Queue, now store.Time) Reason {
	r := Reason{Code: "robots", Mend: "start one with `signalbox robot --queue " + q.Name + " -- CMD`, or try with `signalbox claim --queue " + q.Name + " --robot me`"}
	switch at := e.rates.lastClaim(q.Name); {
	case at == 0:
		r.Text = "no robot has asked for work since the engine started"
	case now.Sub(at) < time.Minute:
		return Reason{Code: "robots", Text: "robots pull from this queue; the next claim may take it"}
	default:
		r.Text = "no robot has asked for work for " + lasting(now.Sub(at))
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
		holders[slot.Holder.Of()]++
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
