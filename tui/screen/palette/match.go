package palette

import (
	"slices"
	"strings"
	"unicode"
)

// worse is the score of an entry that does not match.
const worse = 1 << 20

// score says how well what was typed fits an entry; less is better. Each word
// typed must be found: at the beginning of a word, within one, or at last as
// letters in their order.
func score(typed, words string) int {
	typed, words = strings.ToLower(typed), strings.ToLower(words)
	total := len(words) / 8 // of two that fit alike, the shorter
	for part := range strings.FieldsSeq(typed) {
		switch i := strings.Index(words, part); {
		case i == 0:
		case i > 0 && startsWord(words, i):
			total += 10
		case i > 0:
			total += 30
		case scattered(part, words):
			total += 100
		default:
			return worse
		}
	}
	return total
}

func startsWord(s string, i int) bool {
	before := rune(s[i-1])
	return !unicode.IsLetter(before) && !unicode.IsDigit(before)
}

// scattered says that the letters of part stand in words in their order, which
// with fewer than three means nothing.
func scattered(part, words string) bool {
	if len(part) < 3 {
		return false
	}
	for _, r := range part {
		i := strings.IndexRune(words, r)
		if i < 0 {
			return false
		}
		words = words[i+1:]
	}
	return true
}

// rank gives the entries that fit what was typed, the best first.
func rank(typed string, entries []Entry) []Entry {
	if strings.TrimSpace(typed) == "" {
		return entries
	}
	type ranked struct {
		Entry
		score int
	}
	var fit []ranked
	for _, e := range entries {
		n := score(typed, string(e.Words))
		if also := score(typed, e.Also); e.Also != "" && also < worse {
			n = min(n, also+40)
		}
		if e.Refuse != "" && n < worse {
			n += 15
		}
		if n < worse {
			fit = append(fit, ranked{e, n})
		}
	}
	slices.SortStableFunc(fit, func(a, b ranked) int { return a.score - b.score })
	best := make([]Entry, len(fit))
	for i := range fit {
		best[i] = fit[i].Entry
	}
	return best
}
