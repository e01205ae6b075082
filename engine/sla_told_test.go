package engine_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"signalbox/engine"
	"signalbox/store"
)

// lasting is a store that outlives its engines.
type lasting struct{ store.Store }

func (lasting) Close() error { return nil }

// eachRestart runs the test on every store; restart opens another engine on what
// the one before left.
func eachRestart(t *testing.T, test func(r *rig, restart func(asleep time.Duration))) {
	for name, open := range opens {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := lasting{open(t)}
				r := start(t, s)
				test(r, func(asleep time.Duration) {
					if err := r.Close(); err != nil {
						t.Fatal(err)
					}
					time.Sleep(asleep)
					r.Engine = start(t, s).Engine
				})
				if err := errors.Join(r.Close(), s.Store.Close()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// told gives the events about dates that the history holds of an item.
func (r *rig) told(id store.ID) (list []string) {
	r.t.Helper()
	changes, err := r.History(r.ctx, id, 1000)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, c := range changes {
		if c.Event == engine.AtRiskEvent || c.Event == engine.OverdueEvent {
			if c.Actor != "engine" || c.From != c.To {
				r.t.Errorf("%s: %+v", id, c)
			}
			list = append(list, c.Event)
		}
	}
	slices.Reverse(list)
	return list
}

func (r *rig) wantTold(id store.ID, want ...string) {
	r.t.Helper()
	synctest.Wait()
	if got := r.told(id); !slices.Equal(got, want) {
		r.t.Errorf("%s: told of %q, want %q", id, got, want)
	}
}

func (r *rig) wantNotices(want ...string) {
	r.t.Helper()
	synctest.Wait()
	s, err := r.Watch(r.ctx, 0)
	if err != nil {
		r.t.Fatal(err)
	}
	var got []string
	for _, n := range s.Notices {
		got = append(got, n.Text)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		r.t.Errorf("notices %q, want %q", got, want)
	}
}

// announced gives what webhooks are to be told of an event.
func (r *rig) announced(event string) (list []engine.Notification) {
	r.t.Helper()
	page, err := r.List(r.ctx, engine.ListRequest{Queue: engine.NotifyQueue, Limit: 1000})
	if err != nil {
		r.t.Fatal(err)
	}
	for _, i := range page.Items {
		var n engine.Notification
		if err := json.Unmarshal(r.item(i.ID()).Payload, &n); err != nil {
			r.t.Fatal(err)
		}
		if n.Event == event {
			list = append(list, n)
		}
	}
	return list
}

func withSLA(q *store.Queue) {
	q.SLARisk, q.SLA, q.Retries, q.RetryFloor = store.Duration(time.Hour), store.Duration(2*time.Hour), 1, store.Duration(time.Second)
	q.Lease = 0
}

// Each date is told of once, at its instant, whether the item waits, is deferred,
// is worked, or its queue is paused; across restarts, and when it comes while no
// engine runs.
func TestDatesAreToldOfOnce(t *testing.T) {
	eachRestart(t, func(r *rig, restart func(time.Duration)) {
		if _, err := r.AddWebhook(r.ctx, store.Webhook{Name: "ops", URL: "http://example.org"}); err != nil {
			r.t.Fatal(err)
		}
		r.queue("q", store.Transactions, withSLA)
		held, settled := r.addN("q", 1)[0], r.addN("q", 1)[0]
		recs := r.claim("q", "robot", 2)
		waits := r.addN("q", 1)[0]
		deferred := r.add("q", engine.NewItem{Payload: object(), DeferUntil: store.At(time.Now().Add(24 * time.Hour))})[0]
		if _, err := r.PauseQueue(r.ctx, "q", true); err != nil {
			r.t.Fatal(err)
		}
		r.settle(recs[1], engine.Success, "")
		time.Sleep(time.Hour - time.Second)
		for _, id := range []store.ID{held, waits, deferred, settled} {
			r.wantTold(id)
		}
		time.Sleep(time.Second + 2*time.Millisecond)
		for _, id := range []store.ID{held, waits, deferred} {
			r.wantTold(id, "at-risk")
		}
		r.wantNotices("3 at risk in q")
		restart(0)
		r.wantTold(held, "at-risk")
		restart(3 * time.Hour)
		for range 2 {
			for _, id := range []store.ID{held, waits, deferred} {
				r.wantTold(id, "at-risk", "overdue")
			}
			r.wantTold(settled)
			time.Sleep(48 * time.Hour)
		}
		r.wantNotices("3 overdue in q")
		for _, event := range []string{"at-risk", "overdue"} {
			list := r.announced(event)
			if len(list) != 1 {
				r.t.Fatalf("%s is announced %d times", event, len(list))
			}
			var data struct {
				Queue string
				Count int
				Items []store.ID
			}
			if err := json.Unmarshal(list[0].Data, &data); err != nil || data.Queue != "q" || data.Count != 3 || !slices.Equal(data.Items, []store.ID{held, waits, deferred}) {
				r.t.Errorf("%s: %s, %v", event, list[0].Data, err)
			}
		}
	})
}

// What comes late is overdue only; another due date is told of anew.
func TestDatesThatAreChanged(t *testing.T) {
	eachRestart(t, func(r *rig, restart func(time.Duration)) {
		r.queue("q", store.Jobs, withSLA)
		id := r.addN("q", 1)[0]
		late := r.add("q", engine.NewItem{Payload: object(), DueAt: store.At(time.Now().Add(-time.Hour))})[0]
		time.Sleep(10 * time.Millisecond)
		r.wantTold(late, "overdue")
		restart(3 * time.Hour)
		r.wantTold(id, "overdue")
		due := func(at store.Time) {
			r.t.Helper()
			if _, err := r.Edit(r.ctx, engine.EditRequest{Target: engine.Target{Item: id}, DueAt: &at}); err != nil {
				r.t.Fatal(err)
			}
		}
		due(store.At(time.Now().Add(time.Hour)))
		time.Sleep(time.Hour - time.Millisecond)
		r.wantTold(id, "overdue")
		time.Sleep(time.Second)
		r.wantTold(id, "overdue", "overdue")
		due(0)
		due(store.At(time.Now().Add(-time.Minute)))
		time.Sleep(5 * time.Second)
		r.wantTold(id, "overdue", "overdue", "overdue")
	})
}

// A retry goes on with what was told: in place and as a copy.
func TestDatesOfRetries(t *testing.T) {
	eachStore(t, func(r *rig) {
		for name, family := range map[string]store.Family{"tx": store.Transactions, "jobs": store.Jobs} {
			r.queue(name, family, withSLA)
			r.addN(name, 1)
			rec := r.claim(name, "robot", 1)[0]
			time.Sleep(90 * time.Minute)
			r.wantTold(rec.ID(), "at-risk")
			if o := r.settle(rec, engine.System, "no"); o.Err != nil {
				r.t.Fatal(o.Err)
			}
			time.Sleep(time.Hour)
			if family == store.Jobs {
				r.wantTold(rec.ID(), "at-risk", "overdue")
				continue
			}
			r.wantTold(rec.ID(), "at-risk")
			r.wantTold(store.ID{Queue: name, Number: 2}, "overdue")
		}
	})
}

// An act can be taken back after a date has passed, since that is no act.
func TestDatesLeaveUndoAlone(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, withSLA)
		id := r.addN("q", 1)[0]
		at := store.At(time.Now().Add(24 * time.Hour))
		if _, err := r.Edit(r.ctx, engine.EditRequest{Target: engine.Target{Item: id}, DeferUntil: &at}); err != nil {
			r.t.Fatal(err)
		}
		time.Sleep(3 * time.Hour)
		r.wantTold(id, "at-risk", "overdue")
		out, err := r.Undo(r.ctx, engine.UndoRequest{Targets: []engine.Target{{Item: id}}})
		if err != nil || out[0].Result != engine.OK || r.item(id).DeferUntil != 0 {
			r.t.Errorf("taken back: %+v, %v", out, err)
		}
	})
}

