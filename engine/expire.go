package engine

import (
	"context"
	"fmt"
	"strings"
	"time"

	"signalbox/store"
)

// burstPause is the least time between two bursts of dates, so that those that come
// one after the other make no flood of notices and webhooks.
const burstPause = 5 * time.Second

// sweepSize is how many items of a kind are handled in one commit.
const sweepSize = 500

// expirer acts when time itself changes items: a lease runs out, a delay ends.
// It sleeps until the earliest such instant; every change that brings an
// earlier one tells it.
type expirer struct {
	alarm
	cancel context.CancelFunc
	done   chan struct{}
	told   store.Time // when dates were last told of
}

// init readies the expirer for what changes tell it before it is started.
func (x *expirer) init(e *Engine) {
	x.alarm.init(e)
	x.done = make(chan struct{})
}

func (x *expirer) start() {
	ctx, cancel := context.WithCancel(context.Background())
	x.cancel = cancel
	x.wake()
	go x.run(ctx)
}

func (x *expirer) stop() {
	x.cancel()
	<-x.done
	x.silence()
}

func (x *expirer) run(ctx context.Context) {
	defer close(x.done)
	for {
		select {
		case <-ctx.Done():
			return
		case <-x.kick:
		}
		x.heard()
		err := x.sweep(ctx)
		x.e.tended(ctx, LeaseLoop, err)
		if err != nil && ctx.Err() == nil {
			x.due(x.e.now().Add(time.Second))
		}
	}
}

// sweep applies all that has run out by now, and arms the timer for what is next.
func (x *expirer) sweep(ctx context.Context) error {
	var dates burst
	if x.told == 0 || x.told.Add(burstPause) <= x.e.now() {
		dates = burst{}
		defer func() { x.finish(dates) }()
	}
	for {
		at, date, err := x.next(ctx)
		if err != nil {
			return err
		}
		if now := x.e.now(); (at == 0 || at > now) && (date == 0 || date > now) {
			x.due(at)
			x.due(date)
			return nil
		}
		held, err := x.e.expire(ctx, dates)
		if err != nil {
			return err
		}
		if held { // only dates are
			x.due(at)
			x.due(max(x.told.Add(burstPause), x.e.now().Add(burstPause/5)))
			return nil
		}
	}
}

// next says when the next lease or delay ends, and when the next date comes.
func (x *expirer) next(ctx context.Context) (at, date store.Time, err error) {
	err = x.e.look(ctx, func(r store.Reader) error {
		at, date, err = nextDue(r)
		return err
	})
	return at, date, err
}

func nextDue(r store.Reader) (at, date store.Time, err error) {
	if at, err = r.NextDue(); err == nil {
		date, err = r.NextDate()
	}
	return at, date, err
}

// finish ends a burst with a notice for each of its queues and events.
func (x *expirer) finish(dates burst) {
	if len(dates) > 0 {
		x.told = x.e.now()
		x.e.feed.touch(&effects{notices: dates.notices(x.told)})
	}
}

// expire ends the leases that have run out, offers what has become ready and tells
// of dates that have come, which it adds to dates, or with nil does not. All that is
// left to do may be held back: by that, or by open imports.
func (e *Engine) expire(ctx context.Context, dates burst) (held bool, err error) {
	var told burst
	err = e.change(ctx, func(t *tx) error {
		told = burst{}
		expired, err := t.Expired(t.now, sweepSize)
		if err != nil {
			return err
		}
		if err := t.expireAll(expired, leaseRanOut); err != nil {
			return err
		}
		ripe, err := t.Ripen(t.now)
		if err != nil {
			return err
		}
		for _, name := range ripe {
			t.touch(name)
			t.offer(name)
		}
		if dates == nil {
			passed, err := t.Passed(t.now, 1)
			held = len(passed) > 0 && len(expired)+len(ripe) == 0
			return err
		}
		held, err = t.tellDates(told)
		held = held && len(expired)+len(ripe)+len(told) == 0
		return err
	})
	if err != nil {
		return false, err
	}
	for of, n := range told {
		dates[of] += n
	}
	return held, nil
}

// reason says why a claim ended without a word.
type reason func(*store.Queue, *store.Item) string

func leaseRanOut(q *store.Queue, i *store.Item) string {
	return fmt.Sprintf("lease of %s ran out, no word from robot %q", q.Lease, i.ClaimedBy)
}

func engineDied(_ *store.Queue, i *store.Item) string {
	return fmt.Sprintf("the engine that ran drain %q is gone", i.ClaimedBy)
}

func (t *tx) expireAll(items []store.Item, why reason) error {
	abandoned := map[string]*abandonedData{}
	for n := range items {
		i := &items[n]
		q, err := t.Queue(i.Queue)
		if err != nil {
			return err
		}
		if err := t.expireOne(&q, i, why(&q, i)); err != nil {
			return err
		}
		if i.Status == store.Abandoned {
			of := abandoned[i.Queue]
			if of == nil {
				of = &abandonedData{Queue: i.Queue}
				abandoned[i.Queue] = of
			}
			if of.Count++; of.Count <= 100 {
				of.Items = append(of.Items, i.ID())
			}
		}
	}
	for queue, of := range abandoned {
		t.notice("warn", fmt.Sprintf("%d abandoned in %s", of.Count, queue), store.ID{Queue: queue})
		if Builtin(queue) {
			continue
		}
		if err := t.announce(AbandonedEvent, of); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) expireOne(q *store.Queue, i *store.Item, why string) error {
	row, err := next(q, i, EventExpire)
	if err != nil {
		return err
	}
	if i.Error != nil { // what an earlier attempt left is not this one's
		if err := t.PutResult(i.ID(), store.Result{}); err != nil {
			return err
		}
	}
	i.Error = &store.Failure{Kind: System, Reason: why, At: t.now}
	switch row.guard {
	case expiryPays:
		_, err = t.retryLater(q, i, row, why, 0)
		return err
	case reclaim:
		i.Reclaims++
	}
	return t.end(i, row, why)
}

// DrainPrefix begins the robot names of an engine's own drains; the engine's
// incarnation follows.
const DrainPrefix = "engine/"

// endOrphans ends at once what the drains of earlier engines on this store
// held: their processes died with them.
func (e *Engine) endOrphans(ctx context.Context) error {
	own := DrainPrefix + e.incarnation + "/"
	var after store.ID
	for {
		var orphans []store.Item
		err := e.store.View(ctx, func(r store.Reader) error {
			orphans = orphans[:0]
			q := store.Query{Statuses: []store.Status{store.Claimed, store.Processing}, After: after}
			for i, err := range r.Items(q) {
				if err != nil || !strings.HasPrefix(i.ClaimedBy, DrainPrefix) || strings.HasPrefix(i.ClaimedBy, own) {
					continue
				}
				if orphans = append(orphans, i); len(orphans) == sweepSize {
					break
				}
			}
			return nil
		})
		if err != nil || len(orphans) == 0 {
			return err
		}
		after = orphans[len(orphans)-1].ID()
		if err := e.endThese(ctx, orphans); err != nil {
			return err
		}
	}
}

func (e *Engine) endThese(ctx context.Context, orphans []store.Item) error {
	return e.change(ctx, func(t *tx) error {
		var still []store.Item
		for _, o := range orphans {
			i, err := t.Item(o.ID())
			if err == nil && i.Revision == o.Revision {
				still = append(still, i)
			}
		}
		return t.expireAll(still, engineDied)
	})
}
