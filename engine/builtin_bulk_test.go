package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/store/bolt"
	"signalbox/store/memory"
)

// workBulk works all that waits of the bulk queue.
func (r *rig) workBulk() {
	r.t.Helper()
	for {
		got, err := r.Claim(r.ctx, engine.ClaimRequest{Queue: engine.BulkQueue, Robot: engine.DrainPrefix + r.Incarnation() + "/x"})
		if code := store.CodeOf(err); code == store.CodeEmpty || code == store.CodeNotFound {
			return
		}
		if err != nil {
			r.t.Fatal(err)
		}
		if _, err := r.Builtins()[engine.BulkQueue](r.ctx, got[0]); err != nil {
			r.t.Fatal(err)
		}
		r.settle(got[0], engine.Success, "")
	}
}

// What a bulk job did not do counts as failed, in its numbers, for who is told of its
// end and in its log, and what came later is told and left alone.
func TestBulkJobsCountWhatWasNotDone(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, nil)
		r.queue("bare", store.Jobs, nil)
		ids := r.excepted("q", 600)
		j := r.builtin(engine.BulkKind, `{"verb":"retry","select":[{"queue":"q","statuses":["failed"]}]}`)
		r.wantJob(j.ID, store.JobRunning, store.JobCounts{Available: 600, Total: 600})
		if out, err := r.Delete(r.ctx, engine.DeleteRequest{Targets: targetsOf(ids[:7])}); err != nil || out[0].Err != nil {
			r.t.Fatal(out, err)
		}
		late := r.excepted("q", 4)
		r.workBulk()
		r.hooks()
		r.wantJob(j.ID, store.JobDone, store.JobCounts{Done: 593, Failed: 7, Total: 600})
		if n := r.counts("q"); n[store.Queued] != 593 || n[store.Failed] != 4 || r.item(late[0]).Status != store.Failed {
			r.t.Errorf("there are %+v", n)
		}
		lines, err := r.JobLog(r.ctx, j.ID, 0, 100)
		if err != nil || len(lines) != 6 || !strings.Contains(lines[0].Text, `item "q/1": changed since it was seen`) ||
			lines[5].Text != "593 done, 7 changed since, 0 gone, 0 not allowed, 4 that match came later and are untouched" || lines[5].Level != "warn" {
			r.t.Errorf("its log is %+v, %v", lines, err)
		}
		snap, err := r.Watch(r.ctx, 0)
		if n := snap.Notices[len(snap.Notices)-1]; err != nil || n.Level != "warn" || !strings.HasPrefix(n.Text, "job "+j.ID+" is done: 593 done, 7 failed; 593 done, 7 changed since") {
			r.t.Errorf("told %+v, %v", n, err)
		}

		j = r.builtin(engine.BulkKind, `{"verb":"verify","select":[{"queue":"q","statuses":["queued"]}]}`)
		r.workBulk()
		r.hooks()
		r.wantJob(j.ID, store.JobDone, store.JobCounts{Failed: 593, Total: 593})
		j = r.builtin(engine.BulkKind, `{"verb":"delete","select":[{"queue":"bare"}]}`)
		r.hooks()
		r.wantJob(j.ID, store.JobDone, store.JobCounts{})
		r.sound()
	})
}

