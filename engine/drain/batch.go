package drain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"signalbox/engine"
	"signalbox/engine/coop"
	"signalbox/engine/lane"
	"signalbox/store"
)

// What ends an attempt from outside, besides errGiveBack.
var (
	errLost    = errors.New("the lease was lost")
	errTimeout = coop.ErrTimeout // by whichever way it is made
)

// batch is what a drain holds after one claim, under one lease.
type batch struct {
	d        *drain
	set      *store.Queue
	consumer consumer
	attempts []*attempt
	results  chan engine.Settlement // to the reporter; holds all of the first claim
	rest     []engine.Settlement    // what the reporter left when all had come
	last     []engine.Settlement    // of the attempt that ended last

	ctx    context.Context // ends when the lease lapses or the work is given back
	cancel context.CancelCauseFunc

	mu       sync.Mutex
	claims   map[store.ID]*claim // those not accounted for yet
	underWay []*attempt          // in the order in which they began
	over     int                 // attempts that have ended
}

// claim is one item of a batch.
type claim struct {
	record  engine.Record
	attempt *attempt
}

// attempt is the items that are worked at once, and the context of that work.
type attempt struct {
	claims []*claim
	left   int  // claims still held
	over   bool // it has ended
	ctx    context.Context
	cancel context.CancelCauseFunc
}

// work works the records of one claim to the end: all of them are accounted for
// when it returns. What finished last is settled with the claim of the next
// batch, which it gives where the drain goes on; asked says that it was claimed.
func (d *drain) work(l *load) (next *load, asked bool) {
	b := d.newBatch(l)
	defer b.cancel(nil)
	d.s.holders.add(b)
	defer d.s.holders.drop(b)
	letGo := b.keep(l.records[0].Item, l.sent)
	var reporter sync.WaitGroup
	reporter.Go(b.reportAll)
	back := b.makeAll()
	close(b.results)
	reporter.Wait()
	if len(back) == 0 && b.ctx.Err() == nil && d.goesOn() {
		next, asked = b.goOn()
	} else {
		b.report(b.unsaid())
	}
	b.giveBack(back)
	letGo()
	b.forget()
	return next, asked
}

func (d *drain) newBatch(l *load) *batch {
	n := len(l.records) + len(l.refused)
	b := &batch{
		d: d, set: l.set, consumer: d.consumer(l.set),
		results: make(chan engine.Settlement, n),
		claims:  make(map[store.ID]*claim, n),
	}
	for _, r := range l.refused {
		b.claims[r.record.ID()] = r.claim
		b.results <- r.instead
	}
	b.ctx, b.cancel = context.WithCancelCause(engine.WithActor(d.s.work, d.robot))
	b.add(l.records)
	return b
}

// add takes what was claimed on the batch. What was held back as the last's is that
// no more.
func (b *batch) add(records []engine.Record) (added []*attempt) {
	b.mu.Lock()
	var a *attempt
	for _, r := range records {
		if a == nil || !b.consumer.together() {
			a = &attempt{}
			a.ctx, a.cancel = context.WithCancelCause(b.ctx)
			added = append(added, a)
		}
		if was := b.claims[r.ID()]; was != nil {
			b.drop(was) // it was taken away, and has come again
		}
		c := &claim{record: r, attempt: a}
		a.claims = append(a.claims, c)
		a.left++
		b.claims[r.ID()] = c
	}
	b.attempts = append(b.attempts, added...)
	held := b.last
	b.last = nil
	b.mu.Unlock()
	for _, r := range held {
		b.results <- r
	}
	return added
}

// makeAll makes the attempts, and gives those that are to be given back.
func (b *batch) makeAll() (back []*attempt) {
	if n := b.d.s.options.Abreast[b.d.queue]; n > 1 {
		return b.abreast(n)
	}
	for _, a := range b.attempts {
		if !b.alone(a) {
			back = append(back, a)
		}
	}
	return back
}

// alone makes an attempt while no other of the batch is under way.
func (b *batch) alone(a *attempt) bool {
	defer a.cancel(nil)
	ctx := a.ctx
	if limit := timeout(b.set); limit > 0 {
		var done context.CancelFunc
		ctx, done = context.WithTimeoutCause(ctx, limit, errTimeout)
		defer done()
	}
	return b.attempt(ctx, a)
}

