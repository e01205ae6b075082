package engine_test

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"signalbox/engine"
	"signalbox/store"
)

func holding(rec engine.Record) engine.Holding {
	return engine.Holding{Item: rec.ID(), Fence: rec.Fence}
}

func TestLeaseEndsWhenItSaysAndNoEarlier(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, nil)
		id := r.addN("q", 1)[0]
		rec := r.claim("q", "r-1", 1)[0]
		time.Sleep(5*time.Minute - time.Millisecond)
		synctest.Wait()
		r.wantStatus(id, store.Processing)
		time.Sleep(2 * time.Millisecond)
		synctest.Wait()
		gone := r.wantStatus(id, store.Abandoned)
		if !strings.Contains(gone.Error.Reason, `lease of 5m ran out, no word from robot "r-1"`) || gone.Group == "" {
			t.Errorf("reason %q, group %q", gone.Error.Reason, gone.Group)
		}
		out := r.settle(rec, engine.Success, "")
		if out.Result != engine.Stale || !strings.Contains(out.Error, "lease lost") {
			t.Errorf("settle by the dead robot: %+v", out)
		}
		r.wantStatus(id, store.Abandoned)
	})
}

func TestRenewalExtendsFromNow(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, nil)
		id := r.addN("q", 1)[0]
		rec := r.claim("q", "r", 1)[0]
		for range 10 {
			time.Sleep(4 * time.Minute)
			if out, err := r.Renew(r.ctx, []engine.Holding{holding(rec)}); err != nil || out[0].Result != engine.OK {
				t.Fatalf("renew: %v %+v", err, out)
			}
		}
		r.wantStatus(id, store.Processing)
		time.Sleep(5*time.Minute + time.Second)
		synctest.Wait()
		r.wantStatus(id, store.Abandoned)
		if out, _ := r.Renew(r.ctx, []engine.Holding{holding(rec)}); out[0].Result != engine.Stale {
			t.Errorf("renewing a lost lease: %+v", out)
		}
	})
}

func TestExpiryPolicies(t *testing.T) {
	cases := map[string]struct {
		family store.Family
		change func(*store.Queue)
		want   []store.Status // after each expiry in turn
	}{
		"jobs are reclaimed three times": {store.Jobs, nil, []store.Status{store.Queued, store.Queued, store.Queued, store.Abandoned}},
		"no limit to reclaims": {store.Jobs, func(q *store.Queue) { q.MaxReclaims = 0 },
			[]store.Status{store.Queued, store.Queued, store.Queued, store.Queued, store.Queued}},
		"jobs abandoned": {store.Jobs, func(q *store.Queue) { q.OnExpiry = engine.Abandon }, []store.Status{store.Abandoned}},
		"jobs retried in place": {store.Jobs, func(q *store.Queue) {
			q.OnExpiry, q.RetryAbandoned, q.Retries, q.RetryWindow, q.RetryFloor = engine.Abandon, true, 1, 0, 0
		}, []store.Status{store.Queued, store.Abandoned}},
		"transactions reclaimed": {store.Transactions, func(q *store.Queue) { q.OnExpiry, q.MaxReclaims = engine.Reclaim, 1 },
			[]store.Status{store.Pending, store.Abandoned}},
		"retries do not pay for expiry unless said": {store.Transactions, func(q *store.Queue) { q.Retries = 5 }, []store.Status{store.Abandoned}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			eachStore(t, func(r *rig) {
				r.queue("q", c.family, c.change)
				id := r.addN("q", 1)[0]
				for n, want := range c.want {
					rec := r.claim("q", "r", 1)[0]
					if rec.Fence != uint64(n+1) {
						t.Fatalf("fence %d at claim %d", rec.Fence, n+1)
					}
					time.Sleep(11 * time.Minute)
					synctest.Wait()
					r.wantStatus(id, want)
				}
			})
		})
	}
}

func TestExpiryThatPaysARetryCopiesATransaction(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, func(q *store.Queue) { q.RetryAbandoned, q.Retries = true, 1 })
		id := r.addN("q", 1)[0]
		r.claim("q", "r", 1)
		time.Sleep(6 * time.Minute)
		synctest.Wait()
		old := r.wantStatus(id, store.Retried)
		c := r.wantStatus(old.Next, store.Pending)
		if c.RetryNo != 1 || c.Previous != id || c.Chain != id || c.AvailableAt.Sub(old.EndedAt) != 24*time.Hour {
			t.Errorf("copy: %+v", c.Item)
		}
	})
}

func TestLeaseOfZeroNeverRunsOut(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, func(q *store.Queue) { q.Lease = 0 })
		id := r.addN("q", 1)[0]
		rec := r.claim("q", "r", 1)[0]
		time.Sleep(1000 * time.Hour)
		synctest.Wait()
		r.wantStatus(id, store.Processing)
		if out := r.settle(rec, engine.Success, ""); out.Result != engine.OK {
			t.Errorf("%+v", out)
		}
	})
}

