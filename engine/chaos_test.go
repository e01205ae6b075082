package engine_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/store/bolt"
	"signalbox/store/memory"
	"signalbox/store/storetest"
)

// TestSixtyFourRobots lets robots work, die, fall silent and come back late
// under pauses and retries, and reads afterwards from the history what nobody
// may have done.
func TestSixtyFourRobots(t *testing.T) {
	opens := map[string]func(t *testing.T) store.Store{
		"memory": func(*testing.T) store.Store { return memory.New() },
		"bolt": func(t *testing.T) store.Store {
			s, err := bolt.Open(filepath.Join(t.TempDir(), "chaos.db"), bolt.Options{NoSync: true})
			if err != nil {
				t.Fatal(err)
			}
			return s
		},
	}
	for name, open := range opens {
		for _, family := range []store.Family{store.Jobs, store.Transactions} {
			t.Run(fmt.Sprintf("%s/%s", name, family), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := open(t)
					r := start(t, s)
					r.queue("q", family, func(q *store.Queue) {
						q.Lease, q.Retries, q.RetryWindow, q.RetryFloor = store.Duration(10*time.Second), 2, 0, 0
						q.OnExpiry, q.MaxReclaims = engine.Reclaim, 2
					})
					c := &chaos{rig: r}
					c.run(64, 400)
					storetest.Recount(t, s)
					c.checkHistory()
					if err := r.Close(); err != nil {
						t.Error(err)
					}
				})
			})
		}
	}
}

type chaos struct {
	*rig
	mu       sync.Mutex
	accepted map[string]int // settles that were answered ok, by item and fence
}

func (c *chaos) run(robots, items int) {
	c.accepted = map[string]int{}
	for range items / 20 {
		c.addN("q", 20)
	}
	var wg sync.WaitGroup
	for n := range robots {
		rnd := rand.New(rand.NewPCG(uint64(n), 64))
		wg.Go(func() { c.robot(fmt.Sprintf("robot-%d", n), rnd) })
	}
	wg.Go(func() { c.operator(rand.New(rand.NewPCG(1, 1))) })
	wg.Wait()
}

// robot works for ten made-up minutes.
func (c *chaos) robot(name string, rnd *rand.Rand) {
	for end := time.Now().Add(10 * time.Minute); time.Now().Before(end); {
		recs, err := c.Claim(c.ctx, engine.ClaimRequest{Queue: "q", Robot: name, N: 1 + rnd.IntN(4), Wait: store.Duration(5 * time.Second)})
		if err != nil {
			time.Sleep(time.Second)
			continue
		}
		time.Sleep(time.Duration(rnd.IntN(15)) * time.Second) // now and then longer than the lease
		if rnd.IntN(6) == 0 {
			continue // it dies with the wave in its hands
		}
		c.report(recs, rnd)
	}
}

func (c *chaos) report(recs []engine.Record, rnd *rand.Rand) {
	settlements := make([]engine.Settlement, len(recs))
	for i, rec := range recs {
		settlements[i] = engine.Settlement{Item: rec.ID(), Fence: rec.Fence, Status: []string{engine.Success, engine.Success, engine.Business, engine.System}[rnd.IntN(4)], Reason: "because"}
	}
	outcomes, err := c.Settle(c.ctx, settlements)
	if err != nil {
		c.t.Error(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, o := range outcomes {
		if o.Result == engine.OK {
			c.accepted[fmt.Sprintf("%d/%d", o.Item.Number, settlements[i].Fence)]++
		}
	}
}

// operator pauses, resumes and retries what is left lying.
func (c *chaos) operator(rnd *rand.Rand) {
	for n := range 60 {
		time.Sleep(10 * time.Second)
		if _, err := c.PauseQueue(c.ctx, "q", n%7 == 3); err != nil {
			c.t.Error(err)
		}
		targets, err := c.Select(c.ctx, engine.ListRequest{Queue: "q", Filter: "status:failed,abandoned"})
		if err != nil || len(targets) == 0 {
			continue
		}
		if _, err := c.Retry(c.ctx, engine.RetryRequest{Targets: targets[:1+rnd.IntN(len(targets))]}); err != nil {
			c.t.Error(err)
		}
	}
}

// span is one claim of an item as its history tells it.
type span struct {
	fence uint64
	open  bool
}

func (c *chaos) checkHistory() {
	claims := map[uint64]*span{} // the newest of each item
	ends := map[uint64]int{}
	for after := uint64(0); ; {
		changes, err := c.Changes(c.ctx, after, 1000)
		if err != nil {
			c.t.Fatal(err)
		}
		if len(changes) == 0 {
			break
		}
		for _, change := range changes {
			after = change.Seq
			if change.Number > 0 {
				c.follow(claims, ends, change)
			}
		}
	}
	for id, n := range c.accepted {
		if n != 1 {
			c.t.Errorf("the settle of %s was accepted %d times", id, n)
		}
	}
	if len(claims) < 400 {
		c.t.Errorf("only %d items were ever claimed", len(claims))
	}
}

func (c *chaos) follow(claims map[uint64]*span, ends map[uint64]int, change store.Change) {
	last := claims[change.Number]
	switch engine.Event(change.Event) {
	case engine.EventClaim:
		if last != nil && (last.open || change.Fence <= last.fence) {
			c.t.Errorf("item %d is claimed with fence %d while fence %d holds it", change.Number, change.Fence, last.fence)
		}
		claims[change.Number] = &span{fence: change.Fence, open: true}
	case engine.EventComplete, engine.EventBusiness, engine.EventSystem:
		if last == nil || !last.open || last.fence != change.Fence {
			c.t.Errorf("item %d is settled with fence %d, which does not hold it", change.Number, change.Fence)
		}
		if c.accepted[fmt.Sprintf("%d/%d", change.Number, change.Fence)] != 1 {
			c.t.Errorf("item %d: the history knows a settle with fence %d that nobody was told of", change.Number, change.Fence)
		}
		last.open = false
		if change.To == store.Completed || change.To == store.Successful {
			if ends[change.Number]++; ends[change.Number] > 1 {
				c.t.Errorf("item %d ended %d times", change.Number, ends[change.Number])
			}
		}
	case engine.EventExpire:
		if last == nil || !last.open {
			c.t.Errorf("item %d: a lease ran out that nobody had", change.Number)
		}
		last.open = false
	}
}
