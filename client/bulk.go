package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"signalbox/engine"
	"signalbox/server/wire"
)

// StartBulk sets an act on many items going; it goes on without this client.
func (c *Client) StartBulk(ctx context.Context, r engine.BulkRequest) (engine.BulkState, error) {
	return send[engine.BulkState](ctx, c, http.MethodPost, "/v1/bulks", r)
}

// Bulks lists bulk acts, oldest first.
func (c *Client) Bulks(ctx context.Context) ([]engine.BulkState, error) {
	return get[[]engine.BulkState](ctx, c, "/v1/bulks", nil)
}

// WatchBulk parks until a bulk act's state is newer than after.
func (c *Client) WatchBulk(ctx context.Context, id, after uint64) (engine.BulkState, error) {
	return parked[engine.BulkState](ctx, c, bulkPath(id), after)
}

// CancelBulk ends a bulk act; what is done stays done.
func (c *Client) CancelBulk(ctx context.Context, id uint64) (engine.BulkState, error) {
	return send[engine.BulkState](ctx, c, http.MethodPost, bulkPath(id)+"/cancel", nil)
}

// BulkResults tells what became of a bulk act's items.
func (c *Client) BulkResults(ctx context.Context, r engine.ResultsRequest) (engine.BulkResults, error) {
	query := number(number(url.Values{}, "after", uint64(max(r.After, 0))), "limit", uint64(max(r.Limit, 0)))
	if r.Failed {
		query.Set("failed", "true")
	}
	page, err := get[wire.BulkResults](ctx, c, bulkPath(r.ID)+"/results", query)
	return engine.BulkResults{Results: wire.Answered(page.Results), Next: page.Next, More: page.More}, err
}

func bulkPath(id uint64) string { return "/v1/bulks/" + strconv.FormatUint(id, 10) }
