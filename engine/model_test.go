package engine_test

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"signalbox/engine"
	"signalbox/store"
)

// model is the plain reference for the life of a queue's items: what the rules
// say, written as one would say them, with no regard for the engine's table,
// indexes or store. life_test.go holds the engine against it step by step.
type model struct {
	queue  store.Queue
	paused bool
	items  []*modelItem // by number - 1
	jobs   map[string]*modelJob
}

type modelItem struct {
	number    uint64
	status    store.Status
	fence     uint64
	attempts  int
	failures  int
	spent     int
	reclaims  int
	robot     string
	delayed   store.Time // until then, by a retry
	deferred  store.Time // until then, by a person or a robot
	leaseEnd  store.Time
	due       store.Time
	priority  store.Priority
	reference string
	verified  bool
	next      uint64
	waitsOnUs bool // for a person's decision
	key       string
	job       string
	weight    int64

	changes int
	was     *modelItem // before the operator's act that came last
	gone    bool       // retention took it
	seen    string     // what it was when it was noted last
	touched store.Time // when that changed
}

// note keeps when items were last touched.
func (m *model) note(now store.Time) {
	for _, i := range m.items {
		if is := fmt.Sprint(i.status, i.fence, i.verified, i.next); is != i.seen {
			i.seen, i.touched = is, now
		}
	}
}

// retained says whether an item must still be there (late: retention has had its
// time), or may be gone. Times are known to a tenth of a second.
func (m *model) retained(i *modelItem, now store.Time) (must, may bool) {
	const unsure, late = 100, 1200
	decided := i.verified || !engine.Reviewable(i.status)
	age, then := m.queue.RetainExcepted, m.queue.RetainExceptedThen
	if decided {
		age, then = m.queue.RetainSettled, m.queue.RetainSettledThen
	}
	if i.held() || i.status == m.waiting() || then == engine.ThenKeep {
		return true, false
	}
	over := i.touched.Add(time.Duration(age))
	must = now+unsure < over
	if i.job != "" {
		j := m.jobs[i.job]
		must = must || !j.ended
		over = max(over, j.at)
	}
	return must, !must && now > over+late
}

func (i *modelItem) readyAt() store.Time { return max(i.delayed, i.deferred) }

// changed counts a change, after which nothing before it is taken back.
func (i *modelItem) changed() {
	i.changes++
	i.was = nil
}

// acted counts a change that can be taken back.
func (i *modelItem) acted() {
	was := *i
	i.changed()
	i.was = &was
}

// undo answers as the engine must when the last act is taken back.
func (m *model) undo(i *modelItem) string {
	if i.gone {
		return engine.Gone
	}
	if i.was == nil {
		return engine.Refused
	}
	was := *i.was
	if i.status == store.Deleted && was.status != store.Retried && m.taken(i.reference) {
		return engine.Refused
	}
	if was.job != "" && was.status == m.waiting() && !m.join(was.job) {
		return engine.Refused
	}
	if i.status == store.Retried && was.status != store.Retried {
		c := m.items[i.next-1]
		if c.changes > 0 {
			return engine.Refused
		}
		c.changed()
		c.status = store.Deleted
	}
	was.was, was.changes, was.seen, was.touched = nil, i.changes+1, i.seen, i.touched
	*i = was
	return engine.OK
}

func (m *model) waiting() store.Status {
	if m.queue.Family == store.Jobs {
		return store.Queued
	}
	return store.Pending
}

func (m *model) add(i modelItem) *modelItem {
	i.number = uint64(len(m.items) + 1)
	if i.status == 0 {
		i.status = m.waiting()
	}
	m.items = append(m.items, &i)
	return &i
}

// copyOf adds the item that goes on in the place of a retried one.
func (m *model) copyOf(i *modelItem) *modelItem {
	c := m.add(modelItem{due: i.due, priority: i.priority, reference: i.reference, job: i.job, weight: i.weight})
	i.next = c.number
	return c
}

