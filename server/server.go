// Package server is the engine's HTTP API: JSON under /v1, spoken over a unix
// socket that only the store's owner may use.
//
//	request ── table of routes ── typed handler ── Service ── answer
//	                                                └─ *store.Error ─ status and {"error":…}
//
// Package client is its counterpart in Go; robots in other languages speak it
// directly.
package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"math"
	"net"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"

	"signalbox/engine"
	"signalbox/engine/lane"
	"signalbox/server/wire"
	"signalbox/store"
)

// Service is what the API serves: the engine, or another server's client.
type Service interface {
	AddQueue(context.Context, store.Queue) (engine.QueueState, error)
	SetQueue(ctx context.Context, name string, patch json.RawMessage) (engine.QueueState, error)
	Queues(context.Context) ([]engine.QueueState, error)
	Queue(ctx context.Context, name string) (engine.QueueState, error)
	PauseQueue(ctx context.Context, name string, paused bool) (engine.QueueState, error)
	LinkQueue(ctx context.Context, name, folder string, remove bool) (engine.QueueState, error)
	DeleteQueue(ctx context.Context, name string, force bool) error
	Prune(ctx context.Context, queue string, dryRun bool) (engine.PruneReport, error)

	Add(context.Context, engine.AddRequest) ([]engine.AddResult, error)
	Import(context.Context, engine.ImportRequest, iter.Seq2[engine.NewItem, error]) (engine.ImportResult, error)
	List(context.Context, engine.ListRequest) (engine.Page, error)
	Plan(context.Context, engine.ListRequest) (engine.Plan, error)
	Select(context.Context, engine.ListRequest) ([]engine.Target, error)
	Item(context.Context, store.ID) (engine.Record, error)
	Explain(context.Context, store.ID) (engine.Explanation, error)
	History(ctx context.Context, id store.ID, limit int) ([]store.Change, error)
	Changes(ctx context.Context, after uint64, limit int) ([]store.Change, error)
	Reveal(context.Context, store.ID) error
	Stream(context.Context, engine.StreamRequest) (engine.Stream, error)
	Robots(context.Context) ([]engine.Robot, error)
	Export(context.Context, engine.ExportRequest, io.Writer) (engine.Exported, error)

	Claim(context.Context, engine.ClaimRequest) ([]engine.Record, error)
	Start(context.Context, engine.Holding) (engine.Record, error)
	Renew(context.Context, []engine.Holding) ([]engine.Outcome, error)
	Progress(ctx context.Context, h engine.Holding, text string) error
	Postpone(ctx context.Context, h engine.Holding, until store.Time) error
	Release(context.Context, []engine.Holding) ([]engine.Outcome, error)
	Settle(context.Context, []engine.Settlement) ([]engine.Outcome, error)
	Next(context.Context, []engine.Settlement, engine.ClaimRequest) ([]engine.Outcome, []engine.Record, error)

	Retry(context.Context, engine.RetryRequest) ([]engine.Outcome, error)
	Review(context.Context, engine.ReviewRequest) ([]engine.Outcome, error)
	Edit(context.Context, engine.EditRequest) (engine.Record, error)
	Delete(context.Context, engine.DeleteRequest) ([]engine.Outcome, error)
	Undo(context.Context, engine.UndoRequest) ([]engine.Outcome, error)
	StartBulk(context.Context, engine.BulkRequest) (engine.BulkState, error)
	Bulks(context.Context) ([]engine.BulkState, error)
	WatchBulk(ctx context.Context, id, after uint64) (engine.BulkState, error)
	CancelBulk(ctx context.Context, id uint64) (engine.BulkState, error)
	BulkResults(context.Context, engine.ResultsRequest) (engine.BulkResults, error)
	Groups(ctx context.Context, queue string) ([]store.Group, error)

	Jobs

	Pool(context.Context) (lane.State, error)
	SetPool(context.Context, engine.SplitRequest) (lane.State, error)
	HoldSlot(ctx context.Context, r engine.SlotRequest, told func(engine.SlotNotice) error) error
	ReleaseSlot(ctx context.Context, token string) error
	SlotHistory(context.Context, engine.HoldsRequest) ([]store.Hold, error)
	Watch(ctx context.Context, after uint64) (*engine.Snapshot, error)
	Check(context.Context) (problems []string, err error)
	Compact(context.Context) (engine.Compacted, error)
	Backup(ctx context.Context, w io.Writer) error
}

// Options says how to serve.
type Options struct {
	Health wire.Health
	Log    *slog.Logger // nil = none
	// Metrics reads what /metrics tells; nil = there is no such page.
	Metrics func(context.Context) (engine.Metrics, error)
}

// Handler answers the API's requests from s.
func Handler(s Service, o Options) http.Handler {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	mux := http.NewServeMux()
	for _, r := range append(routes(o.Health), jobRoutes()...) {
		mux.Handle(r.pattern, handler{r, s, o.Log})
	}
	if o.Metrics != nil {
		mux.HandleFunc("GET /metrics", serveMetrics(o.Metrics))
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		methods := methodsOf(mux, r)
		if len(methods) == 0 {
			refuse(w, store.NotFound(r.Method+" "+r.URL.Path, "the API is under /v1"))
			return
		}
		allowed := strings.Join(methods, ", ")
		w.Header().Set("Allow", allowed)
		reply(w, http.StatusMethodNotAllowed, wire.Failure{Error: store.Invalid(r.Method+" "+r.URL.Path, "there is no such method here", "use "+allowed)})
	})
	return mux
}