// attempt works items and passes their results to the reporter. False says that
// they are to be given back.
func (b *batch) attempt(ctx context.Context, a *attempt) bool {
	if b.d.stuck.any() || b.d.s.stopping() {
		return false
	}
	b.begin(a)
	defer b.end(a)
	res := b.run(ctx, a)
	if !res.cut {
		b.d.tell(res.broken)
		b.pass(a, res)
		return true
	}
	switch cause := context.Cause(ctx); cause {
	case errGiveBack:
		return false
	case errTimeout:
		b.pass(a, failed(engine.System, fmt.Sprintf("timed out after %s", store.Duration(inTenths(timeout(b.set)))), res.report(0).Details))
	}
	return true // lost: nothing is said
}

// run runs the consumer, and waits for it as long as it has to stop in when
// told to. One that does not is left to itself; the drain keeps its slot.
func (b *batch) run(ctx context.Context, a *attempt) result {
	records := make([]engine.Record, len(a.claims))
	for i, c := range a.claims {
		records[i] = c.record
	}
	if ctx.Err() != nil {
		return result{cut: true, reports: make([]engine.Settlement, 1)}
	}
	out := make(chan result, 1)
	go func() {
		res := failed(engine.System, "the handler ended its goroutine", "")
		defer func() { out <- res }()
		res = b.consumer.work(ctx, records)
	}()
	select {
	case res := <-out:
		return res
	case <-ctx.Done():
	}
	patience := time.NewTimer(b.consumer.patience(b.d.s.options.KillDelay))
	defer patience.Stop()
	select {
	case res := <-out:
		return res
	case <-patience.C:
		b.d.s.log.Error("a consumer does not stop", "queue", b.d.queue, "item", records[0].ID(), "slot", b.d.grant.Slot())
		b.d.stuck.add(out)
		res := failed(engine.System, "", "the consumer did not stop when told to; its slot stays taken until it does")
		res.cut = true
		return res
	}
}

// pass hands the results of those items that are still held to the reporter;
// those of the attempt that ends last wait for the next claim.
func (b *batch) pass(a *attempt, res result) {
	for i, c := range a.claims {
		if b.holds(c) {
			r := res.report(i)
			r.Item, r.Fence = c.record.ID(), c.record.Fence
			b.hand(r)
		}
	}
}

func (b *batch) hand(r engine.Settlement) {
	b.mu.Lock()
	last := b.over == len(b.attempts)-1
	if last {
		b.last = append(b.last, r)
	}
	b.mu.Unlock()
	if !last {
		b.results <- r
	}
}

// begin and end keep which attempts are under way. The slot shows the one that is
// for the longest time.
func (b *batch) begin(a *attempt) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.underWay = append(b.underWay, a); len(b.underWay) == 1 {
		b.show(a)
	}
}

func (b *batch) end(a *attempt) {
	b.mu.Lock()
	defer b.mu.Unlock()
	a.over = true
	b.over++
	shown := b.underWay[0] == a
	b.underWay = slices.DeleteFunc(b.underWay, func(o *attempt) bool { return o == a })
	if shown && len(b.underWay) > 0 {
		b.show(b.underWay[0])
	}
}

func (b *batch) show(a *attempt) {
	r := &a.claims[0].record
	b.d.grant.Update(func(h *lane.Holder) { h.Item, h.Job = r.ID().String(), r.Job })
}

// timeout is the shorter of the queue's and its consumer's; 0 = none. A request
// always has one.
func timeout(set *store.Queue) time.Duration {
	a, b := time.Duration(set.AttemptTimeout), time.Duration(set.Consumer.Timeout)
	if b == 0 && set.Consumer.Kind == engine.HTTP {
		b = requestTimeout
	}
	if a == 0 || b == 0 {
		return a + b
	}
	return min(a, b)
}

func (b *batch) holds(c *claim) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.claims[c.record.ID()] == c
}

// take takes a claim off the batch, nil when it is not on it any more.
func (b *batch) take(h engine.Holding) *claim {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.claims[h.Item]
	if c == nil || c.record.Fence != h.Fence {
		return nil
	}
	delete(b.claims, h.Item)
	return c
}

// forget takes off what nobody has accounted for, and counts it.
func (b *batch) forget() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := len(b.claims)
	clear(b.claims)
	if b.d.s.stopping() {
		b.d.s.tally.lost.Add(int64(n))
	}
	return n
}

// inTenths rounds what people read; what lasts less than a second stays.
func inTenths(d time.Duration) time.Duration {
	if d < time.Second {
		return d
	}
	return d.Round(100 * time.Millisecond)
}
