package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"

	"signalbox/engine"
	"signalbox/engine/lane"
	"signalbox/engine/reach"
	"signalbox/server/wire"
	"signalbox/store"
)

// AddQueue creates a queue.
func (c *Client) AddQueue(ctx context.Context, q store.Queue) (engine.QueueState, error) {
	return send[engine.QueueState](ctx, c, http.MethodPost, "/v1/queues", q)
}

// SetQueue changes settings by their JSON names.
func (c *Client) SetQueue(ctx context.Context, name string, patch json.RawMessage) (engine.QueueState, error) {
	return send[engine.QueueState](ctx, c, http.MethodPatch, queuePath(name), patch)
}

// Queues lists all queues.
func (c *Client) Queues(ctx context.Context) ([]engine.QueueState, error) {
	return get[[]engine.QueueState](ctx, c, "/v1/queues", nil)
}

// Queue gives one queue.
func (c *Client) Queue(ctx context.Context, name string) (engine.QueueState, error) {
	return get[engine.QueueState](ctx, c, queuePath(name), nil)
}

// PauseQueue pauses or resumes a queue.
func (c *Client) PauseQueue(ctx context.Context, name string, paused bool) (engine.QueueState, error) {
	verb := "/resume"
	if paused {
		verb = "/pause"
	}
	return send[engine.QueueState](ctx, c, http.MethodPost, queuePath(name)+verb, nil)
}

// LinkQueue shows a queue in one more folder, or with remove no longer.
func (c *Client) LinkQueue(ctx context.Context, name, folder string, remove bool) (engine.QueueState, error) {
	return send[engine.QueueState](ctx, c, http.MethodPost, queuePath(name)+"/link", wire.Link{Folder: folder, Remove: remove})
}

// DeleteQueue removes a queue with its items.
func (c *Client) DeleteQueue(ctx context.Context, name string, force bool) error {
	_, err := send[struct{}](ctx, c, http.MethodDelete, queuePath(name)+"?force="+strconv.FormatBool(force), nil)
	return err
}

// Prune applies a queue's retention now; see engine.Engine.Prune.
func (c *Client) Prune(ctx context.Context, queue string, dryRun bool) (engine.PruneReport, error) {
	if dryRun {
		return get[engine.PruneReport](ctx, c, queuePath(queue)+"/prune", nil)
	}
	return send[engine.PruneReport](ctx, c, http.MethodPost, queuePath(queue)+"/prune", nil)
}

// Add stores new items; see engine.Engine.Add.
func (c *Client) Add(ctx context.Context, r engine.AddRequest) ([]engine.AddResult, error) {
	in := wire.AddRequest{Queue: r.Queue, Mode: r.Mode, Strict: r.Strict, From: r.From, Start: r.Start, Filling: r.Filling, Items: make([]wire.NewItem, len(r.Items))}
	for i, item := range r.Items {
		in.Items[i] = wire.NewItem{NewItem: item, Exact: append([]byte{}, item.Payload...)}
		in.Items[i].Payload = nil
	}
	results, err := send[[]wire.AddResult](ctx, c, http.MethodPost, "/v1/items", in)
	if r, ok := errors.AsType[*refused](err); ok {
		return wire.Added(r.results), r.problem
	}
	return wire.Added(results), err
}

// Import stores all items that rows yields or none; see engine.Engine.Import.
func (c *Client) Import(ctx context.Context, r engine.ImportRequest, rows iter.Seq2[engine.NewItem, error]) (done engine.ImportResult, err error) {
	if c.opt.ReadOnly {
		return done, errReadOnly
	}
	in, out := io.Pipe()
	sent := make(chan error, 1)
	go func() {
		bad, err := writeRows(ctx, out, rows)
		out.CloseWithError(err)
		sent <- bad
	}()
	query := url.Values{"queue": {r.Queue}, "from": {r.From}, "strict": {strconv.FormatBool(r.Strict)}}
	if r.Start != nil {
		query.Set("start", "true")
		query.Set("job", r.Start.ID)
		query.Set("singleton_key", r.Start.SingletonKey)
	}
	// An end of ctx is told to the engine as the end of the rows.
	answer, err := c.stream(context.WithoutCancel(ctx), http.MethodPost, "/v1/import?"+query.Encode(), "application/json", in)
	_ = in.Close()
	if bad := <-sent; bad != nil {
		if err == nil {
			_ = answer.Body.Close()
		}
		return done, bad
	}
	if err != nil {
		return done, err
	}
	return decoded[engine.ImportResult](ctx, c, answer)
}

// writeRows sends the rows; bad is the error that they end with.
func writeRows(ctx context.Context, w io.Writer, rows iter.Seq2[engine.NewItem, error]) (bad, err error) {
	buf := bufio.NewWriterSize(w, 64<<10)
	e := json.NewEncoder(buf)
	e.SetEscapeHTML(false)
	for item, err := range rows {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			bad = err
			if err := e.Encode(wire.ImportRow{Abort: true}); err != nil {
				return bad, err
			}
			break
		}
		row := wire.ImportRow{NewItem: wire.NewItem{NewItem: item, Exact: append([]byte{}, item.Payload...)}}
		row.Payload = nil
		if err := e.Encode(row); err != nil {
			return nil, err
		}
	}
	return bad, buf.Flush()
}

