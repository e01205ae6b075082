package engine

import (
	"fmt"

	"signalbox/store"
)

// names are the keys and references that the new items of an add take.
type names struct{ keys, references map[string]bool }

func (s *names) note(n *NewItem) {
	if n.Key != "" {
		s.keys[n.Key] = true
	}
	if n.Reference != "" && !n.Past.free() {
		s.references[n.Reference] = true
	}
}

// admit decides whether an item may come in, and whether it is a fresh one. What
// repeats another is answered with that, whatever has become of its job, of its
// reference or of the settings since.
func (t *tx) admit(q *store.Queue, n *NewItem, seen *names, res *AddResult) (fresh bool, err error) {
	if err := t.repeated(q, n, res); err != nil || res.Existing || seen.keys[n.Key] {
		return false, err
	}
	if err := validateFamily(q, n.Payload); err != nil {
		return false, err
	}
	if n.Past != nil {
		if _, err := pastStatus(q.Family, n.Past.State, n.Past.Error); err != nil {
			return false, err
		}
	}
	if n.joins() && n.Past == nil {
		if err := t.joinable(q, n.Job); err != nil {
			return false, err
		}
	}
	if !q.UniqueReferences || n.Reference == "" || n.Past.free() {
		return true, nil
	}
	if seen.references[n.Reference] {
		return false, store.Conflict(fmt.Sprintf("reference %q", n.Reference), "it stands twice in this add", "give each item its own reference")
	}
	return true, t.takeReference(q, n.Reference)
}

// repeated finds the item that one to be added repeats.
func (t *tx) repeated(q *store.Queue, n *NewItem, res *AddResult) error {
	if n.Key != "" {
		id, err := t.ByKey(q.Name, n.Key)
		if err != nil {
			return err
		}
		if !id.IsZero() {
			if res.Item, err = t.Item(id); err == nil && !t.staging {
				err = t.hidden(&res.Item)
			}
			res.Existing = err == nil
			present(q, &res.Item)
			return err
		}
	}
	if i, there := t.survivor(q.Name, n.Past); there {
		res.Item, res.Existing = i, true
	}
	return nil
}

// referenceHolder finds the item that keeps others from using a reference;
// retried and deleted ones don't.
func (t *tx) referenceHolder(queue, reference string) (store.ID, error) {
	for i, err := range t.Items(store.Query{Queue: queue, Reference: reference, Exact: true}) {
		if err != nil {
			return store.ID{}, err
		}
		if i.Status != store.Retried && i.Status != store.Deleted {
			return i.ID(), nil
		}
	}
	return store.ID{}, nil
}
