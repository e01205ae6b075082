package engine

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"signalbox/store"
)

// filterKey reads the terms of one key.
type filterKey struct {
	read func(*Filter, word) (term, error)
	// slow says why no index finds what such a term matches; "" where one does, or
	// where it depends: then the path says why it does not.
	slow string
}

// filterKeys are the keys of the language, but for jq, which is no test of an
// item alone.
var filterKeys = map[string]filterKey{
	"status":    {readStatus, ""},
	"queue":     {readQueues, ""},
	"folder":    {readFolder, ""},
	"id":        {readIDs, ""},
	"key":       {readKey, ""},
	"group":     {readGroup, ""},
	"reference": {readReference, ""},
	"number":    {readNumbers, ""},

	"robot":    {startsWith(func(i *store.Item) string { return i.ClaimedBy }), "robots have no index; with status:in_flight, only what robots hold now is looked at"},
	"creator":  {startsWith(func(i *store.Item) string { return i.CreatedBy }), "creators have no index"},
	"reviewer": {startsWith(func(i *store.Item) string { return i.Review.Reviewer }), "reviewers have no index"},
	"job":      {readJob, ""},
	"chain":    {readChain, "chains have no index"},
	"reason":   {readReason, ""},
	"kind":     {readKind, ""},
	"priority": {readPriority, "priorities are indexed in claim order only"},
	"review":   {readReview, "reviews have no index"},
	"sla":      {readSLA, "what is overdue or at risk changes with the clock; queues count it, lists look"},
	"age":      {readAge, "items are listed by number, and imported ones may be older than their number"},

	"due":      {times(func(i *store.Item) store.Time { return i.DueAt }), slowTimes},
	"created":  {times(func(i *store.Item) store.Time { return i.CreatedAt }), slowTimes},
	"started":  {times(func(i *store.Item) store.Time { return i.StartedAt }), slowTimes},
	"ended":    {times(func(i *store.Item) store.Time { return i.EndedAt }), slowTimes},
	"claimed":  {times(func(i *store.Item) store.Time { return i.ClaimedAt }), slowTimes},
	"deferred": {times(func(i *store.Item) store.Time { return i.DeferUntil }), slowTimes},

	"attempts": {numbers(func(i *store.Item) int64 { return int64(i.Attempts) }), slowNumbers},
	"failures": {numbers(func(i *store.Item) int64 { return int64(i.Failures) }), slowNumbers},
	"reclaims": {numbers(func(i *store.Item) int64 { return int64(i.Reclaims) }), slowNumbers},
	"retry":    {numbers(func(i *store.Item) int64 { return int64(i.RetryNo) }), slowNumbers},
}

const (
	slowTimes   = "times are indexed in claim order only"
	slowNumbers = "counts of an item have no index"
	slowWords   = "a word may stand in the reference, the reason, the robot or the id"
	slowJQ      = "jq reads each payload"
	slowInverse = "an index finds what matches, not what doesn't"
)