// A set is kept in the order in which it was given, over queues, and that which an
// earlier version kept is read.
func TestSetsOfBulkJobs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory.New()
		r := start(t, s)
		r.queue("a", store.Jobs, nil)
		r.queue("b", store.Jobs, nil)
		a, b := r.addN("a", 300), r.addN("b", 20)
		targets := targetsOf([]store.ID{a[299], b[3], b[1], a[0], a[7]})
		targets[4].Revision = 9
		run := func(earlier bool) {
			request, err := json.Marshal(engine.BulkRequest{Verb: engine.Note, Note: "n", Targets: targets})
			if err != nil {
				t.Fatal(err)
			}
			j := r.builtin(engine.BulkKind, string(request))
			if earlier {
				old, err := json.Marshal(targets)
				if err == nil {
					err = s.Update(r.ctx, func(tx store.Tx) error { return tx.PutChunk(j.ID, ".set", 0, old) })
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			r.workBulk()
			r.hooks()
			lines, err := r.JobLog(r.ctx, j.ID, 0, 10)
			if err != nil || len(lines) != 6 || lines[5].Text != "0 done, 1 changed since, 0 gone, 4 not allowed" {
				t.Fatalf("its log is %+v, %v", lines, err)
			}
			for n, target := range targets {
				if !strings.Contains(lines[n].Text, target.Item.String()) {
					t.Errorf("in place %d: %s", n, lines[n].Text)
				}
			}
		}
		run(false)
		run(true)
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
}

// largeSet is of more items than one change of a bulk job's start keeps.
const largeSet = 9000

// breaking ends something after so many updates.
type breaking struct {
	store.Store
	left  *atomic.Int64 // before the last; negative = none is
	early bool          // in the midst of that one
	fn    func()
}

func never() *atomic.Int64 {
	left := &atomic.Int64{}
	left.Store(math.MinInt32)
	return left
}

func (b breaking) Update(ctx context.Context, fn func(store.Tx) error) error {
	last := b.left.Add(-1) == -1
	err := b.Store.Update(ctx, func(t store.Tx) error {
		err := fn(t)
		if last && b.early {
			b.fn()
		}
		return err
	})
	if last {
		b.fn()
	}
	return err
}

// A large bulk job whose start ends early leaves nothing, and the next one goes on;
// none of it is worked before all of it is there.
func TestStartOfALargeBulkJob(t *testing.T) {
	for name, open := range opens {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				left := never()
				ctx, cancel := context.WithCancel(engine.WithActor(t.Context(), "anna"))
				act := func() { cancel() }
				r := start(t, breaking{open(t), left, false, func() { act() }})
				r.queue("q", store.Jobs, nil)
				r.addN("q", largeSet)
				synctest.Wait()
				left.Store(1)
				_, err := r.StartBuiltin(ctx, engine.BuiltinRequest{Kind: engine.BulkKind, SingletonKey: "k", Request: json.RawMessage(`{"verb":"delete","select":[{"queue":"q"}]}`)})
				if err == nil {
					t.Error("it started")
				}
				jobs, err := r.Jobs(r.ctx, engine.JobList{})
				if err != nil || len(jobs) != 0 {
					t.Errorf("left are %+v, %v", jobs, err)
				}
				r.sound()

				act = func() {
					_, err := r.Claim(r.ctx, engine.ClaimRequest{Queue: engine.BulkQueue, Robot: engine.DrainPrefix + "x"})
					r.wantCode(err, store.CodeEmpty)
				}
				left.Store(2)
				j, err := r.StartBuiltin(r.ctx, engine.BuiltinRequest{Kind: engine.BulkKind, SingletonKey: "k", Request: json.RawMessage(`{"verb":"delete","select":[{"queue":"q"}]}`)})
				if err != nil || j.Available != largeSet || j.Filling {
					t.Fatalf("%+v, %v", j, err)
				}
				again, err := r.StartBuiltin(r.ctx, engine.BuiltinRequest{Kind: engine.BulkKind, SingletonKey: "k", Request: json.RawMessage(`{"verb":"delete","select":[{"queue":"q"}]}`)})
				if err != nil || !again.Existing || again.ID != j.ID {
					t.Errorf("a second start gives %+v, %v", again, err)
				}
				r.workBulk()
				r.hooks()
				r.wantJob(j.ID, store.JobDone, store.JobCounts{Done: largeSet, Total: largeSet})
				if n := r.counts("q")[store.Deleted]; n != largeSet {
					t.Errorf("%d are deleted", n)
				}
				r.sound()
				if err := r.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// bulkChild names the store on which a child process of the test starts a large bulk
// job, and bulkKill in or after which of its updates it kills itself.
const (
	bulkChild = "SIGNALBOX_BULK_CHILD"
	bulkKill  = "SIGNALBOX_BULK_KILL"
)

func startBulkUntilKilled(path string) {
	s, err := bolt.Open(path, bolt.Options{})
	if err != nil {
		panic(err)
	}
	at, when, _ := strings.Cut(os.Getenv(bulkKill), " ")
	left := never()
	e, err := engine.Open(context.Background(), breaking{s, left, when == "in", die}, engine.Options{})
	if err != nil {
		panic(err)
	}
	n, err := strconv.Atoi(at)
	if err != nil {
		panic(err)
	}
	left.Store(int64(n))
	_, err = e.StartBuiltin(context.Background(), engine.BuiltinRequest{Kind: engine.BulkKind, Request: json.RawMessage(`{"verb":"delete","select":[{"queue":"q"}]}`)})
	if err != nil {
		panic(err)
	}
	die()
}

// An engine that is killed while a large bulk job starts leaves nothing of it, or all:
// then the next engine does exactly what matched when it was asked for.
func TestBulkJobOfAKilledEngine(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var ended []bool
	for at := range 5 {
		for _, when := range []string{"in", "after"} {
			path := filepath.Join(t.TempDir(), "s.db")
			r := start(t, openBolt(t, path))
			r.queue("q", store.Jobs, nil)
			r.addN("q", largeSet)
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), self)
			cmd.Env = append(os.Environ(), bulkChild+"="+path, fmt.Sprintf("%s=%d %s", bulkKill, at, when))
			if out, err := cmd.CombinedOutput(); err == nil || len(out) > 0 {
				t.Fatalf("killed %s change %d it said %s, %v", when, at, out, err)
			}
			r = start(t, openBolt(t, path))
			jobs, err := r.Jobs(r.ctx, engine.JobList{})
			ended = append(ended, len(jobs) == 1)
			want := int64(0)
			if err == nil && len(jobs) == 1 {
				want = largeSet
				r.wantJob(jobs[0].ID, store.JobRunning, store.JobCounts{Available: largeSet, Total: largeSet})
			}
			r.addN("q", 3)
			r.workBulk()
			if n := r.counts("q"); err != nil || len(jobs) > 1 || n[store.Deleted] != want || n.Total() != largeSet+3 {
				t.Errorf("killed %s change %d it left %+v, and then there are %+v, %v", when, at, jobs, n, err)
			}
			r.sound()
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if slices.Contains(ended[:7], true) || !ended[9] {
		t.Errorf("it was whole: %v", ended)
	}
}
