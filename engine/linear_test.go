package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/anishathalye/porcupine"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/store/bolt"
	"signalbox/store/memory"
)

// What robots and operators do to one item, as a history that must be one of a
// plain item: claims never overlap within a lease, each gets a new fence, and
// only what holds the newest is heard.

type linearKind uint8

const (
	claimed linearKind = iota
	settled
	renewed
	released
	retried
)

// said is one call on an item.
type said struct {
	kind  linearKind
	item  uint64
	fence uint64
	from  store.Time // the engine's clock before the call
}

// heard is its answer.
type heard struct {
	ok     bool
	status store.Status
	at     store.Time // of a claim, when it was made
	to     store.Time // the engine's clock after the call
}

// plain is the item as the history has it.
type plain struct {
	fence  uint64
	held   bool
	until  store.Time // of the lease
	failed bool
	done   bool
}

const linearLease = 10 * time.Second

// step says whether an answer is one that a plain item gives.
func (p plain) step(in said, out heard) (bool, plain) {
	holds := p.held && p.fence == in.fence
	if in.kind != claimed && in.kind != retried && !out.ok {
		if holds { // refused to who holds it: only when the lease may be over
			over := out.to >= p.until
			p.held = false
			return over, p
		}
		return true, p
	}
	switch in.kind {
	case claimed:
		free := !p.done && !p.failed && (!p.held || out.at >= p.until)
		next := plain{fence: in.fence, held: true, until: out.at.Add(linearLease)}
		return free && in.fence == p.fence+1, next
	case settled:
		return holds, plain{fence: p.fence, failed: out.status == store.Failed, done: out.status == store.Completed}
	case renewed:
		p.until = max(p.until, in.from.Add(linearLease))
		return holds, p
	case released:
		return holds, plain{fence: p.fence}
	}
	if !out.ok {
		return !p.failed, p
	}
	return p.failed, plain{fence: p.fence}
}

var linearModel = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		items := map[uint64][]porcupine.Operation{}
		for _, o := range history {
			n := o.Input.(said).item
			items[n] = append(items[n], o)
		}
		var parts [][]porcupine.Operation
		for _, part := range items {
			parts = append(parts, part)
		}
		return parts
	},
	Init: func() any { return plain{} },
	Step: func(state, input, output any) (bool, any) { return state.(plain).step(input.(said), output.(heard)) },
}

// jumpy is a clock that is set forward and back now and then.
type jumpy struct {
	engine.SystemClock
	offset atomic.Int64
}

func (c *jumpy) Now() time.Time { return time.Now().Add(time.Duration(c.offset.Load())) }

// linear is a run of robots whose calls are recorded.
type linear struct {
	*rig
	clock *jumpy
	turn  atomic.Int64 // orders calls and answers
	mu    sync.Mutex
	calls []porcupine.Operation
	late  store.Time // the latest the clock has shown, as the engine has it
}

func (l *linear) now() store.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.late = max(l.late, store.At(l.clock.Now()))
	return l.late
}

func (l *linear) record(robot int, begun int64, in said, out heard) {
	out.to = l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls = append(l.calls, porcupine.Operation{ClientId: robot, Input: in, Call: begun, Output: out, Return: l.turn.Add(1)})
}

// robot works, dies with a wave in its hands, falls silent, renews, gives back.
func (l *linear) robot(n int, rnd *rand.Rand, end time.Time) {
	for time.Now().Before(end) {
		begun, from := l.turn.Add(1), l.now()
		recs, err := l.Claim(l.ctx, engine.ClaimRequest{Queue: "q", Robot: fmt.Sprintf("robot-%d", n), N: 1 + rnd.IntN(3), Wait: store.Duration(5 * time.Second)})
		if err != nil {
			time.Sleep(time.Second)
			continue
		}
		for _, rec := range recs {
			l.record(n, begun, said{claimed, rec.Number, rec.Fence, from}, heard{ok: true, at: rec.ClaimedAt})
		}
		time.Sleep(time.Duration(rnd.IntN(9000)) * time.Millisecond)
		for _, rec := range recs {
			if rnd.IntN(6) > 0 {
				l.report(n, rec, rnd)
			}
		}
	}
}

func (l *linear) report(n int, rec engine.Record, rnd *rand.Rand) {
	h := []engine.Holding{{Item: rec.ID(), Fence: rec.Fence}}
	tell := func(kind linearKind, do func() ([]engine.Outcome, error)) {
		begun, from := l.turn.Add(1), l.now()
		out, err := do()
		if err != nil {
			l.t.Error(err)
			return
		}
		l.record(n, begun, said{kind, rec.Number, rec.Fence, from}, heard{ok: out[0].Result == engine.OK, status: out[0].Status})
	}
	if rnd.IntN(3) == 0 {
		tell(renewed, func() ([]engine.Outcome, error) { return l.Renew(l.ctx, h) })
		time.Sleep(time.Duration(rnd.IntN(12)) * time.Second) // now and then longer than the lease
	}
	if rnd.IntN(8) == 0 {
		tell(released, func() ([]engine.Outcome, error) { return l.Release(l.ctx, h) })
		return
	}
	s := engine.Settlement{Item: rec.ID(), Fence: rec.Fence, Status: []string{engine.Success, engine.Business, engine.System}[rnd.IntN(3)], Reason: "because"}
	tell(settled, func() ([]engine.Outcome, error) { return l.Settle(l.ctx, []engine.Settlement{s}) })
	if rnd.IntN(4) == 0 { // and once more, as after an answer that was lost
		tell(settled, func() ([]engine.Outcome, error) { return l.Settle(l.ctx, []engine.Settlement{s}) })
	}
}

