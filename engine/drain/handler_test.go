package drain_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"signalbox/engine"
	"signalbox/engine/drain"
	"signalbox/store"
)

func TestWhatAHandlerReturnsIsTheResult(t *testing.T) {
	big := json.RawMessage(`{"text":"` + strings.Repeat("x", engine.MaxOutput) + `"}`)
	tests := map[string]struct {
		handle func() (json.RawMessage, error)
		status store.Status
		reason string
	}{
		"output":       {func() (json.RawMessage, error) { return json.RawMessage(`{}`), nil }, store.Successful, ""},
		"nothing":      {func() (json.RawMessage, error) { return nil, nil }, store.Successful, ""},
		"error":        {func() (json.RawMessage, error) { return nil, errors.New("no route") }, store.SystemException, "no route"},
		"silent error": {func() (json.RawMessage, error) { return nil, errors.New("") }, store.SystemException, "no reason was given"},
		"business":     {func() (json.RawMessage, error) { return nil, &drain.Business{Reason: "no such customer"} }, store.BusinessException, "no such customer"},
		"wrapped": {func() (json.RawMessage, error) {
			return nil, fmt.Errorf("row 3: %w", &drain.Business{Reason: "no name"})
		}, store.BusinessException, "no name"},
		"panic":          {func() (json.RawMessage, error) { panic("out of range") }, store.SystemException, "panic: out of range"},
		"goexit":         {func() (json.RawMessage, error) { runtime.Goexit(); return nil, nil }, store.SystemException, "ended its goroutine"},
		"too big output": {func() (json.RawMessage, error) { return big, nil }, store.SystemException, "result refused: "},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(r *rig) {
				r.queue("orders", func(q *store.Queue) { q.Family = store.Transactions })
				id := r.add("orders", `{}`)[0]
				r.handle(func(context.Context, engine.Record) (json.RawMessage, error) { return tt.handle() }, "orders")
				after(time.Second)
				r.want(id, tt.status, tt.reason)
			})
		})
	}
}

func TestAHandlerSaysWhenItsWorkIsTriedAgain(t *testing.T) {
	for after1, want := range map[time.Duration]time.Duration{
		0: 20 * time.Second, 90 * time.Second: 90 * time.Second, time.Second: 5 * time.Second, 48 * time.Hour: engine.MaxRetryAfter,
	} {
		virtual(t, func(r *rig) {
			r.queue("orders", func(q *store.Queue) {
				q.Retries, q.RetryWindow, q.RetryFloor = 1, store.Duration(20*time.Second), store.Duration(5*time.Second)
			})
			id := r.add("orders", `1`)[0]
			r.handle(func(context.Context, engine.Record) (json.RawMessage, error) {
				return nil, fmt.Errorf("row 3: %w", &drain.Later{Err: errors.New("busy"), After: after1})
			}, "orders")
			after(500 * time.Millisecond)
			r.want(id, store.Queued, "row 3: busy")
			if i := r.item(id); i.AvailableAt.Sub(i.Error.At) != want {
				t.Errorf("told %s it is tried again after %s", after1, i.AvailableAt.Sub(i.Error.At))
			}
		})
	}
}

func TestAMissingHandlerIsAConsumerErrorUntilThereIsOne(t *testing.T) {
	virtual(t, func(r *rig) {
		r.queue("orders", func(q *store.Queue) {
			q.Retries, q.RetryWindow, q.RetryFloor = 1, 0, store.Duration(time.Minute)
		})
		id := r.add("orders", `1`)[0]
		r.start(drain.Options{})
		after(time.Second)
		r.want(id, store.Queued, "consumer error: this program has no handler")
		if q := r.queueNow("orders"); !strings.Contains(q.ConsumerError, `no handler for queue "orders"`) {
			t.Errorf("consumer error %q", q.ConsumerError)
		}
		r.Abort()
		r.handle(succeed, "orders")
		after(2 * time.Minute)
		r.want(id, store.Completed, "")
		if q := r.queueNow("orders"); q.ConsumerError != "" {
			t.Errorf("consumer error %q though it works", q.ConsumerError)
		}
	})
}

func (r *rig) queueNow(name string) store.Queue {
	r.t.Helper()
	q, err := r.Queue(r.ctx, name)
	if err != nil {
		r.t.Fatal(err)
	}
	return q.Queue
}
