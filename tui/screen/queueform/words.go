package queueform

import (
	"strings"

	"signalbox/store"
)

// split cuts a text into its words; quotes keep blanks together.
func split(s string) ([]string, error) {
	words := []string{}
	var word strings.Builder
	quote, started := rune(0), false
	for _, r := range s {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			quote, started = r, true
		case r == ' ':
			if started {
				words = append(words, word.String())
			}
			word.Reset()
			started = false
		default:
			word.WriteRune(r)
			started = true
		}
	}
	if quote != 0 {
		return nil, store.Invalid("a quote", "it is not closed", "close it")
	}
	if started {
		words = append(words, word.String())
	}
	return words, nil
}

// join writes words so that split gives them back.
func join(words []string) string {
	var b strings.Builder
	for i, word := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		switch {
		case word != "" && !strings.ContainsAny(word, ` "'`):
			b.WriteString(word)
		case !strings.Contains(word, "'"):
			b.WriteString("'" + word + "'")
		default: // each quote between quotes of the other kind
			b.WriteString("'" + strings.ReplaceAll(word, "'", `'"'"'`) + "'")
		}
	}
	return b.String()
}
