package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"signalbox/store"
)

// Orders of a list.
const (
	ByNumber    = "number"    // by queue and number
	ByReference = "reference" // by queue, reference and number
	AnyOrder    = "any"       // the one that is found fastest
)

// few is how many items may be put in order at once: so many matches of an index
// are read before any is shown.
const few = 500

// Plan says in plain words how a list is found.
type Plan struct {
	Index string `json:"index"` // id, key, reference, group, status, number or none
	Order string `json:"order"` // number or reference
	// Rows is how many items are looked at for the whole list at most, -1 where
	// only looking could tell.
	Rows  int64    `json:"rows"`
	Of    int64    `json:"of"`    // items in the store
	Uses  string   `json:"uses"`  // what the index gives
	Looks []string `json:"looks"` // what each of these items is then held against
	Slow  []string `json:"slow"`  // why no index serves that
}

// path is the way by which a list's items are found.
type path struct {
	reach
	index  string
	order  string
	names  []string     // the queues to go through, in order
	found  []store.Item // all there are, put in order; nil: they are read bit by bit
	looked int          // how many were read for found
}

// Explain tells what the path does.
func (p *path) explain(r store.Reader, f *Filter, kind string) (Plan, error) {
	plan := Plan{Index: p.index, Order: p.order, Rows: -1, Looks: []string{}, Slow: []string{}}
	every, err := countIn(r, nil, nil)
	if err != nil {
		return plan, err
	}
	plan.Of = every
	if plan.Rows, err = p.rows(r); err != nil {
		return plan, err
	}
	plan.Uses = p.uses()
	for _, t := range f.terms {
		if !t.narrows || !p.serves(t.text) {
			plan.look(t.text, slowness(t))
		}
	}
	for _, t := range f.payload {
		plan.look(t.text, slowJQ)
	}
	if kind != "" && p.index != "none" {
		plan.Looks = append(plan.Looks, "kind:"+kind)
	}
	return plan, nil
}

func (p *Plan) look(term, why string) {
	p.Looks = append(p.Looks, term)
	if why != "" {
		p.Slow = append(p.Slow, term+": "+why)
	}
}

// serves says that the path's index alone sees to a term.
func (p *path) serves(text string) bool {
	key, _, _ := strings.Cut(strings.TrimPrefix(text, "!"), ":")
	switch key {
	case "queue", "folder", "number":
		return true
	case "status":
		return p.index == "status" || p.index == "group"
	}
	return key == p.index
}

// slowness says why no index serves a term; "" where one might have, but
// another is better.
func slowness(t term) string {
	text, inverse := strings.CutPrefix(t.text, "!")
	key, _, keyed := strings.Cut(text, ":")
	k, known := filterKeys[key]
	switch {
	case !keyed || !known:
		return slowWords
	case k.slow != "":
		return k.slow
	case inverse:
		return slowInverse
	}
	return ""
}

// rows bounds how many items are looked at.
func (p *path) rows(r store.Reader) (int64, error) {
	switch {
	case p.index == "none":
		return 0, nil
	case p.found != nil:
		return int64(p.looked), nil
	case p.index == "reference":
		return -1, nil
	case p.index == "group":
		return p.countGroup(r, "")
	}
	n, err := countIn(r, p.names, p.statuses)
	if p.to != 0 {
		n = min(n, int64(p.to-max(p.from, 1)+1)*int64(len(p.names)))
	}
	return n, err
}

// uses words what the path's index gives.
func (p *path) uses() string {
	in := "in " + plural(len(p.names), "queue")
	if len(p.names) == 1 {
		in = "in queue " + p.names[0]
	}
	statuses := "with status " + joined(p.statuses)
	if slices.Equal(sorted(p.statuses), sorted(undeleted)) {
		statuses = "that are not deleted"
	}
	numbers := ""
	if p.from > 1 || p.to != 0 {
		numbers = fmt.Sprintf(", from number %d", max(p.from, 1))
		if p.to != 0 {
			numbers += fmt.Sprintf(" to %d", p.to)
		}
	}
	switch p.index {
	case "none":
		return "nothing is read: no item can match"
	case "id":
		return "the items are read by their ids"
	case "key":
		return "the index of keys gives the item " + in
	case "group":
		return "the index of folded reasons gives those " + in
	case "reference":
		how := "beginning so"
		if p.exact {
			how = "equal to it"
		}
		return fmt.Sprintf("the index of references gives those %s (%q) %s", how, p.reference, in)
	case "status":
		return "the index of statuses gives the items " + statuses + " " + in + numbers
	}
	return "the items " + in + " are read by number" + numbers
}

func joined(statuses []store.Status) string {
	names := make([]string, len(statuses))
	for i, s := range statuses {
		names[i] = s.String()
	}
	return strings.Join(names, ", ")
}

func sorted(statuses []store.Status) []store.Status { return slices.Sorted(slices.Values(statuses)) }

func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Plan says how a list would be found, without reading it. The errors are those
// of List.
func (e *Engine) Plan(ctx context.Context, r ListRequest) (plan Plan, err error) {
	f, err := ParseFilter(r.Filter)
	if err != nil {
		return plan, err
	}
	err = e.store.View(ctx, func(rd store.Reader) error {
		p, err := choose(rd, &r, &f)
		if err != nil {
			return err
		}
		plan, err = p.explain(rd, &f, r.Kind)
		return err
	})
	return plan, err
}

