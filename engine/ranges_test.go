package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"signalbox/engine"
	"signalbox/engine/export"
	"signalbox/store"
	"signalbox/store/memory"
)

// hindered is a store whose looks go through fn, once that is set.
type hindered struct {
	store.Store
	fn atomic.Pointer[func(context.Context) error]
}

func (l *hindered) View(ctx context.Context, fn func(store.Reader) error) error {
	if before := l.fn.Load(); before != nil {
		if err := (*before)(ctx); err != nil {
			return err
		}
	}
	return l.Store.View(ctx, fn)
}

// An export is surveyed and counted in ranges side by side; the first that fails ends
// the others, and says why.
func TestARangeThatFailsEndsTheOthers(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	broken := errors.New("the disk is gone")
	for name, do := range map[string]func(*rig) func() error{
		"survey": func(r *rig) func() error {
			return func() error {
				_, err := r.Export(r.ctx, engine.ExportRequest{Queue: "q", Format: export.CSV}, io.Discard)
				return err
			}
		},
		"count": func(r *rig) func() error {
			got, err := r.Claim(r.ctx, engine.ClaimRequest{Queue: engine.ExportQueue, Robot: engine.DrainPrefix + r.Incarnation() + "/x"})
			if err != nil {
				r.t.Fatal(err)
			}
			return func() error {
				_, err := r.Builtins()[engine.ExportQueue](r.ctx, got[0])
				return err
			}
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &hindered{Store: memory.New()}
			r := start(t, s)
			r.queue("q", store.Jobs, nil)
			items := make([]engine.NewItem, 30)
			for n := range items {
				items[n].Payload = json.RawMessage(`{"n":1}`)
			}
			r.add("q", items...)
			r.builtin(engine.ExportKind, `{"queue":"q","format":"jsonl","filter":"jq:.n==1","part":10}`)
			synctest.Wait()
			act := do(r)
			ranges := atomic.Int64{}
			look := func(ctx context.Context) error {
				if ctx == r.ctx { // ahead of the ranges
					return nil
				}
				if ranges.Add(1) == 3 {
					return broken
				}
				<-ctx.Done() // a read that goes on until it is ended
				return context.Cause(ctx)
			}
			s.fn.Store(&look)
			if err := act(); !errors.Is(err, broken) {
				t.Errorf("%s: the export gives %v", name, err)
			}
			if n := ranges.Load(); n != 3 {
				t.Errorf("%s: %d ranges ran", name, n)
			}
			s.fn.Store(nil)
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
