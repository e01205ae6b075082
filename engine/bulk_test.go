package engine_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/store/memory"
)

// excepted fills a queue with n business exceptions.
func (r *rig) excepted(queue string, n int) []store.ID {
	r.t.Helper()
	ids := r.addN(queue, n)
	for left := n; left > 0; left -= min(left, engine.MaxWave) {
		var settled []engine.Settlement
		for _, rec := range r.claim(queue, "robot", min(left, engine.MaxWave)) {
			settled = append(settled, engine.Settlement{Item: rec.ID(), Fence: rec.Fence, Status: engine.Business, Reason: "no postal code"})
		}
		if _, err := r.Settle(r.ctx, settled); err != nil {
			r.t.Fatal(err)
		}
	}
	return ids
}

func (r *rig) startBulk(req engine.BulkRequest) engine.BulkState {
	r.t.Helper()
	b, err := r.StartBulk(r.ctx, req)
	if err != nil {
		r.t.Fatal(err)
	}
	return b
}

// bulk carries a bulk act out to its end.
func (r *rig) bulk(req engine.BulkRequest) engine.BulkState {
	r.t.Helper()
	return r.ended(r.startBulk(req))
}

func (r *rig) ended(b engine.BulkState) engine.BulkState {
	r.t.Helper()
	var err error
	for b.Running() {
		if b, err = r.WatchBulk(r.ctx, b.ID, b.Revision); err != nil {
			r.t.Fatal(err)
		}
	}
	return b
}

func targetsOf(ids []store.ID) []engine.Target {
	targets := make([]engine.Target, len(ids))
	for i, id := range ids {
		targets[i].Item = id
	}
	return targets
}

func exceptionsOf(queue string) []engine.ListRequest {
	return []engine.ListRequest{{Queue: queue, Statuses: []store.Status{store.BusinessException}}}
}

func TestBulkActsOnWhatWasFrozen(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, nil)
		r.excepted("q", 600)
		b := r.startBulk(engine.BulkRequest{Verb: engine.BulkRetry, Select: exceptionsOf("q"), Rate: engine.Rate{Items: 300, Per: time.Second}})
		time.Sleep(time.Second)
		r.excepted("q", 2)
		b = r.ended(b)
		if b.State != engine.BulkDone || b.Selected != 600 || b.Done != 600 || b.Arrived != 2 || b.By != "anna" {
			t.Fatalf("%+v", b)
		}
		if c := r.counts("q"); c[store.Retried] != 600 || c[store.BusinessException] != 2 || c[store.Pending] != 600 {
			t.Fatalf("%v", c)
		}
		page, err := r.BulkResults(r.ctx, engine.ResultsRequest{ID: b.ID, After: 599, Limit: 10})
		if err != nil || len(page.Results) != 1 || page.Results[0].Item.Number != 600 || page.Results[0].Next.IsZero() || page.More {
			t.Fatalf("%+v %v", page, err)
		}
	})
}

func TestBulkKeepsToItsRate(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, nil)
		r.excepted("q", 60)
		for _, c := range []struct {
			rate string
			took time.Duration
		}{{"50/s", 1180 * time.Millisecond}, {"120/m", 29500 * time.Millisecond}, {"3600/h", 59 * time.Second}} {
			rate, err := engine.ParseRate(c.rate)
			if err != nil || rate.String() != c.rate {
				t.Fatalf("%v %v", rate, err)
			}
			began := time.Now()
			b := r.bulk(engine.BulkRequest{Verb: engine.Verify, Select: []engine.ListRequest{{Queue: "q"}}, Rate: rate})
			if took := time.Since(began); b.Done != 60 || took != c.took {
				t.Errorf("%s took %s, want %s: %+v", c.rate, took, c.took, b)
			}
			r.bulk(engine.BulkRequest{Verb: engine.Clear, Select: []engine.ListRequest{{Queue: "q"}}})
		}
		for _, bad := range []string{"50", "0/s", "50/d", "-1/s", "many/s", "50/"} {
			if _, err := engine.ParseRate(bad); store.CodeOf(err) != store.CodeInvalid {
				t.Errorf("%q: %v", bad, err)
			}
		}
	})
}

