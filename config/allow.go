package config

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"signalbox/keymap"
	"signalbox/store"
)

// Allow says which verbs the person may use, and on which queues. What it does
// not name is allowed.
type Allow struct {
	file  string
	rules map[string]rule
}

// rule limits one verb to some queues.
type rule struct {
	anywhere bool     // without patterns: everywhere or nowhere
	patterns []string // of queues, or of folders where they begin with a slash
}

// Queue is what a verb is used on: a queue with the folders that it is in.
type Queue struct {
	Name    string
	Folders []string
}

// manySuffix makes of a verb on items that on more than one of them at once.
const manySuffix = "-all"

func onItems() []keymap.Action {
	return []keymap.Action{keymap.Retry, keymap.Verify, keymap.Assign, keymap.Note, keymap.ClearReview, keymap.Delete}
}

// poolwide are the verbs that are about no queue that is there already.
func poolwide() []keymap.Action { return []keymap.Action{keymap.New, keymap.Split} }

// Verbs lists what can be allowed or not: actions, by their names as keys have
// them, and those on more than one item at once.
func Verbs() []string {
	var all []string
	for _, a := range onItems() {
		all = append(all, string(a), string(a)+manySuffix)
	}
	for _, a := range append([]keymap.Action{
		keymap.EditRetry, keymap.Reveal, keymap.Pause, keymap.Cancel, keymap.QueueSet, keymap.Import,
	}, poolwide()...) {
		all = append(all, string(a))
	}
	return all
}

// Limits says that something is not allowed.
func (a Allow) Limits() bool {
	for _, r := range a.rules {
		if !r.anywhere {
			return true
		}
	}
	return false
}

// Folders says that the folders of queues matter for what is allowed.
func (a Allow) Folders() bool {
	for _, r := range a.rules {
		if slices.ContainsFunc(r.patterns, func(p string) bool { return strings.HasPrefix(strings.TrimPrefix(p, "!"), "/") }) {
			return true
		}
	}
	return false
}

// Refuses tells why a verb may not be used on a number of items of queues, or
// on a queue itself; nil where it may. Without queues, where they are not known
// yet, only what is allowed nowhere is refused.
func (a Allow) Refuses(verb keymap.Action, n int, on ...Queue) error {
	names := []string{string(verb)}
	if n > 1 {
		names = append(names, string(verb)+manySuffix)
	}
	for _, name := range names {
		r, limited := a.rules[name]
		if !limited || r.anywhere {
			continue
		}
		where := ""
		if len(r.patterns) > 0 {
			at := slices.IndexFunc(on, func(q Queue) bool { return !r.takes(q) })
			if at < 0 {
				continue
			}
			where = " on queue " + on[at].Name
		}
		return &store.Error{
			Code: store.CodeForbidden, Thing: name,
			Rule: fmt.Sprintf("not allowed%s by your config (%s)", where, filepath.Base(a.file)),
			Mend: fmt.Sprintf("see [allow] in %s", a.file),
		}
	}
	return nil
}

// takes says whether a queue is one of those that the patterns mean. Those with
// an exclamation mark take queues out again, or out of all where no other is.
func (r rule) takes(q Queue) bool {
	taken := !slices.ContainsFunc(r.patterns, func(p string) bool { return !strings.HasPrefix(p, "!") })
	for _, p := range r.patterns {
		bare, out := strings.CutPrefix(p, "!")
		switch {
		case !matches(bare, q):
		case out:
			return false
		default:
			taken = true
		}
	}
	return taken
}

// matches says that a pattern means a queue, by its name or by a folder with
// all that is below it.
func matches(pattern string, q Queue) bool {
	if !strings.HasPrefix(pattern, "/") {
		ok, _ := path.Match(pattern, q.Name)
		return ok
	}
	for _, folder := range q.Folders {
		for ; ; folder = path.Dir(folder) {
			if ok, _ := path.Match(pattern, folder); ok {
				return true
			}
			if folder == "/" || folder == "." || folder == "" {
				break
			}
		}
	}
	return false
}

// allow reads the section: a verb is allowed, not allowed, or allowed on the
// queues of some patterns.
func (r *reader) allow(value any) {
	table, ok := value.(map[string]any)
	if !ok {
		r.fault("", "allow", "it is no section", "write [allow] on a line of its own, then delete = false")
		return
	}
	r.Allow = Allow{file: r.path, rules: map[string]rule{}}
	for _, verb := range sorted(table) {
		var made rule
		patterns, words := strs(table[verb])
		on, plain := table[verb].(bool)
		switch {
		case !slices.Contains(Verbs(), verb):
			r.fault("allow", verb, "there is no such verb", suggest(verb, Verbs()))
			continue
		case plain:
			made.anywhere = on
		case !words:
			r.fault("allow", verb, "it is not true, false or a list of queues", verb+` = false, or `+verb+` = ["test.*", "/sandbox"]`)
		case slices.Contains(poolwide(), keymap.Action(verb)):
			r.fault("allow", verb, "it is about no queue in particular", "write "+verb+" = false")
		default:
			made.patterns = patterns
			r.patterns(verb, patterns)
		}
		r.Allow.rules[verb] = made // one that is not understood allows nothing
	}
}

func (r *reader) patterns(verb string, all []string) {
	for _, p := range all {
		bare := strings.TrimPrefix(p, "!")
		if _, err := path.Match(bare, ""); err != nil || bare == "" {
			r.fault("allow", verb, fmt.Sprintf("%q is no pattern of queues", p), `write a queue's name with * for any part, a folder as "/finance", and ! before what is left out`)
		}
	}
}
