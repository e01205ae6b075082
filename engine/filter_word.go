package engine

import (
	"fmt"
	"strings"
	"unicode"

	"signalbox/store"
)

// word is one term of a filter, taken apart.
type word struct {
	at      int    // the character at which it begins, from 1
	text    string // as it was written
	inverse bool
	key     string // "" = a plain word
	value   string
}

// splitFilter cuts a filter at spaces outside quotes and takes the quotes off.
func splitFilter(s string) (words []word, err error) {
	c := cutter{rest: []rune(s)}
	for {
		for c.at < len(c.rest) && unicode.IsSpace(c.rest[c.at]) {
			c.at++
		}
		if c.at == len(c.rest) {
			return words, nil
		}
		w, err := c.word()
		if err != nil {
			return nil, err
		}
		words = append(words, w)
	}
}

// cutter goes through a filter.
type cutter struct {
	rest []rune
	at   int
}

// word reads one term: an optional !, an optional key and colon, and a value of
// which parts may be in quotes.
func (c *cutter) word() (w word, err error) {
	begin := c.at
	w.at = begin + 1
	if c.rest[c.at] == '!' {
		w.inverse = true
		c.at++
	}
	var b strings.Builder
	plain := c.at < len(c.rest) && c.rest[c.at] == '"'
	for c.at < len(c.rest) && !unicode.IsSpace(c.rest[c.at]) {
		r := c.rest[c.at]
		switch {
		case r == '"' || r == '\'' && w.key == "jq" && b.Len() == 0:
			if err := c.quoted(&b, r); err != nil {
				return w, err
			}
			continue
		case r == ':' && w.key == "" && !plain && b.Len() > 0:
			w.key = b.String()
			b.Reset()
		default:
			b.WriteRune(r)
		}
		c.at++
	}
	w.value = b.String()
	w.text = string(c.rest[begin:c.at])
	return w, nil
}

// continues says whether a word goes on a jq program that was left without
// quotes, so that its spaces cut it. As words of their own these would find
// nothing, and nobody would be told why. Words that something may well hold, as
// a path or a phone number, stay words.
func (w word) continues(before word) bool {
	if before.key != "jq" || strings.ContainsAny(before.text, `"'`) || w.key != "" || w.inverse && !strings.HasPrefix(w.text, "!=") {
		return false
	}
	if w.text == "and" || w.text == "or" || strings.ContainsRune("|<>=!", []rune(w.text)[0]) {
		return true
	}
	operand := strings.TrimLeft(w.text, "+-*/%,")
	return operand != w.text && (operand == "" || strings.ContainsRune(".($", []rune(operand)[0]))
}

// quoted reads to the closing quote.
func (c *cutter) quoted(b *strings.Builder, quote rune) error {
	open := c.at
	for c.at++; c.at < len(c.rest); c.at++ {
		r := c.rest[c.at]
		switch {
		case r == quote:
			c.at++
			return nil
		case r == '\\' && c.at+1 < len(c.rest) && (c.rest[c.at+1] == quote || c.rest[c.at+1] == '\\'):
			c.at++
			b.WriteRune(c.rest[c.at])
		default:
			b.WriteRune(r)
		}
	}
	return store.Invalid("the filter", fmt.Sprintf("the quote at character %d is not closed", open+1), "close it with "+string(quote))
}

// Quoted writes a value so that a filter reads it as it is.
func Quoted(value string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
}