// A fence must tell claims apart where nothing else does: the item is held,
// by a robot of the same name, in the same status.
func TestOldFenceIsRefusedWhileTheItemIsHeldAgain(t *testing.T) {
	for _, family := range []store.Family{store.Jobs, store.Transactions} {
		eachStore(t, func(r *rig) {
			r.queue("q", family, func(q *store.Queue) { q.OnExpiry = engine.Reclaim })
			id := r.addN("q", 1)[0]
			old := r.claim("q", "r", 1)[0]
			time.Sleep(11 * time.Minute)
			synctest.Wait()
			held := r.claim("q", "r", 1)[0]
			if held.Status != old.Status || held.ClaimedBy != old.ClaimedBy {
				t.Fatal("the two claims should differ in nothing but the fence")
			}
			before := r.item(id)
			if out := r.settle(old, engine.Business, "late"); out.Result != engine.Stale || !strings.Contains(out.Error, "now held by r") {
				t.Errorf("settle: %+v", out)
			}
			_, err := r.Start(r.ctx, holding(old))
			r.wantCode(err, store.CodeConflict)
			r.wantCode(r.Progress(r.ctx, holding(old), "x"), store.CodeConflict)
			r.wantCode(r.Postpone(r.ctx, holding(old), before.LeaseUntil), store.CodeConflict)
			if out, _ := r.Renew(r.ctx, []engine.Holding{holding(old)}); out[0].Result != engine.Stale {
				t.Errorf("renew: %+v", out)
			}
			if out, _ := r.Release(r.ctx, []engine.Holding{holding(old)}); out[0].Result != engine.Stale {
				t.Errorf("release: %+v", out)
			}
			if after := r.item(id); after.Revision != before.Revision {
				t.Errorf("a stale call changed the item: %+v", after.Item)
			}
			if out := r.settle(held, engine.Success, ""); out.Result != engine.OK {
				t.Errorf("the holder's settle: %+v", out)
			}
		})
	}
}

func TestFenceOutlivesOperatorRetry(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, nil)
		id := r.addN("q", 1)[0]
		first := r.claim("q", "r", 1)[0]
		r.settle(first, engine.System, "broken")
		if _, err := r.Retry(r.ctx, engine.RetryRequest{Targets: []engine.Target{{Item: id}}}); err != nil {
			t.Fatal(err)
		}
		second := r.claim("q", "r", 1)[0]
		if second.Fence <= first.Fence {
			t.Fatalf("fence went from %d to %d", first.Fence, second.Fence)
		}
		if out := r.settle(first, engine.Success, ""); out.Result != engine.Stale {
			t.Errorf("the fence of before the retry settles: %+v", out)
		}
	})
}

func TestReleaseAndPostponeCostNothing(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, nil)
		id := r.addN("q", 1)[0]
		rec := r.claim("q", "r", 1)[0]
		until := store.At(time.Now().Add(2 * time.Hour))
		if err := r.Postpone(r.ctx, holding(rec), until); err != nil {
			t.Fatal(err)
		}
		if i := r.wantStatus(id, store.Pending); i.DeferUntil != until || i.Failures != 0 || i.Reclaims != 0 {
			t.Errorf("%+v", i.Item)
		}
		q, err := r.Queue(r.ctx, "q")
		if err != nil || q.Delayed != 1 || q.NextAvailableAt != until {
			t.Errorf("delayed %d until %s, %v", q.Delayed, q.NextAvailableAt, err)
		}
		time.Sleep(2 * time.Hour)
		rec = r.claim("q", "r", 1)[0]
		if out, err := r.Release(r.ctx, []engine.Holding{holding(rec)}); err != nil || out[0].Result != engine.OK {
			t.Fatalf("%v %+v", err, out)
		}
		if i := r.wantStatus(id, store.Pending); i.Failures != 0 || i.Reclaims != 0 {
			t.Errorf("%+v", i.Item)
		}
	})
}

func TestProgressIsKeptWhileHeld(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, nil)
		r.addN("q", 1)
		rec := r.claim("q", "r", 1)[0]
		if err := r.Progress(r.ctx, holding(rec), "page 3 of 7"); err != nil || r.item(rec.ID()).Progress != "page 3 of 7" {
			t.Errorf("progress: %v", err)
		}
		r.wantCode(r.Progress(r.ctx, holding(rec), strings.Repeat("x", engine.MaxProgress+1)), store.CodeInvalid)
	})
}

// What ran out while no engine ran is applied by Open, claims of an engine's
// own drains at once, a robot's when its lease ends.
func TestOpenAppliesWhatHappenedMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "test.db")
		r := start(t, openBolt(t, path))
		r.queue("tx", store.Transactions, nil)
		r.queue("jobs", store.Jobs, nil)
		ids := append(r.addN("tx", 3), r.addN("jobs", 1)...)
		r.claim("tx", "robot", 1)
		r.claim("tx", engine.DrainPrefix+r.Incarnation()+"/tx#1", 1)
		r.claim("jobs", engine.DrainPrefix+r.Incarnation()+"/jobs#1", 1)
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		r = start(t, openBolt(t, path))
		r.wantStatus(ids[0], store.Processing)
		dead := r.wantStatus(ids[1], store.Abandoned)
		if !strings.Contains(dead.Error.Reason, "is gone") {
			t.Errorf("reason %q", dead.Error.Reason)
		}
		r.wantStatus(ids[3], store.Queued)
		r.Close()

		time.Sleep(time.Hour)
		r = start(t, openBolt(t, path))
		r.wantStatus(ids[0], store.Abandoned)
		r.wantStatus(ids[2], store.Pending)
		r.Close()
	})
}
