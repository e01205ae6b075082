package client

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"

	"signalbox/engine"
	"signalbox/engine/reach"
	"signalbox/server/wire"
	"signalbox/store"
)

// Mends of an engine that does not answer.
const (
	mendStart = "start the engine with `signalbox serve`"
	mendName  = "give the socket of a running signalbox, which stands beside its store as FILE.sock"
	mendOwner = "act as the one who started the engine"
	mendGone  = "start the engine with `signalbox serve` if it is gone, and try again"
	mendLook  = "look at what is there before you try again; if the engine is gone, start it with `signalbox serve`"
)

// unreachable says why a request got no whole answer; a caller's own context
// that ended stands for itself.
func (c *Client) unreachable(ctx context.Context, r *http.Request, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	rule, mend := c.fault(r, err)
	return &store.Error{Code: store.CodeUnavailable, Thing: "socket " + c.path, Rule: rule, Mend: mend}
}

func (c *Client) fault(r *http.Request, err error) (rule, mend string) {
	if e, ok := errors.AsType[*net.OpError](err); ok && e.Op == "dial" || errors.Is(err, fs.ErrNotExist) {
		return c.undialled(err)
	}
	if foreign(err) {
		return "what it answers is not signalbox's: " + store.Misread("", err, "").Rule, mendName
	}
	why := reach.Why(err)
	switch {
	case why == reach.NotHTTP:
		return why, mendName
	case r.Method == http.MethodGet:
		return "the engine went away: " + why, mendGone
	}
	return "the engine went away, so it may or may not have been done: " + why, mendLook
}

// undialled says why nobody was reached.
func (c *Client) undialled(err error) (rule, mend string) {
	info, missing := os.Stat(c.path)
	switch {
	case missing == nil && info.Mode()&fs.ModeSocket == 0:
		return "it is no socket", mendName
	case errors.Is(err, fs.ErrPermission):
		return reach.Why(err), mendOwner
	case errors.Is(err, syscall.ENOENT):
		return "there is no socket of this name", mendStart
	case errors.Is(err, syscall.ENOTDIR):
		return "its path leads through what is no folder", mendName
	case errors.Is(err, syscall.EINVAL), errors.Is(err, syscall.ENAMETOOLONG):
		return "its name is too long for a socket", mendName
	}
	return reach.Why(err), mendStart
}

// foreign says of an error of reading JSON that the text is at fault, and not
// the connection.
func foreign(err error) bool {
	_, syntax := errors.AsType[*json.SyntaxError](err)
	_, kind := errors.AsType[*json.UnmarshalTypeError](err)
	_, rule := errors.AsType[*store.Error](err)
	return syntax || kind || rule
}

// refused is an error of the server's, with what it says about single items.
type refused struct {
	problem *store.Error
	results []wire.AddResult
}

func (r *refused) Error() string { return r.problem.Error() }
func (r *refused) Unwrap() error { return r.problem }

// refusal reads the server's error.
func (c *Client) refusal(ctx context.Context, answer *http.Response) error {
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return c.unreachable(ctx, answer.Request, err)
	}
	var failure wire.Failure
	if json.Unmarshal(text, &failure) != nil || failure.Error == nil {
		rule := "what it answers is not signalbox's: " + strings.TrimSpace(answer.Status)
		return &store.Error{Code: store.CodeUnavailable, Thing: "socket " + c.path, Rule: rule, Mend: mendName}
	}
	if failure.Row != nil {
		return &engine.RowError{Row: *failure.Row, Err: failure.Error}
	}
	if failure.Results != nil {
		return &refused{failure.Error, failure.Results}
	}
	return failure.Error
}
