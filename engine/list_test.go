package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"signalbox/engine"
	ln "signalbox/engine/lane"
	"signalbox/store"
	"signalbox/store/memory"
)

func lane(l ln.Lane, queue string) ln.Holder { return ln.Holder{Lane: l, Queue: queue} }

func TestListPagesNeverSkipOrRepeat(t *testing.T) {
	eachStore(t, func(r *rig) {
		for _, q := range []string{"a", "b", "c"} {
			r.queue(q, store.Jobs, nil)
			r.addN(q, 37)
		}
		for _, desc := range []bool{false, true} {
			for _, size := range []int{1, 10, 37, 200} {
				seen := map[string]bool{}
				req := engine.ListRequest{Limit: size, Desc: desc}
				for {
					page, err := r.List(r.ctx, req)
					if err != nil || page.Total != 111 {
						t.Fatalf("%v, total %d", err, page.Total)
					}
					for _, i := range page.Items {
						if seen[i.ID().String()] {
							t.Fatalf("%s came twice", i.ID())
						}
						seen[i.ID().String()] = true
						req.After = i.ID()
					}
					if !page.More {
						break
					}
				}
				if len(seen) != 111 {
					t.Errorf("desc %v, size %d: %d items", desc, size, len(seen))
				}
			}
		}
	})
}

func TestFilter(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("inv", store.Transactions, func(q *store.Queue) { q.Folder, q.Links = "/fin/ap", []string{"/audit"} })
		r.queue("ord", store.Jobs, func(q *store.Queue) { q.Folder = "/audit/2026" })
		r.add("inv", engine.NewItem{Payload: object(), Reference: "INV-1"}, engine.NewItem{Payload: object(), Reference: "INV-2", Priority: store.High},
			engine.NewItem{Payload: object(), Reference: "late", DeferUntil: store.At(time.Now().Add(time.Hour))})
		r.addN("ord", 2)
		r.settle(r.claim("inv", "r-7", 1)[0], engine.Business, "No postal code") // INV-2, by priority
		time.Sleep(3 * time.Hour)
		r.add("inv", engine.NewItem{Payload: object(), Reference: "young", Key: "k-1", DueAt: store.At(time.Now().Add(time.Hour))})
		for filter, want := range map[string]string{
			"":                                  "inv/1 inv/2 inv/3 inv/4 ord/1 ord/2",
			"queue:ord":                         "ord/1 ord/2",
			"reference:INV-":                    "inv/1 inv/2",
			"!reference:INV-":                   "inv/3 inv/4 ord/1 ord/2",
			"status:business-exception":         "inv/2",
			"status:failed":                     "inv/2",
			"status:available queue:inv":        "inv/1 inv/3 inv/4",
			"status:New,Failed":                 "inv/1 inv/2 inv/3 inv/4 ord/1 ord/2",
			"!status:pending queue:inv":         "inv/2",
			"status:successful":                 "",
			"POSTAL":                            "inv/2",
			`"no postal"`:                       "inv/2",
			"!postal queue:inv":                 "inv/1 inv/3 inv/4",
			"robot:r-7":                         "inv/2",
			"priority:high":                     "inv/2",
			"age:>2h queue:inv":                 "inv/1 inv/2 inv/3",
			"age:<2h":                           "inv/4",
			"attempts:>0":                       "inv/2",
			"number:>=2 queue:inv":              "inv/2 inv/3 inv/4",
			"review:none number:1":              "inv/1 ord/1",
			"queue:inv queue:ord":               "",
			"status:pending status:queued":      "",
			"reference:young status:pending":    "inv/4",
			"reason:postal":                     "inv/2",
			`group:"No postal code"`:            "inv/2",
			"ord/2":                             "ord/2",
			"status:pending,queued !queue:ord ": "inv/1 inv/3 inv/4",
			"queue:inv,ord number:2":            "inv/2 ord/2",
			"queue:ord,inv !queue:inv":          "ord/1 ord/2",
			"folder:/fin":                       "inv/1 inv/2 inv/3 inv/4",
			"folder:/audit number:<2":           "inv/1 ord/1",
			"id:ord/2,inv/3,inv/99":             "inv/3 ord/2",
			"!id:ord/2 queue:ord":               "ord/1",
			"id:ord/2 status:pending":           "",
			"key:k-1":                           "inv/4",
			"!key:k-1 queue:inv number:>3":      "",
			"reference:=INV-1":                  "inv/1",
			"reference:=INV-":                   "",
			"reference:= queue:ord":             "ord/1 ord/2",
			"status:delayed":                    "",
			"status:delayed,failed":             "inv/2",
			"!status:failed,queued":             "inv/1 inv/3 inv/4",
			"number:0":                          "",
			"number:<1":                         "",
			"number:>1 number:<=3 queue:inv":    "inv/2 inv/3",
			"kind:business":                     "inv/2",
			"kind:none queue:inv":               "inv/1 inv/3 inv/4",
			"priority:high,low":                 "inv/2",
			"review:none,verified id:inv/2":     "inv/2",
			"due:any":                           "inv/4",
			"due:none queue:inv":                "inv/1 inv/2 inv/3",
			"due:<+2h":                          "inv/4",
			"due:>+2h":                          "",
			"created:>-1h":                      "inv/4",
			"created:<2999-01-01 number:1":      "inv/1 ord/1",
			"ended:any":                         "inv/2",
			"claimed:<now":                      "inv/2",
			"deferred:any":                      "inv/3",
			"creator:te":                        "",
			"creator:an number:1":               "inv/1 ord/1",
			"sla:ok":                            "inv/4",
			"sla:overdue,risk":                  "",
			`"age:>2h"`:                         "",
			"chain:inv/1":                       "inv/1",
			"reclaims:0 failures:0 id:inv/2":    "inv/2",
		} {
			page, err := r.List(r.ctx, engine.ListRequest{Filter: filter})
			if err != nil {
				t.Errorf("%q: %v", filter, err)
				continue
			}
			var got []string
			for _, i := range page.Items {
				got = append(got, i.ID().String())
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%q selects %v, want %s", filter, got, want)
			}
		}
	})
}

