package text

import (
	"cmp"
	"strings"
)

// Natural compares names by their words, and the numbers in them by value, so
// that drain 2 comes before drain 10.
func Natural(a, b string) int {
	wholeA, wholeB := a, b
	for a != "" && b != "" {
		left, right := digits(a), digits(b)
		if left > 0 && right > 0 {
			m, n := strings.TrimLeft(a[:left], "0"), strings.TrimLeft(b[:right], "0")
			if c := cmp.Or(cmp.Compare(len(m), len(n)), strings.Compare(m, n)); c != 0 {
				return c
			}
			a, b = a[left:], b[right:]
			continue
		}
		if a[0] != b[0] {
			break
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Or(strings.Compare(a, b), strings.Compare(wholeA, wholeB))
}

// digits is how many digits s begins with.
func digits(s string) int { return len(s) - len(strings.TrimLeft(s, "0123456789")) }