// Very many dates at one instant are told of in changes of a bounded size, with
// one notice; what an open import holds is told of when it is closed.
func TestManyDatesAtOnce(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, withSLA)
		if _, err := r.AddWebhook(r.ctx, store.Webhook{Name: "ops", URL: "http://example.org", Events: []string{"at-risk"}}); err != nil {
			r.t.Fatal(err)
		}
		const n = 3000
		r.addN("q", n)
		time.Sleep(time.Hour + time.Second)
		r.wantNotices(fmt.Sprintf("%d at risk in q", n))
		total := 0
		for _, of := range r.announced("at-risk") {
			var data struct{ Count int }
			if err := json.Unmarshal(of.Data, &data); err != nil || data.Count > 500 {
				r.t.Errorf("%s, %v", of.Data, err)
			}
			total += data.Count
		}
		if total != n {
			r.t.Errorf("announced %d of %d", total, n)
		}
		late := store.ID{Queue: "q", Number: n + 1}
		_, err := r.Import(r.ctx, engine.ImportRequest{Queue: "q"}, func(yield func(engine.NewItem, error) bool) {
			for i := range 2001 { // more than a chunk
				if i == 2000 {
					time.Sleep(time.Minute)
					r.wantTold(late)
				}
				if !yield(engine.NewItem{Payload: object(), DueAt: store.At(time.Now().Add(-time.Hour))}, nil) {
					return
				}
			}
		})
		if err != nil {
			r.t.Fatal(err)
		}
		time.Sleep(5 * time.Second)
		r.wantTold(late, "overdue")
	})
}

