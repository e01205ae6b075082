package engine_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"signalbox/engine"
	"signalbox/store"
)

func TestSettleOutcomes(t *testing.T) {
	cases := []struct {
		family store.Family
		status string
		want   store.Status
	}{
		{store.Jobs, engine.Success, store.Completed},
		{store.Jobs, engine.Business, store.Failed},
		{store.Jobs, engine.System, store.Failed},
		{store.Transactions, engine.Success, store.Successful},
		{store.Transactions, engine.Business, store.BusinessException},
		{store.Transactions, engine.System, store.SystemException},
	}
	for _, c := range cases {
		eachStore(t, func(r *rig) {
			r.queue("q", c.family, nil)
			id := r.addN("q", 1)[0]
			rec := r.claim("q", "r", 1)[0]
			if out := r.settle(rec, c.status, "the reason"); out.Result != engine.OK || out.Status != c.want {
				t.Fatalf("%s %s: %+v", c.family, c.status, out)
			}
			i := r.wantStatus(id, c.want)
			if i.EndedAt == 0 || i.LeaseUntil != 0 || (i.Error == nil) != (c.status == engine.Success) {
				t.Errorf("%+v", i.Item)
			}
			again := r.settle(rec, engine.Success, "")
			if again.Result != engine.Refused || !strings.Contains(again.Error, "already final ("+c.want.String()+")") {
				t.Errorf("settled twice: %+v", again)
			}
			if store.CodeOf(again.Err) != store.CodeConflict {
				t.Errorf("code %d", store.CodeOf(again.Err))
			}
		})
	}
}

func TestWaveSettleAnswersPerItem(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, nil)
		r.addN("q", 4)
		w := r.claim("q", "r", 4)
		out, err := r.Settle(r.ctx, []engine.Settlement{
			{Item: w[0].ID(), Fence: w[0].Fence, Status: engine.Success},
			{Item: w[1].ID(), Fence: w[1].Fence + 7, Status: engine.Success},
			{Item: store.ID{Queue: "q", Number: 99}, Fence: 1, Status: engine.Success},
			{Item: w[2].ID(), Fence: w[2].Fence, Status: engine.System},
			{Item: w[3].ID(), Fence: w[3].Fence, Status: "done"},
			{Item: store.ID{Queue: "none", Number: 1}, Fence: 1, Status: engine.Success},
			{Item: w[2].ID(), Fence: w[2].Fence, Status: engine.System, Reason: "no answer"},
		})
		if err != nil {
			t.Fatal(err)
		}
		want := []string{engine.OK, engine.Stale, engine.Gone, engine.Refused, engine.Refused, engine.Gone, engine.OK}
		for n, o := range out {
			if o.Result != want[n] {
				t.Errorf("%d: %+v, want %s", n, o, want[n])
			}
		}
		if c := r.counts("q"); c[store.Successful] != 1 || c[store.SystemException] != 1 || c[store.Claimed] != 2 {
			t.Errorf("counts %v", c)
		}
	})
}

func TestContentNeverStopsASettle(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, nil)
		r.addN("q", 3)
		w := r.claim("q", "r", 3)
		out, err := r.Settle(r.ctx, []engine.Settlement{
			{Item: w[0].ID(), Fence: 1, Status: engine.System, Reason: "a\x00b\xff" + strings.Repeat("é", 200_000), Details: "d\x00"},
			{Item: w[1].ID(), Fence: 1, Status: engine.Success, Output: json.RawMessage("not \xffjson")},
			{Item: w[2].ID(), Fence: 1, Status: engine.Success, Output: json.RawMessage(`{"a":"` + strings.Repeat("x", engine.MaxOutput) + `"}`)},
		})
		if err != nil || out[0].Result != engine.OK || out[1].Result != engine.OK || out[2].Result != engine.Refused {
			t.Fatalf("%v %+v", err, out)
		}
		i := r.item(w[0].ID())
		if n := len([]rune(i.Error.Reason)); n != 102_400 || !strings.HasPrefix(i.Error.Reason, "a␀b\uFFFD") || !strings.HasSuffix(i.Error.Reason, "[cut]") {
			t.Errorf("reason of %d characters: %.20q…", n, i.Error.Reason)
		}
		if i.Error.Details != "d␀" {
			t.Errorf("details %q", i.Error.Details)
		}
		if got := string(r.item(w[1].ID()).Output); got != `{"text":"not �json"}` {
			t.Errorf("output %s", got)
		}
	})
}

