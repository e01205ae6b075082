package themes

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/charmbracelet/colorprofile"

	"signalbox/store"
)

//go:embed builtin/*.toml
var builtin embed.FS

// Names lists the built-in themes, in the order in which a key goes through
// them.
func Names() []string {
	return []string{"dark", "light", "ansi16", "contrast", "deuter", "tritan", "mono"}
}

func builtinPath(name string) string { return "builtin/" + name + ".toml" }

// Builtin gives a built-in theme in true colour.
func Builtin(name string) (*Theme, bool) {
	if !slices.Contains(Names(), name) {
		return nil, false
	}
	s, wrong := read(builtin, builtinPath(name), nil)
	if len(wrong) > 0 {
		return nil, false
	}
	t, _, wrong := build(s)
	if len(wrong) > 0 {
		return nil, false
	}
	return t.For(colorprofile.TrueColor), true
}

// Default gives the theme for a terminal with a dark or a light background.
func Default(dark bool) *Theme {
	name := "light"
	if dark {
		name = "dark"
	}
	t, _ := Builtin(name)
	return t
}

// Find gives the theme of that name: a file NAME.toml in fsys (which may be
// nil), else a built-in one. As with Load, there is always a theme.
func Find(fsys fs.FS, name string) (*Theme, error) {
	if Own(fsys, name) {
		return Load(fsys, name+".toml")
	}
	if t, ok := Builtin(name); ok {
		return t, nil
	}
	return Default(true), &store.Error{Code: store.CodeNotFound, Thing: fmt.Sprintf("theme %q", name), Rule: "there is no such theme", Mend: suggest(name, All(fsys))}
}

// Load reads a theme file. There is always a theme to go on with: what the
// file leaves out or gets wrong is taken from the default theme, and the error
// names file, line and role of each.
func Load(fsys fs.FS, name string) (*Theme, error) {
	s, wrong := read(fsys, name, nil)
	if s == nil {
		return Default(true), errors.Join(wrong...)
	}
	t, bad, faults := build(s)
	if len(bad) > 0 {
		whole := Default(t.Dark)
		for _, r := range bad {
			for l := range levels {
				t.looks[l][r] = whole.looks[l][r]
			}
		}
	}
	return t.For(colorprofile.TrueColor), errors.Join(append(wrong, faults...)...)
}

// All lists the built-in themes and then those of a folder, which may be nil.
// One of the folder that bears a built-in name stands for it.
func All(fsys fs.FS) []string {
	all := Names()
	if fsys == nil {
		return all
	}
	files, _ := fs.Glob(fsys, "*.toml") // only a bad pattern is an error
	for _, file := range files {
		if name := strings.TrimSuffix(file, ".toml"); !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// Own says that a theme of the folder stands behind a name.
func Own(fsys fs.FS, name string) bool {
	if fsys == nil || !fs.ValidPath(name+".toml") {
		return false
	}
	_, err := fs.Stat(fsys, name+".toml")
	return err == nil
}
