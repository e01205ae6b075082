package engine_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/store/memory"
)

// full is a store that takes no change while its disk is full.
type full struct {
	store.Store
	disk atomic.Bool
}

func (f *full) Update(ctx context.Context, fn func(store.Tx) error) error {
	if f.disk.Load() {
		return store.Unavailable("store", errors.New("no space left on device"), "make room")
	}
	return f.Store.Update(ctx, fn)
}

// A loop of the engine that fails is told to everybody, with what does not happen and
// since when, until it works again: nobody waits for its answer, so nobody else would
// hear of it.
func TestLoopsThatFailAreTold(t *testing.T) {
	for loop, c := range map[string]struct {
		prepare func(*rig) store.ID
		wait    time.Duration // until the loop has failed, and until it has tried again
		undone  string
		again   string
		after   func(*rig, store.ID)
	}{
		engine.LeaseLoop: {
			prepare: func(r *rig) store.ID { return r.claim("q", "r", 1)[0].ID() },
			wait:    10 * time.Minute,
			undone:  "leases and delays do not end",
			again:   "leases and delays end again, after ",
			after:   func(r *rig, id store.ID) { r.wantStatus(id, store.Abandoned) },
		},
		engine.RetentionLoop: {
			prepare: func(r *rig) store.ID {
				rec := r.claim("q", "r", 1)[0]
				r.settle(rec, engine.Success, "")
				return rec.ID()
			},
			wait:   4 * time.Hour,
			undone: "retention is not applied",
			again:  "retention is applied again, after ",
			after: func(r *rig, id store.ID) {
				_, err := r.Item(r.ctx, id)
				r.wantCode(err, store.CodeNotFound)
			},
		},
	} {
		t.Run(loop, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &full{Store: memory.New()}
				r := start(t, f)
				defer r.Close()
				r.queue("q", store.Transactions, func(q *store.Queue) {
					q.RetainSettled, q.RetainSettledThen = store.Duration(time.Hour), "delete"
				})
				r.addN("q", 1)
				id := c.prepare(r)
				state := func() (u engine.Upkeep) {
					for _, l := range r.Upkeep() {
						if l.Loop == loop {
							u = l
						}
					}
					return u
				}
				if u := state(); u.Failing() {
					t.Fatalf("before it failed: %+v", u)
				}
				before, err := r.Watch(r.ctx, 0)
				if err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				f.disk.Store(true)
				told := make(chan *engine.Snapshot, 1)
				go func() {
					s, _ := r.Watch(r.ctx, before.Revision)
					told <- s
				}()
				time.Sleep(c.wait)
				synctest.Wait()
				u := state()
				if !u.Failing() || !strings.Contains(u.Error, "no space left on device") || u.Undone() != c.undone {
					t.Fatalf("while it fails: %+v, %q", u, u.Undone())
				}
				select {
				case <-told:
				default:
					t.Fatal("who watches was not told")
				}
				s, err := r.Watch(r.ctx, 0)
				if err != nil {
					t.Fatal(err)
				}
				if n := s.Notices[len(s.Notices)-1]; n.Level != "error" || !strings.Contains(n.Text, c.undone) || !strings.Contains(n.Text, "no space left") {
					t.Errorf("notice %+v", n)
				}
				if loop == engine.LeaseLoop {
					x, err := r.Explain(r.ctx, id)
					if err != nil || len(x.Reasons) != 2 || x.Reasons[1].Code != "engine" || !strings.Contains(x.Reasons[1].Text, "leases and delays do not end, for 5m: ") {
						t.Errorf("explained: %+v, %v", x, err)
					}
					if text := x.Reasons[0].Text; !strings.Contains(text, "its lease ran out 5m ago, which the engine has not acted on yet") {
						t.Errorf("explained: %s", text)
					}
				}
				since := u.FailingSince
				time.Sleep(c.wait)
				if u := state(); u.FailingSince != since {
					t.Errorf("it fails since %v, then since %v", since, u.FailingSince)
				}
				f.disk.Store(false)
				time.Sleep(c.wait)
				synctest.Wait()
				if u := state(); u.Failing() || u.Error != "" || u.RanAt <= since {
					t.Errorf("after it: %+v", u)
				}
				c.after(r, id)
				s, err = r.Watch(r.ctx, 0)
				if err != nil {
					t.Fatal(err)
				}
				var of []string
				for _, n := range s.Notices {
					if strings.HasPrefix(n.Text, c.undone) || strings.HasPrefix(n.Text, c.again) {
						of = append(of, n.Level)
					}
				}
				if !slices.Equal(of, []string{"error", "info"}) {
					t.Errorf("notices of it are %q, want one at each end: %+v", of, s.Notices)
				}
			})
		})
	}
}
