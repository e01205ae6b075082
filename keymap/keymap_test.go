package keymap

import (
	"slices"
	"strings"
	"testing"

	"signalbox/store"
)

func load(t *testing.T, preset string, overrides map[string][]string) *Map {
	t.Helper()
	m, err := Load(preset, overrides)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestEveryPreset(t *testing.T) {
	for _, name := range Presets() {
		t.Run(name, func(t *testing.T) {
			m := load(t, name, nil)
			for key, want := range map[string]Action{"up": Up, "down": Down, "left": Left, "right": Right} {
				if got, _ := m.Action(Table, key); got != want {
					t.Errorf("%s does %q on a table, want %q", key, got, want)
				}
			}
			for _, b := range m.bindings {
				checkBinding(t, b)
			}
		})
	}
}

// Keys that multiplexers, flow control and job control take for themselves never
// reach a program, so none is a default; but ctrl+z does what it always does.
func TestDefaultsLeaveTheMultiplexerItsKeys(t *testing.T) {
	m := load(t, DefaultPreset, nil)
	for _, b := range m.bindings {
		for _, key := range b.Keys {
			switch {
			case key == "ctrl+z" && b.Action == Suspend:
			case slices.Contains([]string{"ctrl+a", "ctrl+b", "ctrl+p", "ctrl+q", "ctrl+s", "ctrl+z"}, key), strings.HasPrefix(key, "alt+"):
				t.Errorf("%s is on %s", b.Action, key)
			}
		}
	}
}

func checkBinding(t *testing.T, b Binding) {
	t.Helper()
	if b.Help == "" || b.Long == "" || b.Group == "" || len(b.Scopes) == 0 {
		t.Errorf("%s lacks words or scopes: %+v", b.Action, b)
	}
	if b.InMenu() != (len(b.Keys) == 0) {
		t.Errorf("%s: danger %v, keys %q", b.Action, b.Danger, b.Keys)
	}
	for _, key := range b.Keys {
		if parsed, err := ParseKey(key); err != nil || parsed != key {
			t.Errorf("%s: key %q parses as %q, %v", b.Action, key, parsed, err)
		}
	}
}

func TestPresetsNameOnlyKnownActions(t *testing.T) {
	m := load(t, DefaultPreset, nil)
	for _, name := range Presets() {
		changes, err := preset(name)
		if err != nil {
			t.Fatal(err)
		}
		for a := range changes {
			if _, ok := m.Binding(a); !ok {
				t.Errorf("%s binds %q, which does not exist", name, a)
			}
		}
	}
}

func TestScopes(t *testing.T) {
	m := load(t, DefaultPreset, nil)
	for _, c := range []struct {
		scope Scope
		key   string
		want  Action
	}{
		{Global, "1", Screen1},
		{Table, "1", Screen1},
		{Table, "r", Retry},
		{Global, "r", ""},
		{Slots, "S", Split},
		{Table, "S", ""},
		{SplitEdit, "right", FastMore},
		{SplitEdit, "shift+left", SlowLess},
		{SplitEdit, "+", PoolMore},
		{SplitEdit, "plus", PoolMore}, // the keypad's
		{SplitEdit, "a", SplitAuto},
		{SplitEdit, "enter", Apply},
		{SplitEdit, "esc", Back},
		{SplitEdit, "?", Help},
		{SplitEdit, "q", Quit},
		{SplitEdit, "1", ""},
		{SplitEdit, "r", ""},
		{Dialog, "y", Yes},
		{Dialog, "n", No},
		{Dialog, "q", ""},
		{Dialog, "ctrl+c", Interrupt},
		{Menu, "j", Down},
		{Input, "q", ""},
		{Input, "?", ""},
		{Input, "esc", Back},
		{Input, "enter", Apply},
		{Input, "ctrl+c", Interrupt},
		{Command, "up", Up},
		{Command, "k", ""},
		{Command, "tab", Complete},
		{Lab, "n", AddSplit},
		{Page, "space", Fold},
		{Table, "space", Mark},
		{"nowhere", "q", ""},
	} {
		if got, ok := m.Action(c.scope, c.key); got != c.want || ok != (c.want != "") {
			t.Errorf("%s in %s does %q, %v; want %q", c.key, c.scope, got, ok, c.want)
		}
	}
}

func TestTypingKeysAreNeverTakenFromATextField(t *testing.T) {
	for _, name := range Presets() {
		m := load(t, name, map[string][]string{"back": {"esc", "b", "delete"}})
		for _, scope := range []Scope{Input, Command} {
			for _, key := range []string{"a", "b", "?", "q", ":", "1", "space", "left", "backspace", "delete", "home", "ä"} {
				if a, ok := m.Action(scope, key); ok {
					t.Errorf("%s: %s in %s does %s", name, key, scope, a)
				}
			}
		}
	}
}

func TestOverrides(t *testing.T) {
	m := load(t, DefaultPreset, map[string][]string{
		"retry":     {"R", "Ctrl-R", "shift+r"},
		"mouse":     {"none"},
		"freeze":    {},
		"page-down": {"PgDn", "ctrl+space"},
	})
	if got := m.Keys(Retry); !slices.Equal(got, []string{"R", "ctrl+r"}) {
		t.Errorf("retry has %q", got)
	}
	if a, ok := m.Action(Table, "r"); ok {
		t.Errorf("r still does %s: an override replaces the whole list", a)
	}
	for _, key := range []string{"m", "f"} {
		if a, ok := m.Action(Table, key); ok {
			t.Errorf("%s still does %s", key, a)
		}
	}
	if a, _ := m.Action(Table, "ctrl+space"); a != PageDown {
		t.Errorf("ctrl+space does %q", a)
	}
	again := load(t, DefaultPreset, nil)
	if got := again.Keys(Retry); !slices.Equal(got, []string{"r"}) {
		t.Errorf("an override reached another map: %q", got)
	}
}

func TestLoadRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		preset    string
		overrides map[string][]string
		says      []string
	}{
		"unknown preset":        {"emcas", nil, []string{`"emcas"`, "default, vim, k9s"}},
		"near preset":           {"vin", nil, []string{"did you mean vim?"}},
		"unknown action":        {"", map[string][]string{"rety": {"R"}}, []string{`"rety"`, "did you mean retry?"}},
		"unknown key":           {"", map[string][]string{"retry": {"entre"}}, []string{"keys of retry", `"entre"`, "did you mean enter?"}},
		"conflict":              {"", map[string][]string{"retry": {"v"}}, []string{`"v"`, "retry", "verify", "scope"}},
		"conflict by heritage":  {"", map[string][]string{"retry": {"f"}}, []string{"retry", "freeze"}},
		"shadowed quit":         {"", map[string][]string{"sort": {"q"}}, []string{"sort", "quit"}},
		"quit unbound":          {"", map[string][]string{"quit": {"none"}}, []string{"quit", "no key"}},
		"help unbound":          {"", map[string][]string{"help": {}}, []string{"help", "no key"}},
		"back lost when typing": {"", map[string][]string{"back": {"b"}}, []string{"back", "scope input"}},
		"key for a danger":      {"", map[string][]string{"delete": {"D"}}, []string{"delete", "verbs (x)"}},
		"key that is another":   {"", map[string][]string{"retry": {"ctrl+i"}}, []string{"ctrl+i", "tab"}},
		"shift without effect":  {"", map[string][]string{"retry": {"shift+1"}}, []string{"shift+1"}},
		"control character":     {"", map[string][]string{"retry": {"\x1b"}}, []string{"␛"}},
		"two things at once":    {"", map[string][]string{"rety": {"R"}, "mark": {"wat"}}, []string{"rety", "wat"}},
	} {
		_, err := Load(c.preset, c.overrides)
		if err == nil {
			t.Errorf("%s: accepted", name)
			continue
		}
		for _, word := range c.says {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%s: %q does not say %q", name, err, word)
			}
		}
		if store.CodeOf(err) != store.CodeInvalid {
			t.Errorf("%s: code %d", name, store.CodeOf(err))
		}
	}
}

