package engine

import (
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
			plan.look(t.text, p.slowness(t))
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
		return p.index == "status" || p.index == "group" || p.index == "job"
	}
	return key == p.index
}

// slowness says why no index serves a term; "" where one might have, but
// another is better.
func (p *path) slowness(t term) string {
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
	return p.why[key]
}

// rows bounds how many items are looked at.
func (p *path) rows(r store.Reader) (int64, error) {
	switch {
	case p.index == "none":
		return 0, nil
	case p.found != nil:
		return int64(p.looked), nil
	case p.index == "reference", p.index == "job":
		return -1, nil
	case p.index == "group":
		return p.countGroups(r, "")
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
		if p.group == "" {
			return "the index of folded reasons gives the " + plural(len(p.groups), "group") + " that may hold it, " + in
		}
		return "the index of folded reasons gives those " + in
	case "job":
		return "the index of jobs gives the items of job " + p.job + " " + in
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
