package engine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"signalbox/store"
)

// Filter is a parsed filter; its zero value matches every item.
//
// A filter is words and key:value terms with spaces between; an item must
// match all. A word is looked for, in any case, in the reference, the reason of
// the error, the robot and the id. ! before a term inverts it, double quotes
// keep spaces together. Keys:
//
//	status:failed,abandoned  own names, and those of other systems
//	queue:invoices           exactly this queue
//	reference:INV-           references that start so
//	robot:r-7  reason:timeout  group:…  key:…
//	priority:high  review:in-review
//	age:>2h    created longer ago; <2h: less long ago
//	attempts:>1  failures:>=2  retry:0  number:12  job:…
//	jq:".total > 100"        a jq program on the payload that gives neither
//	                         false nor null
type Filter struct {
	terms    []term
	payload  []payloadTerm
	queue    string         // pushed down to the store
	statuses []store.Status // pushed down; nil = every one
	limited  bool           // statuses is in force, even when empty
}

// term says whether an item matches, as of now.
type term func(i *store.Item, now store.Time) bool

// undeleted is every status but one.
var undeleted = []store.Status{
	store.Queued, store.Pending, store.Claimed, store.Processing, store.Completed, store.Successful, store.Failed,
	store.BusinessException, store.SystemException, store.Abandoned, store.Retried, store.Cancelled,
}

// otherNames are the statuses that other systems' names stand for.
var otherNames = map[string][]store.Status{
	"available":  {store.Queued, store.Pending},
	"waiting":    {store.Queued, store.Pending},
	"new":        {store.Pending, store.Queued},
	"in_flight":  {store.Claimed, store.Processing},
	"inprogress": {store.Claimed, store.Processing},
	"complete":   {store.Completed, store.Successful},
	"failed":     {store.Failed, store.BusinessException, store.SystemException},
	"exception":  {store.BusinessException, store.SystemException},
}

// ParseFilter reads a filter. The error names the term, where it stands and
// what would be right.
func ParseFilter(s string) (Filter, error) {
	var f Filter
	words, err := splitFilter(s)
	if err != nil {
		return f, err
	}
	for _, w := range words {
		if err := f.add(w); err != nil {
			return Filter{}, err
		}
	}
	return f, nil
}