func TestAConflictIsToldOnce(t *testing.T) {
	_, err := Load("", map[string][]string{"retry": {"f"}})
	if n := strings.Count(err.Error(), "freeze"); n != 1 {
		t.Errorf("told %d times: %v", n, err)
	}
}

func TestLabels(t *testing.T) {
	m := load(t, DefaultPreset, nil)
	for a, want := range map[Action][2]string{
		Open: {"↵", "enter"}, Back: {"esc", "esc"}, Up: {"↑", "up"}, Suspend: {"^z", "ctrl+z"}, SlowMore: {"⇧→", "shift+right"},
		PoolLess: {"-", "-"}, PoolMore: {"+", "+"}, PrevPane: {"⇧tab", "shift+tab"}, Delete: {"", ""}, Bottom: {"G", "G"},
	} {
		if got := [2]string{m.Label(a), m.ASCII().Label(a)}; got != want {
			t.Errorf("%s is labelled %q, want %q", a, got, want)
		}
	}
	typing := load(t, DefaultPreset, map[string][]string{"back": {"b", "esc"}})
	if got := typing.LabelIn(Input, Back); got != "esc" {
		t.Errorf("back in a text field is labelled %q", got)
	}
	if got := m.Labels(m.Keys(Down)); got != "↓ j" {
		t.Errorf("down is labelled %q", got)
	}
}

func TestScreens(t *testing.T) {
	for n := 1; n <= 9; n++ {
		a, ok := Screen(n)
		if got, is := a.Number(); !ok || !is || got != n {
			t.Errorf("screen %d is %q", n, a)
		}
	}
	if _, ok := Screen(10); ok {
		t.Error("there is a screen 10")
	}
	if n, ok := Retry.Number(); ok {
		t.Errorf("retry is screen %d", n)
	}
}

func FuzzParseKey(f *testing.F) {
	for _, seed := range []string{"enter", "ctrl+r", "ctrl-", "-", "+", "shift+r", "ctrl++", "alt+ctrl+ü", "f12", " "} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		key, err := ParseKey(s)
		if err != nil {
			return
		}
		if again, err := ParseKey(key); err != nil || again != key {
			t.Errorf("%q is %q, which is %q, %v", s, key, again, err)
		}
	})
}
