package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"signalbox/engine"
	"signalbox/store"
)

func TestQueueSettings(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("a.b", store.Jobs, nil)
		q, err := r.SetQueue(r.ctx, "a.b", json.RawMessage(`{"lease":"90s","retries":3,"consumer":{"kind":"command","argv":["true"]}}`))
		if err != nil || q.Lease != store.Duration(90*time.Second) || q.Retries != 3 || q.Lane != "fast" || q.Revision != 2 {
			t.Fatalf("%v %+v", err, q.Queue)
		}
		for patch, want := range map[string]string{
			`{"retries":17}`:               "retries 17: from 0 to 16",
			`{"lane":"middle"}`:            "a lane is fast or slow",
			`{"lease":"5 minutes"}`:        "a duration is a number with a unit",
			`{"lease":"100ms"}`:            "at least 1s",
			`{"name":"other"}`:             "keeps its name and family",
			`{"colour":"red"}`:             `unknown field "colour"`,
			`{"consumer":{"kind":"ftp"}}`:  `consumer "ftp"`,
			`{"batch_size":0}`:             "batch_size 0: from 1 to 1000",
			`{"sla":"2h","sla_risk":"3h"}`: "sla_risk 3h is longer than sla 2h",
			`{"sla_risk":"-1h"}`:           "a duration is a number with a unit",
			`{`:                            "it ends in the midst of a value",
		} {
			_, err := r.SetQueue(r.ctx, "a.b", json.RawMessage(patch))
			if store.CodeOf(err) != store.CodeInvalid || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", patch, err, want)
			}
		}
		if again, _ := r.Queue(r.ctx, "a.b"); again.Revision != 2 || again.Consumer.Argv[0] != "true" {
			t.Errorf("a refused change was kept: %+v", again.Queue)
		}
	})
}

func TestQueueNames(t *testing.T) {
	eachStore(t, func(r *rig) {
		for _, name := range []string{"", "A", "a b", "a..b", ".a", "a.", "-a", "é", "signalbox.import", strings.Repeat("a", 129), "a/b"} {
			_, err := r.AddQueue(r.ctx, engine.DefaultQueue(name, store.Jobs))
			if store.CodeOf(err) != store.CodeInvalid {
				t.Errorf("%q: %v", name, err)
			}
		}
		r.queue("a-1_x.b", store.Jobs, nil)
		_, err := r.AddQueue(r.ctx, engine.DefaultQueue("a-1_x.b", store.Transactions))
		r.wantCode(err, store.CodeConflict)
	})
}

func TestDeleteQueue(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, nil)
		r.addN("q", 2)
		rec := r.claim("q", "r", 1)[0]
		r.wantCode(r.DeleteQueue(r.ctx, "q", false), store.CodeConflict)
		if err := r.DeleteQueue(r.ctx, "q", true); err != nil {
			t.Fatal(err)
		}
		if out := r.settle(rec, engine.Success, ""); out.Result != engine.Gone {
			t.Errorf("settle after it: %+v", out)
		}
		_, err := r.Queue(r.ctx, "q")
		r.wantCode(err, store.CodeNotFound)
		r.queue("q", store.Jobs, nil)
		if id := r.addN("q", 1)[0]; id.Number != 3 {
			t.Errorf("an id of the deleted queue is used again: %s", id)
		}
		r.wantCode(r.DeleteQueue(r.ctx, "none", false), store.CodeNotFound)
	})
}

