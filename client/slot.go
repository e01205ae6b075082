package client

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"

	"signalbox/engine"
	"signalbox/store"
)

// HoldSlot holds a slot until ctx ends or it is released; see
// engine.Engine.HoldSlot. The server lets go of it when this process ends, in
// whatever way.
func (c *Client) HoldSlot(ctx context.Context, r engine.SlotRequest, told func(engine.SlotNotice) error) error {
	if c.opt.ReadOnly {
		return errReadOnly
	}
	body, err := store.Encode(r)
	if err != nil {
		return err
	}
	answer, err := c.ask(ctx, http.MethodPost, "/v1/slots", body)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	held := false
	for d := json.NewDecoder(answer.Body); ; {
		var n engine.SlotNotice
		err := d.Decode(&n)
		switch {
		case err == nil:
		case errors.Is(err, io.EOF) && held:
			return nil
		case held && ctx.Err() != nil:
			return nil
		default:
			return c.unreachable(ctx, answer.Request, err)
		}
		held = n.Slot != 0
		if err := told(n); err != nil {
			return err
		}
	}
}

// ReleaseSlot ends the hold with a token.
func (c *Client) ReleaseSlot(ctx context.Context, token string) error {
	_, err := send[struct{}](ctx, c, http.MethodDelete, "/v1/slots/"+url.PathEscape(token), nil)
	return err
}

// SlotHistory gives who held which slot when.
func (c *Client) SlotHistory(ctx context.Context, r engine.HoldsRequest) ([]store.Hold, error) {
	query := url.Values{}
	if r.Since != 0 {
		query.Set("since", r.Since.String())
	}
	query = number(number(query, "slot", uint64(max(r.Slot, 0))), "limit", uint64(max(r.Limit, 0)))
	return get[[]store.Hold](ctx, c, "/v1/slots/history", query)
}
