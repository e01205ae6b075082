package keymap

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"signalbox/store"
	"signalbox/tui/text"
)

// named lists the keys that are written as a word, as key presses spell them.
func named() []string {
	return []string{
		"enter", "esc", "space", "tab", "backspace", "delete", "insert",
		"up", "down", "left", "right", "home", "end", "pgup", "pgdown",
		"f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12",
	}
}

// alias maps other spellings to ours, and the keypad's names to what is
// printed on its keys.
func alias(word string) string {
	switch strings.ToLower(word) {
	case "return":
		return "enter"
	case "escape":
		return "esc"
	case "pageup":
		return "pgup"
	case "pagedown", "pgdn":
		return "pgdown"
	case "del":
		return "delete"
	case "ins":
		return "insert"
	case "plus":
		return "+"
	case "minus":
		return "-"
	case "mul":
		return "*"
	case "div":
		return "/"
	case "equal":
		return "="
	case " ":
		return "space"
	}
	return word
}

// ParseKey reads a key as a person writes it ("ctrl-r", "PgDn", "shift+r")
// and gives its one spelling ("ctrl+r", "pgdown", "R").
func ParseKey(s string) (string, error) {
	mods, word := splitKey(s)
	word = alias(word)
	known := utf8.RuneCountInString(word) == 1
	if !known {
		word = strings.ToLower(word)
		for _, name := range named() {
			known = known || name == word
		}
	}
	if !known || !printable(word) {
		return "", unknownKey(s, word)
	}
	return compose(s, mods, word)
}

// splitKey parts modifiers from the key itself; the separator is + or -, both
// of which are keys too.
func splitKey(s string) (mods map[string]bool, word string) {
	mods = map[string]bool{}
	for {
		i := strings.IndexAny(s, "+-")
		if i <= 0 || i == len(s)-1 {
			return mods, s
		}
		switch mod := strings.ToLower(s[:i]); mod {
		case "ctrl", "alt", "shift", "super", "meta", "hyper":
			mods[mod] = true
		default:
			return mods, s
		}
		s = s[i+1:]
	}
}

// compose joins modifiers and key in the order in which key presses name them.
func compose(s string, mods map[string]bool, word string) (string, error) {
	single := utf8.RuneCountInString(word) == 1
	if single && mods["shift"] && len(mods) == 1 {
		upper := strings.ToUpper(word)
		if upper == word {
			return "", store.Invalid("key "+quote(s), "shift has no effect that can be told apart there", "write the character that the keys give together")
		}
		return upper, nil
	}
	if single && mods["ctrl"] {
		word = strings.ToLower(word)
	}
	var b strings.Builder
	for _, mod := range []string{"ctrl", "alt", "shift", "meta", "hyper", "super"} {
		if mods[mod] {
			b.WriteString(mod + "+")
		}
	}
	key := b.String() + word
	if same, ok := twins()[key]; ok {
		return "", store.Invalid("key "+quote(s), "most terminals send it as "+same, "bind "+same+" or another key")
	}
	return key, nil
}

// twins are the keys that reach a program as another key.
func twins() map[string]string {
	return map[string]string{"ctrl+i": "tab", "ctrl+m": "enter", "ctrl+[": "esc", "ctrl+h": "backspace"}
}

func unknownKey(s, word string) error {
	mend := "write a character, or a name such as enter, pgdown, f5, ctrl+r"
	if near := text.Nearest(word, named()); near != "" {
		mend = "did you mean " + near + "?"
	}
	return store.Invalid("key "+quote(s), "there is no such key", mend)
}

func printable(s string) bool {
	for _, r := range s {
		if !unicode.IsPrint(r) {
			return false
		}
	}
	return s != ""
}

// types says that a text field has its own use for key: it types, moves in
// the line or deletes.
func types(key string) bool {
	switch key {
	case "left", "right", "home", "end", "backspace", "delete", "space":
		return true
	}
	return utf8.RuneCountInString(key) == 1
}

func quote(s string) string { return "\"" + string(text.Clean(s)) + "\"" }