func TestFilterOnPayload(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, nil)
		for _, payload := range []string{`{"total":99,"tags":{"eu":true}}`, `{"total":150}`, `{"total":"150"}`, `"text"`, `{"total":200,"tags":{"eu":true}}`} {
			r.add("q", engine.NewItem{Payload: []byte(payload)})
		}
		list := func(filter string) string {
			page, err := r.List(r.ctx, engine.ListRequest{Filter: filter})
			if err != nil {
				t.Fatalf("%s: %v", filter, err)
			}
			var got []string
			for _, i := range page.Items {
				got = append(got, fmt.Sprint(i.Number))
			}
			return strings.Join(got, " ")
		}
		for filter, want := range map[string]string{
			`jq:".total > 100"`:               "2 3 5", // in jq a string is more than any number
			`jq:".total|numbers > 100"`:       "2 5",
			`jq:.tags.eu`:                     "1 5",
			`!jq:.tags.eu`:                    "2 3 4",
			`jq:.tags.eu number:>1`:           "5",
			`jq:.tags.eu jq:".total == 99"`:   "1",
			`jq:"env | length > 0"`:           "", // nothing of the machine's is to be seen
			`status:queued jq:".nope.deeper"`: "",
		} {
			if got := list(filter); got != want {
				t.Errorf("%s selects %q, want %q", filter, got, want)
			}
		}
		for filter, want := range map[string]string{`jq:".a |"`: "unexpected", `jq:nosuch(.)`: "nosuch"} {
			if _, err := r.List(r.ctx, engine.ListRequest{Filter: filter}); store.CodeOf(err) != store.CodeInvalid || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", filter, err)
			}
		}
		if recs, err := r.Claim(r.ctx, engine.ClaimRequest{Queue: "q", Robot: "r", N: 5, Filter: `jq:.tags.eu`}); err != nil || len(recs) != 2 || recs[1].Number != 5 {
			t.Errorf("claimed %+v, %v", recs, err)
		}
		_, err := r.Claim(r.ctx, engine.ClaimRequest{Queue: "q", Robot: "r", Filter: `jq:.tags.eu`})
		r.wantCode(err, store.CodeEmpty)
		_, err = r.Claim(r.ctx, engine.ClaimRequest{Queue: "q", Robot: "r", Filter: `jq:(`})
		r.wantCode(err, store.CodeInvalid)
	})
}

