package engine_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/klauspost/compress/zstd"

	"signalbox/engine"
	"signalbox/engine/archive"
	"signalbox/store"
	"signalbox/store/storetest"
)

const days = 24 * time.Hour

// retain gives settings with retentions for both classes.
func retain(settled, excepted time.Duration, then string) func(*store.Queue) {
	return func(q *store.Queue) {
		q.RetainSettled, q.RetainSettledThen = store.Duration(settled), then
		q.RetainExcepted, q.RetainExceptedThen = store.Duration(excepted), then
	}
}

// done adds an item and settles it.
func (r *rig) done(queue, status string) store.ID {
	r.t.Helper()
	id := r.addN(queue, 1)[0]
	recs, err := r.Claim(r.ctx, engine.ClaimRequest{Item: id, Robot: "r"})
	if err != nil {
		r.t.Fatal(err)
	}
	if out := r.settle(recs[0], status, "because"); out.Err != nil {
		r.t.Fatal(out.Err)
	}
	return id
}

// left gives the ids that are still there, with a space between.
func (r *rig) left(queue string) string {
	r.t.Helper()
	synctest.Wait()
	var every []store.Status
	for s := range store.Statuses - 1 {
		every = append(every, store.Status(s+1))
	}
	page, err := r.List(r.ctx, engine.ListRequest{Queue: queue, Statuses: every, Limit: 1000})
	if err != nil {
		r.t.Fatal(err)
	}
	var ids []string
	for n := range page.Items {
		ids = append(ids, fmt.Sprint(page.Items[n].Number))
	}
	if problems, err := r.Check(r.ctx); err != nil || len(problems) > 0 {
		r.t.Errorf("check: %q %v", problems, err)
	}
	return strings.Join(ids, " ")
}

func (r *rig) wantLeft(queue, want string) {
	r.t.Helper()
	if got := r.left(queue); got != want {
		r.t.Errorf("left in %s: %q, want %q", queue, got, want)
	}
}

func TestRetentionRemovesByClass(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, retain(10*days, 40*days, engine.ThenDelete))
		r.queue("kept", store.Jobs, nil)
		r.done("kept", engine.Success)
		r.done("q", engine.Success)
		r.done("q", engine.Business)
		verified := r.done("q", engine.Business)
		r.addN("q", 1) // 4 waits for ever
		deleted := r.addN("q", 1)[0]
		abandoned := r.addN("q", 1)[0]
		if _, err := r.Delete(r.ctx, engine.DeleteRequest{Targets: []engine.Target{{Item: deleted}}}); err != nil {
			t := r.t
			t.Fatal(err)
		}
		if _, err := r.Claim(r.ctx, engine.ClaimRequest{Item: abandoned, Robot: "r"}); err != nil {
			r.t.Fatal(err)
		}
		time.Sleep(9 * days)
		r.wantLeft("q", "1 2 3 4 5 6")
		if _, err := r.Review(r.ctx, engine.ReviewRequest{Targets: []engine.Target{{Item: verified}}, Action: engine.Verify}); err != nil {
			r.t.Fatal(err)
		}
		time.Sleep(2 * days) // 11 days: what is settled goes, but not who was verified two days ago
		r.wantLeft("q", "2 3 4 6")
		time.Sleep(9 * days) // 20 days: the verified one too
		r.wantLeft("q", "2 4 6")
		time.Sleep(21 * days) // 41 days
		r.wantLeft("q", "4")
		r.wantLeft("kept", "1")

		_, err := r.Item(r.ctx, verified)
		r.wantCode(err, store.CodeNotFound)
		if !strings.Contains(fmt.Sprint(err), "removed by its queue's retention") {
			r.t.Errorf("of an item that was removed: %v", err)
		}
		changes, err := r.Changes(r.ctx, 0, 100)
		if err != nil {
			r.t.Fatal(err)
		}
		var purges []string
		for _, c := range changes {
			if c.Number != 0 && c.Queue == "q" && c.Number != 4 {
				r.t.Errorf("a change of a removed item is left: %+v", c)
			}
			if c.Event == "purge" {
				purges = append(purges, c.Actor+": "+c.Why)
			}
		}
		want := "engine: 2 settled items, untouched for 10d|engine: 1 settled item, untouched for 10d|engine: 1 excepted item, untouched for 40d|engine: 1 excepted item, untouched for 40d"
		if got := strings.Join(purges, "|"); got != want {
			r.t.Errorf("the history says %q, want %q", got, want)
		}
	})
}

// Settings count as they are when the time comes, and what was kept before is
// met when they say so.
func TestRetentionChangesLive(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, nil)
		r.done("q", engine.Success)
		r.done("q", engine.System)
		time.Sleep(200 * days)
		r.wantLeft("q", "1 2") // nothing leaves unasked
		r.done("q", engine.Success)
		r.set("q", `{"retain_settled_then":"delete"}`)
		r.wantLeft("q", "2 3")
		r.set("q", `{"retain_settled":"1h"}`)
		time.Sleep(2 * time.Hour)
		r.wantLeft("q", "2")
		r.set("q", `{"retain_settled":"0","retain_excepted":"0","retain_excepted_then":"delete"}`)
		r.wantLeft("q", "")
		r.done("q", engine.Success)
		time.Sleep(3 * time.Second)
		r.wantLeft("q", "")
		for _, bad := range []string{`{"retain_settled_then":"burn"}`, `{"retain_settled":"-1h"}`, `{"retain_excepted_then":""}`} {
			_, err := r.SetQueue(r.ctx, "q", []byte(bad))
			if bad != `{"retain_excepted_then":""}` {
				r.wantCode(err, store.CodeInvalid)
			}
		}
	})
}

