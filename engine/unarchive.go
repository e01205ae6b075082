package engine

import (
	"context"
	"slices"

	"signalbox/store"
)

// openPasts gives items that come from an archive of an encrypted queue their
// contents, which were archived as they were kept: sealed, to their chain. The
// error of each is put into bad. A queue that is not encrypted does not get them.
func (e *Engine) openPasts(ctx context.Context, r *AddRequest, bad []error) error {
	if !slices.ContainsFunc(r.Items, func(n NewItem) bool { return n.isSealed() }) {
		return nil
	}
	q, err := e.Queue(ctx, r.Queue)
	if err != nil {
		return err
	}
	r.Items = slices.Clone(r.Items)
	for i := range r.Items {
		if n := &r.Items[i]; n.isSealed() {
			bad[i] = e.openPast(&q.Queue, n)
		}
	}
	return nil
}

func (n *NewItem) isSealed() bool {
	p := n.Past
	return p != nil && p.Archived && (sealed(n.Payload) || sealed(p.Output) || sealed(p.Analytics) || p.Error != nil && sealed([]byte(p.Error.Details)))
}

func (e *Engine) openPast(q *store.Queue, n *NewItem) (err error) {
	if !q.Encrypted {
		return store.Invalid("item "+n.Past.ID, "it was archived from an encrypted queue, and queue "+q.Name+" is not encrypted", "import it into one that is")
	}
	p := *n.Past
	n.Past = &p
	chain, err := store.ParseID(p.Chain)
	if err != nil {
		return err
	}
	for _, content := range []struct {
		field string
		in    *[]byte
	}{{fieldPayload, (*[]byte)(&n.Payload)}, {fieldOutput, &p.Output}, {fieldAnalytics, &p.Analytics}} {
		if *content.in, err = e.vault.open(chain, content.field, *content.in); err != nil {
			return err
		}
	}
	if p.Error == nil {
		return nil
	}
	failure := *p.Error
	p.Error = &failure
	details, err := e.vault.open(chain, fieldDetails, []byte(failure.Details))
	failure.Details = string(details)
	return err
}

// joins says that an item is to count for the job that it names. One from an
// archive only keeps the name: its job has counted it, and may be over or gone.
func (n *NewItem) joins() bool {
	return n.Job != "" && (n.Past == nil || !n.Past.Archived)
}

// survivor finds an archived item that is still there, as one is when its
// archiving was cut off, or it was retried meanwhile.
func (t *tx) survivor(queue string, p *Past) (store.Item, bool) {
	if p == nil || !p.Archived {
		return store.Item{}, false
	}
	id, err := store.ParseID(p.ID)
	if err != nil || id.Queue != queue {
		return store.Item{}, false
	}
	i, err := t.Item(id)
	return i, err == nil && i.CreatedAt == p.CreatedAt
}