// The first so many are those that the verb is allowed on; what comes before them
// and is in another state does not count.
func TestBulkTakesTheFirstThatItMay(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, nil)
		r.excepted("q", 3)
		for range 3 {
			r.add("q", secretItem())
		}
		all := []engine.ListRequest{{Queue: "q"}}
		targets, err := r.Select(r.ctx, all[0])
		if err != nil {
			t.Fatal(err)
		}
		later := store.At(time.Now().Add(time.Hour))
		for n, c := range []engine.BulkRequest{
			{Verb: engine.BulkDefer, Select: all, Until: later, First: 2},
			{Verb: engine.BulkUndo, Select: all, First: 2},
			{Verb: engine.Verify, Select: all, First: 1},
			{Verb: engine.BulkRetry, Select: all, First: 2},
			{Verb: engine.BulkUndo, Targets: targets, First: 1},
			{Verb: engine.BulkDelete, Select: all, First: 6},
		} {
			if c.Targets != nil { // as they are now
				if c.Targets, err = r.Select(r.ctx, all[0]); err != nil {
					t.Fatal(err)
				}
			}
			if b := r.bulk(c); b.Of != c.First || b.Done != c.First || b.Selected != 6 || b.Arrived > 0 {
				t.Errorf("%d: %s of the first %d: %+v", n, c.Verb, c.First, b)
			}
		}
		// Where it is allowed on none, the refusals say why.
		if b := r.bulk(engine.BulkRequest{Verb: engine.BulkRetry, Select: []engine.ListRequest{{Queue: "q", Statuses: []store.Status{store.Deleted}}}, First: 2}); b.Refused != b.Of || b.Of == 0 {
			t.Errorf("%+v", b)
		}
	})
}

func TestBulkTakesTheFirst(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("a", store.Jobs, nil)
		r.queue("b", store.Jobs, nil)
		r.excepted("a", 3)
		r.excepted("b", 3)
		both := []engine.ListRequest{{Queue: "b", Filter: "status:failed"}, {Queue: "a", Filter: "status:failed"}}
		b := r.bulk(engine.BulkRequest{Verb: engine.BulkRetry, Select: both, First: 4})
		if b.Selected != 6 || b.Of != 4 || b.Done != 4 || b.Arrived != 0 {
			t.Fatalf("%+v", b)
		}
		if a, b := r.counts("a"), r.counts("b"); a[store.Queued] != 1 || b[store.Queued] != 3 {
			t.Fatalf("%v %v", a, b)
		}
		if b = r.bulk(engine.BulkRequest{Verb: engine.BulkRetry, Select: both, First: 100}); b.Of != 2 || b.Done != 2 {
			t.Fatalf("%+v", b)
		}
		if b = r.bulk(engine.BulkRequest{Verb: engine.BulkRetry, Select: both}); b.Of != 0 || b.State != engine.BulkDone {
			t.Fatalf("%+v", b)
		}
		later := store.At(time.Now().Add(time.Hour))
		if b = r.bulk(engine.BulkRequest{Verb: engine.BulkDefer, Select: []engine.ListRequest{{Queue: "a"}}, Until: later}); b.Done != 3 {
			t.Fatalf("%+v", b)
		}
		if q, err := r.Queue(r.ctx, "a"); err != nil || q.Delayed != 3 {
			t.Fatalf("%+v %v", q, err)
		}
	})
}

func TestBulkIsCancelled(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, nil)
		r.excepted("q", 100)
		own, leave := context.WithCancel(r.ctx)
		b, err := r.StartBulk(own, engine.BulkRequest{Verb: engine.BulkRetry, Select: []engine.ListRequest{{Queue: "q"}}, Rate: engine.Rate{Items: 10, Per: time.Second}})
		if err != nil {
			t.Fatal(err)
		}
		leave() // who asked for it goes away, and it goes on
		time.Sleep(2050 * time.Millisecond)
		if snap, err := r.Watch(r.ctx, 0); err != nil || len(snap.Bulks) != 1 || snap.Bulks[0].Tried() != 21 || !snap.Bulks[0].Running() {
			t.Fatalf("%+v %v", snap.Bulks, err)
		}
		b, err = r.CancelBulk(engine.WithActor(r.ctx, "grace"), b.ID)
		if err != nil || b.State != engine.BulkCancelled || b.EndedBy != "grace" || b.Done != 21 {
			t.Fatalf("%+v %v", b, err)
		}
		time.Sleep(time.Minute)
		if c := r.counts("q"); c[store.Queued] != 21 || c[store.Failed] != 79 {
			t.Fatalf("%v", c)
		}
		again, err := r.CancelBulk(r.ctx, b.ID)
		if err != nil || again.EndedBy != "grace" {
			t.Errorf("%+v %v", again, err)
		}
		_, err = r.CancelBulk(r.ctx, b.ID+1)
		r.wantCode(err, store.CodeNotFound)
	})
}

