package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"signalbox/engine"
	"signalbox/store"
)

// Stream gives a stretch of the history of everything, newest first.
func (c *Client) Stream(ctx context.Context, r engine.StreamRequest) (engine.Stream, error) {
	query := number(number(url.Values{}, "from", r.From), "limit", uint64(max(r.Limit, 0)))
	if r.Filter != "" {
		query.Set("filter", r.Filter)
	}
	if r.Newer {
		query.Set("newer", strconv.FormatBool(true))
	}
	return get[engine.Stream](ctx, c, "/v1/stream", query)
}

// Reveal writes into an item's history that its masked fields are looked at.
func (c *Client) Reveal(ctx context.Context, id store.ID) error {
	_, err := send[struct{}](ctx, c, http.MethodPost, itemPath(id)+"/reveal", nil)
	return err
}

// Robots lists who holds items now or has claimed or reported lately.
func (c *Client) Robots(ctx context.Context) ([]engine.Robot, error) {
	return get[[]engine.Robot](ctx, c, "/v1/robots", nil)
}
