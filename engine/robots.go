package engine

import (
	"context"
	"slices"
	"strings"
	"time"

	"signalbox/store"
)

const (
	// robotsFor is how long a robot that holds nothing is remembered.
	robotsFor = 15 * time.Minute
	// robotChanges is the most changes that are looked at for it.
	robotChanges = 20_000
	// robotItems is the most items in flight that are looked at.
	robotItems = 100_000
)

// Robot is who claims items: a robot, or a drain of the engine's own.
type Robot struct {
	Name   string   `json:"name"`
	Queues []string `json:"queues"` // that it holds items of, or has claimed from lately
	Held   int      `json:"held"`
	// Oldest is the item held longest, and since when; LeaseUntil is when the
	// first of its leases runs out.
	Oldest     store.ID   `json:"oldest,omitzero"`
	OldestAt   store.Time `json:"oldest_at,omitzero"`
	LeaseUntil store.Time `json:"lease_until,omitzero"`
	// SeenAt is its last sign of life: a claim, a report or a renewal.
	SeenAt store.Time `json:"seen_at"`
	// What it did within Window; the last minutes only where more happened
	// than is looked at.
	Claims int            `json:"claims"`
	Done   int            `json:"done"`
	Failed int            `json:"failed"` // exceptions of both kinds
	Window store.Duration `json:"window"`
}

// Robots lists who holds items now or has claimed or reported lately, by name.
func (e *Engine) Robots(ctx context.Context) ([]Robot, error) {
	by := robots{}
	err := e.store.View(ctx, func(r store.Reader) error {
		now := e.now()
		if err := by.held(r); err != nil {
			return err
		}
		return by.lately(r, now)
	})
	if err != nil {
		return nil, err
	}
	list := make([]Robot, 0, len(by))
	for _, r := range by {
		slices.Sort(r.Queues)
		list = append(list, *r)
	}
	slices.SortFunc(list, func(a, b Robot) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

type robots map[string]*Robot

func (by robots) named(name string) *Robot {
	r := by[name]
	if r == nil {
		r = &Robot{Name: name, Queues: []string{}}
		by[name] = r
	}
	return r
}

func (r *Robot) in(queue string) {
	if !slices.Contains(r.Queues, queue) {
		r.Queues = append(r.Queues, queue)
	}
}

// held counts what is in flight.
func (by robots) held(r store.Reader) error {
	queues, err := r.Queues()
	if err != nil {
		return err
	}
	looked := 0
	for i := range queues {
		q := &queues[i]
		for item, err := range r.Items(store.Query{Queue: q.Name, Statuses: []store.Status{store.Claimed, store.Processing}}) {
			if looked++; looked > robotItems {
				return nil
			}
			if err == nil { // a record that can't be read holds up nobody
				by.holds(&item, q)
			}
		}
	}
	return nil
}

func (by robots) holds(i *store.Item, q *store.Queue) {
	r := by.named(i.ClaimedBy)
	r.in(i.Queue)
	r.Held++
	if r.OldestAt.IsZero() || i.ClaimedAt < r.OldestAt {
		r.Oldest, r.OldestAt = i.ID(), i.ClaimedAt
	}
	r.SeenAt = max(r.SeenAt, i.ClaimedAt, i.StartedAt)
	if !i.LeaseUntil.IsZero() {
		if r.LeaseUntil.IsZero() || i.LeaseUntil < r.LeaseUntil {
			r.LeaseUntil = i.LeaseUntil
		}
		r.SeenAt = max(r.SeenAt, i.LeaseUntil-store.Time(time.Duration(q.Lease).Milliseconds()))
	}
}

// lately counts what the newest changes tell of claims and reports.
func (by robots) lately(r store.Reader, now store.Time) error {
	last, err := r.LastChange()
	if err != nil {
		return err
	}
	from := last - min(last, robotChanges)
	changes, err := r.Changes(from, robotChanges)
	if err != nil {
		return err
	}
	since := now - store.Time(robotsFor.Milliseconds())
	if len(changes) > 0 { // no further back than was looked at
		since = max(since, changes[0].At)
	}
	for i := range changes {
		if changes[i].At >= since {
			by.did(&changes[i])
		}
	}
	for _, robot := range by {
		robot.Window = store.Duration(time.Duration(now-since) * time.Millisecond)
	}
	return nil
}

func (by robots) did(c *store.Change) {
	switch Event(c.Event) {
	case EventClaim, EventClaimStart:
		by.named(c.Actor).Claims++
	case EventComplete:
		by.named(c.Actor).Done++
	case EventBusiness, EventSystem:
		by.named(c.Actor).Failed++
	case EventStart, EventRelease, EventPostpone:
		by.named(c.Actor)
	default:
		return
	}
	r := by.named(c.Actor)
	r.in(c.Queue)
	r.SeenAt = max(r.SeenAt, c.At)
}
