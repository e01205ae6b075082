package intake_test

import (
	"fmt"
	"strings"
	"testing"

	"signalbox/engine/intake"
	"signalbox/store"
)

// However many rows are bad in however many ways, ten kinds are told and every row
// is counted.
func TestFaults(t *testing.T) {
	for _, kinds := range []int{1, 9, 10, 11, 12, 999, 1000, 1001, 5000} {
		var f intake.Faults
		for n := range kinds * 3 {
			word := strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprint(n%kinds))
			f.Add(n+2, store.Invalid(fmt.Sprintf("value %q", fmt.Sprint(n)), "broken as "+word+fmt.Sprint(" by ", n), "mend it"))
		}
		told := f.Kinds()
		want, last := kinds, `(3 rows)`
		switch {
		case kinds > 1000:
			want, last = 11, fmt.Sprintf("and more than 990 more kinds (%d rows)", (kinds-10)*3)
		case kinds == 11:
			want, last = 11, "and 1 more kind (3 rows)"
		case kinds > 11:
			want, last = 11, fmt.Sprintf("and %d more kinds (%d rows)", kinds-10, (kinds-10)*3)
		}
		if len(told) != want || !strings.HasSuffix(told[want-1], last) || told[0] != `line 2: value "0": broken as a by 0; mend it (3 rows)` {
			t.Errorf("%d kinds are told as %q", kinds, told)
		}
	}
}

func BenchmarkFaults(b *testing.B) {
	var f intake.Faults
	for n := 0; b.Loop(); n++ {
		f.Add(n, store.Invalid(fmt.Sprintf("due %q", fmt.Sprint("31.02.", n)), "it is no time", "write it as 2026-03-01"))
	}
}
