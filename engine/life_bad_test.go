package engine_test

import (
	"context"
	"iter"

	"signalbox/store"
)

// bad wraps a store so that it breaks one promise.
type bad struct {
	store.Store
	put   func(*store.Item, *store.Change)
	add   func(*store.Item)
	stats func(*store.Stats)
	older store.Time // how much older changes are told to be
	items func(store.Query, iter.Seq2[store.Item, error]) iter.Seq2[store.Item, error]
	job   func(*store.Job)
	count func(*store.JobCounts)
	refs  func(*store.Item) bool // whether it is found by its reference
	key   func(key string, id *store.ID)
	keyed func(store.Item) bool // whether it is found by its key
	queue func(*store.Queue)
	ready func(iter.Seq2[store.Item, error]) iter.Seq2[store.Item, error]
}

type badTx struct {
	store.Tx
	b *bad
}

func (b *bad) Update(ctx context.Context, fn func(store.Tx) error) error {
	return b.Store.Update(ctx, func(t store.Tx) error { return fn(badTx{t, b}) })
}

func (b *bad) View(ctx context.Context, fn func(store.Reader) error) error {
	return b.Store.View(ctx, func(r store.Reader) error { return fn(badReader{r, b}) })
}

func (t badTx) Put(i *store.Item, c *store.Change) error {
	if t.b.put != nil {
		t.b.put(i, c)
	}
	return t.Tx.Put(i, c)
}

func (t badTx) Add(i *store.Item, payload []byte, c store.Change) error {
	if t.b.add != nil {
		t.b.add(i)
	}
	return t.Tx.Add(i, payload, c)
}

type badReader struct {
	store.Reader
	b *bad
}

func (r badReader) Changes(after uint64, limit int) ([]store.Change, error) {
	list, err := r.Reader.Changes(after, limit)
	for n := range list {
		list[n].At -= r.b.older
	}
	return list, err
}

func (r badReader) Items(q store.Query) iter.Seq2[store.Item, error] {
	all := r.Reader.Items(q)
	switch {
	case r.b.items != nil && len(q.Statuses) == 1: // as a bulk act asks; more when all are compared
		return r.b.items(q, all)
	case r.b.refs != nil && q.Exact:
		return only(all, r.b.refs)
	}
	return all
}

func only(all iter.Seq2[store.Item, error], which func(*store.Item) bool) iter.Seq2[store.Item, error] {
	return func(yield func(store.Item, error) bool) {
		for i, err := range all {
			if (err != nil || which(&i)) && !yield(i, err) {
				return
			}
		}
	}
}

func (t badTx) Items(q store.Query) iter.Seq2[store.Item, error] {
	return badReader{t.Tx, t.b}.Items(q)
}

func (t badTx) Ready(queue string, now store.Time) iter.Seq2[store.Item, error] {
	if t.b.ready == nil {
		return t.Tx.Ready(queue, now)
	}
	return t.b.ready(t.Tx.Ready(queue, now))
}

func (t badTx) Queue(name string) (store.Queue, error) {
	q, err := t.Tx.Queue(name)
	if t.b.queue != nil {
		t.b.queue(&q)
	}
	return q, err
}

func (t badTx) ByKey(queue, key string) (store.ID, error) {
	id, err := t.Tx.ByKey(queue, key)
	if err == nil && t.b.key != nil {
		t.b.key(key, &id)
	}
	if err == nil && t.b.keyed != nil && !id.IsZero() {
		if i, err := t.Tx.Item(id); err == nil && !t.b.keyed(i) {
			return store.ID{}, nil
		}
	}
	return id, err
}

func (r badReader) Stats(queue string, now store.Time) (store.Stats, error) {
	s, err := r.Reader.Stats(queue, now)
	if r.b.stats != nil {
		r.b.stats(&s)
	}
	return s, err
}
