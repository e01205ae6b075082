package queueform

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Words that are written on a line are the same words when they are read.
func TestWordsAreReadAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.StringOf(rapid.RuneFrom([]rune(`ab "'$\é`)))).Draw(t, "words")
		line := join(words)
		read, err := split(line)
		if err != nil || !slices.Equal(read, words) && len(words)+len(read) > 0 {
			t.Fatalf("%q was written as %s and read as %q: %v", words, line, read, err)
		}
	})
}
