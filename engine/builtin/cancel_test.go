package builtin_test

import (
	"context"
	"encoding/json"
	"testing"

	"signalbox/engine"
	"signalbox/engine/drain"
	"signalbox/store"
	"signalbox/store/memory"
)

// Running work of a cancelled job is stopped at once, not when its lease is next
// renewed.
func TestCancelStopsRunningWork(t *testing.T) {
	e, err := engine.Open(t.Context(), memory.New(), engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	begun, stopped := make(chan struct{}), make(chan error, 1)
	s := drain.Start(t.Context(), e, drain.Options{Handlers: map[string]drain.Handler{
		"q": func(ctx context.Context, _ engine.Record) (json.RawMessage, error) {
			close(begun)
			<-ctx.Done()
			stopped <- context.Cause(ctx)
			return nil, ctx.Err()
		},
	}})
	defer s.Abort()
	q := engine.DefaultQueue("q", store.Jobs)
	q.Consumer.Kind, q.Lease = engine.Handler, 0 // which nobody renews in time
	if _, err := e.AddQueue(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Add(t.Context(), engine.AddRequest{Queue: "q", Items: []engine.NewItem{{Payload: json.RawMessage(`1`), Job: "j"}}}); err != nil {
		t.Fatal(err)
	}
	<-begun
	j, err := e.CancelJob(t.Context(), "j", "")
	if err != nil || j.Cancelled != 1 || j.EndedAt == 0 {
		t.Errorf("cancelled %+v, %v", j, err)
	}
	if cause := <-stopped; cause == nil || cause.Error() != "the lease was lost" {
		t.Errorf("the work ended with %v", cause)
	}
}
