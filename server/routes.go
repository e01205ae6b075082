package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"signalbox/engine"
	"signalbox/engine/export"
	"signalbox/engine/lane"
	"signalbox/server/wire"
	"signalbox/store"
)

// routes is the API: every operation once.
func routes(health wire.Health) []route {
	return []route{
		read("GET /v1/health", nothing, func(Service, context.Context, struct{}) (wire.Health, error) { return health, nil }),

		read("GET /v1/queues", nothing, func(s Service, ctx context.Context, _ struct{}) ([]engine.QueueState, error) { return s.Queues(ctx) }),
		operation("POST /v1/queues", smallBody, newQueue, Service.AddQueue),
		read("GET /v1/queues/{queue}", queueName, Service.Queue),
		operation("PATCH /v1/queues/{queue}", smallBody, patchOf, patch),
		operation("DELETE /v1/queues/{queue}", 0, deletionOf, remove),
		read("POST /v1/queues/{queue}/pause", queueName, func(s Service, ctx context.Context, name string) (engine.QueueState, error) {
			return s.PauseQueue(ctx, name, true)
		}),
		read("POST /v1/queues/{queue}/resume", queueName, func(s Service, ctx context.Context, name string) (engine.QueueState, error) {
			return s.PauseQueue(ctx, name, false)
		}),
		read("GET /v1/queues/{queue}/prune", queueName, func(s Service, ctx context.Context, name string) (engine.PruneReport, error) {
			return s.Prune(ctx, name, true)
		}),
		read("POST /v1/queues/{queue}/prune", queueName, func(s Service, ctx context.Context, name string) (engine.PruneReport, error) {
			return s.Prune(ctx, name, false)
		}),

		operation("POST /v1/queues/{queue}/link", smallBody, linkOf, link),

		operation("POST /v1/items", largeBody, body[wire.AddRequest], add),
		operation("POST /v1/import", endlessBody, importOf, imports),
		read("GET /v1/items", (*params).list, Service.List),
		read("GET /v1/plan", (*params).list, Service.Plan),
		read("GET /v1/select", (*params).list, Service.Select),
		read("GET /v1/items/{queue}/{number}", (*params).item, Service.Item),
		read("GET /v1/items/{queue}/{number}/explain", (*params).item, Service.Explain),
		read("GET /v1/items/{queue}/{number}/history", historyOf, history),
		read("POST /v1/items/{queue}/{number}/reveal", (*params).item, reveal),
		read("GET /v1/changes", changesOf, changes),
		read("GET /v1/stream", streamOf, Service.Stream),
		read("GET /v1/robots", nothing, func(s Service, ctx context.Context, _ struct{}) ([]engine.Robot, error) { return s.Robots(ctx) }),
		read("GET /v1/export", exportOf, exported),

		write("POST /v1/claim", claim),
		write("POST /v1/start", Service.Start),
		write("POST /v1/renew", outcomes(Service.Renew)),
		write("POST /v1/progress", progress),
		write("POST /v1/postpone", postpone),
		write("POST /v1/release", outcomes(Service.Release)),
		write("POST /v1/settle", settle),
		write("POST /v1/next", next),

		write("POST /v1/retry", retry),
		write("POST /v1/review", outcomes(Service.Review)),
		write("POST /v1/edit", edit),
		write("POST /v1/delete", outcomes(Service.Delete)),
		write("POST /v1/undo", outcomes(Service.Undo)),
		operation("POST /v1/bulks", largeBody, body[engine.BulkRequest], Service.StartBulk),
		read("GET /v1/bulks", nothing, func(s Service, ctx context.Context, _ struct{}) ([]engine.BulkState, error) { return s.Bulks(ctx) }),
		read("GET /v1/bulks/{id}", watchOf, watchBulk),
		read("GET /v1/bulks/{id}/results", resultsOf, bulkResults),
		read("POST /v1/bulks/{id}/cancel", bulkOf, Service.CancelBulk),
		read("GET /v1/groups", func(p *params) string { return p.text("queue") }, Service.Groups),

		read("GET /v1/pool", nothing, func(s Service, ctx context.Context, _ struct{}) (lane.State, error) { return s.Pool(ctx) }),
		write("PUT /v1/pool", Service.SetPool),
		write("POST /v1/slots", holdSlot),
		operation("DELETE /v1/slots/{token}", 0, func(p *params) string { return p.path("token") }, releaseSlot),
		read("GET /v1/slots/history", holdsOf, Service.SlotHistory),
		read("GET /v1/snapshot", watchOf, watch),
		read("GET /v1/check", nothing, check),
		read("GET /v1/backup", nothing, backup),
		read("POST /v1/compact", nothing, func(s Service, ctx context.Context, _ struct{}) (engine.Compacted, error) { return s.Compact(ctx) }),
	}
}

func nothing(*params) struct{} { return struct{}{} }

func queueName(p *params) string { return p.path("queue") }

