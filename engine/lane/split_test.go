package lane

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"signalbox/store"
)

func TestAutoSplitKeepsAQuarterPerLane(t *testing.T) {
	tests := []struct{ n, fast, common, slow int }{
		{0, 0, 0, 0}, {2, 0, 2, 0}, {3, 1, 1, 1}, {4, 1, 2, 1}, {7, 1, 5, 1},
		{8, 2, 4, 2}, {25, 6, 13, 6}, {2000, 500, 1000, 500},
	}
	for _, tt := range tests {
		s := Auto(tt.n)
		if s.Fast != tt.fast || s.Common() != tt.common || s.Slow != tt.slow {
			t.Errorf("Auto(%d) = %d+%d+%d, want %d+%d+%d", tt.n, s.Fast, s.Common(), s.Slow, tt.fast, tt.common, tt.slow)
		}
	}
}

func TestRangesOf25Slots(t *testing.T) {
	s := Auto(25)
	for l, want := range map[Lane][2]int{Fast: {1, 19}, Slow: {7, 25}, Commons: {7, 19}} {
		if first, last := s.Range(l); first != want[0] || last != want[1] {
			t.Errorf("%s is %d–%d, want %d–%d", l, first, last, want[0], want[1])
		}
	}
}

func TestValidateNamesTheRuleAndTheMend(t *testing.T) {
	tests := []struct {
		split Split
		want  string // "" = allowed
	}{
		{Split{3, 1, 1}, ""},
		{Split{4, 2, 2}, ""},
		{Split{2000, 1, 1999}, ""},
		{Split{2, 1, 1}, "at least 3"},
		{Split{2001, 1, 1}, "at most 2000"},
		{Split{25, 0, 6}, "at least 1"},
		{Split{25, 6, 0}, "at least 1"},
		{Split{25, 20, 6}, "lower them to 25"},
	}
	for _, tt := range tests {
		err := tt.split.Validate()
		if (err == nil) != (tt.want == "") {
			t.Errorf("%+v: %v", tt.split, err)
			continue
		}
		if err != nil && (store.CodeOf(err) != store.CodeInvalid || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%+v: %v, want %q", tt.split, err, tt.want)
		}
	}
}

// Every slot is in exactly one part, and a lane's range is its reserve and the
// commons.
func TestRangesAndPartsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anySplit(t)
		for n := 1; n <= s.Size; n++ {
			of := s.Of(n)
			for _, l := range []Lane{Fast, Slow} {
				first, last := s.Range(l)
				if in := first <= n && n <= last; in != (of == l || of == Commons) {
					t.Fatalf("slot %d of %+v is %s, in the range of %s: %v", n, s, of, l, in)
				}
			}
		}
	})
}

func anySplit(t *rapid.T) Split {
	n := rapid.OneOf(rapid.IntRange(Floor, 30), rapid.IntRange(Floor, Ceiling)).Draw(t, "size")
	fast := rapid.IntRange(1, n-1).Draw(t, "fast")
	return Split{n, fast, rapid.IntRange(1, n-fast).Draw(t, "slow")}
}
