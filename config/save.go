package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"

	"signalbox/store"
)

// Save writes the settings in which want differs from what the file at path
// says, except for keys and what is allowed, which are the person's to write.
// Comments and all other lines stay as they are. A file that is not understood,
// or would not be afterwards, is left alone and the error says so.
func Save(path string, want Config) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // a link to a file kept elsewhere stays one
	}
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return refused(path, cause(err))
	}
	now, err := parse(path, string(data))
	if err != nil {
		return refused(path, "it has errors: "+Faults(err)[0].Error())
	}
	changed := edit(string(data), now, want)
	want.Keys, want.Allow = now.Keys, now.Allow
	got, err := parse(path, changed)
	if err != nil || !reflect.DeepEqual(got, want) {
		return refused(path, "its lines can't be changed safely")
	}
	if changed == string(data) {
		return nil
	}
	if err := replace(path, []byte(changed)); err != nil {
		return refused(path, cause(err))
	}
	return nil
}

func refused(path, why string) error {
	return store.Invalid("config "+path, "the settings were not saved: "+why, "change the file by hand")
}

// edit changes the lines of the settings that differ.
func edit(data string, now, want Config) string {
	change := func(name, from, to string) {
		if from != to {
			data = set(data, name, to)
		}
	}
	change("theme", quoted(now.Theme), quoted(want.Theme))
	change("keymap", quoted(now.Keymap), quoted(want.Keymap))
	change("zone", quoted(now.Zone), quoted(want.Zone))
	change("glyphs", quoted(now.Glyphs), quoted(want.Glyphs))
	change("mouse", strconv.FormatBool(now.Mouse), strconv.FormatBool(want.Mouse))
	return data
}

func quoted(s string) string { return strconv.Quote(s) }

// set gives a setting another value: on its line, else on a new one before the
// first section.
func set(data, name, value string) string {
	lines := strings.SplitAfter(data, "\n")
	at := lineOf(data, "", name) - 1
	if at >= 0 && at < len(lines) && keyOf(lines[at]) == name {
		lines[at] = withValue(lines[at], value)
		return strings.Join(lines, "")
	}
	line := fmt.Sprintf("%s = %s\n", name, value)
	for i, l := range lines {
		if strings.HasPrefix(strings.TrimSpace(l), "[") {
			for i > 0 && strings.HasPrefix(strings.TrimSpace(lines[i-1]), "#") {
				i-- // the comment above belongs to the section
			}
			return strings.Join(lines[:i], "") + line + gap(lines[:i]) + strings.Join(lines[i:], "")
		}
	}
	if data != "" && !strings.HasSuffix(data, "\n") {
		data += "\n"
	}
	return data + line
}

// gap parts a new line from the section that follows.
func gap(before []string) string {
	if len(before) > 0 && strings.TrimSpace(before[len(before)-1]) == "" {
		return ""
	}
	return "\n"
}

// withValue replaces the value on a line and keeps what stands around it.
func withValue(line, value string) string {
	left, right, _ := strings.Cut(line, "=")
	blank := right[:len(right)-len(strings.TrimLeft(right, " \t"))]
	return left + "=" + blank + value + comment(strings.TrimLeft(right, " \t"))
}

// comment is what follows the value at the beginning of s.
func comment(s string) string {
	end := 0
	if s != "" && (s[0] == '"' || s[0] == '\'') {
		for end = 1; end < len(s) && s[end] != s[0]; end++ {
			if s[end] == '\\' && s[0] == '"' {
				end++
			}
		}
		end = min(end+1, len(s))
	} else {
		end = strings.IndexAny(s, " \t\r\n#")
		if end < 0 {
			end = len(s)
		}
	}
	return s[end:]
}

// lineOf finds the line, from 1, on which a key is set in a section, "" for
// the top; else where that section begins, or 1. The decoder knows positions
// only of what it cannot read.
func lineOf(data, section, key string) int {
	in, header := "", 1
	for i, line := range strings.Split(data, "\n") {
		if trimmed := strings.TrimSpace(line); strings.HasPrefix(trimmed, "[") {
			name, _, _ := strings.Cut(strings.Trim(trimmed, "["), "]")
			in = strings.TrimSpace(name)
			if in == section || section == "" && in == key {
				header = i + 1
			}
			continue
		}
		if k := keyOf(line); k != "" && (in == section && k == key || in == "" && section != "" && k == section+"."+key) {
			return i + 1
		}
	}
	return header
}

// keyOf is the key that a line sets, "" for none.
func keyOf(line string) string {
	left, _, ok := strings.Cut(line, "=")
	left = strings.TrimSpace(left)
	if !ok || strings.HasPrefix(left, "#") {
		return ""
	}
	return strings.Trim(left, `"'`)
}

// replace writes the file whole under another name and then gives it its own,
// so that no crash leaves a part of it.
func replace(path string, data []byte) error {
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".config-*.toml")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
