package queueform

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/text"
	"signalbox/tui/widget/form"
)

// setting is one of a queue's settings as a form asks for it: its JSON name,
// its value as text, and what a text means.
type setting struct {
	name    string
	label   text.Safe
	hint    text.Safe
	options []string
	of      func(*store.Queue) string
	read    func(string) (any, error)
}

// settings lists what can be changed of a queue that is there.
func settings() []setting {
	words := func(s string) (any, error) { return s, nil }
	return []setting{
		{"description", "description", "What the queue is for", nil, func(q *store.Queue) string { return q.Description }, words},
		{"folder", "folder", "Where it is kept: / or /finance/ap", nil, func(q *store.Queue) string { return q.Folder }, words},
		{"lane", "lane", "Whose slots it uses: fast for short holds, slow for long ones", []string{"fast", "slow"}, func(q *store.Queue) string { return q.Lane }, words},
		{"batch_size", "batch size", "Items that a drain takes at once, 1 to 1000", nil, number(func(q *store.Queue) int { return q.BatchSize }), readNumber},
		{"max_drains", "drains at once", "0: as many as slots allow", nil, number(func(q *store.Queue) int { return q.MaxDrains }), readNumber},
		{"lease", "lease", "How long a claim holds without a sign of life: 5m; 0s for ever", nil, span(func(q *store.Queue) store.Duration { return q.Lease }), readSpan},
		{"on_expiry", "on expiry", "What becomes of an item whose lease ran out", []string{engine.Reclaim, engine.Abandon}, func(q *store.Queue) string { return q.OnExpiry }, words},
		{"max_reclaims", "reclaims", "Expired claims before an item is abandoned; 0 no limit", nil, number(func(q *store.Queue) int { return q.MaxReclaims }), readNumber},
		{"retries", "retries", "Of a failed item, 0 to 16", nil, number(func(q *store.Queue) int { return q.Retries }), readNumber},
		{"retry_window", "retry window", "Time over which the retries spread: 24h", nil, span(func(q *store.Queue) store.Duration { return q.RetryWindow }), readSpan},
		{"retry_floor", "retry floor", "The shortest wait before a retry: 10s", nil, span(func(q *store.Queue) store.Duration { return q.RetryFloor }), readSpan},
		{"retry_abandoned", "retry abandoned", "An expired claim counts as a retry", yesNo(), flag(func(q *store.Queue) bool { return q.RetryAbandoned }), readFlag},
		{"attempt_timeout", "attempt timeout", "The longest run of one attempt; 0s none", nil, span(func(q *store.Queue) store.Duration { return q.AttemptTimeout }), readSpan},
		{"unique_references", "unique references", "Refuse a reference that is in the queue already", yesNo(), flag(func(q *store.Queue) bool { return q.UniqueReferences }), readFlag},
		{"sla", "due after", "Due date of items added without one: 48h; 0s none", nil, span(func(q *store.Queue) store.Duration { return q.SLA }), readSpan},
		{"sla_risk", "at risk after", "Risk date likewise", nil, span(func(q *store.Queue) store.Duration { return q.SLARisk }), readSpan},
		{"mask", "masked fields", "Payload fields kept from screens and lists, with commas", nil, func(q *store.Queue) string { return strings.Join(q.Mask, ", ") }, readList},
	}
}

func yesNo() []string { return []string{"no", "yes"} }

func number(of func(*store.Queue) int) func(*store.Queue) string {
	return func(q *store.Queue) string { return strconv.Itoa(of(q)) }
}

func span(of func(*store.Queue) store.Duration) func(*store.Queue) string {
	return func(q *store.Queue) string { return of(q).String() }
}

func flag(of func(*store.Queue) bool) func(*store.Queue) string {
	return func(q *store.Queue) string {
		if of(q) {
			return "yes"
		}
		return "no"
	}
}

func readNumber(s string) (any, error) {
	n, err := strconv.Atoi(s)
	if err != nil {
		return nil, store.Invalid(fmt.Sprintf("%q", s), "it is no whole number", "write digits")
	}
	return n, nil
}

func readSpan(s string) (any, error) {
	d, err := store.ParseDuration(s)
	return store.Duration(d), err
}

func readFlag(s string) (any, error) { return s == "yes", nil }

func readList(s string) (any, error) {
	list := []string{}
	for word := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == ',' || r == ' ' }) {
		list = append(list, word)
	}
	return list, nil
}

// fields are the settings of a queue as they are, or as they were typed.
func fields(q *store.Queue, typed form.Values) []form.Field {
	var all []form.Field
	for _, s := range settings() {
		value := s.of(q)
		if v, ok := typed[s.name]; ok {
			value = v
		}
		all = append(all, form.Field{Name: s.name, Label: s.label, Value: value, Options: s.options, Hint: s.hint})
	}
	return all
}

// patch gives the settings that were changed, by their JSON names.
func patch(q *store.Queue, typed form.Values) (map[string]any, string, error) {
	changed := map[string]any{}
	for _, s := range settings() {
		if typed[s.name] == s.of(q) {
			continue
		}
		value, err := s.read(typed[s.name])
		if err != nil {
			return nil, s.name, err
		}
		changed[s.name] = value
	}
	return changed, "", nil
}

// fieldOf guesses which field an engine's refusal is about, by its words.
func fieldOf(err error) string {
	said := strings.ToLower(err.Error())
	names := make([]string, 0, len(settings()))
	for _, s := range settings() {
		names = append(names, s.name)
	}
	names = append(names, "name", "file")
	slices.SortFunc(names, func(a, b string) int { return len(b) - len(a) })
	for _, name := range names {
		if strings.Contains(said, name) || strings.Contains(said, strings.ReplaceAll(name, "_", " ")) {
			return name
		}
	}
	return ""
}

// argv cuts a command into its words; quotes keep blanks together.
func argv(s string) ([]string, error) {
	var words []string
	var word strings.Builder
	quote, started := rune(0), false
	for _, r := range s {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			quote, started = r, true
		case r == ' ':
			if started {
				words = append(words, word.String())
			}
			word.Reset()
			started = false
		default:
			word.WriteRune(r)
			started = true
		}
	}
	if quote != 0 {
		return nil, store.Invalid("the command", "a quote is not closed", "close it")
	}
	if started {
		words = append(words, word.String())
	}
	return words, nil
}
