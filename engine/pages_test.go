package engine_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
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
	fits    func(*store.Item) bool
	request engine.ListRequest

	now    map[store.ID]store.Item // all items as they are
	steady map[store.ID]string     // what matched all the time, in one place of the order
	moved  map[store.ID]bool       // items whose place in the order changed
}

// TestPagesUnderChanges reads lists by all their indexes and in all their orders
// while items come, go and change. Each page holds what a plain look at all items
// finds; what matched all the time at one place in the order comes exactly once;
// and nothing comes twice but what moved.
func TestPagesUnderChanges(t *testing.T) {
	opens := map[string]func(t *testing.T) store.Store{
		"memory": func(*testing.T) store.Store { return memory.New() },
		"bolt":   func(t *testing.T) store.Store { return openBolt(t, filepath.Join(t.TempDir(), "pages.db")) },
	}
	for name, open := range opens {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				tape := rapid.SliceOfN(rapid.IntRange(0, 5040), 1, 100).Draw(rt, "tape")
				rest := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "rest"), 0))
				d := func(n int, _ string) int {
					if len(tape) == 0 {
						return rest.IntN(n)
					}
					v := tape[0] % n
					tape = tape[1:]
					return v
				}
				r := start(t, open(t))
				defer r.Close()
				if err := (&pages{rig: r, draw: d}).check(); err != nil {
					rt.Fatal(err)
				}
			})
		})
	}
}

func (p *pages) check() error {
	d := p.draw
	orders := append(engine.Orders(), "", "", "", "")
	p.request = engine.ListRequest{
		Order: []string{"", engine.ByNumber, engine.ByReference, engine.AnyOrder}[d(4, "order")],
		Sort:  orders[d(len(orders), "sort")],
		Desc:  d(2, "desc") == 1,
		Limit: 2 + d(20, "limit"),
	}
	if d(2, "budget") == 1 {
		p.request.Budget = 1
	}
	p.request.Filter, p.fits = filter(d)
	for _, name := range []string{"a", "b", "c"} {
		p.queue(name, store.Transactions, func(q *store.Queue) { q.Retries = 1 })
		p.adds(name, d(25, "items"))
	}
	for range d(30, "changes") {
		p.change()
	}
	p.look()
	p.steady, p.moved = map[store.ID]string{}, map[store.ID]bool{}
	for id, i := range p.now {
		if p.fits(&i) {
			p.steady[id] = ""
		}
	}
	if err := p.read(); err != nil {
		plan, _ := p.Plan(p.ctx, p.request)
		return fmt.Errorf("%+v\n%+v: %w", p.request, plan, err)
	}
	return nil
}

// look reads all items, and takes those off the steady ones that are steady no
// more.
func (p *pages) look() {
	before := p.now
	p.now = map[store.ID]store.Item{}
	every := []store.Status{store.Deleted}
	for s := store.Status(1); int(s) < store.Statuses; s++ {
		every = append(every, s)
	}
	page, err := p.List(p.ctx, engine.ListRequest{Statuses: every, Limit: 10_000})
	if err != nil || page.More {
		p.t.Fatal("the model can't see all items", err)
	}
	for _, i := range page.Items {
		p.now[i.ID()] = i
		old, known := before[i.ID()]
		if !p.fits(&i) || known && p.compare(&old, &i) != 0 {
			delete(p.steady, i.ID())
		}
		if known && p.compare(&old, &i) != 0 {
			p.moved[i.ID()] = true
		}
	}
}

