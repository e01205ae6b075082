package text

// Nearest finds the word that somebody who typed name most likely meant, for
// "did you mean". It gives "" where no word is near.
func Nearest(name string, words []string) string {
	best, least := "", max(1, len(name)/3)+1
	for _, word := range words {
		if d := distance(name, word); d < least {
			best, least = word, d
		}
	}
	return best
}

// distance counts the insertions, removals, replacements and swaps of
// neighbours that make b of a.
func distance(a, b string) int {
	before := make([]int, len(b)+1)
	above, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range above {
		above[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(above[j+1]+1, row[j]+1, above[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, above, row = above, row, before
	}
	return above[len(b)]
}
