package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/store/memory"
)

// An orphan that is retried after a delay reaches for the timer while the engine
// is still being opened.
func TestOpenRetriesOrphansAfterADelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "test.db")
		r := start(t, openBolt(t, path))
		r.queue("q", store.Transactions, func(q *store.Queue) { q.Retries, q.RetryAbandoned = 1, true })
		id := r.addN("q", 1)[0]
		r.claim("q", engine.DrainPrefix+r.Incarnation()+"/q/1", 1)
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		r = start(t, openBolt(t, path))
		defer r.Close()
		next := r.wantStatus(id, store.Retried).Next
		time.Sleep(24*time.Hour + time.Second)
		synctest.Wait()
		if recs := r.claim("q", "r", 1); recs[0].ID() != next {
			t.Errorf("claimed %s", recs[0].ID())
		}
	})
}

// A parked claim whose jq never ends is in nobody's way: not of those who add,
// nor of the leases of other queues, nor of a settle in the same call.
func TestSlowJQIsInNobodysWay(t *testing.T) {
	e, err := engine.Open(t.Context(), memory.New(), engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if _, err := e.AddQueue(t.Context(), engine.DefaultQueue("q", store.Jobs)); err != nil {
		t.Fatal(err)
	}
	const endless = `jq:"def f: f; f"`
	ctx, cancel := context.WithCancel(t.Context())
	parked := make(chan error, 1)
	go func() {
		_, err := e.Claim(ctx, engine.ClaimRequest{Queue: "q", Robot: "slow", Filter: endless, Wait: store.Duration(time.Hour)})
		parked <- err
	}()
	item := []engine.NewItem{{Payload: object()}}
	for range 5 {
		if _, err := e.Add(t.Context(), engine.AddRequest{Queue: "q", Items: item}); err != nil {
			t.Errorf("somebody else's add: %v", err)
		}
	}
	recs, err := e.Claim(t.Context(), engine.ClaimRequest{Queue: "q", Robot: "r"})
	if err != nil {
		t.Fatal(err)
	}
	done := []engine.Settlement{{Item: recs[0].ID(), Fence: recs[0].Fence, Status: engine.Success}}
	out, _, err := e.Next(t.Context(), done, engine.ClaimRequest{Queue: "q", Robot: "r", Filter: endless})
	if store.CodeOf(err) != store.CodeEmpty || out[0].Result != engine.OK {
		t.Errorf("settle beside a slow claim: %v %+v", err, out)
	}
	if rec, err := e.Item(t.Context(), recs[0].ID()); err != nil || rec.Status != store.Completed {
		t.Errorf("%v %s", err, rec.Status)
	}
	cancel()
	if err := <-parked; !errors.Is(err, context.Canceled) && store.CodeOf(err) != store.CodeEmpty { // its time was used up
		t.Errorf("the parked claim: %v", err)
	}
}

func TestClaimByReferenceFindsItBehindManyOthers(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, nil)
		for range 11 {
			r.addN("q", 1000)
		}
		now := store.At(time.Now())
		r.add("q", engine.NewItem{Payload: object(), Reference: "INV-2"}, engine.NewItem{Payload: object(), Reference: "INV-1", Priority: store.High},
			engine.NewItem{Payload: object(), Reference: "INV-3", DueAt: now.Add(time.Hour)}, engine.NewItem{Payload: object(), Reference: "INV-4", DeferUntil: now.Add(time.Hour)})
		recs, err := r.Claim(r.ctx, engine.ClaimRequest{Queue: "q", Robot: "r", N: 10, Reference: "INV-"})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, rec := range recs {
			got = append(got, rec.Reference)
		}
		if want := "INV-3 INV-1 INV-2"; strings.Join(got, " ") != want {
			t.Errorf("claimed %v, want %s", got, want)
		}
	})
}

// counting counts the timers an engine sets.
type counting struct {
	engine.SystemClock
	timers atomic.Int64
	behind atomic.Int64 // nanoseconds the clock was set back
}

func (c *counting) AfterFunc(d time.Duration, f func()) engine.Timer {
	c.timers.Add(1)
	return c.SystemClock.AfterFunc(d, f)
}

func (c *counting) Now() time.Time { return time.Now().Add(-time.Duration(c.behind.Load())) }

func clocked(t *testing.T) (*rig, *counting) {
	c := &counting{}
	e, err := engine.Open(t.Context(), memory.New(), engine.Options{Clock: c})
	if err != nil {
		t.Fatal(err)
	}
	return &rig{e, t, engine.WithActor(t.Context(), "anna")}, c
}

func TestFarDatesCostNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, c := clocked(t)
		defer r.Close()
		r.queue("q", store.Jobs, nil)
		for _, year := range []int{2400, 9999} {
			r.add("q", engine.NewItem{Payload: object(), DeferUntil: store.At(time.Date(year, 12, 31, 0, 0, 0, 0, time.UTC))})
		}
		time.Sleep(10 * time.Hour)
		synctest.Wait()
		if n := c.timers.Load(); n > 15 {
			t.Errorf("%d timers in ten hours", n)
		}
		if q, err := r.Queue(r.ctx, "q"); err != nil || q.Delayed != 2 {
			t.Errorf("%v, %d delayed", err, q.Delayed)
		}
	})
}

func TestClockSetBackWakesAllTheSame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, c := clocked(t)
		defer r.Close()
		r.queue("q", store.Jobs, nil)
		r.add("q", engine.NewItem{Payload: object(), DeferUntil: store.At(time.Now().Add(time.Minute))})
		time.Sleep(time.Minute + time.Second)
		synctest.Wait() // it has ripened, and nobody was there
		c.behind.Store(int64(2 * time.Second))
		recs, err := r.Claim(r.ctx, engine.ClaimRequest{Queue: "q", Robot: "r", Wait: store.Duration(3 * time.Second)})
		if err != nil || len(recs) != 1 {
			t.Errorf("%v %+v", err, recs)
		}
	})
}

// failing fails the commit of the updates it is told to, after they have run.
type failing struct {
	store.Store
	fail  atomic.Bool
	after func() // runs between the failed commit and its answer
}

func (f *failing) Update(ctx context.Context, fn func(store.Tx) error) error {
	if !f.fail.CompareAndSwap(true, false) {
		return f.Store.Update(ctx, fn)
	}
	full := store.Unavailable("store", errors.New("disk full"), "make room")
	err := f.Store.Update(ctx, func(t store.Tx) error {
		if err := fn(t); err != nil {
			return err
		}
		return full
	})
	if f.after != nil {
		f.after()
	}
	return err
}

// A claim whose own commit failed must not be handed what comes in before its
// caller has heard of the failure.
func TestFailedClaimIsHandedNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &failing{Store: memory.New()}
		r := start(t, f)
		defer r.Close()
		r.queue("q", store.Jobs, nil)
		var id store.ID
		f.after = func() { id = r.addN("q", 1)[0] }
		f.fail.Store(true)
		_, err := r.Claim(r.ctx, engine.ClaimRequest{Queue: "q", Robot: "unlucky", Wait: store.Duration(time.Minute)})
		r.wantCode(err, store.CodeUnavailable)
		if i := r.wantStatus(id, store.Queued); i.Failures != 0 || i.Reclaims != 0 {
			t.Errorf("%+v", i.Item)
		}
		if recs := r.claim("q", "r", 1); recs[0].ID() != id {
			t.Errorf("claimed %s", recs[0].ID())
		}
	})
}

// Claims that a failed change had reserved look again.
func TestFailedAddLeavesWaitersAwake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &failing{Store: memory.New()}
		r := start(t, f)
		defer r.Close()
		r.queue("q", store.Jobs, nil)
		got := make(chan int, 1)
		go func() {
			recs, _ := r.Claim(r.ctx, engine.ClaimRequest{Queue: "q", Robot: "r", Wait: store.Duration(time.Minute)})
			got <- len(recs)
		}()
		synctest.Wait()
		f.after = func() { r.addN("q", 1) } // skips the claim, which is still reserved
		f.fail.Store(true)
		if _, err := r.Add(r.ctx, engine.AddRequest{Queue: "q", Items: []engine.NewItem{{Payload: object()}}}); err == nil {
			t.Fatal("the add should have failed")
		}
		if n := <-got; n != 1 {
			t.Errorf("%d items came", n)
		}
	})
}

func TestSnapshotForgetsAndAges(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("gone", store.Transactions, nil)
		r.queue("still", store.Transactions, nil)
		r.addN("gone", 1)
		r.addN("still", 5)
		r.settle(r.claim("gone", "r", 1)[0], engine.Business, "wrong")
		s, err := r.Watch(r.ctx, 0)
		if err != nil || len(s.Groups) != 1 {
			t.Fatalf("%v %+v", err, s.Groups)
		}
		if err := r.DeleteQueue(r.ctx, "gone", true); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Minute)
		if s, err = r.Watch(r.ctx, s.Revision); err != nil || len(s.Groups) != 0 {
			t.Errorf("groups of a deleted queue: %v %+v", err, s.Groups)
		}
		if in := s.Queues[0].In; len(in) != 11 || in[0] != 5 || in[10] != 0 {
			t.Errorf("rates after ten quiet minutes: %v", in)
		}
	})
}

func TestContentOfEarlierAttemptsDoesNotStay(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, func(q *store.Queue) { q.Retries, q.RetryWindow, q.RetryFloor, q.OnExpiry = 1, 0, 0, engine.Abandon })
		id := r.addN("q", 1)[0]
		rec := r.claim("q", "r", 1)[0]
		if _, err := r.Settle(r.ctx, []engine.Settlement{{Item: id, Fence: rec.Fence, Status: engine.System, Reason: "first", Details: "trace of the first"}}); err != nil {
			t.Fatal(err)
		}
		r.claim("q", "r", 1)
		time.Sleep(11 * time.Minute)
		synctest.Wait()
		if i := r.wantStatus(id, store.Abandoned); i.Error.Details != "" {
			t.Errorf("details %q", i.Error.Details)
		}
	})
}

