package queueform

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"signalbox/store"
	"signalbox/tui/widget/form"
)

// patch gives the settings that were changed, by their JSON names; or which
// field is wrong, and why.
func patch(q *store.Queue, typed form.Values) (map[string]any, string, error) {
	changed := map[string]any{}
	for _, s := range settings() {
		if is := s.of(q); typed[s.name] == is || s.long && is == "" && typed[s.name] == "none" {
			continue
		}
		value, err := s.read(q, typed[s.name])
		if err != nil {
			return nil, s.name, err
		}
		into, name := changed, s.name
		if group, rest, ok := strings.Cut(s.name, "."); ok {
			if changed[group] == nil {
				changed[group] = map[string]any{}
			}
			into, name = changed[group].(map[string]any), rest
		}
		into[name] = value
	}
	return changed, "", nil
}

// Change gives the patch for one setting of a queue, by its JSON name and a text as
// the form takes it.
func Change(q *store.Queue, name, value string) (map[string]any, error) {
	typed := form.Values{}
	known := false
	for _, s := range settings() {
		typed[s.name] = s.of(q)
		known = known || s.name == name
	}
	if !known {
		return nil, store.Invalid(fmt.Sprintf("setting %q", name), "a queue has none of this name", "see `signalbox queue show "+q.Name+"`")
	}
	typed[name] = value
	changed, _, err := patch(q, typed)
	return changed, err
}

// fieldOf tells which field an engine's refusal is about: by the thing that it
// names, or else by the setting that its rule begins with.
func fieldOf(err error, typed form.Values) string {
	own, ok := errors.AsType[*store.Error](err)
	if !ok {
		return ""
	}
	thing, rest, _ := strings.Cut(own.Thing, " ")
	switch thing {
	case "header", "a": // a header that is none has no name
		return "consumer.headers"
	case "url":
		return "consumer.url"
	case "folder":
		return folderOf(own.Thing, typed)
	case "file":
		return fileOf(rest, typed)
	}
	said := own.Rule
	if thing != "queue" { // whose name may read like a setting
		said = own.Thing + " " + said
	}
	for _, clue := range clues() {
		if strings.Contains(said, clue[0]) {
			return clue[1]
		}
	}
	return ""
}

// folderOf tells whether the folder that was refused is the queue's own.
func folderOf(thing string, typed form.Values) string {
	links, _ := split(typed["links"])
	if slices.ContainsFunc(links, func(link string) bool { return strings.Contains(thing, `"`+link+`"`) }) {
		return "links"
	}
	return "folder"
}

// fileOf tells which field names a file.
func fileOf(path string, typed form.Values) string {
	for name, value := range typed {
		if file, ok := strings.CutPrefix(value, "@"); ok && form.Path(file) == path {
			return name
		}
	}
	return "file"
}

// clues are words of refusals with the fields that they are about, the telling
// ones first.
func clues() [][2]string {
	all := [][2]string{
		{"needs a program", "consumer.argv"}, {"needs a URL", "consumer.url"},
		{"payload schema", "schemas.payload"}, {"output schema", "schemas.output"}, {"analytics schema", "schemas.analytics"},
		{"there is no key", "encrypted"}, {"links, the limit", "links"},
		{"a name is", "name"}, {"names that start", "name"}, {"of this name", "name"},
	}
	names := make([][2]string, 0, len(settings()))
	for _, s := range settings() {
		names = append(names, [2]string{s.name + " ", s.name}, [2]string{string(s.label), s.name})
	}
	slices.SortStableFunc(names, func(a, b [2]string) int { return len(b[0]) - len(a[0]) })
	return append(all, names...)
}
