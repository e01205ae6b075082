package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"signalbox/engine"
	"signalbox/store"
)

// Limits on a request's body.
const (
	smallBody = 16 << 20
	largeBody = 1 << 30 // many items that must be stored as a whole
	// endlessBody is that of an import, which is never in memory as a whole.
	endlessBody = 1 << 50
)

// longestWait bounds how long one request may be parked.
const longestWait = 10 * time.Minute

// route is one operation of the API.
type route struct {
	pattern string
	limit   int64 // of the body, in bytes
	serve   func(context.Context, Service, *http.Request) (any, error)
}

// operation makes a route of what the request is read into and what is then
// done. Nothing is done for a request that can't be read.
func operation[In, Out any](pattern string, limit int64, bind func(*params) In, do func(Service, context.Context, In) (Out, error)) route {
	return route{pattern, limit, func(ctx context.Context, s Service, r *http.Request) (any, error) {
		p := &params{r: r}
		in := bind(p)
		p.strangers()
		if p.err != nil {
			return nil, p.err
		}
		return do(s, ctx, in)
	}}
}

// read makes a route of an operation without a body.
func read[In, Out any](pattern string, bind func(*params) In, do func(Service, context.Context, In) (Out, error)) route {
	return operation(pattern, 0, bind, do)
}

// write makes a route of an operation whose body is its input.
func write[In, Out any](pattern string, do func(Service, context.Context, In) (Out, error)) route {
	return operation(pattern, smallBody, body[In], do)
}

// body reads the request's body.
func body[In any](p *params) (in In) {
	d := json.NewDecoder(p.r.Body)
	d.DisallowUnknownFields()
	err := d.Decode(&in)
	if err == nil {
		if _, end := d.Token(); errors.Is(end, io.EOF) {
			return in
		}
		err = errors.New("something follows it")
	}
	p.fail(unfit(err))
	return in
}

// unfit says that a body does not hold what its operation takes.
func unfit(err error) error {
	if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
		rule := fmt.Sprintf("it is larger than the %d bytes that this operation takes", large.Limit)
		return &store.Error{Code: store.CodeInvalid, Thing: "the request's body", Rule: rule, Err: large, Mend: "send it in parts"}
	}
	return store.Misread("the request's body", err, "see docs/api.md")
}

// params reads a request's path and query, and remembers what was wrong.
type params struct {
	r     *http.Request
	known []string // keys of the query that the operation has
	err   error
}

func (p *params) path(name string) string { return p.r.PathValue(name) }

func (p *params) texts(name string) []string {
	if !slices.Contains(p.known, name) {
		p.known = append(p.known, name)
	}
	return p.r.URL.Query()[name]
}

func (p *params) text(name string) string {
	if given := p.texts(name); len(given) > 0 {
		return given[0]
	}
	return ""
}

// strangers refuses a key of the query that nothing has read: an operation that
// passed over it would select more than was meant.
func (p *params) strangers() {
	for _, name := range slices.Sorted(maps.Keys(p.r.URL.Query())) {
		if slices.Contains(p.known, name) {
			continue
		}
		mend := "leave it out, this operation has no query"
		if len(p.known) > 0 {
			mend = "use " + strings.Join(p.known, ", ")
		}
		p.fail(store.Invalid("query key "+strconv.Quote(name), "there is none of this name", mend))
	}
}

func (p *params) flag(name string) bool {
	v := p.text(name)
	return v == "true" || v == "1"
}

func (p *params) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

func (p *params) number(name string) uint64 {
	v := p.text(name)
	if v == "" {
		return 0
	}
	n, err := strconv.ParseUint(v, 10, 64)
	if err != nil {
		p.fail(store.Invalid(name+" "+strconv.Quote(v), "it is not a number", "write digits"))
	}
	return n
}

func (p *params) limit() int { return int(min(p.number("limit"), 1<<30)) }

func (p *params) wait() time.Duration { return min(p.duration("wait"), longestWait) }

func (p *params) duration(name string) time.Duration {
	v := p.text(name)
	if v == "" {
		return 0
	}
	d, err := store.ParseDuration(v)
	if err != nil {
		p.fail(err)
	}
	return d
}

// item is the item that the path names.
func (p *params) item() store.ID {
	id, err := store.ParseID(p.path("queue") + "/" + p.path("number"))
	if err != nil {
		p.fail(err)
	}
	return id
}

func (p *params) statuses() (all []store.Status) {
	for _, name := range p.texts("status") {
		status, err := store.ParseStatus(name)
		if err != nil {
			p.fail(err)
		}
		all = append(all, status)
	}
	return all
}

func (p *params) list() engine.ListRequest {
	r := engine.ListRequest{
		Queue: p.text("queue"), Group: p.text("group"), Kind: p.text("kind"), Filter: p.text("filter"),
		Sort: p.text("sort"), Desc: p.flag("desc"), Limit: p.limit(), Order: p.text("order"), AfterReference: p.text("after_reference"),
		Budget: store.Duration(p.duration("budget")), Whole: p.flag("whole"),
	}
	r.Statuses = p.statuses()
	if err := r.After.UnmarshalText([]byte(p.text("after"))); err != nil {
		p.fail(err)
	}
	return r
}