// line is what can be claimed now, in the order in which it is.
func (m *model) line(now store.Time) []*modelItem {
	var ready []*modelItem
	for _, i := range m.items {
		if i.status == m.waiting() && i.readyAt() <= now && (i.job == "" || m.jobs[i.job].status == store.JobRunning) {
			ready = append(ready, i)
		}
	}
	slices.SortFunc(ready, func(a, b *modelItem) int {
		if (a.due == 0) != (b.due == 0) {
			if a.due != 0 {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.priority, b.priority), cmp.Compare(a.due, b.due), cmp.Compare(a.number, b.number))
	})
	return ready
}

func (m *model) claim(robot string, n int, now store.Time) (claimed []uint64) {
	line := m.line(now)
	for _, i := range line[:min(n, len(line))] {
		i.changed()
		i.status = store.Claimed
		if n == 1 && m.queue.Family == store.Transactions {
			i.status = store.Processing
		}
		i.fence++
		i.attempts++
		i.robot = robot
		i.delayed, i.deferred = 0, 0
		i.leaseEnd = 0
		if m.queue.Lease > 0 {
			i.leaseEnd = now.Add(time.Duration(m.queue.Lease))
		}
		claimed = append(claimed, i.number)
	}
	return claimed
}

func (i *modelItem) held() bool { return i.status == store.Claimed || i.status == store.Processing }

// settle answers as the engine must.
func (m *model) settle(i *modelItem, fence uint64, status string, now store.Time) string {
	if i.gone {
		return engine.Gone
	}
	if !i.held() {
		over := i.status != m.waiting() && i.status != store.Abandoned && i.status != store.Retried
		if over && i.fence == fence {
			return engine.Refused
		}
		return engine.Stale
	}
	if i.fence != fence {
		return engine.Stale
	}
	i.changed()
	i.leaseEnd = 0
	jobs := m.queue.Family == store.Jobs
	switch status {
	case engine.Success:
		i.status = store.Successful
		if jobs {
			i.status = store.Completed
		}
	case engine.Business:
		i.status, i.waitsOnUs = store.BusinessException, true
		if jobs {
			i.status = store.Failed
		}
	case engine.System:
		i.failures++
		if i.spent < m.queue.Retries {
			m.again(i, now)
			return engine.OK
		}
		i.status, i.waitsOnUs = store.SystemException, true
		if jobs {
			i.status = store.Failed
		}
	}
	return engine.OK
}

// again spends a retry: in place, or by a copy.
func (m *model) again(i *modelItem, now store.Time) {
	at := now.Add(engine.RetryDelay(time.Duration(m.queue.RetryWindow), time.Duration(m.queue.RetryFloor), m.queue.Retries, i.spent+1))
	i.leaseEnd = 0
	if m.queue.Family == store.Jobs {
		i.spent++
		i.status, i.delayed = store.Queued, at
		return
	}
	i.status = store.Retried
	c := m.copyOf(i)
	c.spent, c.failures, c.delayed = i.spent+1, i.failures, at
}

// tick ends the leases that are over, in the order in which they end.
func (m *model) tick(now store.Time) {
	var over []*modelItem
	for _, i := range m.items {
		if i.held() && i.leaseEnd != 0 && i.leaseEnd <= now {
			over = append(over, i)
		}
	}
	slices.SortFunc(over, func(a, b *modelItem) int {
		return cmp.Or(cmp.Compare(a.leaseEnd, b.leaseEnd), cmp.Compare(a.number, b.number))
	})
	for _, i := range over {
		// The timer fires a millisecond after the lease's end.
		m.expire(i, min(i.leaseEnd+1, now))
	}
}

