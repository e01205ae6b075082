package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"signalbox/engine"
	"signalbox/engine/export"
	"signalbox/store"
)

// workExport works all that waits of the export queue, but fails those that spoil
// chooses.
func (r *rig) workExport(spoil func(engine.Record) bool) {
	r.t.Helper()
	work := r.Builtins()[engine.ExportQueue]
	for {
		got, err := r.Claim(r.ctx, engine.ClaimRequest{Queue: engine.ExportQueue, Robot: engine.DrainPrefix + r.Incarnation() + "/x"})
		if store.CodeOf(err) == store.CodeEmpty || err == nil && len(got) == 0 {
			return
		}
		if err != nil {
			r.t.Fatal(err)
		}
		if spoil != nil && spoil(got[0]) {
			r.settle(got[0], engine.Business, "the disk of part X is broken")
			continue
		}
		if _, err := work(r.ctx, got[0]); err != nil {
			r.t.Fatal(err)
		}
		r.settle(got[0], engine.Success, "")
	}
}

// hooks runs the hooks of the built-in jobs until all that is due is done.
func (r *rig) hooks() {
	r.t.Helper()
	stop, err := r.RunHooks(r.BuiltinHooks())
	if err != nil {
		r.t.Fatal(err)
	}
	synctest.Wait()
	stop()
}

func (r *rig) attached(job, name string) string {
	r.t.Helper()
	var got strings.Builder
	if err := r.ReadAttachment(r.ctx, job, name, &got); err != nil {
		r.t.Errorf("attachment %s: %v", name, err)
	}
	return got.String()
}

// An export of which a part fails for good ends without a file and says which part,
// why, and what to do; once that is retried there is the whole file. An engine that
// goes in between changes nothing.
func TestExportWithAFailedPart(t *testing.T) {
	for _, format := range []string{"csv", "jsonl", "xml"} {
		t.Run(format, func(t *testing.T) {
			eachRestart(t, func(r *rig, restart func(time.Duration)) {
				r.queue("q", store.Jobs, nil)
				r.addN("q", 250)
				request := fmt.Sprintf(`{"queue":"q","format":%q,"name":"all","part":100}`, format)
				want := r.builtin(engine.ExportKind, request)
				r.workExport(nil)
				r.hooks()

				j := r.builtin(engine.ExportKind, request)
				r.workExport(func(rec engine.Record) bool { return strings.Contains(string(rec.Payload), `"number":2`) })
				restart(0)
				r.hooks()
				s := r.job(j.ID)
				lines, err := r.JobLog(r.ctx, j.ID, 0, 10)
				if err != nil || s.Status != store.JobDone || s.Failed != 100 || len(lines) != 2 {
					r.t.Fatalf("%+v, log %+v, %v", s, lines, err)
				}
				for n, words := range []string{"part 2, of q/101 to 200, is not done: signalbox.export/", "no file was made: 1 of its 4 items not done"} {
					if !strings.Contains(lines[n].Text, words) || !strings.Contains(lines[n].Text, "the disk of part X is broken") {
						r.t.Errorf("its log says %q", lines[n].Text)
					}
				}
				if list, err := r.Attachments(r.ctx, j.ID); err != nil || len(list) != 0 {
					r.t.Errorf("attached %+v, %v", list, err)
				}
				snap, err := r.Watch(r.ctx, 0)
				if n := snap.Notices; err != nil || len(n) == 0 || !strings.Contains(n[len(n)-1].Text, "no file was made") {
					r.t.Errorf("told %+v, %v", n, err)
				}

				page, err := r.List(r.ctx, engine.ListRequest{Queue: engine.ExportQueue, Filter: "job:" + j.ID + " status:failed"})
				if err != nil || len(page.Items) != 1 {
					r.t.Fatalf("failed are %+v, %v", page.Items, err)
				}
				if out, err := r.Retry(r.ctx, engine.RetryRequest{Targets: []engine.Target{{Item: page.Items[0].ID()}}}); err != nil || out[0].Err != nil {
					r.t.Fatal(out, err)
				}
				restart(0)
				if s := r.job(j.ID); s.Status != store.JobRunning {
					r.t.Errorf("with its part retried it is %s", s.Status)
				}
				r.workExport(nil)
				restart(0)
				r.hooks()
				if s := r.job(j.ID); s.Status != store.JobDone || s.Failed != 0 || s.Done != 250 {
					r.t.Errorf("at last it is %+v", s)
				}
				if got := r.attached(j.ID, "all"); got == "" || got != r.attached(want.ID, "all") {
					r.t.Errorf("the file is\n%s", got)
				}
				if lines, err := r.JobLog(r.ctx, j.ID, 0, 10); err != nil || len(lines) != 3 {
					r.t.Errorf("the log is %+v, %v", lines, err)
				}
			})
		})
	}
}

