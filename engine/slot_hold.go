package engine

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"signalbox/engine/lane"
	"signalbox/store"
)

// SlotRequest asks for a slot to hold.
type SlotRequest struct {
	Lane  lane.Lane `json:"lane"`
	Robot string    `json:"robot"` // who holds it, as slots show it
	// NoWait fails with CodeConflict when no slot is free; the error wraps a
	// *lane.Full.
	NoWait bool `json:"no_wait,omitempty"`
	// Within is the token of a slot that the caller works in already: while
	// that one is held, no other is taken.
	Within string `json:"within,omitempty"`
}

// SlotNotice tells who asked for a slot how it stands.
type SlotNotice struct {
	// Waiting is the caller's place in line while it waits.
	Waiting *lane.Full `json:"waiting,omitempty"`
	// Slot is the number of the slot it has got, and Token names that.
	Slot  int    `json:"slot,omitempty"`
	Token string `json:"token,omitempty"`
	// Nested says that it is the slot the caller worked in already.
	Nested bool `json:"nested,omitempty"`
}

// visits are the slots held by programs of others.
type visits struct {
	base context.Context // ends with the engine
	end  context.CancelCauseFunc
	all  sync.WaitGroup

	mu       sync.Mutex
	releases map[string]func() // by token
}

func (v *visits) init() {
	v.base, v.end = context.WithCancelCause(context.Background())
	v.releases = map[string]func(){}
}

// HoldSlot takes a slot and holds it until ctx ends or ReleaseSlot is called,
// whose return it then is; the end of the engine ends it with
// CodeUnavailable. told is called while it waits in line, at most once a second
// and only when its place has changed, and once when it has the slot; an error
// of told ends all and is returned.
func (e *Engine) HoldSlot(ctx context.Context, r SlotRequest, told func(SlotNotice) error) error {
	if err := r.check(); err != nil {
		return err
	}
	if e.readOnly {
		return &store.Error{Code: store.CodeForbidden, Thing: "a slot", Rule: "the store is open read-only", Mend: "leave out --read-only"}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if !e.visits.enter() {
		return e.stopped()
	}
	defer e.visits.all.Done()
	defer context.AfterFunc(e.visits.base, func() { cancel(e.stopped()) })()
	if slot, ok := e.slots.Holds(r.Within); ok {
		return e.stay(ctx, SlotNotice{Slot: slot, Token: r.Within, Nested: true}, told)
	}
	g, err := e.takeSlot(ctx, r, func(n SlotNotice) {
		if err := told(n); err != nil {
			cancel(err)
		}
	})
	if err != nil {
		return err
	}
	defer g.Release()
	token := g.Token()
	defer e.visits.keep(token, func() {
		g.Release()
		cancel(nil)
	})()
	return e.stay(ctx, SlotNotice{Slot: g.Slot(), Token: token}, told)
}

func (r *SlotRequest) check() error {
	switch {
	case r.Lane != lane.Fast && r.Lane != lane.Slow:
		return store.Invalid(fmt.Sprintf("lane %q", string(r.Lane)), "a lane is fast or slow", "use one of these")
	case r.Robot == "" || len(r.Robot) > 256:
		return store.Invalid("the slot's robot", "a name has 1 to 256 bytes", "name who holds the slot")
	case strings.HasPrefix(r.Robot, DrainPrefix):
		return store.Invalid(fmt.Sprintf("robot %q", r.Robot), "names that start with "+DrainPrefix+" are the engine's own", "choose another")
	}
	return nil
}

func (e *Engine) takeSlot(ctx context.Context, r SlotRequest, told func(SlotNotice)) (*lane.Grant, error) {
	h := lane.Holder{Lane: r.Lane, Robot: r.Robot}
	if r.NoWait {
		return e.slots.TryTake(h)
	}
	return e.slots.TakeTold(ctx, h, func(f lane.Full) { told(SlotNotice{Waiting: &f}) })
}

// stay tells that there is a slot and waits for the end.
func (e *Engine) stay(ctx context.Context, n SlotNotice, told func(SlotNotice) error) error {
	if err := told(n); err != nil {
		return err
	}
	<-ctx.Done()
	if e.visits.base.Err() != nil {
		return e.stopped()
	}
	return nil
}

// ReleaseSlot ends the hold with a token, at once; CodeNotFound when there is
// none. Slots that drains hold can't be released so.
func (e *Engine) ReleaseSlot(_ context.Context, token string) error {
	e.visits.mu.Lock()
	release := e.visits.releases[token]
	e.visits.mu.Unlock()
	if release == nil {
		return store.NotFound(fmt.Sprintf("slot token %q", token), "it has been released already")
	}
	release()
	return nil
}

// enter counts a visit in, until the engine ends.
func (v *visits) enter() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.base.Err() != nil {
		return false
	}
	v.all.Add(1)
	return true
}

// keep has a token known until the function it gives is called.
func (v *visits) keep(token string, release func()) (drop func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.releases[token] = release
	return func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		delete(v.releases, token)
	}
}

// close ends all visits and returns when they have gone.
func (v *visits) close() {
	v.mu.Lock()
	v.end(nil)
	v.mu.Unlock()
	v.all.Wait()
}