func TestBulkAnswersForEach(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, nil)
		ids := r.excepted("q", 5)
		targets, err := r.Select(r.ctx, engine.ListRequest{Queue: "q"})
		if err != nil {
			t.Fatal(err)
		}
		targets = append(targets, engine.Target{Item: store.ID{Queue: "q", Number: 99}}, engine.Target{Item: store.ID{Queue: "none", Number: 1}})
		r.judge(ids[1], engine.Verify, "grace")
		targets[2].Revision = 0
		r.judge(ids[2], engine.Verify, "grace")
		b := r.bulk(engine.BulkRequest{Verb: engine.BulkRetry, Targets: targets})
		if b.Done != 3 || b.Stale != 1 || b.Refused != 1 || b.Gone != 2 || b.Arrived != -1 || len(b.Trouble) != 4 {
			t.Fatalf("%+v", b)
		}
		page, err := r.BulkResults(r.ctx, engine.ResultsRequest{ID: b.ID, Failed: true})
		if err != nil || len(page.Results) != 4 || page.Next != 7 {
			t.Fatalf("%+v %v", page, err)
		}
		for i, words := range []string{"review-verify by anna", "verified by grace", "not found", "not found"} {
			if o := page.Results[i]; !strings.Contains(o.Error, words) || o.Err == nil {
				t.Errorf("%+v, want %q", o, words)
			}
		}
	})
}

func TestBulkIsTakenBack(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, nil)
		ids := r.excepted("q", 1100)
		r.judge(ids[0], engine.Verify, "grace")
		retried := r.bulk(engine.BulkRequest{Verb: engine.BulkRetry, Select: exceptionsOf("q")})
		if retried.Done != 1099 || retried.Refused != 1 || !retried.Undoable {
			t.Fatalf("%+v", retried)
		}
		r.claim("q", "r7", 4)
		back := r.bulk(engine.BulkRequest{Verb: engine.BulkUndo, Of: retried.ID})
		if back.Selected != 1099 || back.Done != 1095 || back.Refused != 4 || back.Undoes != retried.ID {
			t.Fatalf("%+v", back)
		}
		if c := r.counts("q"); c[store.BusinessException] != 1096 || c[store.Deleted] != 1095 || c[store.Processing]+c[store.Claimed] != 4 || c[store.Retried] != 4 {
			t.Fatalf("%v", c)
		}
		deleted := r.bulk(engine.BulkRequest{Verb: engine.BulkDelete, Select: exceptionsOf("q"), First: 10})
		if back = r.bulk(engine.BulkRequest{Verb: engine.BulkUndo, Of: deleted.ID}); back.Done != 10 {
			t.Fatalf("%+v", back)
		}
	})
}

func TestBulkEndsWithItsEngine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, memory.New())
		r.queue("q", store.Jobs, nil)
		r.excepted("q", 10)
		b := r.startBulk(engine.BulkRequest{Verb: engine.BulkRetry, Select: []engine.ListRequest{{Queue: "q"}}, Rate: engine.Rate{Items: 1, Per: time.Hour}})
		synctest.Wait()
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		b, err := r.WatchBulk(r.ctx, b.ID, 0)
		if err != nil || b.State != engine.BulkCancelled || b.Done != 1 || b.Error != "the engine stopped" {
			t.Fatalf("%+v %v", b, err)
		}
		_, err = r.StartBulk(r.ctx, engine.BulkRequest{Verb: engine.BulkRetry, Targets: []engine.Target{{Item: store.ID{Queue: "q", Number: 1}}}})
		r.wantCode(err, store.CodeUnavailable)
	})
}

// tallying counts a store's commits and the most items put in one.
type tallying struct {
	store.Store
	commits, most atomic.Int64
}

type tallyingTx struct {
	store.Tx
	puts *int64
}

func (t tallyingTx) Put(i *store.Item, c *store.Change) error {
	*t.puts++
	return t.Tx.Put(i, c)
}

func (c *tallying) Update(ctx context.Context, fn func(store.Tx) error) error {
	return c.Store.Update(ctx, func(t store.Tx) error {
		var puts int64
		err := fn(tallyingTx{t, &puts})
		c.commits.Add(1)
		c.most.Store(max(c.most.Load(), puts))
		return err
	})
}

