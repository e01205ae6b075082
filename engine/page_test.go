package engine_test

import (
	"fmt"
	"testing"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/store/memory"
)

// A list says how it is found, and is found so.
func TestPlan(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("inv", store.Transactions, nil)
		r.queue("ord", store.Jobs, func(q *store.Queue) { q.Folder = "/audit" })
		items := make([]engine.NewItem, 3000)
		for n := range items {
			items[n] = engine.NewItem{Payload: object(), Reference: fmt.Sprintf("INV-%04d", n)}
		}
		for n := range 20 {
			items[n].Job = "j1"
		}
		r.add("inv", items...)
		r.addN("ord", 50)
		for _, rec := range r.claim("inv", "r", 10) {
			r.settle(rec, engine.Business, "no zip")
		}
		for _, c := range []struct {
			filter, index, order string
			rows                 int64
			slow                 int
		}{
			{"", "number", "number", 3050, 0},
			{"queue:ord", "number", "number", 50, 0},
			{"folder:/audit", "number", "number", 50, 0},
			{"status:failed", "status", "number", 10, 0},
			{"status:failed queue:ord", "status", "number", 0, 0},
			{"reference:INV-00", "reference", "number", 100, 0},
			{"reference:INV-", "reference", "reference", -1, 0},
			{"status:failed reference:INV-", "status", "number", 10, 0},
			{"reference:=INV-0012 age:>2h", "reference", "number", 1, 1},
			{`group:"no zip" !robot:r`, "group", "number", 10, 1},
			{"id:inv/1,ord/2", "id", "number", 2, 0},
			{"key:none-such", "key", "number", 0, 0},
			{"number:>20 number:<=30 queue:inv", "number", "number", 10, 0},
			{"status:failed reason:zip", "status", "number", 10, 0},
			{"status:failed reason:timeout", "group", "number", 0, 0},
			{"status:failed kind:system !reason:zip", "group", "number", 0, 1},
			{"reason:zip", "number", "number", 3050, 1},
			{"job:j1", "job", "number", -1, 0},
			{"job:j1 status:failed", "status", "number", 10, 0},
			{"job:none-such", "number", "number", 3050, 1},
			{"late jq:.x !reference:INV-", "number", "number", 3050, 3},
			{"queue:inv !queue:inv", "none", "number", 0, 0},
		} {
			plan, err := r.Plan(r.ctx, engine.ListRequest{Filter: c.filter, Order: engine.AnyOrder})
			if err != nil {
				t.Errorf("%q: %v", c.filter, err)
				continue
			}
			if plan.Index != c.index || plan.Order != c.order || plan.Rows != c.rows || len(plan.Slow) != c.slow || plan.Of != 3050 {
				t.Errorf("%q: %+v, want %+v", c.filter, plan, c)
			}
			page, err := r.List(r.ctx, engine.ListRequest{Filter: c.filter, Order: engine.AnyOrder, Limit: 10_000})
			if err != nil || plan.Rows >= 0 && page.Looked > plan.Rows {
				t.Errorf("%q looks at %d items, its plan says %d (%v)", c.filter, page.Looked, plan.Rows, err)
			}
		}
	})
}

// A page behind a filter that matches nothing comes as soon as its budget is
// used up, and says where to go on.
func TestPageWithBudget(t *testing.T) {
	r := start(t, memory.New())
	defer r.Close()
	r.queue("q", store.Jobs, nil)
	r.addN("q", 1000)
	req := engine.ListRequest{Filter: "attempts:>0", Budget: 1}
	turns, looked := 0, int64(0)
	for more := true; more; turns++ {
		page, err := r.List(r.ctx, req)
		if err != nil || len(page.Items) > 0 {
			t.Fatalf("%v, %d items", err, len(page.Items))
		}
		more, looked = page.More, looked+page.Looked
		req.After, req.Order = page.Next, page.Order
	}
	if turns != 16 || looked != 1000 { // 64 items at least are looked at each time
		t.Errorf("%d items were looked at in %d turns", looked, turns)
	}
}