func TestRetryDelay(t *testing.T) {
	day := 24 * time.Hour
	for _, c := range []struct {
		window, floor time.Duration
		n             int
		want          []int // seconds
	}{
		{day, 10 * time.Second, 3, []int{12342, 24685, 49371}},
		{day, 10 * time.Second, 1, []int{86400}},
		{day, 10 * time.Second, 16, []int{10, 10, 10, 10, 21, 42, 84, 168, 337, 675, 1350, 2700, 5400, 10800, 21600, 43200}},
		{0, 10 * time.Second, 3, []int{10, 10, 10}},
		{0, 0, 2, []int{0, 0}},
	} {
		for k, want := range c.want {
			if got := engine.RetryDelay(c.window, c.floor, c.n, k+1); got != time.Duration(want)*time.Second {
				t.Errorf("window %s, retry %d of %d: %s, want %ds", c.window, k+1, c.n, got, want)
			}
		}
	}
}

func TestJobsAreRetriedInPlace(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, func(q *store.Queue) {
			q.Retries = 2
			q.RetryWindow = store.Duration(30 * time.Second)
			q.RetryFloor = 0
		})
		id := r.addN("q", 1)[0]
		for _, wait := range []time.Duration{10 * time.Second, 20 * time.Second} {
			rec := r.claim("q", "r", 1)[0]
			r.settle(rec, engine.System, "busy")
			i := r.wantStatus(id, store.Queued)
			if i.AvailableAt.Sub(store.At(time.Now())) != wait || i.ClaimedBy != "r" || i.ClaimedAt != rec.ClaimedAt || i.Error.Reason != "busy" {
				t.Fatalf("after a failure: %+v", i.Item)
			}
			if _, err := r.Claim(r.ctx, engine.ClaimRequest{Queue: "q", Robot: "r"}); store.CodeOf(err) != store.CodeEmpty {
				t.Fatalf("claimed during its delay: %v", err)
			}
			time.Sleep(wait)
		}
		r.settle(r.claim("q", "r", 1)[0], engine.System, "busy")
		if i := r.wantStatus(id, store.Failed); i.Failures != 3 || i.Attempts != 3 || i.Group != "busy" {
			t.Errorf("%+v", i.Item)
		}
	})
}

func TestTransactionsAreRetriedByLinkedCopies(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, func(q *store.Queue) { q.Retries, q.RetryWindow, q.RetryFloor = 2, 0, 0 })
		due := store.At(time.Now().Add(time.Hour))
		first := r.add("q", engine.NewItem{Payload: json.RawMessage(`{"x": 1.0}`), Reference: "INV-7", Priority: store.High, DueAt: due})[0]
		id := first
		for k := range 2 {
			rec := r.claim("q", "r", 1)[0]
			if rec.ID() != id {
				t.Fatalf("claimed %s, want %s", rec.ID(), id)
			}
			out := r.settle(rec, engine.System, "no answer")
			old := r.wantStatus(id, store.Retried)
			if old.Error == nil || old.Group != "" || old.Next != out.Next {
				t.Errorf("original keeps its diagnostics: %+v", old.Item)
			}
			c := r.wantStatus(out.Next, store.Pending)
			if c.RetryNo != k+1 || c.Chain != first || c.Previous != id || c.Reference != "INV-7" || c.Priority != store.High || c.DueAt != due || string(c.Payload) != `{"x": 1.0}` || c.Failures != k+1 {
				t.Errorf("copy %d: %+v %s", k+1, c.Item, c.Payload)
			}
			id = out.Next
		}
		r.settle(r.claim("q", "r", 1)[0], engine.System, "no answer")
		r.wantStatus(id, store.SystemException)
	})
}

func TestFinalFailureAndOwnBudget(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, func(q *store.Queue) { q.Retries = 5 })
		ids := r.add("q", engine.NewItem{Payload: object()}, engine.NewItem{Payload: object(), MaxAttempts: 1})
		rec := r.claim("q", "r", 1)[0]
		if _, err := r.Settle(r.ctx, []engine.Settlement{{Item: rec.ID(), Fence: 1, Status: engine.System, Reason: "never", Final: true}}); err != nil {
			t.Fatal(err)
		}
		r.wantStatus(ids[0], store.Failed)
		r.settle(r.claim("q", "r", 1)[0], engine.System, "once")
		r.wantStatus(ids[1], store.Failed)
	})
}

