package server

import (
	"context"

	"signalbox/engine"
	"signalbox/store"
)

// holdSlot holds a slot as long as the connection: its answer goes on until the
// caller hangs up or releases the slot, and begins when there is something to
// tell.
func holdSlot(s Service, ctx context.Context, in engine.SlotRequest) (lines, error) {
	return func(say func(any) error) error {
		return s.HoldSlot(ctx, in, func(n engine.SlotNotice) error { return say(n) })
	}, nil
}

func releaseSlot(s Service, ctx context.Context, token string) (struct{}, error) {
	return struct{}{}, s.ReleaseSlot(ctx, token)
}

func holdsOf(p *params) engine.HoldsRequest {
	r := engine.HoldsRequest{Slot: int(min(p.number("slot"), 1<<30)), Limit: p.limit()}
	var since store.Time
	if err := since.UnmarshalText([]byte(p.text("since"))); err != nil {
		p.fail(err)
	}
	r.Since = since
	return r
}
