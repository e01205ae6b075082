package client

import (
	"context"
	"io"
	"net/http"
	"net/url"

	"signalbox/engine"
	"signalbox/server/wire"
	"signalbox/store"
)

// StartJob starts a job, or gives the open one with the singleton key.
func (c *Client) StartJob(ctx context.Context, r engine.JobRequest) (engine.JobState, error) {
	return send[engine.JobState](ctx, c, http.MethodPost, "/v1/jobs", r)
}

// StartBuiltin starts work of the engine itself as a job.
func (c *Client) StartBuiltin(ctx context.Context, r engine.BuiltinRequest) (engine.JobState, error) {
	return send[engine.JobState](ctx, c, http.MethodPost, "/v1/builtins", r)
}

// Dispatch adds an item and claims exactly that one.
func (c *Client) Dispatch(ctx context.Context, d engine.DispatchRequest) (engine.Record, error) {
	in := wire.DispatchRequest{DispatchRequest: d, Exact: append([]byte{}, d.Item.Payload...)}
	in.Item.Payload = nil
	return send[engine.Record](ctx, c, http.MethodPost, "/v1/dispatch", in)
}

// AddWebhook adds an address that is told of events, or replaces the one of its
// name.
func (c *Client) AddWebhook(ctx context.Context, w store.Webhook) (store.Webhook, error) {
	return send[store.Webhook](ctx, c, http.MethodPost, "/v1/webhooks", w)
}

// Webhooks lists the addresses that are told of events, without their secrets.
func (c *Client) Webhooks(ctx context.Context) ([]store.Webhook, error) {
	return get[[]store.Webhook](ctx, c, "/v1/webhooks", nil)
}

// RemoveWebhook removes an address.
func (c *Client) RemoveWebhook(ctx context.Context, name string) error {
	_, err := send[struct{}](ctx, c, http.MethodDelete, "/v1/webhooks/"+url.PathEscape(name), nil)
	return err
}

// Jobs gives a page of jobs, newest first.
func (c *Client) Jobs(ctx context.Context, l engine.JobList) ([]engine.JobState, error) {
	query := url.Values{}
	if l.Queue != "" {
		query.Set("queue", l.Queue)
	}
	if l.Live {
		query.Set("live", "true")
	}
	return get[[]engine.JobState](ctx, c, "/v1/jobs", number(number(query, "before", l.Before), "limit", uint64(max(0, l.Limit))))
}

// Job gives one job with its numbers.
func (c *Client) Job(ctx context.Context, id string) (engine.JobState, error) {
	return get[engine.JobState](ctx, c, jobPath(id), nil)
}

// SealJob says that no more items are to come.
func (c *Client) SealJob(ctx context.Context, id string) (engine.JobState, error) {
	return send[engine.JobState](ctx, c, http.MethodPost, jobPath(id)+"/seal", nil)
}

// PauseJob pauses or resumes a job.
func (c *Client) PauseJob(ctx context.Context, id string, paused bool) (engine.JobState, error) {
	verb := "/resume"
	if paused {
		verb = "/pause"
	}
	return send[engine.JobState](ctx, c, http.MethodPost, jobPath(id)+verb, nil)
}

// CancelJob cancels a job.
func (c *Client) CancelJob(ctx context.Context, id, note string) (engine.JobState, error) {
	return send[engine.JobState](ctx, c, http.MethodPost, jobPath(id)+"/cancel", wire.Note{Note: note})
}

// DeleteJob removes a job that has ended.
func (c *Client) DeleteJob(ctx context.Context, id string) error {
	_, err := send[struct{}](ctx, c, http.MethodDelete, jobPath(id), nil)
	return err
}

// JobLog gives the lines of a job's log.
func (c *Client) JobLog(ctx context.Context, id string, after uint64, limit int) ([]store.LogLine, error) {
	query := number(number(url.Values{}, "after", after), "limit", uint64(max(0, limit)))
	return get[[]store.LogLine](ctx, c, jobPath(id)+"/log", query)
}

// LogJob adds a line to a job's log.
func (c *Client) LogJob(ctx context.Context, id string, line store.LogLine) (store.LogLine, error) {
	return send[store.LogLine](ctx, c, http.MethodPost, jobPath(id)+"/log", line)
}

// Attachments lists a job's attachments.
func (c *Client) Attachments(ctx context.Context, id string) ([]store.Attachment, error) {
	return get[[]store.Attachment](ctx, c, jobPath(id)+"/attachments", nil)
}

// ReadAttachment writes an attachment's contents to w, which may have got a part
// when it fails.
func (c *Client) ReadAttachment(ctx context.Context, id, name string, w io.Writer) error {
	answer, err := c.ask(ctx, http.MethodGet, filePath(id, name), nil)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	to := &target{w: w}
	if _, err := io.Copy(to, answer.Body); err != nil && to.err == nil {
		return c.unreachable(ctx, answer.Request, err)
	}
	return to.err
}

// Attach keeps a file with a job.
func (c *Client) Attach(ctx context.Context, id, name, mediaType string, r io.Reader) (a store.Attachment, err error) {
	if c.opt.ReadOnly {
		return a, errReadOnly
	}
	answer, err := c.stream(ctx, http.MethodPut, filePath(id, name), mediaType, r)
	if err != nil {
		return a, err
	}
	return decoded[store.Attachment](ctx, c, answer)
}

func jobPath(id string) string { return "/v1/jobs/" + url.PathEscape(id) }

func filePath(id, name string) string {
	return jobPath(id) + "/attachments/" + url.PathEscape(name)
}
