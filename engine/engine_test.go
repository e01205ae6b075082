package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"
	"testing/synctest"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/store/bolt"
	"signalbox/store/memory"
)

// rig is an engine under test with short words for what tests do to it.
type rig struct {
	*engine.Engine
	t   *testing.T
	ctx context.Context
}

// opens make an empty store of each kind, by its name.
var opens = map[string]func(*testing.T) store.Store{
	"memory": func(*testing.T) store.Store { return memory.New() },
	"bolt":   func(t *testing.T) store.Store { return openBolt(t, filepath.Join(t.TempDir(), "test.db")) },
}

// eachStore runs the test in virtual time on every store.
func eachStore(t *testing.T, test func(*rig)) {
	t.Helper()
	for name, open := range opens {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := start(t, open(t))
				test(r)
				if err := r.Close(); err != nil {
					t.Errorf("close: %v", err)
				}
			})
		})
	}
}

func openBolt(t *testing.T, path string) store.Store {
	t.Helper()
	s, err := bolt.Open(path, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func start(t *testing.T, s store.Store) *rig {
	t.Helper()
	e, err := engine.Open(t.Context(), s, engine.Options{Name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	return &rig{e, t, engine.WithActor(t.Context(), "anna")}
}

// queue adds a queue; change may alter its settings first.
func (r *rig) queue(name string, f store.Family, change func(*store.Queue)) {
	r.t.Helper()
	q := engine.DefaultQueue(name, f)
	if change != nil {
		change(&q)
	}
	if _, err := r.AddQueue(r.ctx, q); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) add(queue string, items ...engine.NewItem) []store.ID {
	r.t.Helper()
	results, err := r.Add(r.ctx, engine.AddRequest{Queue: queue, Items: items})
	if err != nil {
		r.t.Fatal(err)
	}
	ids := make([]store.ID, len(results))
	for i, res := range results {
		ids[i] = res.Item.ID()
	}
	return ids
}

// addN adds n items that differ only in payload.
func (r *rig) addN(queue string, n int) []store.ID {
	r.t.Helper()
	items := make([]engine.NewItem, n)
	for i := range items {
		items[i].Payload = json.RawMessage(fmt.Sprintf(`{"n":%d}`, i+1))
	}
	return r.add(queue, items...)
}

func (r *rig) claim(queue, robot string, n int) []engine.Record {
	r.t.Helper()
	recs, err := r.Claim(r.ctx, engine.ClaimRequest{Queue: queue, Robot: robot, N: n})
	if err != nil {
		r.t.Fatal(err)
	}
	return recs
}

func (r *rig) settle(rec engine.Record, status, reason string) engine.Outcome {
	r.t.Helper()
	out, err := r.Settle(r.ctx, []engine.Settlement{{Item: rec.ID(), Fence: rec.Fence, Status: status, Reason: reason}})
	if err != nil {
		r.t.Fatal(err)
	}
	return out[0]
}

func (r *rig) item(id store.ID) engine.Record {
	r.t.Helper()
	rec, err := r.Item(r.ctx, id)
	if err != nil {
		r.t.Fatal(err)
	}
	return rec
}

func (r *rig) wantStatus(id store.ID, want store.Status) engine.Record {
	r.t.Helper()
	rec := r.item(id)
	if rec.Status != want {
		r.t.Fatalf("%s is %s, want %s", id, rec.Status, want)
	}
	return rec
}

func (r *rig) wantCode(err error, want store.Code) {
	r.t.Helper()
	if store.CodeOf(err) != want {
		r.t.Fatalf("error %v has code %d, want %d", err, store.CodeOf(err), want)
	}
}

func (r *rig) counts(queue string) store.Counts {
	r.t.Helper()
	q, err := r.Queue(r.ctx, queue)
	if err != nil {
		r.t.Fatal(err)
	}
	return q.Counts
}
