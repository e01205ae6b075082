// Package config reads and changes the person's own settings of the console.
//
//	config.toml ── Load ──▶ Config ── keymap, themes, the console
//	     ▲                                          │
//	     └── Save: the lines that changed ◀─────────┘
//
// The file is written by hand as a rule, so Save changes only the lines of the
// settings it is given: comments, order and everything else stay.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"signalbox/config/syntax"
	"signalbox/keymap"
	"signalbox/store"
	"signalbox/tui/text"
)

// Config is the settings. Its zero value is a console that nobody has set up.
type Config struct {
	Theme  string              // "" follows the terminal's background
	Keymap string              // a preset; "" is the default one
	Zone   string              // local, utc or relative; "" is local
	Glyphs string              // unicode or ascii; "" follows the terminal
	Mouse  bool                // on at start
	Keys   map[string][]string // by action, each replacing the action's keys
	Allow  Allow               // which verbs may be used
}

// Words for settings that follow from something.
const Auto = "auto"

// Zones lists how times may be shown.
func Zones() []string { return []string{"local", "utc", "relative"} }

// GlyphSets lists the sets of shapes; auto follows the terminal.
func GlyphSets() []string { return []string{Auto, "unicode", "ascii"} }

// names lists the keys of the file.
func names() []string { return []string{"theme", "keymap", "zone", "glyphs", "mouse", "keys", "allow"} }

// Path is where the file is: in the folder of a configuration home.
func Path(home string) string { return filepath.Join(home, "signalbox", "config.toml") }

// ThemesIn is the folder of the person's own themes beside the file.
func ThemesIn(path string) fs.FS { return os.DirFS(filepath.Join(filepath.Dir(path), "themes")) }

// Load reads the file. Without one, unless it was asked for by name, all is as
// nobody has set it. The error tells everything that is wrong, each with the
// file and the line; what is right is in the Config all the same.
func Load(path string, named bool) (Config, error) {
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !named:
		return Config{}, nil
	case err != nil:
		return Config{}, store.Invalid("config "+path, "it can't be read: "+cause(err), "check the path and its rights")
	}
	return parse(path, string(data))
}

func cause(err error) string {
	if inner := errors.Unwrap(err); inner != nil {
		err = inner
	}
	return err.Error()
}

// parse reads the text of a file.
func parse(path, data string) (Config, error) {
	var raw map[string]any
	if _, err := toml.Decode(data, &raw); err != nil {
		if line, rule, mend, ok := syntax.Fault(err); ok {
			return Config{}, store.Invalid(fmt.Sprintf("config %s:%d", path, line), rule, mend)
		}
		return Config{}, store.Invalid("config "+path, err.Error(), "write it as TOML")
	}
	r := reader{path: path, data: data}
	for _, name := range sorted(raw) {
		r.setting(name, raw[name])
	}
	r.keymap()
	return r.Config, errors.Join(r.wrong...)
}

func sorted(m map[string]any) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// reader takes settings over and keeps what is wrong with them.
type reader struct {
	Config
	path, data string
	wrong      []error
}

func (r *reader) fault(section, key, rule, mend string) {
	thing := fmt.Sprintf("config %s:%d: %s", r.path, lineOf(r.data, section, key), text.Clean(key))
	r.wrong = append(r.wrong, store.Invalid(thing, rule, mend))
}

func (r *reader) setting(name string, value any) {
	switch name {
	case "theme":
		r.Theme = r.word(name, value)
		if r.Theme == Auto {
			r.Theme = ""
		}
	case "keymap":
		r.Keymap = r.oneOf(name, value, keymap.Presets())
	case "zone":
		r.Zone = r.oneOf(name, value, Zones())
	case "glyphs":
		if r.Glyphs = r.oneOf(name, value, GlyphSets()); r.Glyphs == Auto {
			r.Glyphs = ""
		}
	case "mouse":
		on, ok := value.(bool)
		if !ok {
			r.fault("", name, "it is not true or false", "write mouse = true or mouse = false")
		}
		r.Mouse = on
	case "keys":
		r.keys(value)
	case "allow":
		r.allow(value)
	default:
		r.fault("", name, "there is no such setting", suggest(name, names()))
	}
}

func (r *reader) word(name string, value any) string {
	s, ok := value.(string)
	if !ok {
		r.fault("", name, "it is no text", "write it in quotes: "+name+` = "…"`)
	}
	return s
}

func (r *reader) oneOf(name string, value any, words []string) string {
	s := r.word(name, value)
	if s == "" || slices.Contains(words, s) {
		return s
	}
	r.fault("", name, fmt.Sprintf("%q is none of its values", text.Clean(s)), suggest(s, words))
	return ""
}

// keys reads the lists of keys; a single key may stand without brackets.
func (r *reader) keys(value any) {
	table, ok := value.(map[string]any)
	if !ok {
		r.fault("", "keys", "it is no section", "write [keys] on a line of its own, then retry = [\"R\"]")
		return
	}
	r.Keys = map[string][]string{}
	for _, action := range sorted(table) {
		list, ok := strs(table[action])
		if !ok {
			r.fault("keys", action, "keys are a text or a list of texts", action+` = ["R", "ctrl+r"]`)
			continue
		}
		r.Keys[action] = list
	}
}

func strs(value any) ([]string, bool) {
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	words := make([]string, len(list))
	for i, v := range list {
		s, ok := v.(string)
		if !ok {
			return nil, false
		}
		words[i] = s
	}
	return words, true
}

// keymap says what is wrong with the keys, at their lines.
func (r *reader) keymap() {
	_, err := keymap.Load(r.Keymap, r.Keys)
	for _, fault := range Faults(err) {
		line := 0
		for action := range r.Keys {
			if words := strings.Fields(strings.Map(letters, fault.Error())); slices.Contains(words, action) {
				line = max(line, lineOf(r.data, "keys", action))
			}
		}
		where := "config " + r.path
		if line > 0 {
			where += fmt.Sprintf(":%d", line)
		}
		if e, ok := errors.AsType[*store.Error](fault); ok {
			fault = store.Invalid(where+": "+prefix(fault, e)+e.Thing, e.Rule, e.Mend)
		}
		r.wrong = append(r.wrong, fault)
	}
}

// prefix is what stands before a wrapped error's own words.
func prefix(outer error, inner *store.Error) string {
	before, _ := strings.CutSuffix(outer.Error(), inner.Error())
	return before
}

// letters keeps what the name of an action is made of.
func letters(c rune) rune {
	if c == '-' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
		return c
	}
	return ' '
}

// Faults takes joined errors apart, so that each can be told on a line.
func Faults(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		if err == nil {
			return nil
		}
		return []error{err}
	}
	var all []error
	for _, each := range joined.Unwrap() {
		all = append(all, Faults(each)...)
	}
	return all
}

func suggest(word string, words []string) string {
	if near := text.Nearest(word, words); near != "" {
		return "did you mean " + near + "?"
	}
	return "use one of " + strings.Join(words, ", ")
}
