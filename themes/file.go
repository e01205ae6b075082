package themes

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"signalbox/config/syntax"
	"signalbox/store"
	"signalbox/tui/text"
)

// file is a theme file as written:
//
//	inherit = "dark"            # a file beside this one, or a built-in theme
//	background = "#101418"      # what contrast is measured against
//
//	[palette]                   # colours by name: one, or for true colour, 256, 16
//	amber = "#e8c558"
//	blue  = ["#6cb6ff", 75, "bright-blue"]
//
//	[roles]                     # looks: one, or with colours, in 16, without any
//	accent = "blue bold"
//	alert  = ["black on amber", "black on yellow", "reverse bold"]
//
// A colour is a name of the palette, #rrggbb, an index from 0 to 255, one of
// the 16 names, or default. What 16 colours or none cannot show of a single
// look is left out, and a surface becomes reverse.
type file struct {
	Name       string
	Dark       *bool
	Inherit    string
	Contrast   float64
	Background string
	Foreground string
	Palette    map[string]any
	Roles      map[string]any
}

// entry is a definition with the place it came from, so that an error in an
// inherited theme names the right file.
type entry struct {
	value any
	file  string
	line  int
}

func (e entry) fault(thing, rule, mend string) error {
	return store.Invalid(fmt.Sprintf("theme %s:%d: %s", e.file, e.line, thing), rule, mend)
}

// source is a theme file together with all that it inherits.
type source struct {
	name                   string
	dark                   bool
	contrast               float64
	background, foreground entry
	palette, roles         map[string]entry
	section                entry // where the roles are, for those that are missing
}

// read reads a theme and its ancestors. heirs are the files on the way here.
func read(fsys fs.FS, name string, heirs []string) (*source, []error) {
	if slices.Contains(heirs, name) {
		return nil, []error{store.Invalid("theme "+name, "it inherits itself", "take out one `inherit`")}
	}
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, []error{fmt.Errorf("theme %s: %w", name, err)}
	}
	var raw map[string]any
	if _, err := toml.Decode(string(data), &raw); err != nil {
		return nil, []error{notTOML(name, err)}
	}
	if wrong := wrongKinds(name, string(data), raw); len(wrong) > 0 {
		return nil, wrong
	}
	var f file
	meta, err := toml.Decode(string(data), &f)
	if err != nil {
		return nil, []error{notTOML(name, err)}
	}
	wrong := unknownKeys(name, string(data), meta)
	s := &source{contrast: minContrast, dark: true, palette: map[string]entry{}, roles: map[string]entry{}}
	if f.Inherit != "" {
		parent, faults := inherit(fsys, name, f.Inherit, append(heirs, name))
		wrong = append(wrong, faults...)
		if parent != nil {
			s = parent
		}
	}
	s.overlay(name, string(data), f)
	return s, wrong
}

// inherit finds the parent beside its heir, else among the built-in themes.
func inherit(fsys fs.FS, heir, parent string, heirs []string) (*source, []error) {
	beside := path.Join(path.Dir(heir), parent+".toml")
	if _, err := fs.Stat(fsys, beside); err == nil && beside != heir {
		return read(fsys, beside, heirs)
	}
	if !slices.Contains(Names(), parent) {
		return nil, []error{store.Invalid("theme "+heir, fmt.Sprintf("it inherits %q, which does not exist", parent), suggest(parent, Names()))}
	}
	return read(builtin, builtinPath(parent), heirs)
}

// overlay lays what f says over what was inherited.
func (s *source) overlay(name, data string, f file) {
	s.name = f.Name
	s.section = entry{nil, name, lineOf(data, "roles", "")}
	if s.name == "" {
		s.name = strings.TrimSuffix(path.Base(name), ".toml")
	}
	if f.Dark != nil {
		s.dark = *f.Dark
	}
	if f.Contrast != 0 {
		s.contrast = f.Contrast
	}
	if f.Background != "" {
		s.background = entry{f.Background, name, lineOf(data, "", "background")}
	}
	if f.Foreground != "" {
		s.foreground = entry{f.Foreground, name, lineOf(data, "", "foreground")}
	}
	for key, value := range f.Palette {
		s.palette[key] = entry{value, name, lineOf(data, "palette", key)}
	}
	for key, value := range f.Roles {
		s.roles[key] = entry{value, name, lineOf(data, "roles", key)}
	}
}

func notTOML(name string, err error) error {
	if line, rule, mend, ok := syntax.Fault(err); ok {
		return store.Invalid(fmt.Sprintf("theme %s:%d", name, line), rule, mend)
	}
	return fmt.Errorf("theme %s: %w", name, err)
}

// wrongKinds tells of settings that hold another kind of thing than they do.
func wrongKinds(name, data string, raw map[string]any) (wrong []error) {
	for _, key := range slices.Sorted(maps.Keys(raw)) {
		var ok bool
		var rule, mend string
		switch v := raw[key]; key {
		case "name", "inherit", "background", "foreground":
			_, ok = v.(string)
			rule, mend = "it is no text", fmt.Sprintf(`write it in quotes: %s = "…"`, key)
		case "dark":
			_, ok = v.(bool)
			rule, mend = "it is not true or false", "write dark = true or dark = false"
		case "contrast":
			switch v.(type) {
			case int64, float64:
				ok = true
			}
			rule, mend = "it is no number", "write it as contrast = 4.5"
		case "palette", "roles":
			_, ok = v.(map[string]any)
			rule, mend = "it is no section", fmt.Sprintf("write [%s] on a line of its own, and what is in it below", key)
		default: // told of as unknown
			ok = true
		}
		if !ok {
			wrong = append(wrong, entry{nil, name, lineOf(data, "", key)}.fault(key, rule, mend))
		}
	}
	return wrong
}

func unknownKeys(name, data string, meta toml.MetaData) []error {
	known := []string{"name", "dark", "inherit", "contrast", "background", "foreground", "palette", "roles"}
	var wrong []error
	for _, key := range meta.Undecoded() {
		e := entry{nil, name, lineOf(data, "", key[0])}
		wrong = append(wrong, e.fault("key "+key.String(), "there is no such key", suggest(key[0], known)))
	}
	return wrong
}

// lineOf finds where key is set in a section ("" for the top). The decoder
// knows positions only of what it cannot read.
func lineOf(data, section, key string) int {
	in, header := "", 1
	for i, line := range strings.Split(data, "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			in = strings.Trim(line, "[] ")
			if in == section || in == key {
				header = i + 1
			}
			continue
		}
		left, _, ok := strings.Cut(line, "=")
		left = strings.Trim(strings.TrimSpace(left), `"'`)
		if ok && (in == section && left == key || left == section+"."+key) {
			return i + 1
		}
	}
	return header
}

func suggest(word string, words []string) string {
	if near := text.Nearest(word, words); near != "" {
		return "did you mean " + near + "?"
	}
	return "use one of " + strings.Join(words, ", ")
}

func sortedKeys(m map[string]entry) []string { return slices.Sorted(maps.Keys(m)) }
