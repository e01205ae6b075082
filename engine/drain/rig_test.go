package drain_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"signalbox/engine"
	"signalbox/engine/drain"
	"signalbox/store"
	"signalbox/store/memory"
)

// victim makes the test binary an engine that works one item, by the shell
// script it holds, until it is killed.
const victim = "DRAIN_TEST_VICTIM"

func TestMain(m *testing.M) {
	if script := os.Getenv(victim); script != "" {
		workForEver(script)
	}
	goleak.VerifyTestMain(m)
}

func workForEver(script string) {
	ctx := context.Background()
	e, err := engine.Open(ctx, memory.New(), engine.Options{})
	if err != nil {
		panic(err)
	}
	q := engine.DefaultQueue("q", store.Jobs)
	q.Consumer = store.Consumer{Kind: engine.Command, Argv: []string{"sh", "-c", script}}
	if _, err := e.AddQueue(ctx, q); err != nil {
		panic(err)
	}
	if _, err := e.Add(ctx, engine.AddRequest{Queue: "q", Items: []engine.NewItem{{Payload: []byte("{}")}}}); err != nil {
		panic(err)
	}
	drain.Start(ctx, e, drain.Options{})
	select {}
}

// rig is a real engine whose calls can be counted and made to fail, with short
// words for what tests do to it.
type rig struct {
	*engine.Engine
	mem store.Store
	t   testing.TB
	ctx context.Context
	*drain.Scheduler

	deaf bool // is not told what was taken away

	looks, claims, renewals, settles, joined atomic.Int64

	// Each stands in for the engine's call when set, before drains start.
	available func(context.Context) ([]store.Queue, error)
	claim     func(context.Context, engine.ClaimRequest) ([]engine.Record, error)
	renew     func(context.Context, []engine.Holding) ([]engine.Outcome, error)
	settle    func(context.Context, []engine.Settlement) ([]engine.Outcome, error)
	next      func(context.Context, []engine.Settlement, engine.ClaimRequest) ([]engine.Outcome, []engine.Record, error)
}

func (r *rig) OnRevoke(fn func([]engine.Holding)) (stop func()) {
	if r.deaf {
		return func() {}
	}
	return r.Engine.OnRevoke(fn)
}

func (r *rig) Available(ctx context.Context) ([]store.Queue, error) {
	r.looks.Add(1)
	if r.available != nil {
		return r.available(ctx)
	}
	return r.Engine.Available(ctx)
}

func (r *rig) Claim(ctx context.Context, c engine.ClaimRequest) ([]engine.Record, error) {
	r.claims.Add(1)
	if r.claim != nil {
		return r.claim(ctx, c)
	}
	return r.Engine.Claim(ctx, c)
}

func (r *rig) Renew(ctx context.Context, hs []engine.Holding) ([]engine.Outcome, error) {
	r.renewals.Add(1)
	if r.renew != nil {
		return r.renew(ctx, hs)
	}
	return r.Engine.Renew(ctx, hs)
}

func (r *rig) Settle(ctx context.Context, ss []engine.Settlement) ([]engine.Outcome, error) {
	r.settles.Add(1)
	if r.settle != nil {
		return r.settle(ctx, ss)
	}
	return r.Engine.Settle(ctx, ss)
}

// Next is settle and claim, where these stand in.
func (r *rig) Next(ctx context.Context, ss []engine.Settlement, c engine.ClaimRequest) ([]engine.Outcome, []engine.Record, error) {
	r.joined.Add(1)
	r.claims.Add(1)
	r.settles.Add(1)
	switch {
	case r.next != nil:
		return r.next(ctx, ss, c)
	case r.settle == nil && r.claim == nil:
		return r.Engine.Next(ctx, ss, c)
	}
	settle, claim := r.Engine.Settle, r.Engine.Claim
	if r.settle != nil {
		settle = r.settle
	}
	if r.claim != nil {
		claim = r.claim
	}
	outcomes, err := settle(ctx, ss)
	if err != nil {
		return nil, nil, err
	}
	records, err := claim(ctx, c)
	return outcomes, records, err
}

func newRig(t testing.TB) *rig {
	t.Helper()
	return newRigOn(t, memory.New())
}