// operator pauses, retries what has failed, and sets the clock.
func (l *linear) operator(rnd *rand.Rand, end time.Time) {
	for n := 0; time.Now().Before(end); n++ {
		time.Sleep(4 * time.Second)
		if rnd.IntN(3) == 0 {
			l.clock.offset.Store(int64(time.Duration(rnd.IntN(20)-5) * time.Second))
		}
		if _, err := l.PauseQueue(l.ctx, "q", n%5 == 3); err != nil {
			l.t.Error(err)
		}
		failed, err := l.Select(l.ctx, engine.ListRequest{Queue: "q", Filter: "status:failed"})
		if err != nil {
			l.t.Error(err)
		}
		for _, target := range failed {
			begun, from := l.turn.Add(1), l.now()
			out, err := l.Retry(l.ctx, engine.RetryRequest{Targets: []engine.Target{{Item: target.Item}}})
			if err != nil {
				l.t.Error(err)
				continue
			}
			l.record(64, begun, said{kind: retried, item: target.Item.Number, from: from}, heard{ok: out[0].Result == engine.OK})
		}
	}
}

var errCounters = errors.New("the counters say something else than the items")

// run lets 64 robots work on a store and gives what was said, and whether the
// counters are right in the end.
func (l *linear) run(seed uint64) error {
	l.queue("q", store.Jobs, func(q *store.Queue) {
		q.Lease, q.Retries, q.RetryWindow, q.RetryFloor = store.Duration(linearLease), 1, 0, 0
		q.OnExpiry, q.MaxReclaims = engine.Reclaim, 0
	})
	l.addN("q", 100)
	end := time.Now().Add(90 * time.Second)
	var wg sync.WaitGroup
	for n := range 64 {
		wg.Go(func() { l.robot(n, rand.New(rand.NewPCG(seed, uint64(n))), end) })
	}
	wg.Go(func() { l.operator(rand.New(rand.NewPCG(seed, 99)), end) })
	wg.Wait()
	var want store.Counts
	page, err := l.List(l.ctx, engine.ListRequest{Queue: "q", Limit: 10_000})
	for n := range page.Items {
		want[page.Items[n].Status]++
	}
	q, err2 := l.Queue(l.ctx, "q")
	if q.Counts != want {
		return errCounters
	}
	return errors.Join(err, err2)
}

// linearRun runs robots on a store, and says what is wrong with what they were
// told.
func linearRun(t *testing.T, open func(*testing.T) store.Store, seed uint64) (err error) {
	l := &linear{clock: &jumpy{}}
	synctest.Test(t, func(t *testing.T) {
		e, openErr := engine.Open(t.Context(), open(t), engine.Options{Clock: l.clock})
		if openErr != nil {
			t.Fatal(openErr)
		}
		defer e.Close()
		l.rig = &rig{e, t, engine.WithActor(context.Background(), "anna")}
		err = l.run(seed)
	})
	if err != nil {
		return err
	}
	if len(l.calls) < 200 {
		return fmt.Errorf("only %d calls", len(l.calls))
	}
	if result := porcupine.CheckOperationsTimeout(linearModel, l.calls, 30*time.Second); result != porcupine.Ok {
		return fmt.Errorf("the history of %d calls is %s", len(l.calls), result)
	}
	return nil
}

// TestHistoriesArePossible holds what 64 robots were told, under kills, pauses,
// clock jumps and retries, against what a plain item can have answered.
func TestHistoriesArePossible(t *testing.T) {
	opens := map[string]func(*testing.T) store.Store{
		"memory": func(*testing.T) store.Store { return memory.New() },
		"bolt": func(t *testing.T) store.Store {
			s, err := bolt.Open(filepath.Join(t.TempDir(), "linear.db"), bolt.Options{NoSync: true})
			if err != nil {
				t.Fatal(err)
			}
			return s
		},
	}
	for name, open := range opens {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(3) {
				if err := linearRun(t, open, seed); err != nil {
					t.Errorf("seed %d: %v", seed, err)
				}
			}
		})
	}
}

// TestBrokenHistoriesAreCaught runs them on stores that break one promise.
func TestBrokenHistoriesAreCaught(t *testing.T) {
	broken := map[string]func() *bad{
		"no fence": func() *bad {
			return &bad{put: func(i *store.Item, c *store.Change) {
				if c != nil && c.Event == "claim" {
					i.Fence = 1
				}
			}}
		},
		"fence reset on retry": func() *bad {
			return &bad{put: func(i *store.Item, c *store.Change) {
				if c != nil && c.Event == "retry" {
					i.Fence = 0
				}
			}}
		},
		"lease cut short": func() *bad {
			return &bad{put: func(i *store.Item, c *store.Change) {
				if c != nil && c.Event == "claim" {
					i.LeaseUntil -= store.Time(linearLease / 2 / time.Millisecond)
				}
			}}
		},
		"counter not rolled back": func() *bad {
			return &bad{stats: func(s *store.Stats) {
				if s.Counts[store.Failed] > 0 {
					s.Counts[store.Queued]++
				}
			}}
		},
	}
	for name, make := range broken {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(5) {
				open := func(*testing.T) store.Store {
					b := make()
					b.Store = memory.New()
					return b
				}
				if linearRun(t, open, seed) != nil {
					return
				}
			}
			t.Error("five runs did not tell it from a whole one")
		})
	}
}