func (r *rig) set(queue, patch string) {
	r.t.Helper()
	if _, err := r.SetQueue(r.ctx, queue, []byte(patch)); err != nil {
		r.t.Fatal(err)
	}
}

// A chain whose first items are gone is no damage, and goes on.
func TestRetentionOfAChain(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, func(q *store.Queue) {
			retain(5*days, 50*days, engine.ThenDelete)(q)
			q.Retries, q.RetryWindow = 1, 0
		})
		r.done("q", engine.System)
		time.Sleep(4 * days)
		r.wantLeft("q", "1 2")
		time.Sleep(2 * days)
		r.wantLeft("q", "2")
		rec := r.item(store.ID{Queue: "q", Number: 2})
		if rec.Previous.Number != 1 || rec.Chain.Number != 1 {
			r.t.Errorf("the copy is linked to %s and %s", rec.Previous, rec.Chain)
		}
		claimed := r.claim("q", "r", 1)
		r.settle(claimed[0], engine.System, "again")
		if out, err := r.Retry(r.ctx, engine.RetryRequest{Targets: []engine.Target{{Item: rec.ID()}}}); err != nil || out[0].Err != nil {
			r.t.Errorf("retry: %+v %v", out, err)
		}
		r.wantLeft("q", "2 3")
	})
}

// A queue's references and keys are free again when their items are gone.
func TestRetentionFreesReferences(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, func(q *store.Queue) {
			retain(days, days, engine.ThenDelete)(q)
			q.UniqueReferences = true
		})
		item := engine.NewItem{Payload: object(), Reference: "INV-1", Key: "k"}
		r.add("q", item)
		r.settle(r.claim("q", "r", 1)[0], engine.Success, "")
		time.Sleep(2 * days)
		if id := r.add("q", item)[0]; id.Number != 2 {
			r.t.Errorf("added as %s", id)
		}
		r.wantLeft("q", "2")
	})
}

func TestPruneByHand(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, retain(100*days, 30*days, engine.ThenKeep))
		r.done("q", engine.Success)
		r.done("q", engine.System)
		time.Sleep(31 * days)
		report, err := r.Prune(r.ctx, "q", true)
		if err != nil || report.Settled.Items != 0 || report.Excepted.Items != 1 || report.Excepted.Then != engine.ThenKeep {
			r.t.Errorf("a dry run says %+v, %v", report, err)
		}
		if report, err = r.Prune(r.ctx, "q", false); err != nil || report.Excepted.Items != 0 {
			r.t.Errorf("what is kept was pruned: %+v, %v", report, err)
		}
		r.wantLeft("q", "1 2")
		_, err = r.Prune(r.ctx, "none", true)
		r.wantCode(err, store.CodeNotFound)
		r.set("q", `{"retain_settled_then":"archive"}`)
		_, err = r.Prune(r.ctx, "q", false)
		r.wantCode(err, store.CodeInvalid) // this engine has no place for archives
		time.Sleep(100 * days)
		r.wantLeft("q", "1 2")
	})
}

// The history of what is gone goes too, when the longest retention is over, so
// that a store does not grow for ever.
func TestRetentionBoundsTheHistory(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, retain(days, 3*days, engine.ThenDelete))
		r.queue("gone", store.Jobs, nil)
		r.addN("gone", 50)
		if err := r.DeleteQueue(r.ctx, "gone", true); err != nil {
			r.t.Fatal(err)
		}
		var most int
		for range 30 {
			for range 10 {
				r.done("q", engine.Success)
			}
			time.Sleep(days)
			synctest.Wait()
			changes, err := r.Changes(r.ctx, 0, 1000)
			if err != nil {
				r.t.Fatal(err)
			}
			most = len(changes)
		}
		if most > 100 {
			r.t.Errorf("after a month of ten items a day there are %d changes", most)
		}
		r.left("q")
	})
}

func archiving(t *testing.T, dir string) *rig {
	t.Helper()
	e, err := engine.Open(t.Context(), openBolt(t, filepath.Join(dir, "s.db")), engine.Options{Archive: filepath.Join(dir, "archive")})
	if err != nil {
		t.Fatal(err)
	}
	return &rig{e, t, engine.WithActor(t.Context(), "anna")}
}

// lines reads an archive.
func lines(t *testing.T, file string) (list []archive.Line) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	all, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	for text := range bytes.Lines(all) {
		l, ok := archive.Decode(text)
		if !ok {
			t.Fatalf("no line of an archive: %s", text)
		}
		list = append(list, l)
	}
	return list
}

func TestArchiveHoldsEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		r := archiving(t, dir)
		r.queue("q", store.Transactions, retain(days, 2*days, engine.ThenArchive))
		exact := "{\"a\":  1,\n \"b\": \"<&>\\u2028\"}"
		id := r.add("q", engine.NewItem{Payload: []byte(exact), Reference: "R", Key: "k", Priority: store.High, Job: "j"})[0]
		rec := r.claim("q", "robot", 1)[0]
		out, err := r.Settle(r.ctx, []engine.Settlement{{Item: id, Fence: rec.Fence, Status: engine.Business, Reason: "no zip", Details: "at line 3", Output: []byte(`{ "x": "<" }`), Analytics: []byte(`{"n":1}`)}})
		if err != nil || out[0].Err != nil {
			t.Fatal(out, err)
		}
		want := r.item(id)
		history, err := r.History(r.ctx, id, 100)
		if err != nil {
			t.Fatal(err)
		}
		day := store.At(time.Now().Add(50 * time.Hour)).Time().Format("2006-01-02")
		time.Sleep(49 * time.Hour)
		r.wantLeft("q", "")
		r.done("q", engine.Success)
		time.Sleep(25 * time.Hour)
		r.wantLeft("q", "")
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		list := lines(t, filepath.Join(dir, "archive", "q", day+".jsonl.zst"))
		l := list[0]
		want.MaxAttempts = 0 // its queue's
		want.Item.Spent, want.LastChange = 0, 0
		got := engine.Record{Item: l.Item, Payload: l.Payload, Output: l.Output, Analytics: l.Analytics}
		if a, b := fmt.Sprintf("%+v %+v", got, *got.Error), fmt.Sprintf("%+v %+v", want, *want.Error); strings.ReplaceAll(a, fmt.Sprintf("%p", got.Error), "") != strings.ReplaceAll(b, fmt.Sprintf("%p", want.Error), "") {
			t.Errorf("archived\n%s, want\n%s", a, b)
		}
		if string(l.Payload) != exact || string(l.Output) != `{ "x": "<" }` {
			t.Errorf("contents %q and %q", l.Payload, l.Output)
		}
		if len(l.History) != len(history) || l.History[0].Event != "add" || l.History[0].Seq != history[len(history)-1].Seq || l.ArchivedAt == 0 {
			t.Errorf("history %+v at %s", l.History, l.ArchivedAt)
		}
	})
}

// What an append that a crash cut off left is taken off by the next; the items
// were still there, so nothing is lost.
func TestArchiveGoesOnAfterACrash(t *testing.T) {
	dir := t.TempDir()
	at := store.At(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC))
	line := func(n uint64) []byte {
		var b bytes.Buffer
		l := archive.Line{Item: store.Item{Queue: "q", Number: n, Family: store.Jobs, Status: store.Completed}, Payload: bytes.Repeat([]byte("7"), 300), ArchivedAt: at}
		if err := l.Encode(&b); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	file, err := archive.In(dir).Append("q", at, line(1))
	if err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := archive.In(dir).Append("q", at, line(2)); err != nil {
		t.Fatal(err)
	}
	two, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for cut := len(whole); cut < len(two); cut++ {
		if err := os.WriteFile(file, two[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		f := archive.In(dir)
		for n := range uint64(2) {
			if _, err := f.Append("q", at, line(3+n)); err != nil {
				t.Fatal(err)
			}
		}
		var numbers []uint64
		for _, l := range lines(t, file) {
			numbers = append(numbers, l.Item.Number)
		}
		if fmt.Sprint(numbers) != "[1 3 4]" {
			t.Fatalf("cut at %d: %d are there", cut, numbers)
		}
	}
	if err := os.WriteFile(file, []byte("somebody's own, and longer than sixteen bytes"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := archive.In(dir).Append("q", at, line(5)); store.CodeOf(err) != store.CodeFailed {
		t.Errorf("a file that is no archive: %v", err)
	}
}

// An item that can't be archived stays.
func TestArchiveThatCannotBeWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		r := archiving(t, dir)
		if err := os.WriteFile(filepath.Join(dir, "archive"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		r.queue("q", store.Jobs, retain(0, 0, engine.ThenArchive))
		r.done("q", engine.Success)
		time.Sleep(time.Minute)
		r.wantLeft("q", "1")
		_, err := r.Prune(r.ctx, "q", false)
		r.wantCode(err, store.CodeFailed)
		if err := os.Remove(filepath.Join(dir, "archive")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Hour)
		r.wantLeft("q", "")
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// Retention goes on where an engine stopped.
func TestRetentionOverRestarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "s.db")
		r := start(t, openBolt(t, path))
		r.queue("q", store.Jobs, retain(10*days, 10*days, engine.ThenDelete))
		for range 3 {
			r.done("q", engine.Success)
			time.Sleep(6 * days)
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			r = start(t, openBolt(t, path))
		}
		r.wantLeft("q", "3")
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(30 * days)
		s := openBolt(t, path)
		r = start(t, s)
		r.wantLeft("q", "")
		storetest.Recount(t, s)
		if err := r.Engine.Close(); err != nil {
			t.Fatal(err)
		}
	})
}