// An export counts the rows that it writes of those that are to be written: not the
// numbers that nothing wanted has, nor its own plan.
func TestExportsCountTheirRows(t *testing.T) {
	for name, test := range map[string]struct {
		request string
		planned int64
		written int64
	}{
		"all":        {`{"queue":"q","format":"jsonl","part":100}`, 250, 250},
		"surveyed":   {`{"queue":"q","format":"csv","part":100}`, 250, 250},
		"with holes": {`{"queue":"holes","format":"jsonl","part":100}`, 60, 60},
		"filtered":   {`{"queue":"q","format":"xml","part":100,"filter":"number:>150"}`, 100, 100},
		"nothing":    {`{"queue":"q","format":"csv","filter":"reference:none"}`, 0, 0},
		"some go":    {`{"queue":"q","format":"jsonl","part":100,"filter":"status:queued"}`, 250, 240},
	} {
		t.Run(name, func(t *testing.T) {
			eachStore(t, func(r *rig) {
				r.queue("q", store.Jobs, nil)
				r.addN("q", 250)
				r.queue("holes", store.Jobs, nil)
				ids := r.addN("holes", 260)
				if _, err := r.Delete(r.ctx, engine.DeleteRequest{Targets: targetsOf(ids[:200])}); err != nil {
					t.Fatal(err)
				}
				j := r.builtin(engine.ExportKind, test.request)
				r.wantJob(j.ID, store.JobRunning, store.JobCounts{Available: 1, Total: 1})
				planned := false
				r.workExport(func(engine.Record) bool {
					c := r.job(j.ID).JobCounts
					if !planned && c.Total > 1 {
						planned = true
						if c.Total != test.planned || c.Done != 0 {
							t.Errorf("planned are %+v", c)
						}
						if test.written < test.planned {
							r.claim("q", "r", int(test.planned-test.written))
						}
					}
					return false
				})
				r.hooks()
				r.wantJob(j.ID, store.JobDone, store.JobCounts{Done: test.written, Total: test.written})
				list, err := r.Attachments(r.ctx, j.ID)
				if err != nil || len(list) != 1 {
					t.Fatalf("attached %+v, %v", list, err)
				}
				var got strings.Builder
				if err := r.ReadAttachment(r.ctx, j.ID, list[0].Name, &got); err != nil {
					t.Fatal(err)
				}
				if n := int64(strings.Count(got.String(), "\n")); strings.HasSuffix(list[0].Name, "jsonl") && n != test.written {
					t.Errorf("%d rows are in the file", n)
				}
				r.sound()
			})
		})
	}
}