// newQueue reads settings over the defaults of their family.
func newQueue(p *params) store.Queue {
	raw := body[json.RawMessage](p)
	var named struct {
		Name   string       `json:"name"`
		Family store.Family `json:"family"`
	}
	if p.err != nil {
		return store.Queue{}
	}
	if err := json.Unmarshal(raw, &named); err != nil {
		p.fail(unfit(err))
		return store.Queue{}
	}
	if named.Family == 0 {
		named.Family = store.Jobs
	}
	q := engine.DefaultQueue(named.Name, named.Family)
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&q); err != nil {
		p.fail(unfit(err))
	}
	return q
}

type queuePatch struct {
	queue string
	patch json.RawMessage
}

func patchOf(p *params) queuePatch { return queuePatch{p.path("queue"), body[json.RawMessage](p)} }

func patch(s Service, ctx context.Context, in queuePatch) (engine.QueueState, error) {
	return s.SetQueue(ctx, in.queue, in.patch)
}

type linking struct {
	queue string
	wire.Link
}

func linkOf(p *params) linking { return linking{p.path("queue"), body[wire.Link](p)} }

func link(s Service, ctx context.Context, in linking) (engine.QueueState, error) {
	return s.LinkQueue(ctx, in.queue, in.Folder, in.Remove)
}

type deletion struct {
	queue string
	force bool
}

func deletionOf(p *params) deletion { return deletion{p.path("queue"), p.flag("force")} }

func remove(s Service, ctx context.Context, in deletion) (struct{}, error) {
	return struct{}{}, s.DeleteQueue(ctx, in.queue, in.force)
}

// addRefused is an add that stored nothing, with the answer for each item.
type addRefused struct {
	error
	results []wire.AddResult
}

func (a *addRefused) Unwrap() error { return a.error }

func add(s Service, ctx context.Context, in wire.AddRequest) ([]wire.AddResult, error) {
	r := engine.AddRequest{Queue: in.Queue, Mode: in.Mode, Strict: in.Strict, From: in.From, Start: in.Start, Filling: in.Filling, Items: make([]engine.NewItem, len(in.Items))}
	for i, item := range in.Items {
		r.Items[i] = item.NewItem
		if item.Exact != nil {
			r.Items[i].Payload = item.Exact
		}
	}
	results, err := s.Add(ctx, r)
	if err != nil {
		return nil, &addRefused{err, wire.AddResults(results)}
	}
	return wire.AddResults(results), nil
}

type stretch struct {
	item  store.ID
	after uint64
	limit int
}

func historyOf(p *params) stretch { return stretch{item: p.item(), limit: p.limit()} }

func history(s Service, ctx context.Context, in stretch) ([]store.Change, error) {
	return s.History(ctx, in.item, in.limit)
}

func reveal(s Service, ctx context.Context, id store.ID) (struct{}, error) {
	return struct{}{}, s.Reveal(ctx, id)
}

func changesOf(p *params) stretch { return stretch{after: p.number("after"), limit: p.limit()} }

func streamOf(p *params) engine.StreamRequest {
	return engine.StreamRequest{Filter: p.text("filter"), From: p.number("from"), Newer: p.flag("newer"), Limit: p.limit()}
}

func changes(s Service, ctx context.Context, in stretch) ([]store.Change, error) {
	return s.Changes(ctx, in.after, in.limit)
}

// claim gives back at once what was claimed for a robot that has hung up while
// it was parked; otherwise the items would be held until their leases end.
func claim(s Service, ctx context.Context, in engine.ClaimRequest) ([]engine.Record, error) {
	in.Wait = min(in.Wait, store.Duration(longestWait))
	records, err := s.Claim(ctx, in)
	if err != nil || ctx.Err() == nil {
		return records, err
	}
	return nil, giveBack(ctx, s, records)
}

func giveBack(ctx context.Context, s Service, records []engine.Record) error {
	holdings := make([]engine.Holding, len(records))
	for i := range records {
		holdings[i] = engine.Holding{Item: records[i].ID(), Fence: records[i].Fence}
	}
	_, err := s.Release(context.WithoutCancel(ctx), holdings)
	return errors.Join(ctx.Err(), err)
}

// next answers for the settlements also where nothing was claimed, which is
// then the answer's problem.
func next(s Service, ctx context.Context, in wire.NextRequest) (answer wire.NextAnswer, err error) {
	in.Claim.Wait = min(in.Claim.Wait, store.Duration(longestWait))
	settled, records, err := s.Next(ctx, wire.Settled(in.Settlements), in.Claim)
	if err == nil && ctx.Err() != nil {
		return answer, giveBack(ctx, s, records)
	}
	answer = wire.NextAnswer{Outcomes: wire.InPlace(in.Settlements, settled), Items: append([]engine.Record{}, records...)}
	if wire.Unclaimed(err) {
		answer.Problem, err = wire.Flat(err), nil
	}
	return answer, err
}