// Dates that come one after the other are gathered, so that they make no flood of
// notices.
func TestDatesInARow(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, withSLA)
		for range 1200 {
			r.addN("q", 1)
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(61 * time.Minute)
		r.wantNotices("1 at risk in q", "199 at risk in q", "500 at risk in q", "500 at risk in q")
	})
}

// An engine with dates to come sleeps until the first of them.
func TestDatesToComeCostNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &metered{Store: openBolt(t, filepath.Join(t.TempDir(), "test.db"))}
		r := start(t, s)
		r.queue("q", store.Jobs, func(q *store.Queue) { q.SLA = store.Duration(30 * time.Minute) })
		r.addN("q", 10)
		synctest.Wait()
		before := s.updates.Load()
		time.Sleep(29 * time.Minute)
		synctest.Wait()
		if n := s.updates.Load() - before; n != 0 {
			r.t.Errorf("%d changes while nothing was due", n)
		}
		if err := r.Close(); err != nil {
			r.t.Error(err)
		}
	})
}

// That dates are told of in bursts puts nothing else off.
func TestBurstsOfDatesDelayNothingElse(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("dates", store.Transactions, nil)
		r.queue("q", store.Transactions, func(q *store.Queue) { q.Lease = store.Duration(3 * time.Second) })
		start := time.Now()
		at := func(d time.Duration) store.Time { return store.At(start.Add(d)) }
		r.add("dates", engine.NewItem{Payload: object(), DueAt: at(time.Second)}, engine.NewItem{Payload: object(), DueAt: at(2 * time.Second)})
		leased := r.addN("q", 1)[0]
		r.claim("q", "robot", 1)
		r.add("q", engine.NewItem{Payload: object(), DeferUntil: at(4 * time.Second)})
		time.Sleep(3*time.Second + 10*time.Millisecond)
		if got := r.item(leased).Status; got != store.Abandoned {
			t.Errorf("3 s: the lease of 3 s has run out, the item is %s", got)
		}
		if _, err := r.Claim(r.ctx, engine.ClaimRequest{Queue: "q", Robot: "robot", N: 1, Wait: store.Duration(time.Minute)}); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took > 4*time.Second+10*time.Millisecond {
			t.Errorf("what was deferred for 4 s was claimed after %s", took)
		}
	})
}

// That a date has come changes nothing that somebody acts by.
func TestActsAreNotStaleByDates(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, withSLA)
		id := r.addN("q", 1)[0]
		seen := r.item(id).Revision
		time.Sleep(3 * time.Hour)
		r.wantTold(id, "at-risk", "overdue")
		out, err := r.Delete(r.ctx, engine.DeleteRequest{Targets: []engine.Target{{Item: id, Revision: seen}}})
		if err != nil || out[0].Result != engine.OK {
			t.Errorf("%+v %v", out, err)
		}
	})
}

// Nor is a retry's copy touched by it: the retry can be taken back.
func TestUndoOfARetryOutlivesDates(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, withSLA)
		id := r.addN("q", 1)[0]
		r.settle(r.claim("q", "robot", 1)[0], engine.Business, "wrong")
		out, err := r.Retry(r.ctx, engine.RetryRequest{Targets: []engine.Target{{Item: id}}})
		if err != nil || out[0].Result != engine.OK {
			t.Fatal(out, err)
		}
		time.Sleep(3 * time.Hour)
		r.wantTold(out[0].Next, "at-risk", "overdue")
		if err := r.Reveal(r.ctx, out[0].Next); err != nil {
			t.Fatal(err)
		}
		if out, err = r.Undo(r.ctx, engine.UndoRequest{Targets: []engine.Target{{Item: id}}}); err != nil || out[0].Result != engine.OK {
			t.Errorf("%+v %v", out, err)
		}
	})
}