// A file is the same by how many processors it is surveyed, whether as a job or as
// it is asked for: its columns come in the order in which their fields first appear,
// and its rows and counts are those of the whole.
func TestExportsAreTheSameOnAnyProcessors(t *testing.T) {
	const items = 23
	columns := ""
	for n := range items {
		columns += fmt.Sprintf(",c%d", (items-n)*7%items)
	}
	for _, processors := range []int{1, 2, 3, 5, 64} {
		t.Run(fmt.Sprint(processors), func(t *testing.T) {
			was := runtime.GOMAXPROCS(processors)
			defer runtime.GOMAXPROCS(was)
			eachStore(t, func(r *rig) {
				r.queue("q", store.Jobs, nil)
				for n := range items { // each with a field of its own, and one of all
					payload := fmt.Sprintf(`{"c%d":"%d","last":"x"}`, (items-n)*7%items, n)
					r.add("q", engine.NewItem{Payload: json.RawMessage(payload)})
				}
				var direct strings.Builder
				done, err := r.Export(r.ctx, engine.ExportRequest{Queue: "q", Format: export.CSV}, &direct)
				if err != nil || done.Items != items {
					t.Fatalf("exported %+v, %v", done, err)
				}
				first, _, _ := strings.Cut(direct.String(), "\n")
				if want := strings.Replace(columns, ",c16", ",last,c16", 1); !strings.Contains(first, want) {
					t.Errorf("the columns are %.300s, want in order %s", first, want)
				}
				j := r.builtin(engine.ExportKind, `{"queue":"q","format":"csv","name":"all","part":4}`)
				r.workExport(nil)
				r.hooks()
				r.wantJob(j.ID, store.JobDone, store.JobCounts{Done: items, Total: items})
				if got := r.attached(j.ID, "all"); got != direct.String() {
					t.Errorf("the job's file is\n%s\nasked for directly it is\n%s", got, direct.String())
				}
			})
		})
	}
}

// A part that was deleted is missing all the same: no file has a hole.
func TestExportWithADeletedPart(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, nil)
		r.addN("q", 250)
		j := r.builtin(engine.ExportKind, `{"queue":"q","format":"csv","part":100}`)
		r.workExport(func(rec engine.Record) bool {
			return strings.Contains(string(rec.Payload), `"number":2`) || strings.Contains(string(rec.Payload), `"number":3`)
		})
		r.hooks()
		work := func(n uint64) engine.Target {
			return engine.Target{Item: store.ID{Queue: engine.ExportQueue, Number: n}}
		}
		if out, err := r.Delete(r.ctx, engine.DeleteRequest{Targets: []engine.Target{work(3)}}); err != nil || out[0].Err != nil {
			r.t.Fatal(out, err)
		}
		if out, err := r.Retry(r.ctx, engine.RetryRequest{Targets: []engine.Target{work(4)}}); err != nil || out[0].Err != nil {
			r.t.Fatal(out, err)
		}
		r.workExport(nil)
		r.hooks()
		list, err := r.Attachments(r.ctx, j.ID)
		lines, _ := r.JobLog(r.ctx, j.ID, 0, 10)
		if err != nil || len(list) != 0 || !strings.Contains(lines[len(lines)-1].Text, "signalbox.export/3 is deleted") {
			r.t.Errorf("attached %+v, %v; log %+v", list, err, lines)
		}
	})
}

// A bulk act of which a share fails goes on with that share alone when it is
// retried: what was done is not done again.
func TestBulkWithAFailedShare(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, nil)
		r.addN("q", 600)
		j := r.builtin(engine.BulkKind, `{"verb":"delete","select":[{"queue":"q"}]}`)
		work := r.Builtins()[engine.BulkQueue]
		one := func(spoil bool) {
			got, err := r.Claim(r.ctx, engine.ClaimRequest{Queue: engine.BulkQueue, Robot: engine.DrainPrefix + r.Incarnation() + "/x"})
			if err != nil {
				r.t.Fatal(err)
			}
			if spoil {
				r.settle(got[0], engine.Business, "no")
				return
			}
			if _, err := work(engine.WithActor(context.Background(), "anna"), got[0]); err != nil {
				r.t.Fatal(err)
			}
			r.settle(got[0], engine.Success, "")
		}
		one(false)
		one(true)
		one(false)
		r.hooks()
		if n := r.counts("q")[store.Deleted]; n != 350 {
			r.t.Errorf("%d deleted", n)
		}
		out, err := r.Retry(r.ctx, engine.RetryRequest{Targets: []engine.Target{{Item: store.ID{Queue: engine.BulkQueue, Number: 2}}}})
		if err != nil || out[0].Err != nil {
			r.t.Fatal(out, err)
		}
		one(false)
		r.hooks()
		lines, err := r.JobLog(r.ctx, j.ID, 0, 10)
		if s := r.job(j.ID); err != nil || s.Status != store.JobDone || s.Failed != 0 || r.counts("q")[store.Deleted] != 600 || len(lines) != 2 ||
			!strings.HasPrefix(lines[1].Text, "600 done, 0 changed since") {
			r.t.Errorf("%+v, %v, log %+v, %v", s, r.counts("q"), lines, err)
		}
	})
}