// A jq program may run for ever; the list that it is for may not. In real time,
// since a bubble's clock stands still while anything computes.
func TestEndlessJQIsCutOff(t *testing.T) {
	e, err := engine.Open(t.Context(), memory.New(), engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if _, err := e.AddQueue(t.Context(), engine.DefaultQueue("q", store.Jobs)); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Add(t.Context(), engine.AddRequest{Queue: "q", Items: []engine.NewItem{{Payload: object()}}}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.List(t.Context(), engine.ListRequest{Filter: `jq:"def f: f; f"`}); store.CodeOf(err) != store.CodeInvalid || !strings.Contains(err.Error(), "takes longer than 100ms") {
		t.Errorf("%v", err)
	}
}

func TestFilterErrorsNameTheTerm(t *testing.T) {
	for filter, want := range map[string]string{
		"stauts:failed":    `there is no key "stauts"`,
		"status:broken":    `status "broken"`,
		"status:":          "no value",
		"age:2h":           "compared with a duration",
		"age:>soon":        "compared with a duration",
		"attempts:>x":      "compared with a whole number",
		`word "open quote`: "quote at character 6 is not closed",
		"!":                "inverts nothing",
		"a  b:c":           "filter b:c, character 4",
		"é jq:'.a ==":      "quote at character 6 is not closed",
		"jq:'.a =='":       "character 1",
		"number:>x":        "whole number",
		"sla:late":         "sla:overdue",
		"kind:other":       "kind:business",
		"due:2h":           "compared with another",
		"due:<soon":        "due:<+2h",
		"queue:Invoices":   "can't be a queue's name",
		"folder:finance":   "starts with a slash",
		"!folder:/a":       "name the queues to leave out",
		"id:12":            "write it as orders/12",
		`""`:               "empty word",
		"priority:urgent":  `priority "urgent"`,
		"review:done":      `review status "done"`,
		"jq:.a > 3":        "jq:.a, character 1: the jq program ends at the space before >",
		"jq:.a >3":         "put the whole program in quotes",
		"jq:.a | length":   "ends at the space before |",
		"jq:.a and .b":     "ends at the space before and",
		"b jq:.a != 1":     "jq:.a, character 3: the jq program ends at the space before !=",
		"jq:.a / 2":        "ends at the space before /",
		"jq:.a -.b":        "ends at the space before -.b",
		"jq:.a *(.b)":      "ends at the space before *(.b)",
	} {
		if _, err := engine.ParseFilter(filter); store.CodeOf(err) != store.CodeInvalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", filter, err, want)
		}
	}
}

// What stands behind a jq program and may well be looked for is no part of it.
func TestWordsBehindAJQProgram(t *testing.T) {
	for _, filter := range []string{
		"jq:.a /var/log", "jq:.a -7", "jq:.a +4930123", "jq:.a --dry-run", "jq:.a %20", "jq:.a !/tmp", "jq:.a ordinary", "/x jq:.a", `jq:".a" >3`,
	} {
		if _, err := engine.ParseFilter(filter); err != nil {
			t.Errorf("%q: %v", filter, err)
		}
	}
}

func TestSelectFreezesASet(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, nil)
		r.addN("q", 30)
		for n, rec := range r.claim("q", "r", 30) {
			r.settle(rec, engine.Business, fmt.Sprintf("kind %s", []string{"one", "two"}[n%2]))
		}
		req := engine.ListRequest{Queue: "q", Group: "kind one", Statuses: []store.Status{store.BusinessException}}
		frozen, err := r.Select(r.ctx, req)
		if err != nil || len(frozen) != 15 {
			t.Fatalf("%v, %d frozen", err, len(frozen))
		}
		page, _ := r.List(r.ctx, req)
		if page.Total != 15 || len(page.Items) != 15 {
			t.Errorf("list: %d of %d", len(page.Items), page.Total)
		}
		// One of them changes before the act; another like them arrives.
		if _, err := r.Review(r.ctx, engine.ReviewRequest{Targets: frozen[:1], Action: engine.Note, Note: "mine"}); err != nil {
			t.Fatal(err)
		}
		r.addN("q", 1)
		r.settle(r.claim("q", "r", 1)[0], engine.Business, "kind one")
		out, err := r.Review(r.ctx, engine.ReviewRequest{Targets: frozen, Action: engine.Verify})
		if err != nil {
			t.Fatal(err)
		}
		stale := slices.IndexFunc(out, func(o engine.Outcome) bool { return o.Result == engine.Stale })
		if stale != 0 || out[14].Result != engine.OK {
			t.Errorf("%+v", out)
		}
		if page, _ := r.List(r.ctx, req); page.Total != 2 {
			t.Errorf("%d left, want the changed and the later one", page.Total)
		}
	})
}