// outcomes carries each outcome's error over the wire.
func outcomes[In any](do func(Service, context.Context, In) ([]engine.Outcome, error)) func(Service, context.Context, In) ([]wire.Outcome, error) {
	return func(s Service, ctx context.Context, in In) ([]wire.Outcome, error) {
		answers, err := do(s, ctx, in)
		return wire.Outcomes(answers), err
	}
}

func progress(s Service, ctx context.Context, in wire.Progress) (struct{}, error) {
	return struct{}{}, s.Progress(ctx, in.Holding, in.Text)
}

func postpone(s Service, ctx context.Context, in wire.Postponement) (struct{}, error) {
	return struct{}{}, s.Postpone(ctx, in.Holding, in.Until)
}

func settle(s Service, ctx context.Context, in []wire.Settlement) ([]wire.Outcome, error) {
	answers, err := s.Settle(ctx, wire.Settled(in))
	if err != nil {
		return nil, err
	}
	return wire.InPlace(in, answers), nil
}

func retry(s Service, ctx context.Context, in wire.RetryRequest) ([]wire.Outcome, error) {
	if in.Exact != nil {
		in.Payload = in.Exact
	}
	answers, err := s.Retry(ctx, in.RetryRequest)
	return wire.Outcomes(answers), err
}

func edit(s Service, ctx context.Context, in wire.EditRequest) (engine.Record, error) {
	if in.Exact != nil {
		in.Payload = in.Exact
	}
	return s.Edit(ctx, in.EditRequest)
}

type watching struct {
	id    uint64 // of a bulk act
	after uint64
	wait  time.Duration
}

func watchOf(p *params) watching { return watching{bulkOf(p), p.number("after"), p.wait()} }

// watch parks until there is a newer snapshot; none within the wait is answered
// as nothing new.
func watch(s Service, ctx context.Context, in watching) (*engine.Snapshot, error) {
	parked, cancel := context.WithTimeout(ctx, max(in.wait, time.Millisecond))
	defer cancel()
	snapshot, err := s.Watch(parked, in.after)
	if err != nil && parked.Err() != nil {
		return nil, &store.Error{Code: store.CodeEmpty, Thing: "the snapshot", Rule: "nothing new"}
	}
	return snapshot, err
}

func check(s Service, ctx context.Context, _ struct{}) (wire.Check, error) {
	problems, err := s.Check(ctx)
	return wire.Check{Problems: append([]string{}, problems...)}, err
}

func backup(s Service, ctx context.Context, _ struct{}) (octets, error) {
	return func(w *writing) error { return s.Backup(ctx, w) }, nil
}

// importing is an import whose items are read while they are stored.
type importing struct {
	request engine.ImportRequest
	body    io.Reader
}

func importOf(p *params) importing {
	r := engine.ImportRequest{Queue: p.text("queue"), Strict: p.flag("strict"), From: p.text("from")}
	if p.flag("start") {
		r.Start = &engine.JobRequest{ID: p.text("job"), SingletonKey: p.text("singleton_key")}
	}
	return importing{r, p.r.Body}
}

func imports(s Service, ctx context.Context, in importing) (engine.ImportResult, error) {
	done, err := s.Import(ctx, in.request, in.rows)
	if err != nil {
		_, _ = io.Copy(io.Discard, in.body) // the caller reads the answer when it has said all
	}
	return done, err
}

// rows yields the items of a body of JSON values.
func (in importing) rows(yield func(engine.NewItem, error) bool) {
	d := json.NewDecoder(in.body)
	d.DisallowUnknownFields()
	for {
		var row wire.ImportRow
		err := d.Decode(&row)
		switch {
		case errors.Is(err, io.EOF):
			return
		case err != nil:
			err = unfit(err)
		case row.Abort:
			err = store.Invalid("the import", "its caller gave it up", "send it again")
		}
		if row.Exact != nil {
			row.Payload = row.Exact
		}
		if !yield(row.NewItem.NewItem, err) {
			return
		}
	}
}

func exportOf(p *params) engine.ExportRequest {
	for _, name := range []string{"sort", "limit"} {
		if p.r.URL.Query().Has(name) {
			p.fail(store.Invalid(fmt.Sprintf("query key %q", name), "a file holds all that match, in order of number", "leave it out, or ask for a page of /v1/items"))
		}
	}
	return engine.ExportRequest{
		Queue: p.text("queue"), Statuses: p.statuses(), Filter: p.text("filter"),
		Format: export.Format(p.text("format")), Masked: p.flag("masked"),
	}
}

// exported says behind the body what it holds.
func exported(s Service, ctx context.Context, in engine.ExportRequest) (octets, error) {
	return func(w *writing) error {
		w.announce(wire.ItemsTrailer, wire.DamagedTrailer)
		done, err := s.Export(ctx, in, w)
		if err == nil {
			w.count(wire.ItemsTrailer, done.Items)
			w.count(wire.DamagedTrailer, done.Damaged)
		}
		return err
	}, nil
}
