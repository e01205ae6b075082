package server

import (
	"context"
	"io"
	"net/http"

	"signalbox/engine"
	"signalbox/server/wire"
	"signalbox/store"
)

// Jobs is what the API serves of queue jobs.
type Jobs interface {
	StartJob(context.Context, engine.JobRequest) (engine.JobState, error)
	Jobs(context.Context, engine.JobList) ([]engine.JobState, error)
	Job(ctx context.Context, id string) (engine.JobState, error)
	SealJob(ctx context.Context, id string) (engine.JobState, error)
	PauseJob(ctx context.Context, id string, paused bool) (engine.JobState, error)
	CancelJob(ctx context.Context, id, note string) (engine.JobState, error)
	DeleteJob(ctx context.Context, id string) error
	JobLog(ctx context.Context, id string, after uint64, limit int) ([]store.LogLine, error)
	LogJob(ctx context.Context, id string, line store.LogLine) (store.LogLine, error)
	Attachments(ctx context.Context, id string) ([]store.Attachment, error)
	ReadAttachment(ctx context.Context, id, name string, w io.Writer) error
	Attach(ctx context.Context, id, name, mediaType string, r io.Reader) (store.Attachment, error)
	StartBuiltin(context.Context, engine.BuiltinRequest) (engine.JobState, error)

	Dispatch(context.Context, engine.DispatchRequest) (engine.Record, error)

	AddWebhook(context.Context, store.Webhook) (store.Webhook, error)
	Webhooks(context.Context) ([]store.Webhook, error)
	RemoveWebhook(ctx context.Context, name string) error
}

// jobRoutes are the operations on queue jobs.
func jobRoutes() []route {
	return []route{
		write("POST /v1/jobs", Service.StartJob),
		write("POST /v1/builtins", Service.StartBuiltin),
		write("POST /v1/dispatch", dispatch),
		write("POST /v1/webhooks", Service.AddWebhook),
		read("GET /v1/webhooks", nothing, func(s Service, ctx context.Context, _ struct{}) ([]store.Webhook, error) { return s.Webhooks(ctx) }),
		read("DELETE /v1/webhooks/{name}", func(p *params) string { return p.path("name") }, func(s Service, ctx context.Context, name string) (struct{}, error) {
			return struct{}{}, s.RemoveWebhook(ctx, name)
		}),
		read("GET /v1/jobs", jobsOf, Service.Jobs),
		read("GET /v1/jobs/{job}", jobOf, Service.Job),
		read("POST /v1/jobs/{job}/seal", jobOf, Service.SealJob),
		read("POST /v1/jobs/{job}/pause", jobOf, pauseJob(true)),
		read("POST /v1/jobs/{job}/resume", jobOf, pauseJob(false)),
		operation("POST /v1/jobs/{job}/cancel", smallBody, cancelOf, cancelJob),
		read("DELETE /v1/jobs/{job}", jobOf, func(s Service, ctx context.Context, id string) (struct{}, error) {
			return struct{}{}, s.DeleteJob(ctx, id)
		}),
		read("GET /v1/jobs/{job}/log", logOf, jobLog),
		operation("POST /v1/jobs/{job}/log", smallBody, lineOf, logJob),
		read("GET /v1/jobs/{job}/attachments", jobOf, Service.Attachments),
		read("GET /v1/jobs/{job}/attachments/{name}", fileOf, readAttachment),
		operation("PUT /v1/jobs/{job}/attachments/{name}", engine.MaxAttachment+1, fileOf, attach),
	}
}

func dispatch(s Service, ctx context.Context, in wire.DispatchRequest) (engine.Record, error) {
	if in.Exact != nil {
		in.Item.Payload = in.Exact
	}
	return s.Dispatch(ctx, in.DispatchRequest)
}

func jobOf(p *params) string { return p.path("job") }

func jobsOf(p *params) engine.JobList {
	return engine.JobList{Queue: p.text("queue"), Live: p.flag("live"), Before: p.number("before"), Limit: p.limit()}
}

func pauseJob(paused bool) func(Service, context.Context, string) (engine.JobState, error) {
	return func(s Service, ctx context.Context, id string) (engine.JobState, error) {
		return s.PauseJob(ctx, id, paused)
	}
}

type cancelling struct{ id, note string }

func cancelOf(p *params) cancelling { return cancelling{p.path("job"), body[wire.Note](p).Note} }

func cancelJob(s Service, ctx context.Context, in cancelling) (engine.JobState, error) {
	return s.CancelJob(ctx, in.id, in.note)
}

type logPage struct {
	id    string
	after uint64
	limit int
}

func logOf(p *params) logPage { return logPage{p.path("job"), p.number("after"), p.limit()} }

func jobLog(s Service, ctx context.Context, in logPage) ([]store.LogLine, error) {
	return s.JobLog(ctx, in.id, in.after, in.limit)
}

type logged struct {
	id   string
	line store.LogLine
}

func lineOf(p *params) logged { return logged{p.path("job"), body[store.LogLine](p)} }

func logJob(s Service, ctx context.Context, in logged) (store.LogLine, error) {
	return s.LogJob(ctx, in.id, in.line)
}

type file struct {
	id, name string
	request  *http.Request
}

func fileOf(p *params) file { return file{p.path("job"), p.path("name"), p.r} }

func readAttachment(s Service, ctx context.Context, in file) (octets, error) {
	return func(w *writing) error { return s.ReadAttachment(ctx, in.id, in.name, w) }, nil
}

func attach(s Service, ctx context.Context, in file) (store.Attachment, error) {
	return s.Attach(ctx, in.id, in.name, in.request.Header.Get("Content-Type"), in.request.Body)
}