// choose finds the best way to a list. A continued list stays in its order.
func choose(r store.Reader, req *ListRequest, f *Filter) (path, error) {
	p := path{reach: f.within(req), index: "none", order: ByNumber}
	if err := p.findQueues(r); err != nil || p.none() || len(p.names) == 0 {
		return p, err
	}
	switch {
	case p.ids != nil:
		p.index = "id"
		return p, p.findIDs(r)
	case p.key != "":
		p.index = "key"
		return p, p.findKey(r)
	case p.group != "":
		p.index = "group"
		return p, nil
	}
	p.index = "status"
	if slices.Equal(sorted(p.statuses), sorted(undeleted)) {
		p.index = "number"
	}
	if p.reference == "" {
		return p, nil
	}
	return p, p.weigh(r, req.Order)
}

// weigh decides between the index of references and that of statuses.
func (p *path) weigh(r store.Reader, order string) error {
	n, err := countIn(r, p.names, p.statuses)
	if err != nil {
		return err
	}
	if order != ByReference && n <= few {
		return nil
	}
	if order != ByReference {
		found, whole := p.probe(r)
		if whole {
			p.index = "reference"
			p.found, p.looked = found, len(found)
			p.inOrder()
			return nil
		}
	}
	if p.exact || order == ByReference || order == AnyOrder {
		p.index, p.order = "reference", ByReference
		if p.exact { // within one reference the order is by number
			p.order = ByNumber
		}
	}
	return nil
}

// probe reads the first few items of the reference; whole says that it has all.
func (p *path) probe(r store.Reader) (found []store.Item, whole bool) {
	found = []store.Item{}
	for _, name := range p.names {
		for i, err := range r.Items(store.Query{Queue: name, Reference: p.reference, Exact: p.exact}) {
			if err != nil { // told by who reads it in order
				return nil, false
			}
			if len(found) == few {
				return nil, false
			}
			found = append(found, i)
		}
	}
	return found, true
}

// findQueues names the queues to go through. All that are named must be there.
func (p *path) findQueues(r store.Reader) error {
	if p.queues != nil {
		for _, name := range p.queues {
			if _, err := r.Queue(name); err != nil {
				return err
			}
		}
	}
	queues, err := r.Queues()
	if err != nil {
		return err
	}
	for i := range queues {
		q := &queues[i]
		if p.queues != nil && !slices.Contains(p.queues, q.Name) || slices.Contains(p.without, q.Name) {
			continue
		}
		if !slices.ContainsFunc(p.folders, func(folder string) bool { return !InFolder(q, folder) }) {
			p.names = append(p.names, q.Name)
		}
	}
	return nil
}

func (p *path) findIDs(r store.Reader) error {
	for _, id := range p.ids {
		if err := p.take(r, id); err != nil {
			return err
		}
	}
	p.inOrder()
	return nil
}

func (p *path) findKey(r store.Reader) error {
	for _, name := range p.names {
		id, err := r.ByKey(name, p.key)
		if err == nil && !id.IsZero() {
			err = p.take(r, id)
		}
		if err != nil {
			return err
		}
	}
	p.inOrder()
	return nil
}

// take adds an item to what was found, if it is there.
func (p *path) take(r store.Reader, id store.ID) error {
	i, err := r.Item(id)
	switch store.CodeOf(err) {
	case 0:
		p.looked++
		p.found = append(p.found, i)
		return nil
	case store.CodeNotFound, store.CodeUnavailable:
		return nil
	}
	return err
}

// inOrder puts what was found in order of queue and number, and leaves out what
// is out of reach.
func (p *path) inOrder() {
	p.found = slices.DeleteFunc(p.found, func(i store.Item) bool { return !p.reaches(&i) })
	slices.SortFunc(p.found, func(a, b store.Item) int { return compareIDs(a.ID(), b.ID()) })
	p.found = slices.CompactFunc(p.found, func(a, b store.Item) bool { return a.ID() == b.ID() })
	if p.found == nil {
		p.found = []store.Item{}
	}
}

func compareIDs(a, b store.ID) int {
	return cmp.Or(strings.Compare(a.Queue, b.Queue), cmp.Compare(a.Number, b.Number))
}

// reaches says that an item is within reach.
func (p *path) reaches(i *store.Item) bool {
	return slices.Contains(p.names, i.Queue) && slices.Contains(p.statuses, i.Status) &&
		i.Number >= p.from && (p.to == 0 || i.Number <= p.to) &&
		(p.group == "" || i.Group == p.group)
}

// countGroup counts the items under the folded reason by the counters.
func (p *path) countGroup(r store.Reader, kind string) (n int64, err error) {
	for _, name := range p.names {
		groups, err := r.Groups(name)
		if err != nil {
			return 0, err
		}
		for _, g := range groups {
			if g.Text == p.group && (kind == "" || g.Kind == kind) && slices.Contains(p.statuses, g.Status) {
				n += g.Count
			}
		}
	}
	return n, nil
}

// countIn counts the items of statuses (nil = all) in queues (nil = all) by the
// counters.
func countIn(r store.Reader, names []string, statuses []store.Status) (n int64, err error) {
	if names == nil {
		queues, err := r.Queues()
		if err != nil {
			return 0, err
		}
		for i := range queues {
			names = append(names, queues[i].Name)
		}
	}
	for _, name := range names {
		s, err := r.Stats(name, 0)
		if store.CodeOf(err) == store.CodeUnavailable { // one that can't be read hides no other
			continue
		}
		if err != nil {
			return 0, err
		}
		for status, c := range s.Counts {
			if statuses == nil || slices.Contains(statuses, store.Status(status)) {
				n += c
			}
		}
	}
	return n, nil
}
