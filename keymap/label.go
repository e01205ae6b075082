package keymap

import "strings"

// KeyLabel is how key is shown in footers and help: ↵, esc, ^r, ⇧→, j.
func KeyLabel(key string) string {
	mods, word := splitKey(key)
	prefix := key[:len(key)-len(word)]
	if len(mods) == 1 && mods["ctrl"] {
		prefix = "^"
	}
	if len(mods) == 1 && mods["shift"] {
		prefix = "⇧"
	}
	return prefix + symbol(word)
}

// ASCII gives the same keymap with labels that every terminal can show:
// enter, ctrl+r, shift+right.
func (m *Map) ASCII() *Map {
	plain := *m
	plain.plain = true
	return &plain
}

func (m *Map) label(key string) string {
	if m.plain {
		return key
	}
	return KeyLabel(key)
}

// Label gives the foremost key of a as footers show it, "" without a key.
func (m *Map) Label(a Action) string {
	b, _ := m.Binding(a)
	return m.first(b.Keys)
}

// LabelIn is Label for a scope in which some keys of a may not apply.
func (m *Map) LabelIn(scope Scope, a Action) string {
	b, _ := m.Binding(a)
	return m.first(keysIn(scope, b))
}

func (m *Map) first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return m.label(list[0])
}

// Labels words every key of a list, for help: "↑ k".
func (m *Map) Labels(list []string) string { return join(list, m.label) }

func join(list []string, word func(string) string) string {
	words := make([]string, len(list))
	for i, key := range list {
		words[i] = word(key)
	}
	return strings.Join(words, " ")
}

func symbol(word string) string {
	switch word {
	case "enter":
		return "↵"
	case "up":
		return "↑"
	case "down":
		return "↓"
	case "left":
		return "←"
	case "right":
		return "→"
	case "pgdown":
		return "pgdn"
	case "backspace":
		return "bksp"
	}
	return word
}

// Symbols gives the same keymap with short labels: ↵, ^r, ⇧→.
func (m *Map) Symbols() *Map {
	short := *m
	short.plain = false
	return &short
}
