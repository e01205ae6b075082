package drain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"signalbox/engine"
	"signalbox/store"
)

// Handler works one item and gives its output, a JSON object or nil. An error
// is a system exception, a *Business one a business exception, and so is a
// panic a system exception; a *Later says when it may be retried. When ctx ends the handler must return soon, and
// what it returns then does not count.
type Handler func(ctx context.Context, r engine.Record) (output json.RawMessage, err error)

// Business is the error of a handler whose item broke a business rule: final,
// for a person to look at.
type Business struct {
	Reason  string
	Details string
}

// Error gives the reason.
func (b *Business) Error() string { return b.Reason }

// Later is the error of a handler whose work was told when it may be tried again:
// a system exception whose retry, if there is one, comes then and not by the queue's
// delay. The bounds are those of engine.Settlement.
type Later struct {
	Err   error
	After time.Duration // 0 = by the queue's delay
}

// Error gives the reason.
func (l *Later) Error() string { return l.Err.Error() }

// Unwrap gives what is put off.
func (l *Later) Unwrap() error { return l.Err }

// function works items with a handler.
type function struct{ handle Handler }

func (f function) together() bool { return false }

func (f function) patience(kill time.Duration) time.Duration { return kill }

func (f function) work(ctx context.Context, records []engine.Record) (res result) {
	defer func() {
		if p := recover(); p != nil {
			res = failed(engine.System, fmt.Sprintf("panic: %v", p), string(debug.Stack()))
		}
		res.cut = ctx.Err() != nil
	}()
	output, err := f.handle(ctx, records[0])
	if err == nil {
		return result{reports: []engine.Settlement{{Status: engine.Success, Output: output}}}
	}
	if b, ok := errors.AsType[*Business](err); ok {
		return failed(engine.Business, b.Reason, b.Details)
	}
	res = failed(engine.System, err.Error(), "")
	if l, ok := errors.AsType[*Later](err); ok {
		res.reports[0].RetryAfter = store.Duration(l.After)
	}
	return res
}
