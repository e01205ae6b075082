package engine

import (
	"cmp"
	"slices"
	"strings"

	"signalbox/store"
)

// path is the way by which a list's items are found.
type path struct {
	reach
	index  string
	order  string
	groups []string          // of the index of folded reasons
	why    map[string]string // why a key's index does not serve
	names  []string          // the queues to go through, in order
	found  []store.Item      // all there are, put in order; nil: they are read bit by bit
	looked int               // how many were read for found
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
		p.index, p.groups = "group", []string{p.group}
		return p, nil
	}
	p.index = "status"
	if slices.Equal(sorted(p.statuses), sorted(undeleted)) {
		p.index = "number"
	}
	if p.reference != "" {
		if err := p.weigh(r, req.Order); err != nil || p.index == "reference" {
			return p, err
		}
	}
	if taken, err := p.byJob(r); err != nil || taken {
		return p, err
	}
	return p, p.byReason(r)
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

// countGroups counts the items under the folded reasons by the counters.
func (p *path) countGroups(r store.Reader, kind string) (n int64, err error) {
	for _, name := range p.names {
		groups, err := r.Groups(name)
		if err != nil {
			return 0, err
		}
		for _, g := range groups {
			if slices.Contains(p.groups, g.Text) && (kind == "" || g.Kind == kind) && slices.Contains(p.statuses, g.Status) {
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
