package client

import (
	"context"
	"errors"
	"net/url"
	"time"

	"signalbox/store"
)

// parkFor is how long the engine holds a question back until there is news, and grace
// how much later its answer is waited for. Replaced in tests.
var parkFor, grace = 20 * time.Second, 5 * time.Second

// parked asks for what is newer than after until there is such. An engine that does
// not even say that there is none has stopped, as one that a debugger holds: its
// socket still takes questions, so nothing else would tell.
func parked[T any](ctx context.Context, c *Client, path string, after uint64) (T, error) {
	for {
		asked, cancel := context.WithTimeout(ctx, parkFor+grace)
		news, err := get[T](asked, c, path, number(url.Values{"wait": {parkFor.String()}}, "after", after))
		silent := asked.Err() != nil && ctx.Err() == nil
		cancel()
		switch {
		case err == nil:
			return news, nil
		case silent:
			return news, &store.Error{Code: store.CodeUnavailable, Thing: "socket " + c.path, Rule: "the engine takes questions and does not answer", Mend: "see whether its process is stopped; if it hangs, end it and start it anew with `signalbox serve`"}
		case !errors.Is(err, errEmpty):
			return news, err
		}
	}
}