func TestOperatorRetryGrantsAFreshBudget(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, func(q *store.Queue) { q.Retries, q.RetryWindow, q.RetryFloor = 1, 0, 0 })
		id := r.addN("q", 1)[0]
		spend := func() {
			for range 2 {
				r.settle(r.claim("q", "r", 1)[0], engine.System, "broken")
			}
		}
		spend()
		failed := r.wantStatus(id, store.Failed)
		out, err := r.Retry(r.ctx, engine.RetryRequest{Targets: []engine.Target{{Item: id, Revision: failed.Revision}}, Payload: json.RawMessage(`{"n":2,"m":true}`), Note: "fixed"})
		if err != nil || out[0].Result != engine.OK {
			t.Fatalf("%v %+v", err, out)
		}
		i := r.wantStatus(id, store.Queued)
		if string(i.Payload) != `{"n":2,"m":true}` || i.Review.Status != store.ReviewRetried || i.Failures != 2 {
			t.Errorf("%+v %s", i.Item, i.Payload)
		}
		history, err := r.History(r.ctx, id, 1)
		if err != nil || history[0].Actor != "anna" || history[0].Why != "fixed; edited m: added true, n: 1 → 2" {
			t.Errorf("history: %+v %v", history, err)
		}
		spend()
		r.wantStatus(id, store.Failed)
	})
}

func TestRetryAnswersPerItem(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, nil)
		ids := r.addN("q", 4)
		w := r.claim("q", "r", 4)
		for _, rec := range w[:3] {
			r.settle(rec, engine.Business, "no postal code")
		}
		seen := r.item(ids[0])
		if _, err := r.Review(r.ctx, engine.ReviewRequest{Targets: []engine.Target{{Item: ids[1]}}, Action: engine.Verify}); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Review(r.ctx, engine.ReviewRequest{Targets: []engine.Target{{Item: ids[2]}}, Action: engine.Note, Note: "asked"}); err != nil {
			t.Fatal(err)
		}
		out, err := r.Retry(r.ctx, engine.RetryRequest{Targets: []engine.Target{
			{Item: ids[0], Revision: seen.Revision},
			{Item: ids[1]},
			{Item: ids[2], Revision: w[2].Revision + 1},
			{Item: ids[3]},
			{Item: store.ID{Queue: "q", Number: 77}},
			{Item: ids[0]},
		}})
		if err != nil {
			t.Fatal(err)
		}
		want := []string{engine.OK, engine.Refused, engine.Stale, engine.Refused, engine.Gone, engine.Refused}
		for n, o := range out {
			if o.Result != want[n] {
				t.Errorf("%d: %+v, want %s", n, o, want[n])
			}
		}
		if c := r.counts("q"); c.Total() != 5 || c[store.Pending] != 1 {
			t.Errorf("exactly one copy was to be made: %v", c)
		}
		_, err = r.Retry(r.ctx, engine.RetryRequest{})
		r.wantCode(err, store.CodeInvalid)
	})
}

func TestReview(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, nil)
		ids := r.addN("q", 4)
		for n, rec := range r.claim("q", "r", 4)[:3] {
			r.settle(rec, engine.Business, []string{"order 17 has no postal code", "order 4711 has no postal code", "not shipped"}[n])
		}
		left := func() map[string]int64 {
			groups, err := r.Groups(r.ctx, "")
			if err != nil {
				t.Fatal(err)
			}
			m := map[string]int64{}
			for _, g := range groups {
				m[g.Text] = g.Count
			}
			return m
		}
		if l := left(); l["order # has no postal code"] != 2 || l["not shipped"] != 1 {
			t.Fatalf("groups %v", l)
		}
		review := func(id store.ID, action, reviewer, note, want string) {
			t.Helper()
			out, err := r.Review(r.ctx, engine.ReviewRequest{Targets: []engine.Target{{Item: id}}, Action: action, Reviewer: reviewer, Note: note})
			if err != nil || out[0].Result != want {
				t.Fatalf("%s %s: %v %+v", action, id, err, out)
			}
		}
		review(ids[0], engine.Assign, "bert", "", engine.OK)
		if v := r.item(ids[0]).Review; v.Status != store.InReview || v.Reviewer != "bert" {
			t.Errorf("%+v", v)
		}
		review(ids[0], engine.Verify, "", "wrong address", engine.OK)
		if v := r.item(ids[0]).Review; v.Status != store.Verified || v.Reviewer != "anna" || v.Note != "wrong address" {
			t.Errorf("%+v", v)
		}
		if l := left(); l["order # has no postal code"] != 1 {
			t.Errorf("a verified item still waits: %v", l)
		}
		review(ids[0], engine.Verify, "carl", "", engine.Refused)
		review(ids[0], engine.Clear, "", "", engine.OK)
		if l := left(); l["order # has no postal code"] != 2 {
			t.Errorf("a cleared item waits again: %v", l)
		}
		review(ids[3], engine.Verify, "", "", engine.Refused) // still held
		review(store.ID{Queue: "q", Number: 50}, engine.Verify, "", "", engine.Gone)
		if _, err := r.Retry(r.ctx, engine.RetryRequest{Targets: []engine.Target{{Item: ids[1]}, {Item: ids[0]}, {Item: ids[2]}}}); err != nil {
			t.Fatal(err)
		}
		if l := left(); len(l) != 0 {
			t.Errorf("nothing is left: %v", l)
		}
		changes, err := r.History(r.ctx, ids[0], 0)
		if err != nil {
			t.Fatal(err)
		}
		var events []string
		for _, c := range changes {
			events = append(events, c.Event)
		}
		if got := strings.Join(events, " "); got != "retry review-clear review-verify review-assign business-exception claim add" {
			t.Errorf("history: %s", got)
		}
	})
}