// methodsOf are the methods that the path of a request takes.
func methodsOf(mux *http.ServeMux, r *http.Request) (methods []string) {
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		asked := r.Clone(r.Context())
		asked.Method = method
		if _, pattern := mux.Handler(asked); strings.HasPrefix(pattern, method+" ") {
			methods = append(methods, method)
		}
	}
	return methods
}

// handler runs one route.
type handler struct {
	route
	service Service
	log     *slog.Logger
}

func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, h.limit)
	actor := r.Header.Get(wire.ActorHeader)
	if actor == "" {
		actor = "api"
	}
	answer, err := h.serve(engine.WithActor(r.Context(), actor), h.service, r)
	begun := &writing{w: w}
	if err == nil {
		switch answer := answer.(type) {
		case octets:
			err = answer(begun)
		case lines:
			err = answer(begun.line)
		default:
			reply(w, http.StatusOK, answer)
		}
	}
	if err == nil {
		return
	}
	// What a caller did wrong is the caller's to read; only what no caller
	// could avoid is for the log.
	if code := store.CodeOf(err); code == store.CodeFailed && r.Context().Err() == nil {
		h.log.Error("request failed", "method", r.Method, "path", r.URL.Path, "actor", actor, "error", err)
	}
	if begun.any {
		panic(http.ErrAbortHandler) // the caller must not take a part for the whole
	}
	refuse(w, err)
}

// octets is an answer that is no JSON, written as it is made.
type octets func(*writing) error

// lines is an answer of JSON values, each on a line and sent at once.
type lines func(say func(any) error) error

// writing is the body of an answer that is written as it is made.
type writing struct {
	w   http.ResponseWriter
	any bool
}

// announce says before the body what will stand behind it.
func (b *writing) announce(names ...string) {
	b.w.Header()["Trailer"] = names
}

// count leaves a number that was announced behind the body.
func (b *writing) count(name string, n int64) { b.w.Header().Set(name, strconv.FormatInt(n, 10)) }

func (b *writing) line(v any) error {
	text, err := store.Encode(v)
	if err != nil {
		return err
	}
	if !b.any {
		b.any = true
		b.w.Header().Set("Content-Type", "application/x-ndjson")
	}
	if _, err := b.w.Write(append(text, '\n')); err != nil {
		return err
	}
	return http.NewResponseController(b.w).Flush()
}

func (b *writing) Write(p []byte) (int, error) {
	if !b.any {
		b.any = true
		b.w.Header().Set("Content-Type", "application/octet-stream")
	}
	return b.w.Write(p)
}

// refuse writes an error, the one place where codes become statuses.
func refuse(w http.ResponseWriter, err error) {
	if errors.Is(err, context.Canceled) {
		err = &store.Error{Code: store.CodeUnavailable, Thing: "the engine", Rule: "it is stopping", Mend: "try again when it runs"}
	}
	status := wire.Status(store.CodeOf(err))
	if status == http.StatusNoContent {
		w.WriteHeader(status)
		return
	}
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		status = http.StatusRequestEntityTooLarge
	}
	if full, ok := errors.AsType[*lane.Full](err); ok {
		status = wire.StatusFull
		wait := max(1, int(math.Ceil(time.Duration(full.Expected).Seconds())))
		w.Header().Set("Retry-After", strconv.Itoa(wait))
	}
	failure := wire.Failure{Error: wire.Flat(err)}
	if refused, ok := errors.AsType[*engine.RowError](err); ok {
		failure.Row = &refused.Row
	}
	if refused, ok := errors.AsType[*addRefused](err); ok {
		failure.Error, failure.Results = wire.Flat(refused.error), refused.results
	}
	reply(w, status, failure)
}

func reply(w http.ResponseWriter, status int, answer any) {
	body, err := store.Encode(answer)
	if v := reflect.ValueOf(answer); err == nil && v.Kind() == reflect.Slice && v.IsNil() {
		body = []byte("[]") // a list of nothing is a list
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // the client has gone: nobody to tell
}

// Serve answers on l until ctx ends. Parked requests are then answered as
// interrupted, and running ones have grace to finish before they are cut off.
// It closes l.
func Serve(ctx context.Context, l net.Listener, h http.Handler, grace time.Duration) error {
	parked, unpark := context.WithCancel(context.WithoutCancel(ctx))
	defer unpark()
	s := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return parked },
		ErrorLog:          slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo),
	}
	stopped := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		unpark()
		soon, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
		defer cancel()
		err := s.Shutdown(soon)
		if err != nil {
			_ = s.Close() // a backup whose reader is slow would keep the store open
			err = &store.Error{Code: store.CodeFailed, Thing: "requests under way", Rule: fmt.Sprintf("cut off, as they took longer than %s", grace)}
		}
		stopped <- err
	})
	err := s.Serve(l)
	if stop() {
		return err // it broke by itself
	}
	return <-stopped
}