func TestPoolSettings(t *testing.T) {
	eachStore(t, func(r *rig) {
		pool := func() string {
			s, err := r.Pool(r.ctx)
			if err != nil {
				t.Fatal(err)
			}
			return fmt.Sprintf("%d: %d-%d, %d-%d auto %v", s.Pool, s.Fast.First, s.Fast.Last, s.Slow.First, s.Slow.Last, s.Auto)
		}
		if got := pool(); got != "25: 1-19, 7-25 auto true" {
			t.Errorf("default pool %s", got)
		}
		for _, c := range []struct {
			req  engine.SplitRequest
			want string // "" = refused
		}{
			{engine.SplitRequest{Size: 2, Auto: true}, ""},
			{engine.SplitRequest{Size: 10, Fast: 6, Slow: 5}, ""},
			{engine.SplitRequest{Size: 10, Fast: 0, Slow: 5}, ""},
			{engine.SplitRequest{Size: 10, Fast: 6, Slow: 4}, "10: 1-6, 7-10 auto false"},
			{engine.SplitRequest{Size: 12, Keep: true}, "12: 1-8, 7-12 auto false"},
			{engine.SplitRequest{Auto: true}, "12: 1-9, 4-12 auto true"},
			{engine.SplitRequest{Size: 40, Keep: true}, "40: 1-30, 11-40 auto true"},
		} {
			before := pool()
			_, err := r.SetPool(r.ctx, c.req)
			if (err == nil) != (c.want != "") {
				t.Errorf("%+v: %v", c.req, err)
			}
			want := c.want
			if want == "" {
				r.wantCode(err, store.CodeInvalid)
				want = before
			}
			if got := pool(); got != want {
				t.Errorf("%+v: %s, want %s", c.req, got, want)
			}
		}
	})
}

func TestWatchShowsTheNewest(t *testing.T) {
	eachStore(t, func(r *rig) {
		s, err := r.Watch(r.ctx, 0)
		if err != nil || len(s.Queues) != 0 || s.Slots.Pool != 25 {
			t.Fatalf("%v %+v", err, s)
		}
		got := make(chan *engine.Snapshot, 1)
		watch := func(after uint64) {
			go func() {
				s, err := r.Watch(r.ctx, after)
				if err != nil {
					t.Error(err)
				}
				got <- s
			}()
			synctest.Wait()
		}
		watch(s.Revision)
		select {
		case <-got:
			t.Fatal("a snapshot came though nothing has changed")
		default:
		}
		r.queue("q", store.Transactions, nil)
		s = <-got
		if len(s.Queues) != 1 || s.Queues[0].Name != "q" {
			t.Fatalf("%+v", s.Queues)
		}
		r.queue("other", store.Jobs, nil)
		r.addN("q", 5)
		rec := r.claim("q", "r", 1)[0]
		r.settle(rec, engine.Business, "wrong")
		watch(s.Revision)
		s = <-got
		q := s.Queues[1]
		if q.Counts[store.Pending] != 4 || q.Counts[store.BusinessException] != 1 || q.OldestWaitingAt == 0 {
			t.Errorf("%+v", q)
		}
		if len(s.Groups) != 1 || s.Groups[0].Text != "wrong" || q.In[len(q.In)-1] != 5 || q.Out[len(q.Out)-1] != 1 {
			t.Errorf("groups %+v, in %v, out %v", s.Groups, q.In, q.Out)
		}
		grant, err := r.Slots().TryTake(lane("fast", "q"))
		if err != nil {
			t.Fatal(err)
		}
		watch(s.Revision)
		if s = <-got; s.Slots.Busy != 1 {
			t.Errorf("busy %d", s.Slots.Busy)
		}
		grant.Release()
		if err := r.DeleteQueue(r.ctx, "q", true); err != nil {
			t.Fatal(err)
		}
		watch(s.Revision)
		if s = <-got; len(s.Queues) != 1 || s.Slots.Busy != 0 {
			t.Errorf("%d queues, %d busy", len(s.Queues), s.Slots.Busy)
		}
		ctx, cancel := context.WithCancel(r.ctx)
		cancel()
		if _, err := r.Watch(ctx, s.Revision); err != context.Canceled {
			t.Errorf("cancelled: %v", err)
		}
	})
}

