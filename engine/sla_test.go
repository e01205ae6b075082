package engine_test

import (
	"testing"
	"time"

	"signalbox/engine"
	"signalbox/store"
)

func TestQueuesCountTheirDates(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, func(q *store.Queue) {
			q.SLA, q.SLARisk = store.Duration(2*time.Hour), store.Duration(time.Hour)
		})
		want := func(ok, risk, overdue int64) {
			r.t.Helper()
			q, err := r.Queue(r.ctx, "q")
			if err != nil || q.SLA != (store.Standings{OnTime: ok, AtRisk: risk, Overdue: overdue}) {
				r.t.Errorf("%+v (%v), want %d, %d, %d", q.SLA, err, ok, risk, overdue)
			}
			for filter, n := range map[string]int64{"sla:ok": ok, "sla:risk": risk, "sla:overdue": overdue} {
				page, err := r.List(r.ctx, engine.ListRequest{Filter: filter})
				if err != nil || int64(len(page.Items)) != n {
					r.t.Errorf("%s lists %d items (%v), want %d", filter, len(page.Items), err, n)
				}
			}
		}
		want(0, 0, 0)
		ids := r.addN("q", 3)
		if i := r.item(ids[0]); i.DueAt.Sub(i.CreatedAt) != 2*time.Hour || i.RiskAt.Sub(i.CreatedAt) != time.Hour {
			t.Errorf("due %s, at risk %s", i.DueAt, i.RiskAt)
		}
		r.add("q", engine.NewItem{Payload: object(), DueAt: store.At(time.Now().Add(30 * time.Minute))}) // its own date; at risk never
		want(4, 0, 0)
		time.Sleep(45 * time.Minute)
		want(3, 0, 1)
		time.Sleep(30 * time.Minute)
		want(0, 3, 1)
		r.claim("q", "r", 1) // the one that is overdue
		want(0, 3, 0)
		time.Sleep(time.Hour)
		want(0, 0, 3)
	})
}

// Who watches is told when time alone makes an item overdue.
func TestWatchersAreToldOfDates(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, func(q *store.Queue) { q.SLA = store.Duration(time.Hour) })
		r.addN("q", 1)
		s, err := r.Watch(r.ctx, 0)
		if err != nil || s.Queues[0].SLA.OnTime != 1 {
			t.Fatalf("%+v (%v)", s, err)
		}
		begun := time.Now()
		if s, err = r.Watch(r.ctx, s.Revision); err != nil || s.Queues[0].SLA.Overdue != 1 || time.Since(begun) > time.Hour+time.Second {
			t.Errorf("%+v after %s (%v)", s.Queues[0].SLA, time.Since(begun), err)
		}
	})
}
