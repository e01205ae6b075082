package engine_test

import (
	"slices"
	"testing"

	"signalbox/engine"
	"signalbox/store"
)

// An add that starts a job takes its items into that; one that names another is
// refused rather than moved, and weights count.
func TestItemsOfAJobThatIsStartedWithThem(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, nil)
		start := &engine.JobRequest{ID: "may"}
		doors := map[string]func(*engine.JobRequest, ...engine.NewItem) error{
			"add": func(start *engine.JobRequest, items ...engine.NewItem) error {
				_, err := r.Add(r.ctx, engine.AddRequest{Queue: "q", Items: items, Start: start})
				return err
			},
			"import": func(start *engine.JobRequest, items ...engine.NewItem) error {
				_, err := r.Import(r.ctx, engine.ImportRequest{Queue: "q", Start: start}, func(yield func(engine.NewItem, error) bool) {
					for _, n := range items {
						if !yield(n, nil) {
							return
						}
					}
				})
				return err
			},
		}
		for name, door := range doors {
			r.wantCode(door(start, engine.NewItem{Payload: object()}, engine.NewItem{Payload: object(), Job: "june"}), store.CodeInvalid)
			large := slices.Repeat([]engine.NewItem{{Payload: object()}}, 2100) // more than a chunk
			large[2050].Job = "june"
			r.wantCode(door(start, large...), store.CodeInvalid)
			left := r.counts("q")
			if jobs, err := r.Jobs(r.ctx, engine.JobList{}); err != nil || left.Total() != 0 || len(jobs) != 0 {
				r.t.Errorf("%s: a refused one left %v and %v", name, left, jobs)
			}
		}
		for name, door := range doors {
			id := "july-" + name
			if err := door(&engine.JobRequest{ID: id}, engine.NewItem{Payload: object(), Weight: 3}, engine.NewItem{Payload: object(), Job: id}); err != nil {
				r.t.Errorf("%s: %v", name, err)
			}
			if j, err := r.Job(r.ctx, id); err != nil || j.Total != 4 {
				r.t.Errorf("%s: %+v (%v)", name, j.JobCounts, err)
			}
		}
		_, err := r.Add(r.ctx, engine.AddRequest{Queue: "q", Items: []engine.NewItem{{Payload: object(), Weight: 3}}})
		r.wantCode(err, store.CodeInvalid)
	})
}