func TestAvailableNamesWhatDrainsCanWork(t *testing.T) {
	eachStore(t, func(r *rig) {
		names := func() string {
			queues, err := r.Available(r.ctx)
			if err != nil {
				t.Fatal(err)
			}
			var s []string
			for _, q := range queues {
				s = append(s, q.Name)
			}
			return strings.Join(s, " ")
		}
		handled := func(q *store.Queue) { q.Consumer.Kind = engine.Handler }
		r.queue("manual", store.Jobs, nil)
		r.queue("worked", store.Jobs, handled)
		if got := names(); got != "" {
			t.Errorf("nothing is there, but %q", got)
		}
		r.addN("manual", 1)
		r.addN("worked", 2)
		<-r.Wake()
		if got := names(); got != "worked" {
			t.Errorf("available %q", got)
		}
		r.claim("worked", "r", 1)
		if got := names(); got != "worked" {
			t.Errorf("one left, available %q", got)
		}
		rec := r.claim("worked", "r", 1)[0]
		if got := names(); got != "" {
			t.Errorf("none left, available %q", got)
		}
		if err := r.Postpone(r.ctx, holding(rec), store.At(time.Now().Add(time.Hour))); err != nil {
			t.Fatal(err)
		}
		if got := names(); got != "" {
			t.Errorf("postponed, available %q", got)
		}
		time.Sleep(time.Hour + time.Second)
		<-r.Wake()
		if got := names(); got != "worked" {
			t.Errorf("ripe, available %q", got)
		}
		if _, err := r.PauseQueue(r.ctx, "worked", true); err != nil {
			t.Fatal(err)
		}
		if got := names(); got != "" {
			t.Errorf("paused, available %q", got)
		}
	})
}

// The revision that was seen is no setting, and tells nobody anything.
func TestHistoryTellsNoRevision(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, nil)
		q, err := r.Queue(r.ctx, "q")
		if err != nil {
			r.t.Fatal(err)
		}
		if _, err := r.SetQueue(r.ctx, "q", fmt.Appendf(nil, `{"retries":1,"revision":%d}`, q.Revision)); err != nil {
			r.t.Fatal(err)
		}
		changes, err := r.Changes(r.ctx, 0, 10)
		if err != nil || len(changes) != 2 || changes[1].Why != `{"retries":1}` {
			r.t.Error(changes, err)
		}
	})
}

func TestHistoryTellsNoHeaders(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, nil)
		for _, patch := range []string{
			`{"consumer":{"kind":"http","url":"http://h","headers":["A: hunter2"]}}`,
			`{"Consumer":{"HEADERS":["A: hunter2"]},"retries":1}`,
		} {
			if _, err := r.SetQueue(r.ctx, "q", json.RawMessage(patch)); err != nil {
				r.t.Fatal(err)
			}
		}
		if q, err := r.Queue(r.ctx, "q"); err != nil || q.Consumer.Headers[0] != "A: hunter2" || q.Retries != 1 {
			r.t.Errorf("got %+v, %v", q.Consumer, err)
		}
		changes, err := r.Changes(r.ctx, 0, 10)
		if err != nil || len(changes) != 3 {
			r.t.Fatal(changes, err)
		}
		for _, c := range changes[1:] {
			if strings.Contains(c.Why, "hunter2") || !strings.Contains(c.Why, "A: ••••") {
				r.t.Errorf("the history tells %s", c.Why)
			}
		}
	})
}

// A queue that takes the name of one that was deleted has counted nothing yet.
func TestCountsOfADeletedQueueGo(t *testing.T) {
	eachStore(t, func(r *rig) {
		for n := range 2 {
			r.queue("q", store.Jobs, nil)
			m, err := r.Metrics(r.ctx)
			if err != nil || len(m.Queues[0].Events) > 0 {
				r.t.Errorf("queue %d has %+v (%v)", n, m.Queues, err)
			}
			if q, err := r.Queue(r.ctx, "q"); err != nil || slices.ContainsFunc(append(q.In, q.Out...), func(n int) bool { return n > 0 }) {
				r.t.Errorf("queue %d has %v in, %v out (%v)", n, q.In, q.Out, err)
			}
			r.addN("q", 2)
			r.settle(r.claim("q", "r", 1)[0], engine.Success, "")
			if err := r.DeleteQueue(r.ctx, "q", true); err != nil {
				r.t.Fatal(err)
			}
		}
	})
}