func newRigOn(t testing.TB, mem store.Store) *rig {
	t.Helper()
	e, err := engine.Open(t.Context(), mem, engine.Options{Name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	return &rig{Engine: e, mem: mem, t: t, ctx: engine.WithActor(t.Context(), "anna")}
}

// virtual runs a story in virtual time, and stops what it started.
func virtual(t *testing.T, story func(*rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		story(r)
		r.close()
	})
}

func (r *rig) close() {
	r.t.Helper()
	if r.Scheduler != nil {
		r.Abort()
	}
	if err := r.Close(); err != nil {
		r.t.Errorf("close: %v", err)
	}
}

func (r *rig) start(o drain.Options) {
	if testing.Verbose() {
		o.Logger = slog.New(slog.NewTextHandler(r.t.Output(), nil))
	}
	r.Scheduler = drain.Start(r.t.Context(), r, o)
}

// handle starts drains with one handler for all the named queues.
func (r *rig) handle(h drain.Handler, queues ...string) {
	o := drain.Options{Handlers: map[string]drain.Handler{}}
	for _, q := range queues {
		o.Handlers[q] = h
	}
	r.start(o)
}

// queue adds a jobs queue worked by a handler; change may alter it first.
func (r *rig) queue(name string, change func(*store.Queue)) {
	r.t.Helper()
	q := engine.DefaultQueue(name, store.Jobs)
	q.Consumer.Kind = engine.Handler
	if change != nil {
		change(&q)
	}
	if _, err := r.AddQueue(r.ctx, q); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) set(name, patch string) {
	r.t.Helper()
	if _, err := r.SetQueue(r.ctx, name, json.RawMessage(patch)); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) add(queue string, payloads ...string) []store.ID {
	r.t.Helper()
	req := engine.AddRequest{Queue: queue}
	for _, p := range payloads {
		req.Items = append(req.Items, engine.NewItem{Payload: json.RawMessage(p)})
	}
	results, err := r.Add(r.ctx, req)
	if err != nil {
		r.t.Fatal(err)
	}
	ids := make([]store.ID, len(results))
	for i, res := range results {
		ids[i] = res.Item.ID()
	}
	return ids
}

func (r *rig) addN(queue string, n int) []store.ID {
	r.t.Helper()
	payloads := make([]string, n)
	for i := range payloads {
		payloads[i] = fmt.Sprintf(`{"n":%d}`, i)
	}
	return r.add(queue, payloads...)
}

func (r *rig) item(id store.ID) engine.Record {
	r.t.Helper()
	rec, err := r.Item(r.ctx, id)
	if err != nil {
		r.t.Fatal(err)
	}
	return rec
}

// want checks an item's status and that its error's reason contains a text.
func (r *rig) want(id store.ID, s store.Status, reason string) engine.Record {
	r.t.Helper()
	rec := r.item(id)
	got := ""
	if rec.Error != nil {
		got = rec.Error.Reason
	}
	if rec.Status != s || !strings.Contains(got, reason) || reason == "" && got != "" {
		r.t.Errorf("item %s is %s (%.200q), want %s (%q)", id, rec.Status, got, s, reason)
	}
	return rec
}

func (r *rig) counts(queue string) store.Counts {
	r.t.Helper()
	q, err := r.Queue(r.ctx, queue)
	if err != nil {
		r.t.Fatal(err)
	}
	return q.Counts
}

// done waits until the queue has n items of the status.
func (r *rig) done(queue string, s store.Status, n int64) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.ctx, 30*time.Second)
	defer cancel()
	for seen := uint64(0); ; {
		snap, err := r.Watch(ctx, seen)
		if err != nil {
			r.t.Fatalf("queue %s has %v, waited for %d %s", queue, r.counts(queue), n, s)
		}
		seen = snap.Revision
		for _, q := range snap.Queues {
			if q.Name == queue && q.Counts[s] >= n {
				return
			}
		}
	}
}

// after lets virtual time pass, and everything come to rest.
func after(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func succeed(context.Context, engine.Record) (json.RawMessage, error) { return nil, nil }

// takes gives a handler that works for so long, or until it is told to stop.
func takes(d time.Duration) drain.Handler {
	return func(ctx context.Context, _ engine.Record) (json.RawMessage, error) {
		select {
		case <-time.After(d):
			return nil, nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}