// List gives a page of items.
func (c *Client) List(ctx context.Context, r engine.ListRequest) (engine.Page, error) {
	return get[engine.Page](ctx, c, "/v1/items", wire.ListQuery(r))
}

// Plan says how a list would be found.
func (c *Client) Plan(ctx context.Context, r engine.ListRequest) (engine.Plan, error) {
	return get[engine.Plan](ctx, c, "/v1/plan", wire.ListQuery(r))
}

// Select freezes all matching items.
func (c *Client) Select(ctx context.Context, r engine.ListRequest) ([]engine.Target, error) {
	return get[[]engine.Target](ctx, c, "/v1/select", wire.ListQuery(r))
}

// Item gives an item whole.
func (c *Client) Item(ctx context.Context, id store.ID) (engine.Record, error) {
	return get[engine.Record](ctx, c, itemPath(id), nil)
}

// Explain says why an item is not being worked now.
func (c *Client) Explain(ctx context.Context, id store.ID) (engine.Explanation, error) {
	return get[engine.Explanation](ctx, c, itemPath(id)+"/explain", nil)
}

// History gives an item's changes, newest first.
func (c *Client) History(ctx context.Context, id store.ID, limit int) ([]store.Change, error) {
	return get[[]store.Change](ctx, c, itemPath(id)+"/history", number(url.Values{}, "limit", uint64(max(limit, 0))))
}

// Changes gives the changes of everything after a sequence number.
func (c *Client) Changes(ctx context.Context, after uint64, limit int) ([]store.Change, error) {
	return get[[]store.Change](ctx, c, "/v1/changes", number(number(url.Values{}, "after", after), "limit", uint64(max(limit, 0))))
}

// Claim hands waiting items to a robot; CodeEmpty when there is nothing.
func (c *Client) Claim(ctx context.Context, r engine.ClaimRequest) ([]engine.Record, error) {
	records, err := send[[]engine.Record](ctx, c, http.MethodPost, "/v1/claim", r)
	if errors.Is(err, errEmpty) {
		err = engine.NothingToClaim(&r)
	}
	return records, err
}

// Start says that the robot begins to work an item.
func (c *Client) Start(ctx context.Context, h engine.Holding) (engine.Record, error) {
	return send[engine.Record](ctx, c, http.MethodPost, "/v1/start", h)
}

// Renew extends leases.
func (c *Client) Renew(ctx context.Context, hs []engine.Holding) ([]engine.Outcome, error) {
	return answers(send[[]wire.Outcome](ctx, c, http.MethodPost, "/v1/renew", hs))
}

// Progress keeps a text with an item that is held.
func (c *Client) Progress(ctx context.Context, h engine.Holding, text string) error {
	_, err := send[struct{}](ctx, c, http.MethodPost, "/v1/progress", wire.Progress{Holding: h, Text: text})
	return err
}

// Postpone gives an item back until an instant.
func (c *Client) Postpone(ctx context.Context, h engine.Holding, until store.Time) error {
	_, err := send[struct{}](ctx, c, http.MethodPost, "/v1/postpone", wire.Postponement{Holding: h, Until: until})
	return err
}

// Release gives items back at no cost.
func (c *Client) Release(ctx context.Context, hs []engine.Holding) ([]engine.Outcome, error) {
	return answers(send[[]wire.Outcome](ctx, c, http.MethodPost, "/v1/release", hs))
}

// Settle reports results.
func (c *Client) Settle(ctx context.Context, settlements []engine.Settlement) ([]engine.Outcome, error) {
	return answers(send[[]wire.Outcome](ctx, c, http.MethodPost, "/v1/settle", wire.Settlements(settlements)))
}

// Next settles what a robot has worked and claims what it works next, in one
// change; see engine.Engine.Next.
func (c *Client) Next(ctx context.Context, settlements []engine.Settlement, r engine.ClaimRequest) ([]engine.Outcome, []engine.Record, error) {
	in := wire.NextRequest{Settlements: wire.Settlements(settlements), Claim: r}
	answer, err := send[wire.NextAnswer](ctx, c, http.MethodPost, "/v1/next", in)
	if err == nil && answer.Problem != nil {
		err = answer.Problem
	}
	return wire.Answered(answer.Outcomes), answer.Items, err
}

// Edit changes a waiting item.
func (c *Client) Edit(ctx context.Context, r engine.EditRequest) (engine.Record, error) {
	in := wire.EditRequest{EditRequest: r, Exact: r.Payload}
	in.Payload = nil
	return send[engine.Record](ctx, c, http.MethodPost, "/v1/edit", in)
}

