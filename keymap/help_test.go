package keymap

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite docs/keys.md")

func TestDocumentIsUpToDate(t *testing.T) {
	const path = "../docs/keys.md"
	want := load(t, DefaultPreset, nil).Markdown()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s differs from the keymap (%v); go test ./keymap -update rewrites it", path, err)
	}
}

func TestHelpShowsWhatAppliesHere(t *testing.T) {
	m := load(t, "vim", map[string][]string{"mouse": {"none"}})
	for _, scope := range Scopes() {
		shown := map[Action]bool{}
		for _, group := range m.Help(scope) {
			if group.Title == "" || len(group.Bindings) == 0 {
				t.Errorf("%s: empty group %q", scope, group.Title)
			}
			for _, b := range group.Bindings {
				shown[b.Action] = true
			}
		}
		for key, a := range m.scopes[scope] {
			if b, _ := m.Binding(a); b.Later {
				if shown[a] {
					t.Errorf("%s promises %s, which is not built yet", scope, a)
				}
				continue
			}
			if !shown[a] {
				t.Errorf("%s: %s does %s, which the help leaves out", scope, key, a)
			}
		}
	}
}

func TestHelpNamesDangers(t *testing.T) {
	m := load(t, DefaultPreset, nil)
	found := func(scope Scope) (n int) {
		for _, group := range m.Help(scope) {
			for _, b := range group.Bindings {
				if b.Danger {
					n++
				}
			}
		}
		return n
	}
	if found(Table) != 2 || found(Dialog) != 0 {
		t.Errorf("dangers: %d on a table, %d in a dialog", found(Table), found(Dialog))
	}
}

func TestEveryActionIsDocumented(t *testing.T) {
	m := load(t, DefaultPreset, nil)
	documented := map[Action]bool{}
	for _, scope := range Scopes() {
		for _, group := range m.Help(scope) {
			for _, b := range group.Bindings {
				documented[b.Action] = true
			}
		}
	}
	for _, b := range m.bindings {
		if !documented[b.Action] && !b.Later {
			t.Errorf("%s appears in no help", b.Action)
		}
	}
}

// What is not built keeps its keys and is promised nowhere.
func TestNothingIsPromisedThatIsNotBuilt(t *testing.T) {
	m := load(t, DefaultPreset, nil)
	document := m.Markdown()
	for _, a := range []Action{Screen6, ZoomIn, AddSplit, Purge} {
		if strings.Contains(document, "`"+string(a)+"`") {
			t.Errorf("the document promises %s", a)
		}
	}
	if _, err := Load(DefaultPreset, map[string][]string{"open": {"6"}}); err == nil {
		t.Error("the key of an action to come was given away")
	}
	for _, a := range []Action{Explain, Undo, CopyIDs, CopyJSON, EditRetry, Delete, Cancel, ClearReview} {
		if !strings.Contains(document, "`"+string(a)+"`") {
			t.Errorf("the document leaves out %s", a)
		}
	}
}