// compare compares two items' values in the order of the list, whichever index
// finds it.
func (p *pages) compare(a, b *store.Item) int {
	switch p.request.Sort {
	case "status":
		return cmp.Compare(a.Status, b.Status)
	case "attempts":
		return cmp.Compare(a.Attempts, b.Attempts)
	case "priority":
		return cmp.Compare(a.Priority, b.Priority)
	case "due":
		if (a.DueAt == 0) != (b.DueAt == 0) {
			return cmp.Compare(b.DueAt, a.DueAt)
		}
		return cmp.Compare(a.DueAt, b.DueAt)
	case "changed":
		return cmp.Compare(engine.ChangedAt(a), engine.ChangedAt(b))
	case "created":
		return cmp.Compare(a.CreatedAt, b.CreatedAt)
	case "robot":
		return strings.Compare(a.ClaimedBy, b.ClaimedBy)
	}
	if p.request.Sort == "reference" || p.request.Order == engine.ByReference || p.request.Order == engine.AnyOrder {
		return strings.Compare(a.Reference, b.Reference)
	}
	return 0
}

// read goes through all pages.
func (p *pages) read() error {
	r := p.request
	seen := map[store.ID]bool{}
	var last *store.Item
	for {
		page, err := p.List(p.ctx, r)
		if err != nil {
			return err
		}
		if len(page.Items) > r.Limit {
			return fmt.Errorf("%d items on a page of %d", len(page.Items), r.Limit)
		}
		if plan, err := p.Plan(p.ctx, p.request); err != nil || plan.Rows >= 0 && plan.Order == page.Order && page.Looked > plan.Rows && r.Sort == "" {
			return fmt.Errorf("the plan is to look at %d, %d were; %v", plan.Rows, page.Looked, err)
		}
		for n := range page.Items {
			i := &page.Items[n]
			if now := p.now[i.ID()]; !p.fits(&now) {
				return fmt.Errorf("%s does not match", i.ID())
			}
			if seen[i.ID()] && !p.moved[i.ID()] {
				return fmt.Errorf("%s comes twice", i.ID())
			}
			if last != nil && !p.inOrder(last, i, page.Order) {
				return fmt.Errorf("%s comes after %s", i.ID(), last.ID())
			}
			seen[i.ID()], last = true, i
		}
		if !page.More {
			break
		}
		if page.Next == r.After && page.NextReference == r.AfterReference {
			return fmt.Errorf("a page went no further than %s", r.After)
		}
		r.After, r.AfterReference, r.Order = page.Next, page.NextReference, page.Order
		p.change()
		p.look()
	}
	for id := range p.steady {
		if !seen[id] {
			return fmt.Errorf("%s is left out", id)
		}
	}
	return nil
}

func (p *pages) inOrder(a, b *store.Item, order string) bool {
	c := 0
	if p.request.Sort == "" && a.Queue != b.Queue {
		return a.Queue < b.Queue
	}
	if p.request.Sort != "" || order == engine.ByReference {
		c = p.compare(a, b)
	}
	c = cmp.Or(c, strings.Compare(a.Queue, b.Queue), cmp.Compare(a.Number, b.Number))
	return c < 0 != p.request.Desc
}

func (p *pages) adds(queue string, n int) {
	items := make([]engine.NewItem, n)
	for k := range items {
		items[k] = engine.NewItem{Payload: object(), Reference: p.ref(), Priority: store.Priority(p.draw(3, "priority") - 1)}
		if p.draw(4, "due") == 0 {
			items[k].DueAt = store.At(time.Now().Add(time.Hour))
		}
		if p.draw(3, "of a job") == 0 { // each job is of one queue
			items[k].Job = map[string]string{"a": "j1", "b": "j2", "c": "j3"}[queue]
		}
	}
	if n > 0 {
		_, _ = p.Add(p.ctx, engine.AddRequest{Queue: queue, Items: items}) // refused once the job was cancelled
	}
}

func (p *pages) ref() string { return fmt.Sprintf("INV-%d", p.draw(30, "reference")) }

// pick gives some item of a queue that a filter selects.
func (p *pages) pick(queue, filter string) []engine.Target {
	targets, _ := p.Select(p.ctx, engine.ListRequest{Queue: queue, Filter: filter})
	if len(targets) == 0 {
		return nil
	}
	at := p.draw(len(targets), "picked")
	return targets[at : at+1]
}

