package engine

import (
	"fmt"
	"slices"
	"strings"

	"signalbox/store"
)

// Filter is a parsed filter; its zero value matches every item that is not
// deleted.
//
// A filter is words and key:value terms with spaces between; an item must
// match all. A word is looked for, in any case, in the reference, the reason of
// the error, the robot and the id. ! before a term inverts it. Double quotes
// keep spaces together, and a term that begins with one is a word whatever is
// in it; \" is a quote within quotes. Keys:
//
//	status:failed,abandoned  own names, those of other systems, and delayed
//	queue:invoices,orders    exactly these queues
//	folder:/finance          queues in the folder, below it, or linked to it
//	id:orders/12,orders/13   exactly these items
//	key:K  job:J  chain:orders/12
//	reference:INV-           references that start so; =INV-1042 exactly
//	robot:r-7  creator:anna  reviewer:anna   likewise
//	reason:timeout           reasons that hold this, in any case
//	group:…  kind:business   the folded reason, and what kind of error
//	priority:high,normal  review:in-review  sla:overdue
//	age:>2h                  created longer ago; <2h: less long ago
//	due:<+2h                 also created, started, ended, claimed, deferred:
//	                         before or after a time, a date, or one from now;
//	                         none or any
//	attempts:>1              also failures, reclaims, retry, number
//	jq:".total > 100"        a jq program on the payload that gives neither
//	                         false nor null
type Filter struct {
	terms   []term
	payload []payloadTerm
	reach   reach
	timed   bool // what matches changes with the clock
}

// test says whether an item matches, as of now.
type test func(i *store.Item, now store.Time) bool

// term is one term of a filter.
type term struct {
	text    string // as it was written
	test    test
	counted bool // the counters know how many match it
	narrows bool // an index can look at no others than those that match it
}

// reach is what a filter asks for that indexes know: items outside it don't
// match.
type reach struct {
	queues   []string // nil = every one
	without  []string // queues left out
	folders  []string // only queues in, below or linked to all of these
	statuses []store.Status
	limited  bool // statuses is in force, even when empty
	barred   []store.Status
	ids      []store.ID
	key      string
	group    string
	job      string
	reasons  []string // all of these are in the reason, in lower case
	kind     string   // of the error

	reference string // begins so
	exact     bool   // equals it
	from, to  uint64 // numbers; to 0 = no end
}

// ParseFilter reads a filter. The error names the term, the character at which
// it stands, and what would be right.
func ParseFilter(s string) (Filter, error) {
	var f Filter
	words, err := splitFilter(s)
	if err != nil {
		return f, err
	}
	for i, w := range words {
		if i > 0 && w.continues(words[i-1]) {
			return Filter{}, words[i-1].bad("the jq program ends at the space before "+w.text, `put the whole program in quotes, as in jq:".total > 100"`)
		}
		if err := f.add(w); err != nil {
			return Filter{}, err
		}
	}
	return f, nil
}

// bad is an error about a word of a filter.
func (w word) bad(rule, mend string) error {
	return store.Invalid(fmt.Sprintf("filter %s, character %d", w.text, w.at), rule, mend)
}

func (f *Filter) add(w word) error {
	if w.value == "" {
		switch {
		case w.key != "":
			return w.bad("no value behind the colon", "write it as "+w.key+":value, or put it in quotes to look for the word")
		case w.inverse:
			return w.bad("a lone ! inverts nothing", "put a word or key:value behind it")
		}
		return w.bad("an empty word looks for nothing", "leave it out")
	}
	if w.key == "" {
		f.terms = append(f.terms, w.term(wordTest(w.value)))
		return nil
	}
	if w.key == "jq" {
		return f.addJQ(w)
	}
	k, ok := filterKeys[w.key]
	if !ok {
		return w.bad(fmt.Sprintf("there is no key %q", w.key), "use "+keyNames()+", or put it in quotes to look for the word")
	}
	t, err := k.read(f, w)
	if err != nil {
		return err
	}
	f.terms = append(f.terms, t)
	return nil
}

// term makes a term of a test, inverted where the word says so.
func (w word) term(t test) term {
	if !w.inverse {
		return term{text: w.text, test: t}
	}
	return term{text: w.text, test: func(i *store.Item, now store.Time) bool { return !t(i, now) }}
}

func wordTest(word string) test {
	word = strings.ToLower(word)
	return func(i *store.Item, _ store.Time) bool {
		if i.Error != nil && strings.Contains(strings.ToLower(i.Error.Reason), word) {
			return true
		}
		return strings.Contains(strings.ToLower(i.Reference), word) ||
			strings.Contains(strings.ToLower(i.ClaimedBy), word) ||
			strings.Contains(i.ID().String(), word)
	}
}

func (f *Filter) match(i *store.Item, now store.Time) bool {
	for n := range f.terms {
		if !f.terms[n].test(i, now) {
			return false
		}
	}
	return true
}

// within narrows a filter by what a request says beside it. Deleted items are
// selected only by name.
func (f *Filter) within(r *ListRequest) (to reach) {
	to = f.reach
	if r.Queue != "" {
		to.onlyQueues([]string{r.Queue})
	}
	if len(r.Statuses) > 0 {
		to.onlyStatuses(r.Statuses)
	}
	if !to.limited {
		to.onlyStatuses(undeleted)
	}
	to.statuses = slices.DeleteFunc(slices.Clone(to.statuses), func(s store.Status) bool { return slices.Contains(to.barred, s) })
	switch {
	case to.group == "":
		to.group = r.Group
	case r.Group != "" && r.Group != to.group: // no item is in both
		to.onlyStatuses([]store.Status{})
	}
	if to.kind == "" {
		to.kind = r.Kind
	}
	return to
}

func (to *reach) onlyQueues(names []string) {
	if to.queues == nil {
		to.queues = slices.Clone(names)
		slices.Sort(to.queues)
		to.queues = slices.Compact(to.queues)
		return
	}
	to.queues = both(to.queues, names)
}

func (to *reach) onlyStatuses(statuses []store.Status) {
	if !to.limited {
		to.statuses, to.limited = slices.Clone(statuses), true
		return
	}
	to.statuses = both(to.statuses, statuses)
}

// none says that no item can be within reach.
func (to *reach) none() bool {
	return to.limited && len(to.statuses) == 0 || to.queues != nil && len(to.queues) == 0 || to.to != 0 && to.to < to.from
}

// both gives what two lists share, in the order of the first; never nil.
func both[T comparable](a, b []T) []T {
	shared := []T{}
	for _, v := range a {
		if slices.Contains(b, v) {
			shared = append(shared, v)
		}
	}
	return shared
}