// claimExport claims what waits first of the export queue.
func (r *rig) claimExport() engine.Record {
	r.t.Helper()
	got, err := r.Claim(r.ctx, engine.ClaimRequest{Queue: engine.ExportQueue, Robot: engine.DrainPrefix + r.Incarnation() + "/x"})
	if err != nil {
		r.t.Fatal(err)
	}
	return got[0]
}

// dies makes an attempt whose engine dies when all is written and nothing said of it.
func (r *rig) dies(rec engine.Record) {
	r.t.Helper()
	if _, err := r.Builtins()[engine.ExportQueue](r.ctx, rec); err != nil {
		r.t.Fatal(err)
	}
	if out, err := r.Release(r.ctx, []engine.Holding{{Item: rec.ID(), Fence: rec.Fence}}); err != nil || out[0].Err != nil {
		r.t.Fatal(out, err)
	}
}

// The parts of an export are those of its first plan, also where the attempt that made
// it died and there are more items, with other fields, when the next comes.
func TestAnExportIsPlannedOnce(t *testing.T) {
	for _, format := range []string{"csv", "jsonl", "xml"} {
		eachRestart(t, func(r *rig, restart func(time.Duration)) {
			r.queue("q", store.Jobs, nil)
			r.addN("q", 150)
			request := fmt.Sprintf(`{"queue":"q","format":%q,"name":"all","part":100}`, format)
			want := r.builtin(engine.ExportKind, request)
			r.workExport(nil)
			j := r.builtin(engine.ExportKind, request)
			plan := r.claimExport()
			r.dies(plan)
			for n := range 200 {
				r.add("q", engine.NewItem{Payload: json.RawMessage(fmt.Sprintf(`{"late":%d}`, n))})
			}
			if part := r.claimExport(); part.ID() != plan.ID() { // in order of number
				r.t.Fatalf("%s is claimed", part.ID())
			} else {
				r.dies(part)
			}
			restart(0)
			r.workExport(nil)
			r.hooks()
			r.wantJob(j.ID, store.JobDone, store.JobCounts{Done: 150, Total: 150})
			if got := r.attached(j.ID, "all"); got == "" || got != r.attached(want.ID, "all") {
				r.t.Errorf("the %s file has %d lines and %d bytes, want %d", format, strings.Count(got, "\n"), len(got), len(r.attached(want.ID, "all")))
			}
		})
	}
}

// A part counts as the rows that it was made of at last, whatever an attempt that died
// had found.
func TestAPartCountsAsItWasMadeAtLast(t *testing.T) {
	eachRestart(t, func(r *rig, restart func(time.Duration)) {
		r.queue("q", store.Jobs, nil)
		r.addN("q", 100)
		j := r.builtin(engine.ExportKind, `{"queue":"q","format":"jsonl","name":"all","filter":"status:queued"}`)
		plan := r.claimExport()
		if _, err := r.Builtins()[engine.ExportQueue](r.ctx, plan); err != nil {
			r.t.Fatal(err)
		}
		r.settle(plan, engine.Success, "")
		part := r.claimExport()
		held := r.claim("q", "r", 10)
		r.dies(part)
		holdings := make([]engine.Holding, len(held))
		for n, h := range held {
			holdings[n] = engine.Holding{Item: h.ID(), Fence: h.Fence}
		}
		if _, err := r.Release(r.ctx, holdings); err != nil {
			r.t.Fatal(err)
		}
		restart(0)
		r.workExport(nil)
		r.hooks()
		r.wantJob(j.ID, store.JobDone, store.JobCounts{Done: 100, Total: 100})
		if got := strings.Count(r.attached(j.ID, "all"), "\n"); got != 100 {
			r.t.Errorf("the file has %d rows", got)
		}
	})
}