// change does something to some items. What the state of an item does not allow
// is refused and changes nothing.
func (p *pages) change() {
	queue := []string{"a", "b", "c"}[p.draw(3, "queue")]
	switch p.draw(12, "change") {
	case 0:
		p.adds(queue, p.draw(5, "items"))
	case 1, 2, 3:
		recs, _ := p.Claim(p.ctx, engine.ClaimRequest{Queue: queue, Robot: []string{"r1", "r2"}[p.draw(2, "robot")], N: 1 + p.draw(5, "wave")})
		for _, rec := range recs {
			reason := []string{"Timeout after 5 s", "no zip 47", "no 'order 47' here", "timeout", "many   spaces\nbetween"}[p.draw(5, "reason")]
			p.settle(rec, []string{engine.Success, engine.Business, engine.System}[p.draw(3, "status")], reason)
		}
	case 4:
		if targets := p.pick(queue, ""); targets != nil {
			_, _ = p.Delete(p.ctx, engine.DeleteRequest{Targets: targets})
		}
	case 5, 6:
		if targets := p.pick(queue, "status:pending"); targets != nil {
			ref, priority := p.ref(), store.Priority(p.draw(3, "priority")-1)
			_, _ = p.Edit(p.ctx, engine.EditRequest{Target: targets[0], Reference: &ref, Priority: &priority})
		}
	case 7, 8:
		if targets := p.pick(queue, "status:failed"); targets != nil {
			action := []string{engine.Verify, engine.Assign}[p.draw(2, "action")]
			_, _ = p.Review(p.ctx, engine.ReviewRequest{Targets: targets, Action: action})
		}
	case 9:
		if targets := p.pick(queue, "status:failed"); targets != nil {
			_, _ = p.Retry(p.ctx, engine.RetryRequest{Targets: targets})
		}
	case 10: // an archived item bears its job's name only
		past := engine.Past{ID: fmt.Sprintf("old/%d", 1+p.draw(100, "old")), State: "failed", Archived: true, Error: &store.Failure{Reason: "timeout long ago"}}
		p.add(queue, engine.NewItem{Payload: object(), Job: []string{"j1", "j2"}[p.draw(2, "job")], Past: &past})
	case 11:
		if p.draw(4, "really") == 0 {
			_, _ = p.CancelJob(p.ctx, "j1", "")
			_ = p.DeleteJob(p.ctx, "j1")
		}
	}
}

// Any part of a reason finds its item, whatever was folded away or cut off.
func TestPartsOfReasonsAreFound(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := start(t, memory.New())
		defer r.Close()
		r.queue("a", store.Transactions, nil)
		pieces := []string{"order", "47", "INV-7", "'a b'", `"x"`, " ", "   ", "\n", "ÄÖ", "no", strings.Repeat("long ", 60), "İ", "é", "#", "“q 1”"}
		reasons := make([]string, 4)
		for n := range reasons {
			reasons[n] = "r" + strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 8).Draw(rt, "reason"), "")
		}
		r.addN("a", len(reasons))
		for n, rec := range r.claim("a", "r", len(reasons)) {
			r.settle(rec, engine.Business, reasons[n])
			reasons[n] = r.item(rec.ID()).Error.Reason
		}
		runes := []rune(reasons[rapid.IntRange(0, len(reasons)-1).Draw(rt, "of")])
		from := rapid.IntRange(0, len(runes)-1).Draw(rt, "from")
		part := string(runes[from:rapid.IntRange(from+1, len(runes)).Draw(rt, "to")])
		page, err := r.List(r.ctx, engine.ListRequest{Filter: "status:failed reason:" + engine.Quoted(part)})
		if err != nil {
			rt.Fatal(err)
		}
		want := 0
		for _, reason := range reasons {
			if strings.Contains(strings.ToLower(reason), strings.ToLower(part)) {
				want++
			}
		}
		if len(page.Items) != want {
			rt.Fatalf("%q is in %d of %q, and finds %d", part, want, reasons, len(page.Items))
		}
	})
}
