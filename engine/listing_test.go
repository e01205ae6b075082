package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"signalbox/store"
)

// However little room there is, the places kept are the first ones behind the place
// that a list goes on at, and it knows whether there are more.
func TestListingKeepsTheFirstPlaces(t *testing.T) {
	by, err := orderBy("reference")
	if err != nil {
		t.Fatal(err)
	}
	const n = 500
	for _, desc := range []bool{false, true} {
		for _, most := range []int{1, placeSize * 7, placeSize * n * 2} {
			var got []string
			var want []string
			l := &listing{}
			for rounds := 0; rounds == 0 || l.cut != nil; rounds++ {
				l = &listing{by: by, desc: desc, most: most, after: l.after}
				want = nil
				for _, i := range rand.Perm(n) {
					item := store.Item{Queue: "q", Number: uint64(i + 1), Reference: fmt.Sprintf("%03d", i/2)}
					want = append(want, fmt.Sprintf("%s %03d", item.Reference, item.Number))
					l.add(&item)
					if l.bytes > 2*most+2*placeSize {
						t.Fatalf("%d bytes are kept, with room for %d", l.bytes, most)
					}
				}
				l.trim()
				for _, s := range l.next(n) {
					got = append(got, fmt.Sprintf("%s %03d", s.text, s.id.Number))
				}
			}
			slices.Sort(want)
			if desc {
				slices.Reverse(want)
			}
			if !slices.Equal(got, want) {
				t.Errorf("with room for %d bytes, turned round %t, it gives %d places: %v", most, desc, len(got), got)
			}
		}
	}
}