// Delete marks items deleted.
func (c *Client) Delete(ctx context.Context, r engine.DeleteRequest) ([]engine.Outcome, error) {
	return answers(send[[]wire.Outcome](ctx, c, http.MethodPost, "/v1/delete", r))
}

// Retry gives items another life.
func (c *Client) Retry(ctx context.Context, r engine.RetryRequest) ([]engine.Outcome, error) {
	in := wire.RetryRequest{RetryRequest: r, Exact: r.Payload}
	in.Payload = nil
	return answers(send[[]wire.Outcome](ctx, c, http.MethodPost, "/v1/retry", in))
}

// Review records a person's judgement.
func (c *Client) Review(ctx context.Context, r engine.ReviewRequest) ([]engine.Outcome, error) {
	return answers(send[[]wire.Outcome](ctx, c, http.MethodPost, "/v1/review", r))
}

// Undo takes operators' acts back.
func (c *Client) Undo(ctx context.Context, r engine.UndoRequest) ([]engine.Outcome, error) {
	return answers(send[[]wire.Outcome](ctx, c, http.MethodPost, "/v1/undo", r))
}

// Groups counts what waits for a person, by reason.
func (c *Client) Groups(ctx context.Context, queue string) ([]store.Group, error) {
	return get[[]store.Group](ctx, c, "/v1/groups", url.Values{"queue": {queue}})
}

// Pool gives the pool as it is now.
func (c *Client) Pool(ctx context.Context) (lane.State, error) {
	return get[lane.State](ctx, c, "/v1/pool", nil)
}

// SetPool changes the pool.
func (c *Client) SetPool(ctx context.Context, r engine.SplitRequest) (lane.State, error) {
	return send[lane.State](ctx, c, http.MethodPut, "/v1/pool", r)
}

// Watch parks until there is a snapshot newer than after.
func (c *Client) Watch(ctx context.Context, after uint64) (*engine.Snapshot, error) {
	return parked[*engine.Snapshot](ctx, c, "/v1/snapshot", after)
}

// Check reads all of the store; see engine.Engine.Check.
func (c *Client) Check(ctx context.Context) ([]string, error) {
	found, err := get[wire.Check](ctx, c, "/v1/check", nil)
	return found.Problems, err
}

// Compact rewrites the store's file without its free space.
func (c *Client) Compact(ctx context.Context) (engine.Compacted, error) {
	return send[engine.Compacted](ctx, c, http.MethodPost, "/v1/compact", nil)
}

// Backup writes a copy of the store; w may have got a part when it fails.
func (c *Client) Backup(ctx context.Context, w io.Writer) error {
	_, err := c.copy(ctx, "/v1/backup", w)
	return err
}

// Export writes a file of items; w may have got a part when it fails.
func (c *Client) Export(ctx context.Context, r engine.ExportRequest, w io.Writer) (done engine.Exported, err error) {
	query := wire.ListQuery(engine.ListRequest{Queue: r.Queue, Statuses: r.Statuses, Filter: r.Filter})
	query.Set("format", string(r.Format))
	query.Set("masked", strconv.FormatBool(r.Masked))
	answer, err := c.copy(ctx, "/v1/export?"+query.Encode(), w)
	if err != nil {
		return done, err
	}
	for name, n := range map[string]*int64{wire.ItemsTrailer: &done.Items, wire.DamagedTrailer: &done.Damaged} {
		if *n, err = strconv.ParseInt(answer.Trailer.Get(name), 10, 64); err != nil {
			return done, c.unreachable(ctx, answer.Request, reach.ErrCut)
		}
	}
	return done, nil
}

// copy copies an answer of octets, and gives it with what stands behind it.
func (c *Client) copy(ctx context.Context, path string, w io.Writer) (*http.Response, error) {
	answer, err := c.ask(ctx, http.MethodGet, path, nil)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	to := &target{w: w}
	if _, err := io.Copy(to, answer.Body); err != nil && to.err == nil {
		return nil, c.unreachable(ctx, answer.Request, err)
	}
	return answer, to.err
}

// target remembers that it was the writer that failed, and not what is copied.
type target struct {
	w   io.Writer
	err error
}

func (t *target) Write(p []byte) (n int, err error) {
	n, t.err = t.w.Write(p)
	return n, t.err
}

func answers(wired []wire.Outcome, err error) ([]engine.Outcome, error) {
	if err != nil {
		return nil, err
	}
	return wire.Answered(wired), nil
}

func queuePath(name string) string { return "/v1/queues/" + url.PathEscape(name) }

func itemPath(id store.ID) string {
	return "/v1/items/" + url.PathEscape(id.Queue) + "/" + strconv.FormatUint(id.Number, 10)
}

// number adds a number to a query; 0 is left out.
func number(query url.Values, name string, n uint64) url.Values {
	if n != 0 {
		query.Set(name, strconv.FormatUint(n, 10))
	}
	return query
}