func TestGroupsKeepBusinessAndSystemApart(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, nil)
		r.addN("q", 3)
		for n, rec := range r.claim("q", "r", 3) {
			r.settle(rec, []string{engine.Business, engine.System, engine.Business}[n], "no answer")
		}
		groups, err := r.Groups(r.ctx, "q")
		if err != nil || len(groups) != 2 || groups[0].Kind != engine.Business || groups[0].Count != 2 || groups[1].Kind != engine.System || groups[1].Count != 1 {
			t.Errorf("%v %+v", err, groups)
		}
		for kind, want := range map[string]int{engine.Business: 2, engine.System: 1, "": 3} {
			page, err := r.List(r.ctx, engine.ListRequest{Queue: "q", Group: "no answer", Kind: kind})
			if err != nil || len(page.Items) != want || page.Total != int64(want) {
				t.Errorf("kind %q: %v, %d items of %d", kind, err, len(page.Items), page.Total)
			}
		}
	})
}

func TestReasonWithoutWordsStillWaitsForAPerson(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, nil)
		r.addN("q", 2)
		for n, rec := range r.claim("q", "r", 2) {
			r.settle(rec, engine.Business, []string{" \t", "\u00a0"}[n])
		}
		if groups, err := r.Groups(r.ctx, "q"); err != nil || len(groups) != 1 || groups[0].Count != 2 {
			t.Errorf("%v %+v", err, groups)
		}
	})
}

func TestFold(t *testing.T) {
	for reason, want := range map[string]string{
		"not shipped":                                        "not shipped",
		"order 10248 has no postal code":                     "order # has no postal code",
		"timeout after 3.5s at 1996-07-04 00:00:00.000":      "timeout after # at # #",
		`file "C:\a b.txt" missing`:                          `file "…" missing`,
		"customer 'Vins et alcools' can't pay, isn't it":     `customer "…" can't pay, isn't it`,
		"id 6ba7b810-9dad-11d1-80b4-00c04fd430c8 unknown":    "id # unknown",
		"INV-1042 differs by -12,50 EUR":                     "INV-# differs by -# EUR",
		"  spaces\n and\tlines ":                             "spaces and lines",
		"Straße 5 fehlt":                                     "Straße # fehlt",
		`lease of 5m ran out, no word from robot "robot-17"`: `lease of # ran out, no word from robot "…"`,
	} {
		if got := engine.Fold(reason); got != want {
			t.Errorf("Fold(%q) = %q, want %q", reason, got, want)
		}
	}
	if n := len(engine.Fold(strings.Repeat("é x ", 500))); n > 200 {
		t.Errorf("fold of a long text has %d bytes", n)
	}
}

func TestARetryMayBePutOff(t *testing.T) {
	eachStore(t, func(r *rig) {
		for _, f := range []store.Family{store.Jobs, store.Transactions} {
			name := f.String()
			r.queue(name, f, func(q *store.Queue) { q.Retries = 3 })
			for ask, want := range map[time.Duration]time.Duration{
				0: 12342 * time.Second, time.Second: 10 * time.Second, time.Hour: time.Hour, 100 * time.Hour: 24 * time.Hour, -time.Hour: 12342 * time.Second,
			} {
				id := r.addN(name, 1)[0]
				rec, err := r.Claim(r.ctx, engine.ClaimRequest{Item: id, Robot: "r"})
				if err != nil {
					r.t.Fatal(err)
				}
				out, err := r.Settle(r.ctx, []engine.Settlement{{Item: id, Fence: rec[0].Fence, Status: engine.System, Reason: "busy", RetryAfter: store.Duration(ask)}})
				if err != nil {
					r.t.Fatal(err)
				}
				if f == store.Transactions {
					id = out[0].Next
				}
				if d := r.item(id).AvailableAt.Sub(store.At(time.Now())); d != want {
					r.t.Errorf("%s, after %s: available in %s, want %s", name, ask, d, want)
				}
			}
		}
	})
}