func keyNames() string {
	names := append(slices.Collect(maps.Keys(filterKeys)), "jq")
	slices.Sort(names)
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// undeleted is every status but one.
var undeleted = []store.Status{
	store.Queued, store.Pending, store.Claimed, store.Processing, store.Completed, store.Successful, store.Failed,
	store.BusinessException, store.SystemException, store.Abandoned, store.Retried, store.Cancelled,
}

// otherNames are the statuses that other systems' names stand for.
var otherNames = map[string][]store.Status{
	"available":  {store.Queued, store.Pending},
	"waiting":    {store.Queued, store.Pending},
	"new":        {store.Queued, store.Pending},
	"in_flight":  {store.Claimed, store.Processing},
	"inprogress": {store.Claimed, store.Processing},
	"complete":   {store.Completed, store.Successful},
	"failed":     {store.Failed, store.BusinessException, store.SystemException},
	"exception":  {store.BusinessException, store.SystemException},
}

// StatusNames are the words that status: takes: the statuses, other systems'
// names for them, and delayed.
func StatusNames() []string {
	names := []string{}
	for s := store.Status(1); int(s) < store.Statuses; s++ {
		names = append(names, s.String())
	}
	for _, other := range slices.Sorted(maps.Keys(otherNames)) {
		if !slices.Contains(names, other) { // failed is a status, and in the other systems both exceptions too
			names = append(names, other)
		}
	}
	return append(names, "delayed")
}

func readStatus(f *Filter, w word) (term, error) {
	statuses, delayed, err := w.statuses()
	if err != nil {
		return term{}, err
	}
	t := w.term(func(i *store.Item, now store.Time) bool {
		return slices.Contains(statuses, i.Status) || delayed && i.Status.Waiting() && i.ReadyAt() > now
	})
	switch {
	case w.inverse && delayed:
		return t, nil
	case w.inverse:
		f.reach.barred = append(f.reach.barred, statuses...)
	case delayed:
		f.reach.onlyStatuses(append(slices.Clone(statuses), store.Queued, store.Pending))
	default:
		f.reach.onlyStatuses(statuses)
	}
	t.counted, t.narrows = !delayed, true
	return t, nil
}

func (w word) statuses() (statuses []store.Status, delayed bool, err error) {
	for name := range strings.SplitSeq(strings.ToLower(w.value), ",") {
		if others := otherNames[name]; others != nil {
			statuses = append(statuses, others...)
			continue
		}
		if name == "delayed" {
			delayed = true
			continue
		}
		s, err := store.ParseStatus(name)
		if err != nil {
			return nil, false, w.bad("status "+strconv.Quote(name)+": no item has this status", "use one of "+strings.Join(StatusNames(), ", "))
		}
		statuses = append(statuses, s)
	}
	slices.Sort(statuses)
	return slices.Compact(statuses), delayed, nil
}

// because is an error about a word's value, found by who knows such values.
func (w word) because(err error) error {
	if known, ok := err.(*store.Error); ok {
		return w.bad(known.Thing+": "+known.Rule, known.Mend)
	}
	return w.bad(err.Error(), "")
}

func readQueues(f *Filter, w word) (term, error) {
	names := strings.Split(w.value, ",")
	for _, name := range names {
		if !nameRule.MatchString(name) {
			return term{}, w.bad(strconv.Quote(name)+" can't be a queue's name", "write it as queue:invoices or queue:invoices,orders")
		}
	}
	t := w.term(func(i *store.Item, _ store.Time) bool { return slices.Contains(names, i.Queue) })
	t.counted, t.narrows = true, true
	if w.inverse {
		f.reach.without = append(f.reach.without, names...)
	} else {
		f.reach.onlyQueues(names)
	}
	return t, nil
}

// readFolder reads a term that says nothing of an item alone: which queues are
// meant is found when the filter is used.
func readFolder(f *Filter, w word) (term, error) {
	if w.inverse {
		return term{}, w.bad("folders can't be left out", "name the queues to leave out, as in !queue:invoices")
	}
	if err := validateFolder(w.value); err != nil {
		return term{}, w.because(err)
	}
	f.reach.folders = append(f.reach.folders, w.value)
	return term{text: w.text, test: func(*store.Item, store.Time) bool { return true }, counted: true, narrows: true}, nil
}

func readIDs(f *Filter, w word) (term, error) {
	var ids []store.ID
	for text := range strings.SplitSeq(w.value, ",") {
		id, err := store.ParseID(text)
		if err != nil {
			return term{}, w.because(err)
		}
		ids = append(ids, id)
	}
	slices.SortFunc(ids, compareIDs)
	ids = slices.Compact(ids)
	t := w.term(func(i *store.Item, _ store.Time) bool { return slices.Contains(ids, i.ID()) })
	if !w.inverse && f.reach.ids == nil {
		f.reach.ids, t.narrows = ids, true
	}
	return t, nil
}

func readKey(f *Filter, w word) (term, error) {
	t := w.term(func(i *store.Item, _ store.Time) bool { return i.Key == w.value })
	if !w.inverse {
		f.reach.key, t.narrows = w.value, true
	}
	return t, nil
}

func readGroup(f *Filter, w word) (term, error) {
	t := w.term(func(i *store.Item, _ store.Time) bool { return i.Group == w.value })
	if !w.inverse && f.reach.group == "" {
		f.reach.group, t.narrows, t.counted = w.value, true, true
	}
	return t, nil
}

func readReference(f *Filter, w word) (term, error) {
	value, exact := strings.CutPrefix(w.value, "=")
	if value == "" {
		t := w.term(func(i *store.Item, _ store.Time) bool { return i.Reference == "" })
		return t, nil
	}
	t := w.term(func(i *store.Item, _ store.Time) bool {
		return i.Reference == value || !exact && strings.HasPrefix(i.Reference, value)
	})
	if narrower := exact || len(value) > len(f.reach.reference) && !f.reach.exact; !w.inverse && narrower {
		f.reach.reference, f.reach.exact, t.narrows = value, exact, true
	}
	return t, nil
}

func readNumbers(f *Filter, w word) (term, error) {
	t, err := numbers(func(i *store.Item) int64 { return int64(i.Number) })(f, w)
	if err != nil || w.inverse {
		return t, err
	}
	op, rest := comparison(w.value)
	n, err := strconv.ParseUint(rest, 10, 63)
	if err != nil {
		return t, w.bad("it is compared with a whole number", "write it as number:>1")
	}
	t.narrows = true
	to := &f.reach
	switch op {
	case ">":
		to.from = max(to.from, n+1)
	case ">=":
		to.from = max(to.from, n)
	case "<":
		to.upTo(n - min(n, 1))
	case "<=":
		to.upTo(n)
	default:
		to.from = max(to.from, n)
		to.upTo(n)
	}
	return t, nil
}

// upTo lowers the highest number; there is none below 1.
func (to *reach) upTo(n uint64) {
	if n == 0 {
		to.statuses, to.limited = []store.Status{}, true
		return
	}
	if to.to == 0 || n < to.to {
		to.to = n
	}
}

func startsWith(field func(*store.Item) string) func(*Filter, word) (term, error) {
	return func(_ *Filter, w word) (term, error) {
		value, exact := strings.CutPrefix(w.value, "=")
		return w.term(func(i *store.Item, _ store.Time) bool {
			got := field(i)
			return got == value || !exact && strings.HasPrefix(got, value)
		}), nil
	}
}

func readJob(f *Filter, w word) (term, error) {
	t := w.term(func(i *store.Item, _ store.Time) bool { return i.Job == w.value })
	if !w.inverse && f.reach.job == "" {
		f.reach.job, t.narrows = w.value, true
	}
	return t, nil
}

func readChain(_ *Filter, w word) (term, error) {
	id, err := store.ParseID(w.value)
	if err != nil {
		return term{}, w.because(err)
	}
	return w.term(func(i *store.Item, _ store.Time) bool { return i.Chain == id || i.ID() == id }), nil
}

func readReason(f *Filter, w word) (term, error) {
	value := strings.ToLower(w.value)
	if !w.inverse {
		f.reach.reasons = append(f.reach.reasons, value)
	}
	return w.term(func(i *store.Item, _ store.Time) bool {
		return i.Error != nil && strings.Contains(strings.ToLower(i.Error.Reason), value)
	}), nil
}

func readKind(f *Filter, w word) (term, error) {
	kind := w.value
	switch kind {
	case Business, System:
	case "none":
		kind = ""
	default:
		return term{}, w.bad("an error is of kind business or system", "use kind:business, kind:system or kind:none")
	}
	if !w.inverse && f.reach.kind == "" {
		f.reach.kind = kind
	}
	return w.term(func(i *store.Item, _ store.Time) bool { return i.ErrorKind() == kind }), nil
}

// oneOf reads a list of values by which an item's field is one.
func oneOf[T comparable](w word, read func(string) (T, error), field func(*store.Item) T) (term, error) {
	var values []T
	for text := range strings.SplitSeq(w.value, ",") {
		v, err := read(text)
		if err != nil {
			return term{}, w.because(err)
		}
		values = append(values, v)
	}
	return w.term(func(i *store.Item, _ store.Time) bool { return slices.Contains(values, field(i)) }), nil
}

func readPriority(_ *Filter, w word) (term, error) {
	return oneOf(w, store.ParsePriority, func(i *store.Item) store.Priority { return i.Priority })
}

func readReview(_ *Filter, w word) (term, error) {
	read := func(s string) (r store.ReviewStatus, err error) { return r, r.UnmarshalText([]byte(s)) }
	return oneOf(w, func(s string) (store.ReviewStatus, error) { r, err := read(s); return r, err }, func(i *store.Item) store.ReviewStatus { return i.Review.Status })
}

func readSLA(f *Filter, w word) (term, error) {
	f.timed = true
	var wanted []string
	for name := range strings.SplitSeq(w.value, ",") {
		switch name {
		case OnTime, AtRisk, Overdue:
			wanted = append(wanted, name)
		default:
			return term{}, w.bad(strconv.Quote(name)+" is no standing", "use sla:ok, sla:risk or sla:overdue")
		}
	}
	return w.term(func(i *store.Item, now store.Time) bool { return slices.Contains(wanted, standing(i, now)) }), nil
}

func readAge(f *Filter, w word) (term, error) {
	f.timed = true
	op, rest := comparison(w.value)
	d, err := store.ParseDuration(rest)
	if err != nil || op == "=" {
		return term{}, w.bad("an age is compared with a duration", "write it as age:>2h or age:<30m")
	}
	return w.term(func(i *store.Item, now store.Time) bool {
		return compares(op, int64(now.Sub(i.CreatedAt)/time.Millisecond), int64(d/time.Millisecond))
	}), nil
}

func times(field func(*store.Item) store.Time) func(*Filter, word) (term, error) {
	return func(f *Filter, w word) (term, error) {
		f.timed = true
		if w.value == "none" || w.value == "any" {
			return w.term(func(i *store.Item, _ store.Time) bool { return (field(i) == 0) == (w.value == "none") }), nil
		}
		op, rest := comparison(w.value)
		at, err := filterTime(rest)
		if err != nil || op == "=" {
			return term{}, w.bad("a time is compared with another", "write it as "+w.key+":<+2h, "+w.key+":>-1d, "+w.key+":<2026-12-01, "+w.key+":none or "+w.key+":any")
		}
		return w.term(func(i *store.Item, now store.Time) bool {
			t := field(i)
			return t != 0 && compares(op, int64(t), int64(at(now)))
		}), nil
	}
}

// filterTime reads a time of a filter, which may depend on when it is used.
// Times without a zone are UTC: a filter means the same to everybody.
func filterTime(s string) (func(now store.Time) store.Time, error) {
	if s == "now" {
		return func(now store.Time) store.Time { return now }, nil
	}
	if rest, ok := strings.CutPrefix(s, "+"); ok {
		d, err := store.ParseDuration(rest)
		return func(now store.Time) store.Time { return now.Add(d) }, err
	}
	if rest, ok := strings.CutPrefix(s, "-"); ok {
		d, err := store.ParseDuration(rest)
		return func(now store.Time) store.Time { return now.Add(-d) }, err
	}
	var at time.Time
	var err error
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04", time.DateOnly} {
		if at, err = time.Parse(layout, s); err == nil {
			break
		}
	}
	return func(store.Time) store.Time { return store.At(at) }, err
}

func numbers(field func(*store.Item) int64) func(*Filter, word) (term, error) {
	return func(_ *Filter, w word) (term, error) {
		op, rest := comparison(w.value)
		n, err := strconv.ParseInt(rest, 10, 64)
		if err != nil || n < 0 {
			return term{}, w.bad("it is compared with a whole number", "write it as "+w.key+":>1")
		}
		return w.term(func(i *store.Item, _ store.Time) bool { return compares(op, field(i), n) }), nil
	}
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
