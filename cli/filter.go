package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"signalbox/store"
)

// parseFieldFilter reads a filter of small lists, which are filtered here: words
// are looked for in every field, name:value in one (of lists inside lists,
// their text). ! before a term inverts it.
func parseFieldFilter(filter string) (func(any) bool, error) {
	type term struct {
		field, value string
		inverse      bool
	}
	var terms []term
	for _, word := range strings.Fields(filter) {
		word, inverse := strings.CutPrefix(word, "!")
		field, value, keyed := strings.Cut(word, ":")
		if !keyed {
			field, value = "", word
		}
		if value == "" {
			return nil, usage("the filter", fmt.Sprintf("%q looks for nothing", word), "write a word or field:value")
		}
		terms = append(terms, term{field, strings.ToLower(value), inverse})
	}
	return func(row any) bool {
		fields := map[string]any{}
		if b, err := store.Encode(row); err != nil || json.Unmarshal(b, &fields) != nil {
			return false
		}
		for _, t := range terms {
			found := false
			for name, value := range fields {
				text := strings.ToLower(fmt.Sprint(value))
				found = found || t.field == "" && strings.Contains(text, t.value) || t.field == name && text == t.value
			}
			if found == t.inverse {
				return false
			}
		}
		return true
	}, nil
}
