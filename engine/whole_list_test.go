package engine_test

import (
	"fmt"
	"testing"
	"time"

	"signalbox/engine"
	"signalbox/store"
)

const wholeItems = 95

func wholeRig(r *rig) engine.ListRequest {
	r.queue("q", store.Transactions, nil)
	for i := range wholeItems {
		r.add("q", engine.NewItem{Payload: []byte(`{}`), Reference: fmt.Sprintf("R%03d", (i*37)%wholeItems)})
	}
	return engine.ListRequest{Queue: "q", Filter: "status:pending", Sort: "reference", Limit: 10, Whole: true}
}

// pagesOf reads a list to its end; between its pages it calls meanwhile.
func pagesOf(t *testing.T, e *engine.Engine, req engine.ListRequest, meanwhile func(n int)) (all []store.Item, looked int64) {
	t.Helper()
	for n := 0; ; n++ {
		page, err := e.List(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		all, looked = append(all, page.Items...), looked+page.Looked
		if !page.More {
			return all, looked
		}
		req.After, req.AfterReference = page.Next, page.NextReference
		meanwhile(n)
	}
}

// A sorted list that is read to its end looks at all items once, and gives the same
// as one that looks for each page.
func TestWholeSortedListLooksOnce(t *testing.T) {
	eachStore(t, func(r *rig) {
		req := wholeRig(r)
		for _, name := range engine.Orders() {
			for _, req.Desc = range []bool{false, true} {
				req.Sort = name
				all, looked := pagesOf(r.t, r.Engine, req, func(int) {})
				req.Whole = false
				paged := sortedList(r.t, r.Engine, req)
				req.Whole = true
				if fmt.Sprint(ids(all)) != fmt.Sprint(ids(paged)) || looked != wholeItems {
					r.t.Errorf("by %s, %t: %d items were looked at, and %v came; page by page %v", name, req.Desc, looked, ids(all), ids(paged))
				}
			}
		}
	})
}

// What happens between the pages: items come as they are then, one that no longer
// matches or is gone is left out, and nothing comes twice.
func TestWholeSortedListMeanwhile(t *testing.T) {
	eachStore(t, func(r *rig) {
		req := wholeRig(r)
		all, _ := pagesOf(r.t, r.Engine, req, func(n int) {
			if n == 0 { // most of those claimed are of later pages
				if _, err := r.Claim(r.t.Context(), engine.ClaimRequest{Queue: "q", Robot: "r", N: 20}); err != nil {
					r.t.Fatal(err)
				}
			}
		})
		seen := map[store.ID]bool{}
		for _, i := range all {
			if seen[i.ID()] || i.Status != store.Pending {
				r.t.Errorf("%s comes again, or is %s", i.ID(), i.Status)
			}
			seen[i.ID()] = true
		}
		if len(all) < wholeItems-20 || len(all) > wholeItems-10 {
			r.t.Errorf("%d items came", len(all))
		}
	})
}

// A page that is asked for again is looked for anew, and so is one whose list was
// forgotten: for another list, or because it was long ago.
func TestWholeSortedListAnew(t *testing.T) {
	eachStore(t, func(r *rig) {
		t := r.t
		req := wholeRig(r)
		first, err := r.List(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		next := req
		next.After, next.AfterReference = first.Next, first.NextReference
		looks := func(what string, want int64) {
			t.Helper()
			page, err := r.List(t.Context(), next)
			if err != nil || page.Looked != want || len(page.Items) != 10 || page.Items[0].Reference != "R010" {
				t.Errorf("%s: %d looked at, %v, %v", what, page.Looked, ids(page.Items), err)
			}
		}
		again := func() {
			if _, err := r.List(t.Context(), req); err != nil {
				t.Fatal(err)
			}
		}
		looks("the next page", 0)
		looks("once more", wholeItems)
		again()
		looks("after the first once more", 0)
		again()
		other := req
		other.Desc = true
		if _, err := r.List(t.Context(), other); err != nil {
			t.Fatal(err)
		}
		looks("after another list", wholeItems)
		again()
		time.Sleep(2 * time.Minute) // of the test's own clock
		looks("long after", wholeItems)
	})
}

func ids(items []store.Item) (all []string) {
	for i := range items {
		all = append(all, items[i].ID().String())
	}
	return all
}