// splitFilter cuts at spaces outside double quotes, and takes the quotes off.
func splitFilter(s string) (words []string, err error) {
	var word strings.Builder
	open, started := -1, false
	for at, r := range s {
		switch {
		case r == '"':
			started = true
			if open >= 0 {
				open = -1
			} else {
				open = at
			}
		case unicode.IsSpace(r) && open < 0:
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
	if open >= 0 {
		return nil, store.Invalid("the filter", fmt.Sprintf("the quote at character %d is not closed", len([]rune(s[:open]))+1), `close it with "`)
	}
	if started {
		words = append(words, word.String())
	}
	return words, nil
}

func (f *Filter) add(word string) error {
	text, inverse := strings.CutPrefix(word, "!")
	key, value, keyed := strings.Cut(text, ":")
	if !keyed {
		if text == "" {
			return store.Invalid("the filter", "a lone ! inverts nothing", "put a word or key:value behind it")
		}
		f.terms = append(f.terms, invert(inverse, wordTerm(text)))
		return nil
	}
	if value == "" {
		return store.Invalid("filter "+word, "no value behind the colon", "write it as "+key+":value")
	}
	switch {
	case key == "jq":
		return f.addJQ(value, inverse)
	case key == "queue" && !inverse && f.queue == "":
		f.queue = value
		return nil
	case key == "status" && !inverse && !f.limited && value != "delayed":
		statuses, err := parseStatuses(value)
		f.statuses, f.limited = statuses, true
		return err
	}
	t, err := keyTerm(key, value)
	if err != nil {
		return err
	}
	f.terms = append(f.terms, invert(inverse, t))
	return nil
}

func invert(inverse bool, t term) term {
	if !inverse {
		return t
	}
	return func(i *store.Item, now store.Time) bool { return !t(i, now) }
}

func wordTerm(word string) term {
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

func keyTerm(key, value string) (term, error) {
	switch key {
	case "status":
		return statusTerm(value)
	case "queue":
		return func(i *store.Item, _ store.Time) bool { return i.Queue == value }, nil
	case "reference":
		return func(i *store.Item, _ store.Time) bool { return strings.HasPrefix(i.Reference, value) }, nil
	case "robot":
		return func(i *store.Item, _ store.Time) bool { return strings.HasPrefix(i.ClaimedBy, value) }, nil
	case "reason":
		value = strings.ToLower(value)
		return func(i *store.Item, _ store.Time) bool {
			return i.Error != nil && strings.Contains(strings.ToLower(i.Error.Reason), value)
		}, nil
	case "group":
		return func(i *store.Item, _ store.Time) bool { return i.Group == value }, nil
	case "key":
		return func(i *store.Item, _ store.Time) bool { return i.Key == value }, nil
	case "job":
		return func(i *store.Item, _ store.Time) bool { return i.Job == value }, nil
	case "priority":
		p, err := store.ParsePriority(value)
		return func(i *store.Item, _ store.Time) bool { return i.Priority == p }, err
	case "review":
		var r store.ReviewStatus
		err := r.UnmarshalText([]byte(value))
		return func(i *store.Item, _ store.Time) bool { return i.Review.Status == r }, err
	case "age":
		return ageTerm(value)
	case "attempts", "failures", "retry", "number":
		return numberTerm(key, value)
	}
	return nil, store.Invalid("filter "+key+":"+value, fmt.Sprintf("there is no key %q", key), "use status, queue, reference, robot, reason, group, key, job, priority, review, age, attempts, failures, retry, number or jq")
}

func statusTerm(value string) (term, error) {
	if value == "delayed" {
		return func(i *store.Item, now store.Time) bool { return i.Status.Waiting() && i.ReadyAt() > now }, nil
	}
	statuses, err := parseStatuses(value)
	return func(i *store.Item, _ store.Time) bool { return slices.Contains(statuses, i.Status) }, err
}

func parseStatuses(value string) (statuses []store.Status, err error) {
	for name := range strings.SplitSeq(value, ",") {
		if others := otherNames[strings.ToLower(name)]; others != nil {
			statuses = append(statuses, others...)
			continue
		}
		s, err := store.ParseStatus(strings.ToLower(name))
		if err != nil {
			return nil, err
		}
		statuses = append(statuses, s)
	}
	slices.Sort(statuses)
	return slices.Compact(statuses), nil
}

// comparison takes >, >=, <, <= or = off a value; none is =.
func comparison(value string) (op, rest string) {
	for _, op := range []string{">=", "<=", ">", "<", "="} {
		if rest, ok := strings.CutPrefix(value, op); ok {
			return op, rest
		}
	}
	return "=", value
}

func compares(op string, a, b int64) bool {
	switch op {
	case ">":
		return a > b
	case ">=":
		return a >= b
	case "<":
		return a < b
	case "<=":
		return a <= b
	}
	return a == b
}

func ageTerm(value string) (term, error) {
	op, rest := comparison(value)
	d, err := store.ParseDuration(rest)
	if err != nil || op == "=" {
		return nil, store.Invalid("filter age:"+value, "an age is compared with a duration", "write it as age:>2h or age:<30m")
	}
	return func(i *store.Item, now store.Time) bool {
		return compares(op, int64(now.Sub(i.CreatedAt)/time.Millisecond), int64(d/time.Millisecond))
	}, nil
}

func numberTerm(key, value string) (term, error) {
	op, rest := comparison(value)
	n, err := strconv.ParseInt(rest, 10, 64)
	if err != nil || n < 0 {
		return nil, store.Invalid("filter "+key+":"+value, "it is compared with a whole number", "write it as "+key+":>1")
	}
	field := map[string]func(*store.Item) int64{
		"attempts": func(i *store.Item) int64 { return int64(i.Attempts) },
		"failures": func(i *store.Item) int64 { return int64(i.Failures) },
		"retry":    func(i *store.Item) int64 { return int64(i.RetryNo) },
		"number":   func(i *store.Item) int64 { return int64(i.Number) },
	}[key]
	return func(i *store.Item, _ store.Time) bool { return compares(op, field(i), n) }, nil
}

// query joins the filter with the request's own limits; some is false when the
// two exclude each other. Deleted items are selected only by name.
func (f *Filter) query(r ListRequest) (q store.Query, some bool) {
	q = store.Query{Queue: r.Queue, Statuses: r.Statuses, Group: r.Group, After: r.After, Desc: r.Desc}
	if f.queue != "" {
		if q.Queue != "" && q.Queue != f.queue {
			return q, false
		}
		q.Queue = f.queue
	}
	if !f.limited {
		if len(q.Statuses) == 0 {
			q.Statuses = undeleted
		}
		return q, true
	}
	if len(q.Statuses) == 0 {
		q.Statuses = f.statuses
		return q, len(q.Statuses) > 0
	}
	var both []store.Status
	for _, s := range f.statuses {
		if slices.Contains(q.Statuses, s) {
			both = append(both, s)
		}
	}
	q.Statuses = both
	return q, len(both) > 0
}

func (f *Filter) match(i *store.Item, now store.Time) bool {
	for _, t := range f.terms {
		if !t(i, now) {
			return false
		}
	}
	return true
}
