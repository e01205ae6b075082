package engine_test

import (
	"context"
	"iter"
	"math/rand/v2"
	"testing"
	"testing/synctest"

	"signalbox/store"
	"signalbox/store/memory"
)

// bad wraps a store so that it breaks one promise.
type bad struct {
	store.Store
	put   func(*store.Item, *store.Change)
	stats func(*store.Stats)
	older store.Time // how much older changes are told to be
	items func(store.Query, iter.Seq2[store.Item, error]) iter.Seq2[store.Item, error]
	job   func(*store.Job)
	count func(*store.JobCounts)
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
	if r.b.items != nil && len(q.Statuses) == 1 { // as a bulk act asks; more when all are compared
		return r.b.items(q, all)
	}
	return all
}

func (r badReader) Stats(queue string, now store.Time) (store.Stats, error) {
	s, err := r.Reader.Stats(queue, now)
	if r.b.stats != nil {
		r.b.stats(&s)
	}
	return s, err
}

// TestBrokenEnginesAreCaught keeps engines with one rule broken; the random
// lives must tell each from a whole one.
func TestBrokenEnginesAreCaught(t *testing.T) {
	broken := map[string]func() *bad{
		"no fence": func() *bad {
			return &bad{put: func(i *store.Item, c *store.Change) {
				if c != nil && c.Event == "claim" {
					i.Fence = 1 // every claim gets the same
				}
			}}
		},
		"fence reset on retry": func() *bad {
			return &bad{put: func(i *store.Item, c *store.Change) {
				if c != nil && c.Event == "retry" {
					i.Fence = 0
				}
			}}
		},
		"counter not rolled back": func() *bad {
			return &bad{stats: func(s *store.Stats) {
				if s.Counts[store.Retried]+s.Counts[store.Failed] > 0 {
					s.Counts[store.Pending]++
				}
			}}
		},
		"job that never ends": func() *bad {
			return &bad{job: func(j *store.Job) {
				if j.Status == store.JobDone {
					j.Status, j.EndedAt = store.JobRunning, 0
				}
			}}
		},
		"job that ends too early": func() *bad {
			return &bad{count: func(c *store.JobCounts) { c.InFlight = 0 }}
		},
		"abandoned items lost to their job": func() *bad {
			return &bad{count: func(c *store.JobCounts) {
				if c.Failed > 2 {
					c.Failed--
				}
			}}
		},
		"items removed too early":    func() *bad { return &bad{older: 5000} },
		"items removed far too late": func() *bad { return &bad{older: -5000} },
		"undo forgets the review": func() *bad {
			return &bad{put: func(i *store.Item, c *store.Change) {
				if c != nil && c.Event == "undo" {
					i.Review = store.Review{}
				}
			}}
		},
		"undo of a retry leaves the copy": func() *bad {
			return &bad{put: func(i *store.Item, c *store.Change) {
				if c != nil && c.Event == "withdraw" {
					i.Status = store.Pending
				}
			}}
		},
		"undo of what others have changed since": func() *bad {
			return &bad{put: func(i *store.Item, c *store.Change) {
				if c != nil && c.Event == "release" {
					i.Undo = &store.Undo{Event: "retry", Left: i.Revision + 1, Status: store.Failed}
				}
			}}
		},
		"a bulk act's selection repeats": func() *bad {
			return &bad{items: func(_ store.Query, all iter.Seq2[store.Item, error]) iter.Seq2[store.Item, error] {
				return func(yield func(store.Item, error) bool) {
					for i, err := range all {
						for range 2 {
							if !yield(i, err) {
								return
							}
						}
					}
				}
			}}
		},
		"a bulk act's selection leaves out": func() *bad {
			return &bad{items: func(_ store.Query, all iter.Seq2[store.Item, error]) iter.Seq2[store.Item, error] {
				return func(yield func(store.Item, error) bool) {
					for i, err := range all {
						if i.Number%3 != 0 && !yield(i, err) {
							return
						}
					}
				}
			}}
		},
		"lease not lifted": func() *bad {
			return &bad{put: func(i *store.Item, c *store.Change) {
				if c != nil && c.Event == "claim" && i.LeaseUntil != 0 {
					i.LeaseUntil += 1000
				}
			}}
		},
	}
	for name, make := range broken {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(300) {
				r := rand.New(rand.NewPCG(seed, 1))
				var err error
				synctest.Test(t, func(t *testing.T) {
					b := make()
					b.Store = memory.New()
					err = live(t, b, func(n int, _ string) int { return r.IntN(n) }, 60)
				})
				if err != nil {
					return
				}
			}
			t.Error("300 lives did not tell it from a whole engine")
		})
	}
}
