package keymap

import (
	"fmt"
	"slices"
	"strings"
)

// Group is a heading of the help screen with its bindings.
type Group struct {
	Title    string
	Bindings []Binding
}

// Help gives what can be done in scope, in reading order, with the keys that
// do it there. Unbound actions are left out, unless the verbs menu has them;
// so are those that are not built yet.
func (m *Map) Help(scope Scope) []Group {
	var groups []Group
	for _, b := range m.bindings {
		if b.Later {
			continue
		}
		b.Keys = slices.Clone(keysIn(scope, b))
		if len(b.Keys) > 0 || b.InMenu() && slices.ContainsFunc(b.Scopes, scope.within) {
			groups = add(groups, b)
		}
	}
	return groups
}

// add puts b under its heading, which is the last one or a new one.
func add(groups []Group, b Binding) []Group {
	if len(groups) == 0 || groups[len(groups)-1].Title != b.Group {
		groups = append(groups, Group{Title: b.Group})
	}
	last := &groups[len(groups)-1]
	last.Bindings = append(last.Bindings, b)
	return groups
}

// Markdown writes the keys as a document.
func (m *Map) Markdown() string {
	var b strings.Builder
	b.WriteString(`# Keys

Generated from the keymap; change that, not this.

Every key can be changed in the config:

` + "```toml" + `
keymap = "default"          # or vim, k9s

[keys]
retry = ["R", "ctrl+r"]     # replaces the whole list of this action
mouse = ["none"]            # takes its keys away
` + "```" + `

A key that two actions want in one place is an error that names both. Back,
help and quit always keep a key.

"Where" names scopes. Screens (slots, table, page) also take
everything of global. What takes over the keyboard (split, dialog, menu, why, help,
input, command) answers only to keys that name it, and why (an explanation) to
those of menu too; in the text fields input and command, keys that type or move
in the line always do that.
`)
	var groups []Group
	for _, bind := range m.bindings {
		if !bind.Later {
			groups = add(groups, bind)
		}
	}
	for _, group := range groups {
		fmt.Fprintf(&b, "\n## %s\n\n| keys | action | what it does | where |\n| --- | --- | --- | --- |\n", group.Title)
		for _, bind := range group.Bindings {
			fmt.Fprintf(&b, "| %s | `%s` | %s | %s |\n", bind.document(), bind.Action, bind.Long, places(built(bind.Scopes)))
		}
	}
	b.WriteString("\n## Presets\n\nWhere they differ:\n\n" + presetTable())
	return b.String()
}

func (b Binding) document() string {
	if len(b.Keys) == 0 && b.InMenu() {
		return "in the menu"
	}
	return code(b.Keys)
}

func code(list []string) string {
	return join(list, func(key string) string { return "`" + key + "`" })
}

// built leaves out the scopes of screens that are still to come.
func built(scopes []Scope) []Scope {
	return slices.DeleteFunc(slices.Clone(scopes), func(s Scope) bool { return s == Timeline || s == Lab })
}

func places(scopes []Scope) string {
	if len(scopes) == len(built(Scopes())) {
		return "everywhere"
	}
	words := make([]string, len(scopes))
	for i, scope := range scopes {
		words[i] = string(scope)
	}
	return strings.Join(words, ", ")
}

func presetTable() string {
	var b strings.Builder
	b.WriteString("| action | default | vim | k9s |\n| --- | --- | --- | --- |\n")
	for _, bind := range defaults() {
		inVim, v := vim()[bind.Action]
		inK9s, k := k9s()[bind.Action]
		if !v && !k || bind.Later {
			continue
		}
		if !v {
			inVim = bind.Keys
		}
		if !k {
			inK9s = bind.Keys
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", bind.Action, code(bind.Keys), code(inVim), code(inK9s))
	}
	return b.String()
}