func TestOutputWithABadByteIsMended(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, nil)
		r.addN("q", 1)
		rec := r.claim("q", "r", 1)[0]
		out, err := r.Settle(r.ctx, []engine.Settlement{{Item: rec.ID(), Fence: rec.Fence, Status: engine.Success, Output: json.RawMessage("{\"name\":\"M\xfcller\"}")}})
		if got := string(r.item(rec.ID()).Output); err != nil || out[0].Result != engine.OK || got != "{\"name\":\"M\uFFFDller\"}" {
			t.Errorf("%v %+v %s", err, out, got)
		}
	})
}

func TestSchemaSubtleties(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, func(q *store.Queue) {
			q.UniqueReferences = true
			q.Schemas.Payload = `{"properties":{"items":{"type":"integer"},"type":{"enum":["array","object"]}},"required":["items"]}`
		})
		good := func(ref string) engine.NewItem {
			return engine.NewItem{Payload: json.RawMessage(`{"items":3}`), Reference: ref}
		}
		bad := engine.NewItem{Payload: json.RawMessage(`{"items":"three"}`), Reference: "A"}
		results, err := r.Add(r.ctx, engine.AddRequest{Queue: "q", Strict: true, Mode: engine.Independent, Items: []engine.NewItem{bad, good("A")}})
		if err != nil || results[0].Err == nil || results[1].Err != nil {
			t.Errorf("a refused row keeps no reference: %v %+v", err, results)
		}
		rec := r.claim("q", "r", 1)[0]
		r.settle(rec, engine.Business, "wrong")
		for _, payload := range []string{`{"items":"x"}`, `{}`} {
			out, err := r.Retry(r.ctx, engine.RetryRequest{Targets: []engine.Target{{Item: rec.ID()}}, Payload: json.RawMessage(payload)})
			if err != nil || out[0].Result != engine.Refused || !strings.Contains(out[0].Error, "breaks the schema") {
				t.Errorf("%s: %v %+v", payload, err, out)
			}
		}
		id := r.add("q", good("B"))[0]
		_, err = r.Edit(r.ctx, engine.EditRequest{Target: engine.Target{Item: id}, Payload: json.RawMessage(`{}`)})
		r.wantCode(err, store.CodeInvalid)
		if i := r.item(id); string(i.Payload) != `{"items":3}` {
			t.Errorf("%s", i.Payload)
		}
	})
	for _, d := range []time.Duration{1, time.Hour} {
		far := store.At(time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC))
		if got := far.Sub(store.Time(d)); got < 0 {
			t.Errorf("the time until year 9999 is %s", fmt.Sprint(got))
		}
	}
}

// unreadable is a store one of whose queues has damaged counters.
type unreadable struct{ store.Store }

type unreadableReader struct{ store.Reader }

type unreadableTx struct{ store.Tx }

func (u unreadable) View(ctx context.Context, fn func(store.Reader) error) error {
	return u.Store.View(ctx, func(r store.Reader) error { return fn(unreadableReader{r}) })
}

func (u unreadable) Update(ctx context.Context, fn func(store.Tx) error) error {
	return u.Store.Update(ctx, func(t store.Tx) error { return fn(unreadableTx{t}) })
}

func (u unreadableTx) Stats(queue string, now store.Time) (store.Stats, error) {
	return unreadableReader{u.Tx}.Stats(queue, now)
}

func (u unreadableReader) Stats(queue string, now store.Time) (store.Stats, error) {
	if queue == "bad" {
		return store.Stats{}, store.Unavailable(`queue "bad"`, errors.New("record damaged"), "restore a backup")
	}
	return u.Reader.Stats(queue, now)
}

func TestOneDamagedQueueHidesNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := memory.New()
		r := start(t, inner)
		for _, name := range []string{"bad", "good"} {
			r.queue(name, store.Jobs, func(q *store.Queue) { q.Consumer.Kind = engine.Handler })
			r.addN(name, 1)
		}
		e, err := engine.Open(t.Context(), unreadable{inner}, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		available, err := e.Available(r.ctx)
		if err != nil || len(available) != 1 || available[0].Name != "good" {
			t.Errorf("%v %+v", err, available)
		}
		queues, err := e.Queues(r.ctx)
		if err != nil || len(queues) != 2 || !strings.Contains(queues[0].ConsumerError, "damaged") || queues[1].Counts[store.Queued] != 1 {
			t.Errorf("%v %+v", err, queues)
		}
		if s, err := e.Watch(r.ctx, 0); err != nil || len(s.Queues) != 2 {
			t.Errorf("%v", err)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		r.Close()
	})
}
