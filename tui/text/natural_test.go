package text

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestNatural(t *testing.T) {
	want := []string{"", "2", "10", "a", "a01b", "a1b", "a2", "a10", "ab", "drain/2", "drain/10", "drain/10/1", "é9", "é10"}
	got := slices.Clone(want)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
	slices.SortFunc(got, Natural)
	for i, a := range got {
		for j, b := range got {
			if c := Natural(a, b); (c < 0) != (i < j) && i != j {
				t.Errorf("%q against %q: %d", a, b, c)
			}
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
