package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"signalbox/keymap"
	"signalbox/store"
)

func file(t testing.TB, data string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLoad(t *testing.T) {
	got, err := Load(file(t, `# mine
theme = "light"
keymap = "vim"
zone = 'utc'
mouse = true
glyphs = "auto"

[keys]
retry = ["R", "ctrl+r"]
freeze = "none"
`), true)
	want := Config{Theme: "light", Keymap: "vim", Zone: "utc", Mouse: true, Keys: map[string][]string{"retry": {"R", "ctrl+r"}, "freeze": {"none"}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%+v, %v", got, err)
	}
	none := filepath.Join(t.TempDir(), "config.toml")
	if got, err := Load(none, false); err != nil || !reflect.DeepEqual(got, Config{}) {
		t.Errorf("without a file: %+v, %v", got, err)
	}
	if _, err := Load(none, true); err == nil {
		t.Error("a file that was named need not be there")
	}
}

func TestLoadNamesFileLineAndMend(t *testing.T) {
	for name, c := range map[string]struct {
		data string
		says []string
	}{
		"unknown setting":  {"theme = \"dark\"\nmose = true\n", []string{":2: mose", "did you mean mouse?"}},
		"unknown section":  {"theme = \"dark\"\n\n[kyes]\nretry = \"R\"\n", []string{":3: kyes", "did you mean keys?"}},
		"wrong type":       {"mouse = \"yes\"\n", []string{":1: mouse", "true or false"}},
		"wrong value":      {"\nzone = \"utd\"\n", []string{":2: zone", "did you mean utc?"}},
		"unknown preset":   {"keymap = \"vin\"\n", []string{":1: keymap", "did you mean vim?"}},
		"not TOML":         {"theme = \"dark\"\nzone = utc\n", []string{":2", "TOML"}},
		"unknown action":   {"[keys]\nrety = \"R\"\n", []string{":2: ", "did you mean retry?"}},
		"unknown key":      {"[keys]\nretry = \"entre\"\n", []string{":2: keys of retry", "did you mean enter?"}},
		"conflict":         {"[keys]\nretry = \"v\"\n", []string{":2: ", "retry", "verify"}},
		"conflict of two":  {"[keys]\nretry = \"R\"\nsort = \"R\"\n", []string{":3: ", "retry", "sort"}},
		"keys of no list":  {"[keys]\nretry = 7\n", []string{":2: retry", "list"}},
		"keys no section":  {"keys = 7\n", []string{":1: keys", "[keys]"}},
		"unknown verb":     {"[allow]\nretry = true\ndelte = false\n", []string{":3: delte", "did you mean delete?"}},
		"allowed how":      {"[allow]\nretry-all = 7\n", []string{":2: retry-all", "true, false or a list"}},
		"allowed no where": {"[allow]\nsplit = [\"q\"]\n", []string{":2: split", "split = false"}},
		"no pattern":       {"[allow]\nretry = [\"a[\"]\n", []string{":2: retry", "no pattern"}},
		"allow no section": {"allow = false\n", []string{":1: allow", "[allow]"}},
		"everything wrong": {"mose = 1\nzone = \"x\"\n[keys]\nrety = \"R\"\n", []string{"mose", "zone", "rety"}},
	} {
		path := file(t, c.data)
		_, err := Load(path, true)
		if err == nil {
			t.Errorf("%s: accepted", name)
			continue
		}
		if store.CodeOf(err) != store.CodeInvalid {
			t.Errorf("%s: code %d", name, store.CodeOf(err))
		}
		for _, word := range append(c.says, path) {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%s: %q does not say %q", name, err, word)
			}
		}
	}
}

func TestSaveKeepsWhatThePersonWrote(t *testing.T) {
	path := file(t, "# my console\ntheme   = \"dark\"   # at night\n\n# the left hand\n[keys]\nretry = [\"R\"] # theme = \"x\"\n")
	err := Save(path, Config{Theme: "light", Keymap: "vim", Mouse: true})
	if err != nil {
		t.Fatal(err)
	}
	got, _ := os.ReadFile(path)
	want := "# my console\ntheme   = \"light\"   # at night\n\nkeymap = \"vim\"\nmouse = true\n\n# the left hand\n[keys]\nretry = [\"R\"] # theme = \"x\"\n"
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("the mode is %v", info.Mode())
	}
}

func TestSaveMakesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "config.toml")
	if err := Save(path, Config{Zone: "relative"}); err != nil {
		t.Fatal(err)
	}
	if got, err := Load(path, true); err != nil || got.Zone != "relative" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestSaveLeavesABrokenFileAlone(t *testing.T) {
	for _, data := range []string{"mose = 1\n", "theme = ", "theme = \"\"\"a\nb\"\"\"\n"} {
		path := file(t, data)
		if err := Save(path, Config{Theme: "light"}); err == nil {
			t.Errorf("%q was changed", data)
		}
		if got, _ := os.ReadFile(path); string(got) != data {
			t.Errorf("%q became %q", data, got)
		}
	}
}

func TestSaveFollowsALink(t *testing.T) {
	path := file(t, "theme = \"dark\"\n")
	link := filepath.Join(t.TempDir(), "config.toml")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if err := Save(link, Config{Theme: "mono"}); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link became a file")
	}
	if got, _ := Load(path, true); got.Theme != "mono" {
		t.Errorf("the file behind it has %q", got.Theme)
	}
}

// What is saved is read again, whatever stood in the file before.
func TestSaveThenLoad(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		some := func(label string, words ...string) string { return rapid.SampledFrom(words).Draw(r, label) }
		data := ""
		for range rapid.IntRange(0, 4).Draw(r, "lines") {
			line := some("line", "", "# theme = 1\n", "\n", " \t\n")
			data += line
		}
		data += some("theme", "", "theme=\"dark\"\n", "theme = 'a # b' # c\n", "theme = \"a\\\"b\"\r\n")
		data += some("end", "", "[keys]\nretry = \"R\"\n", "# last")
		path := file(t, data)
		want := Config{
			Theme: some("to", "", "light", "mono"), Keymap: some("preset", append(keymap.Presets(), "")...),
			Zone: some("zone", "", "utc", "local"), Glyphs: some("glyphs", "", "ascii"), Mouse: rapid.Bool().Draw(r, "mouse"),
		}
		if err := Save(path, want); err != nil {
			r.Fatalf("%q: %v", data, err)
		}
		got, err := Load(path, true)
		got.Keys = nil
		if err != nil || !reflect.DeepEqual(got, want) {
			r.Fatalf("%q: %+v, want %+v, %v", data, got, want, err)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add("theme = \"dark\"\n[keys]\nretry = [\"R\"]\n")
	f.Add("keys = 1\n\x00")
	f.Fuzz(func(t *testing.T, data string) {
		_, _ = parse("config.toml", data)
		_ = edit(data, Config{}, Config{Theme: "light", Mouse: true})
	})
}
