package keymap

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"signalbox/store"
	"signalbox/tui/text"
)

// Map is a finished keymap. It does not change after Load and may be shared.
type Map struct {
	plain    bool // labels without symbols
	bindings []Binding
	index    map[Action]int
	scopes   map[Scope]map[string]Action
}

// Default gives the keys of the default preset.
func Default() (*Map, error) { return Load(DefaultPreset, nil) }

// Load lays overrides over a preset. An override names an action and replaces
// its whole key list; the list "none", or an empty one, unbinds it. The error
// tells everything that is wrong, not only the first.
func Load(preset string, overrides map[string][]string) (*Map, error) {
	m, err := fromPreset(preset)
	if err != nil {
		return nil, err
	}
	var wrong []error
	for _, name := range slices.Sorted(maps.Keys(overrides)) {
		wrong = append(wrong, m.override(Action(name), overrides[name]))
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, err
	}
	if err := errors.Join(m.resolve(), m.reachable()); err != nil {
		return nil, err
	}
	return m, nil
}

func fromPreset(name string) (*Map, error) {
	changes, err := preset(name)
	if err != nil {
		return nil, err
	}
	m := &Map{bindings: defaults(), index: map[Action]int{}}
	for i, b := range m.bindings {
		m.index[b.Action] = i
		if list, ok := changes[b.Action]; ok {
			m.bindings[i].Keys = list
		}
	}
	return m, nil
}

func (m *Map) override(a Action, list []string) error {
	i, ok := m.index[a]
	if !ok {
		mend := "docs/keys.md names them all"
		if near := text.Nearest(string(a), m.names()); near != "" {
			mend = "did you mean " + near + "?"
		}
		return store.Invalid("key action "+quote(string(a)), "there is no such action", mend)
	}
	if len(list) == 1 && list[0] == "none" {
		list = nil
	}
	b := &m.bindings[i]
	if b.Danger && len(list) > 0 {
		return store.Invalid("key action "+string(a), "it cannot be taken back, so it has no key of its own",
			fmt.Sprintf("reach it through %s (%s)", Verbs, m.Label(Verbs)))
	}
	parsed := make([]string, 0, len(list))
	var wrong []error
	for _, name := range list {
		key, err := ParseKey(name)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("keys of %s: %w", a, err))
		} else if !slices.Contains(parsed, key) {
			parsed = append(parsed, key)
		}
	}
	b.Keys = parsed
	return errors.Join(wrong...)
}

func (m *Map) names() []string {
	names := make([]string, len(m.bindings))
	for i, b := range m.bindings {
		names[i] = string(b.Action)
	}
	return names
}

// resolve builds the table of keys for each scope, and tells each pair of
// actions that wants one key in one scope, once.
func (m *Map) resolve() error {
	m.scopes = make(map[Scope]map[string]Action, len(Scopes()))
	clashes := map[string]bool{}
	var wrong []error
	for _, scope := range Scopes() {
		table := map[string]Action{}
		m.scopes[scope] = table
		for _, b := range m.bindings {
			for _, key := range keysIn(scope, b) {
				other, taken := table[key]
				if !taken {
					table[key] = b.Action
					continue
				}
				clash := key + string(other) + string(b.Action)
				if !clashes[clash] {
					clashes[clash] = true
					wrong = append(wrong, store.Invalid("key "+quote(key),
						fmt.Sprintf("both %s and %s want it in scope %s", other, b.Action, scope),
						"give one of them another key, or none"))
				}
			}
		}
	}
	return errors.Join(wrong...)
}

// keysIn gives the keys by which b is reached in scope.
func keysIn(scope Scope, b Binding) []string {
	if !slices.ContainsFunc(b.Scopes, scope.within) {
		return nil
	}
	if !scope.typing() {
		return b.Keys
	}
	return slices.DeleteFunc(slices.Clone(b.Keys), types)
}

// reachable says that nobody can be locked in: the ways out and the help have
// a key wherever they apply.
func (m *Map) reachable() error {
	var wrong []error
	for _, a := range []Action{Back, Help, Quit, Interrupt} {
		b := m.bindings[m.index[a]]
		for _, scope := range b.Scopes {
			if len(keysIn(scope, b)) == 0 {
				wrong = append(wrong, store.Invalid("key action "+string(a),
					"it would have no key in scope "+string(scope), "leave it at least one that is not needed for typing there"))
				break
			}
		}
	}
	return errors.Join(wrong...)
}

// Action gives what key does in scope. The key is spelled as a key press
// spells itself: "enter", "pgdown", "ctrl+c", "shift+left", "j", "G".
func (m *Map) Action(scope Scope, key string) (Action, bool) {
	if a, ok := m.scopes[scope][key]; ok {
		return a, true
	}
	a, ok := m.scopes[scope][alias(key)]
	return a, ok
}

// Binding gives an action's keys and words; the caller must not change them.
func (m *Map) Binding(a Action) (Binding, bool) {
	i, ok := m.index[a]
	if !ok {
		return Binding{}, false
	}
	return m.bindings[i], true
}

// Keys gives the keys of a, the foremost first.
func (m *Map) Keys(a Action) []string {
	b, _ := m.Binding(a)
	return slices.Clone(b.Keys)
}

// Bindings lists every action that is built, in the order of the
// documentation; the caller must not change them.
func (m *Map) Bindings() []Binding {
	return slices.DeleteFunc(slices.Clone(m.bindings), func(b Binding) bool { return b.Later })
}

// Names lists the names of all actions.
func (m *Map) Names() []string { return m.names() }
