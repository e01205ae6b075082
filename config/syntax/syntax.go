// Package syntax says what is wrong with a text that is not TOML, in the words
// of this program for all that people get wrong with whole lines.
package syntax

import (
	"errors"
	"regexp"
	"strings"

	"github.com/BurntSushi/toml"
)

// Fault is on which line a text is not TOML, why, and how to mend it. ok is
// false of an error that says no such thing.
func Fault(err error) (line int, rule, mend string, ok bool) {
	bad, ok := errors.AsType[toml.ParseError](err)
	if !ok {
		return 0, "", "", false
	}
	for _, known := range faults {
		if m := known.message.FindStringSubmatch(bad.Message); m != nil {
			return bad.Position.Line, strings.ReplaceAll(known.rule, "KEY", m[1]), known.mend, true
		}
	}
	return bad.Position.Line, strings.TrimSuffix(bad.Message, "."), "write it as TOML, texts in quotes", true
}

var faults = []struct {
	message    *regexp.Regexp
	rule, mend string
}{
	{regexp.MustCompile(`^Key '(.*)' has already been defined`), `key "KEY": it is there twice`, "take one out"},
	{regexp.MustCompile(`^Key '(.*)' was already created`), `key "KEY": it is there twice, in two forms`, "take one out"},
	{regexp.MustCompile(`^(\S+) is out of range for (?:u?int|float)`), "number KEY: it is too large", "write a smaller one"},
}