func (m *model) expire(i *modelItem, at store.Time) {
	q := &m.queue
	i.changed()
	switch {
	case q.OnExpiry == engine.Reclaim && (q.MaxReclaims == 0 || i.reclaims < q.MaxReclaims):
		i.reclaims++
		i.status, i.leaseEnd = m.waiting(), 0
	case q.OnExpiry == engine.Abandon && q.RetryAbandoned && i.spent < q.Retries:
		m.again(i, at)
	default:
		i.status, i.leaseEnd, i.waitsOnUs = store.Abandoned, 0, true
	}
}

// retry answers as the engine must for an operator's retry.
func (m *model) retry(i *modelItem) string {
	if i.gone {
		return engine.Gone
	}
	switch i.status {
	case store.Failed, store.BusinessException, store.SystemException, store.Abandoned:
	default:
		return engine.Refused
	}
	if i.verified {
		return engine.Refused
	}
	if i.job != "" && !m.join(i.job) {
		return engine.Refused
	}
	i.acted()
	i.waitsOnUs = false
	if m.queue.Family == store.Jobs {
		i.status, i.spent, i.reclaims, i.delayed, i.deferred = store.Queued, 0, 0, 0, 0
		return engine.OK
	}
	i.status = store.Retried
	m.copyOf(i)
	return engine.OK
}

func (m *model) verify(i *modelItem) string {
	if i.gone {
		return engine.Gone
	}
	switch i.status {
	case store.Failed, store.BusinessException, store.SystemException, store.Abandoned:
	default:
		return engine.Refused
	}
	if i.verified {
		return engine.Refused
	}
	i.acted()
	i.verified, i.waitsOnUs = true, false
	return engine.OK
}

func (m *model) giveBack(i *modelItem, fence uint64, until store.Time) string {
	if !i.held() || i.fence != fence {
		return engine.Stale
	}
	i.changed()
	i.status, i.leaseEnd, i.deferred = m.waiting(), 0, until
	return engine.OK
}

func (m *model) delete(i *modelItem) string {
	if i.gone {
		return engine.Gone
	}
	if i.held() || i.status == store.Deleted {
		return engine.Refused
	}
	i.acted()
	i.status, i.waitsOnUs, i.leaseEnd = store.Deleted, false, 0
	return engine.OK
}

// settleOn takes over when an expired item may be claimed again, which is known to a
// millisecond: its lease is seen to be over with whatever else is due.
func (i *modelItem) settleOn(at store.Time) {
	if i.delayed != 0 && at-i.delayed <= 1 && i.delayed-at <= 1 {
		i.delayed = at
	}
}

// differs says where an item is not what the model says.
func (i *modelItem) differs(got *store.Item) string {
	want := fmt.Sprintf("%s fence %d attempts %d failures %d reclaims %d verified %v waits %v next %d", i.status, i.fence, i.attempts, i.failures, i.reclaims, i.verified, i.waitsOnUs, i.next)
	is := fmt.Sprintf("%s fence %d attempts %d failures %d reclaims %d verified %v waits %v next %d", got.Status, got.Fence, got.Attempts, got.Failures, got.Reclaims,
		got.Review.Status == store.Verified, got.Group != "", got.Next.Number)
	if want != is {
		return fmt.Sprintf("item %d is %s, want %s", i.number, is, want)
	}
	if got.Status.Waiting() && (got.AvailableAt != i.delayed || got.DeferUntil != i.deferred) {
		return fmt.Sprintf("item %d is delayed until %s and deferred until %s, want %s and %s", i.number, got.AvailableAt, got.DeferUntil, i.delayed, i.deferred)
	}
	if got.Priority != i.priority || got.DueAt != i.due || got.Key != i.key || got.Reference != i.reference {
		return fmt.Sprintf("item %d is %s, due %s, with key %q and reference %q, want %s, due %s, with key %q and reference %q", i.number,
			got.Priority, got.DueAt, got.Key, got.Reference, i.priority, i.due, i.key, i.reference)
	}
	if got.LeaseUntil != i.leaseEnd {
		return fmt.Sprintf("item %d has a lease until %s, want %s", i.number, got.LeaseUntil, i.leaseEnd)
	}
	return ""
}
