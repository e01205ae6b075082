package engine_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/store/memory"
)

// pages is a list read page by page while items change between the pages.
type pages struct {
	*rig
	draw    draw
	touched map[store.ID]bool // items that were changed after the first page
}

// TestPagesUnderChanges reads lists in all their orders while items come, go and
// change. What was there all the time and matched comes exactly once.
func TestPagesUnderChanges(t *testing.T) {
	opens := map[string]func(t *testing.T) store.Store{
		"memory": func(*testing.T) store.Store { return memory.New() },
		"bolt":   func(t *testing.T) store.Store { return openBolt(t, filepath.Join(t.TempDir(), "pages.db")) },
	}
	for name, open := range opens {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				tape := rapid.SliceOfN(rapid.IntRange(0, 5040), 1, 300).Draw(rt, "tape")
				d := func(n int, _ string) int {
					if len(tape) == 0 {
						return 0
					}
					v := tape[0] % n
					tape = tape[1:]
					return v
				}
				r := start(t, open(t))
				defer r.Close()
				if err := (&pages{rig: r, draw: d, touched: map[store.ID]bool{}}).check(); err != nil {
					rt.Fatal(err)
				}
			})
		})
	}
}

func (p *pages) check() error {
	for _, name := range []string{"a", "b", "c"} {
		p.queue(name, store.Transactions, nil)
		p.adds(name, p.draw(150, "items"))
	}
	for range p.draw(10, "changes") {
		p.change()
	}
	r := engine.ListRequest{
		Filter: []string{"", "status:pending", "reference:I", "reference:INV-1", "reference:=INV-1", "status:pending,failed reference:INV-", "queue:a,c",
			"number:>5 number:<40", "!queue:b !status:failed", "due:any", "id:a/1,b/2,c/3,a/2", "jq:.x"}[p.draw(12, "filter")],
		Order: []string{"", engine.ByNumber, engine.ByReference, engine.AnyOrder}[p.draw(4, "order")],
		Desc:  p.draw(2, "desc") == 1,
		Limit: 1 + p.draw(40, "limit"),
	}
	if p.draw(2, "budget") == 1 {
		r.Budget = 1
	}
	clear(p.touched)
	before, err := p.List(p.ctx, engine.ListRequest{Filter: r.Filter, Limit: 10_000})
	if err != nil {
		return err
	}
	seen, err := p.read(r)
	if err != nil {
		return fmt.Errorf("%+v: %w", r, err)
	}
	for _, i := range before.Items {
		if !seen[i.ID()] && !p.touched[i.ID()] {
			return fmt.Errorf("%+v skips %s", r, i.ID())
		}
	}
	return nil
}

// read goes through all pages.
func (p *pages) read(r engine.ListRequest) (seen map[store.ID]bool, err error) {
	seen = map[store.ID]bool{}
	var last *store.Item
	for {
		page, err := p.List(p.ctx, r)
		if err != nil {
			return nil, err
		}
		for n := range page.Items {
			i := &page.Items[n]
			if seen[i.ID()] && !(page.Order == engine.ByReference && p.touched[i.ID()]) {
				return nil, fmt.Errorf("%s comes twice", i.ID())
			}
			if last != nil && !inOrder(last, i, page.Order, r.Desc) {
				return nil, fmt.Errorf("%s comes after %s", i.ID(), last.ID())
			}
			seen[i.ID()], last = true, i
		}
		if len(page.Items) > r.Limit {
			return nil, fmt.Errorf("%d items on a page of %d", len(page.Items), r.Limit)
		}
		if !page.More {
			return seen, nil
		}
		if page.Next == r.After {
			return nil, fmt.Errorf("a page went no further than %s", r.After)
		}
		r.After, r.AfterReference, r.Order = page.Next, page.NextReference, page.Order
		p.change()
	}
}

func inOrder(a, b *store.Item, order string, desc bool) bool {
	if a.Queue != b.Queue {
		return a.Queue < b.Queue
	}
	c := 0
	if order == engine.ByReference {
		c = strings.Compare(a.Reference, b.Reference)
	}
	if c == 0 {
		c = int(a.Number) - int(b.Number)
	}
	return c < 0 != desc
}

func (p *pages) adds(queue string, n int) {
	items := make([]engine.NewItem, n)
	for k := range items {
		items[k] = engine.NewItem{Payload: object(), Reference: p.ref(), Priority: store.Priority(p.draw(3, "priority") - 1)}
		if p.draw(4, "due") == 0 {
			items[k].DueAt = store.At(time.Now().Add(time.Hour))
		}
	}
	if n > 0 {
		p.add(queue, items...)
	}
}

func (p *pages) ref() string { return fmt.Sprintf("INV-%d", p.draw(30, "reference")) }

// change does something to some items.
func (p *pages) change() {
	queue := []string{"a", "b", "c"}[p.draw(3, "queue")]
	switch p.draw(4, "change") {
	case 0:
		p.adds(queue, p.draw(5, "items"))
	case 1:
		recs, _ := p.Claim(p.ctx, engine.ClaimRequest{Queue: queue, Robot: "r", N: 1 + p.draw(5, "wave")})
		for _, rec := range recs {
			p.touched[rec.ID()] = true
			p.settle(rec, []string{engine.Success, engine.Business}[p.draw(2, "status")], "because")
		}
	case 2:
		targets, _ := p.Select(p.ctx, engine.ListRequest{Queue: queue})
		if len(targets) > 0 {
			target := targets[p.draw(len(targets), "deleted")]
			p.touched[target.Item] = true
			_, _ = p.Delete(p.ctx, engine.DeleteRequest{Targets: []engine.Target{target}}) // refused for some
		}
	case 3:
		targets, _ := p.Select(p.ctx, engine.ListRequest{Queue: queue, Filter: "status:pending"})
		if len(targets) > 0 {
			ref := p.ref()
			target := targets[p.draw(len(targets), "edited")]
			p.touched[target.Item] = true
			_, _ = p.Edit(p.ctx, engine.EditRequest{Target: target, Reference: &ref})
		}
	}
}

// A list says how it is found, and is found so.
func TestPlan(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("inv", store.Transactions, nil)
		r.queue("ord", store.Jobs, func(q *store.Queue) { q.Folder = "/audit" })
		items := make([]engine.NewItem, 3000)
		for n := range items {
			items[n] = engine.NewItem{Payload: object(), Reference: fmt.Sprintf("INV-%04d", n)}
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