// A bulk act leaves room for others: its commits are of bounded size.
func TestBulkLeavesRoomForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &tallying{Store: memory.New()}
		r := start(t, s)
		defer r.Close()
		r.queue("q", store.Jobs, nil)
		r.excepted("q", 2000)
		s.commits.Store(0)
		s.most.Store(0)
		r.bulk(engine.BulkRequest{Verb: engine.Verify, Select: []engine.ListRequest{{Queue: "q"}}})
		if n, most := s.commits.Load(), s.most.Load(); n != 8 || most != 250 {
			t.Errorf("%d commits, one of %d items", n, most)
		}
	})
}

func TestBulkRequestsThatMakeNoSense(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, nil)
		ids := r.excepted("q", 2)
		some := targetsOf(ids)
		for name, c := range map[string]struct {
			req  engine.BulkRequest
			want store.Code
		}{
			"no verb":      {engine.BulkRequest{Targets: some}, store.CodeInvalid},
			"unknown verb": {engine.BulkRequest{Verb: "shrug", Targets: some}, store.CodeInvalid},
			"nothing":      {engine.BulkRequest{Verb: engine.BulkRetry}, store.CodeInvalid},
			"everything":   {engine.BulkRequest{Verb: engine.BulkRetry, Select: []engine.ListRequest{{}}}, store.CodeInvalid},
			"bad filter":   {engine.BulkRequest{Verb: engine.BulkRetry, Select: []engine.ListRequest{{Filter: "status:great"}}}, store.CodeInvalid},
			"no queue":     {engine.BulkRequest{Verb: engine.BulkRetry, Select: []engine.ListRequest{{Queue: "none"}}}, store.CodeNotFound},
			"empty note":   {engine.BulkRequest{Verb: engine.Note, Targets: some}, store.CodeInvalid},
			"fewer than 0": {engine.BulkRequest{Verb: engine.BulkRetry, Targets: some, First: -1}, store.CodeInvalid},
			"of and these": {engine.BulkRequest{Verb: engine.BulkUndo, Targets: some, Of: 1}, store.CodeInvalid},
			"retry of":     {engine.BulkRequest{Verb: engine.BulkRetry, Of: 1}, store.CodeInvalid},
			"of none":      {engine.BulkRequest{Verb: engine.BulkUndo, Of: 1}, store.CodeNotFound},
		} {
			if _, err := r.StartBulk(r.ctx, c.req); store.CodeOf(err) != c.want {
				t.Errorf("%s: %v", name, err)
			}
		}
		slow := engine.BulkRequest{Verb: engine.BulkRetry, Targets: append(some, some...), Rate: engine.Rate{Items: 1, Per: time.Hour}}
		for range 8 {
			r.startBulk(slow)
		}
		_, err := r.StartBulk(r.ctx, slow)
		r.wantCode(err, store.CodeConflict)
	})
}

// blind counts how often payloads are read.
type blind struct {
	store.Store
	payloads atomic.Int64
}

type blindReader struct {
	store.Reader
	b *blind
}

type blindTx struct {
	store.Tx
	b *blind
}

func (b *blind) View(ctx context.Context, fn func(store.Reader) error) error {
	return b.Store.View(ctx, func(r store.Reader) error { return fn(blindReader{r, b}) })
}

func (b *blind) Update(ctx context.Context, fn func(store.Tx) error) error {
	return b.Store.Update(ctx, func(t store.Tx) error { return fn(blindTx{t, b}) })
}

func (r blindReader) Payload(id store.ID) ([]byte, error) {
	r.b.payloads.Add(1)
	return r.Reader.Payload(id)
}

func (t blindTx) Payload(id store.ID) ([]byte, error) {
	t.b.payloads.Add(1)
	return t.Tx.Payload(id)
}

// Groups, their counts and judgements on whole groups look at no payload.
func TestGroupsLookAtNoPayload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &blind{Store: memory.New()}
		r := start(t, s)
		defer r.Close()
		r.queue("q", store.Transactions, nil)
		r.excepted("q", 50)
		s.payloads.Store(0)
		groups, err := r.Groups(r.ctx, "")
		if err != nil || len(groups) != 1 || groups[0].Count != 50 {
			t.Fatalf("%+v %v", groups, err)
		}
		if _, err := r.Watch(r.ctx, 0); err != nil {
			t.Fatal(err)
		}
		whole := []engine.ListRequest{{Queue: "q", Group: groups[0].Text}}
		for _, verb := range []string{engine.Assign, engine.Note, engine.Clear, engine.Verify} {
			if b := r.bulk(engine.BulkRequest{Verb: verb, Select: whole, Note: "hm"}); b.Done != 50 {
				t.Fatalf("%+v", b)
			}
		}
		if n := s.payloads.Load(); n != 0 {
			t.Errorf("%d payloads were read", n)
		}
	})
}