// A group that is asked for beside the filter limits the filter too.
func TestGroupBesideAFilterByGroup(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, nil)
		r.addN("q", 2)
		for n, rec := range r.claim("q", "r", 2) {
			r.settle(rec, engine.Business, []string{"late", "wrong"}[n])
		}
		for _, filter := range []string{"group:wrong", "group:wrong reason:wrong", "group:wrong queue:q"} {
			page, err := r.List(r.ctx, engine.ListRequest{Queue: "q", Group: "late", Filter: filter})
			if err != nil || len(page.Items) != 0 || page.Total != 0 {
				t.Errorf("%s: %d items, total %d, %v", filter, len(page.Items), page.Total, err)
			}
		}
		if page, err := r.List(r.ctx, engine.ListRequest{Queue: "q", Group: "late", Filter: "group:late"}); err != nil || len(page.Items) != 1 {
			t.Errorf("%d items, %v", len(page.Items), err)
		}
	})
}

// Deleted items are found by name, also beside what is left out.
func TestDeletedItemsAreFoundByName(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, nil)
		r.addN("q", 3)
		if _, err := r.Delete(r.ctx, engine.DeleteRequest{Targets: []engine.Target{{Item: store.ID{Queue: "q", Number: 2}}}}); err != nil {
			t.Fatal(err)
		}
		for filter, want := range map[string]string{
			"":                              "q/1 q/3",
			"!status:failed":                "q/1 q/3",
			"!status:deleted":               "q/1 q/3",
			"status:deleted":                "q/2",
			"status:deleted,queued":         "q/1 q/2 q/3",
			"status:deleted !status:failed": "q/2",
			"!status:failed !status:completed status:deleted,queued": "q/1 q/2 q/3",
			"status:deleted,queued !status:deleted":                  "q/1 q/3",
		} {
			page, err := r.List(r.ctx, engine.ListRequest{Filter: filter})
			var got []string
			for _, i := range page.Items {
				got = append(got, i.ID().String())
			}
			if err != nil || strings.Join(got, " ") != want || page.Total >= 0 && page.Total != int64(len(got)) {
				t.Errorf("%q: %v, %v of %d, want %s", filter, err, got, page.Total, want)
			}
		}
		page, err := r.List(r.ctx, engine.ListRequest{Filter: "!status:failed", Statuses: []store.Status{store.Deleted}})
		if err != nil || len(page.Items) != 1 {
			t.Errorf("%v, %d beside a request for deleted ones", err, len(page.Items))
		}
	})
}
