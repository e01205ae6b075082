package engine_test

import (
	"cmp"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/store/memory"
)

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
		"reference freed when its item ends": func() *bad {
			return &bad{refs: func(i *store.Item) bool { return !engine.Final(i.Status) }}
		},
		"reference of an abandoned item freed": func() *bad {
			return &bad{refs: func(i *store.Item) bool { return i.Status != store.Abandoned }}
		},
		"reference of a copy not held": func() *bad {
			return &bad{refs: func(i *store.Item) bool { return i.Previous.IsZero() }}
		},
		"reference of a deleted item held": func() *bad {
			return &bad{refs: func(i *store.Item) bool {
				if i.Status == store.Deleted {
					i.Status = store.Pending
				}
				return true
			}}
		},
		"reference found as it was before an edit": func() *bad {
			edited := map[uint64]bool{}
			return &bad{
				put: func(i *store.Item, c *store.Change) {
					if c != nil && c.Event == "edit" {
						edited[i.Number] = true
					}
				},
				refs: func(i *store.Item) bool { return !edited[i.Number] },
			}
		},
		"unique references can't be switched on": func() *bad {
			known, first := false, false
			return &bad{queue: func(q *store.Queue) {
				if !known && q.Name != "" {
					known, first = true, q.UniqueReferences
				}
				q.UniqueReferences = q.UniqueReferences && first
			}}
		},
		"unique references can't be switched off": func() *bad {
			on := false
			return &bad{queue: func(q *store.Queue) {
				on = on || q.UniqueReferences
				q.UniqueReferences = on
			}}
		},
		"key forgotten on a retry": func() *bad {
			return &bad{keyed: func(i store.Item) bool { return i.RetryNo == 0 && i.Next.IsZero() }}
		},
		"key forgotten when its item is deleted": func() *bad {
			return &bad{keyed: func(i store.Item) bool { return i.Status != store.Deleted }}
		},
		"key kept when its item is removed": func() *bad {
			keys := map[string]store.ID{}
			return &bad{key: func(key string, id *store.ID) {
				if id.IsZero() {
					*id = keys[key]
				}
				keys[key] = *id
			}}
		},
		"a copy takes the key": func() *bad {
			return &bad{add: func(i *store.Item) {
				if !i.Previous.IsZero() {
					i.Key = "k-1"
				}
			}}
		},
		"an edited deferral does not move the item": func() *bad {
			before := map[uint64]bool{}
			return &bad{
				put: func(i *store.Item, c *store.Change) {
					if c != nil && c.Event == "edit" && i.DeferUntil > c.At {
						before[i.Number] = true
					}
				},
				ready: func(all iter.Seq2[store.Item, error]) iter.Seq2[store.Item, error] {
					return only(all, func(i *store.Item) bool { return !before[i.Number] })
				},
			}
		},
		"an edited priority does not move the item": func() *bad {
			before := map[uint64]store.Priority{}
			return &bad{
				add: func(i *store.Item) { before[uint64(len(before)+1)] = i.Priority },
				ready: func(all iter.Seq2[store.Item, error]) iter.Seq2[store.Item, error] {
					return inOrder(all, func(i *store.Item) { i.Priority = before[i.Number] })
				},
			}
		},
		"an edited due date does not move the item": func() *bad {
			before := map[uint64]store.Time{}
			return &bad{
				add: func(i *store.Item) { before[uint64(len(before)+1)] = i.DueAt },
				ready: func(all iter.Seq2[store.Item, error]) iter.Seq2[store.Item, error] {
					return inOrder(all, func(i *store.Item) { i.DueAt = before[i.Number] })
				},
			}
		},
		"an edit ends a retry's delay": func() *bad {
			return &bad{put: func(i *store.Item, c *store.Change) {
				if c != nil && c.Event == "edit" {
					i.AvailableAt = 0
				}
			}}
		},
		"a postponed item waits for nothing": func() *bad {
			return &bad{put: func(i *store.Item, c *store.Change) {
				if c != nil && c.Event == "postpone" {
					i.DeferUntil = 0
				}
			}}
		},
		"undo keeps the deferral": func() *bad {
			deferred := map[uint64]store.Time{}
			return &bad{put: func(i *store.Item, c *store.Change) {
				switch {
				case c == nil:
				case c.Event == "edit":
					deferred[i.Number] = i.DeferUntil
				case c.Event == "undo" && deferred[i.Number] != 0:
					i.DeferUntil = deferred[i.Number]
				}
			}}
		},
		"removed items lost to a job that goes on": func() *bad {
			return &bad{job: func(j *store.Job) { j.Gone = store.JobCounts{} }}
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
			if err := livesOf(t, make, 1000); err == nil {
				t.Error("1000 lives did not tell it from a whole engine")
			}
		})
	}
	if err := livesOf(t, func() *bad { return &bad{} }, 100); err != nil {
		t.Errorf("a whole engine is taken for a broken one: %v", err)
	}
}

// livesOf runs lives on stores with the same fault, and gives what came of the
// first that was told from a whole one.
func livesOf(t *testing.T, make func() *bad, lives uint64) (err error) {
	for seed := range lives {
		r := rand.New(rand.NewPCG(seed, 1))
		synctest.Test(t, func(t *testing.T) {
			b := make()
			b.Store = memory.New()
			err = live(t, b, func(n int, _ string) int { return r.IntN(n) }, 60)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// inOrder gives items in the claim order that they would have had.
func inOrder(all iter.Seq2[store.Item, error], before func(*store.Item)) iter.Seq2[store.Item, error] {
	return func(yield func(store.Item, error) bool) {
		var found []store.Item
		for i, err := range all {
			if err != nil {
				continue
			}
			found = append(found, i)
		}
		slices.SortStableFunc(found, func(a, b store.Item) int {
			before(&a)
			before(&b)
			undated := func(i *store.Item) int { return min(int(i.DueAt), 1) }
			return cmp.Or(-cmp.Compare(undated(&a), undated(&b)), cmp.Compare(a.Priority, b.Priority), cmp.Compare(a.DueAt, b.DueAt), cmp.Compare(a.Number, b.Number))
		})
		for _, i := range found {
			if !yield(i, nil) {
				return
			}
		}
	}
}
