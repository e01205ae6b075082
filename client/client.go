// Package client is the engine's operations over a running engine's socket:
// the counterpart of package server. Errors come back as the *store.Error they
// were, with their codes.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"

	"signalbox/engine"
	"signalbox/server/socket"
	"signalbox/server/wire"
	"signalbox/store"
)

// Options says how to use a server.
type Options struct {
	// ReadOnly refuses every change before it is sent.
	ReadOnly bool
}

// Client speaks to one server. Its methods are safe for concurrent use.
type Client struct {
	http   *http.Client
	path   string
	opt    Options
	health wire.Health
}

// Connect finds a server on a unix socket; CodeUnavailable when none answers.
func Connect(ctx context.Context, path string, o Options) (*Client, error) {
	transport := &http.Transport{
		DialContext:         func(ctx context.Context, _, _ string) (net.Conn, error) { return socket.Dial(ctx, path) },
		MaxIdleConnsPerHost: 64,
	}
	c := &Client{http: &http.Client{Transport: transport}, path: path, opt: o}
	health, err := get[wire.Health](ctx, c, "/v1/health", nil)
	if err != nil {
		return nil, err
	}
	c.health = health
	return c, nil
}

// Health says what the server serves.
func (c *Client) Health() wire.Health { return c.health }

// Close lets go of the connections.
func (c *Client) Close() error {
	c.http.CloseIdleConnections()
	return nil
}

func get[Out any](ctx context.Context, c *Client, path string, query url.Values) (Out, error) {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return call[Out](ctx, c, http.MethodGet, path, nil)
}

// send calls an operation that changes something.
func send[Out any](ctx context.Context, c *Client, method, path string, in any) (out Out, err error) {
	if c.opt.ReadOnly {
		return out, errReadOnly
	}
	var body []byte
	if in != nil {
		if body, err = store.Encode(in); err != nil {
			return out, err
		}
	}
	return call[Out](ctx, c, method, path, body)
}

func call[Out any](ctx context.Context, c *Client, method, path string, body []byte) (out Out, err error) {
	answer, err := c.ask(ctx, method, path, body)
	if err != nil {
		return out, err
	}
	return decoded[Out](ctx, c, answer)
}

// decoded reads an answer that is JSON, and closes it.
func decoded[Out any](ctx context.Context, c *Client, answer *http.Response) (out Out, err error) {
	defer answer.Body.Close()
	if err := json.NewDecoder(answer.Body).Decode(&out); err != nil {
		return out, c.unreachable(ctx, answer.Request, err)
	}
	return out, nil
}

// ask gives the answer to a request that went well, whose body is to be closed.
func (c *Client) ask(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	return c.stream(ctx, method, path, "application/json", bytes.NewReader(body))
}

// stream is ask with a body that is read as it is sent.
func (c *Client) stream(ctx context.Context, method, path, mediaType string, body io.Reader) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, "http://signalbox"+path, body)
	if err != nil {
		return nil, err
	}
	r.Header.Set(wire.ActorHeader, engine.Actor(ctx))
	r.Header.Set("Content-Type", mediaType)
	answer, err := c.http.Do(r)
	if err != nil {
		return nil, c.unreachable(ctx, r, err)
	}
	if answer.StatusCode == http.StatusOK {
		return answer, nil
	}
	defer answer.Body.Close()
	if answer.StatusCode == http.StatusNoContent {
		return nil, errEmpty
	}
	return nil, c.refusal(ctx, answer)
}

// errReadOnly refuses a change before it is sent.
var errReadOnly = &store.Error{Code: store.CodeForbidden, Thing: "this change", Rule: "opened read-only", Mend: "leave out --read-only"}

// errEmpty is an answer that there is nothing.
var errEmpty = &store.Error{Code: store.CodeEmpty, Thing: "the answer", Rule: "nothing there"}
