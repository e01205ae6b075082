package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"signalbox/engine/lane"
	"signalbox/store"
)

// The built-in queues. They are made on first use, and worked by the engine's own
// drains.
const (
	BuiltinPrefix = "signalbox."
	ExportQueue   = "signalbox.export"
	ImportQueue   = "signalbox.import"
	BulkQueue     = "signalbox.bulk"
	ReindexQueue  = "signalbox.reindex"
	NotifyQueue   = "signalbox.notify"
)

// NotifyAtOnce is how many notifications one drain sends at once.
const NotifyAtOnce = 64

// Kinds of built-in jobs, which are also those of their completion hooks.
const (
	ExportKind  = "export"
	ImportKind  = "import"
	BulkKind    = "bulk"
	ReindexKind = "reindex"
)

// WorkFunc works one item of a built-in queue and gives its output. An error with
// CodeInvalid, CodeNotFound or CodeConflict is about the item and final.
type WorkFunc func(context.Context, Record) (json.RawMessage, error)

// BuiltinRequest starts a built-in job.
type BuiltinRequest struct {
	Kind         string          `json:"kind"` // export, import, bulk or reindex
	SingletonKey string          `json:"singleton_key,omitempty"`
	Request      json.RawMessage `json:"request,omitempty"` // an ExportJob, ImportJob, BulkRequest or ReindexJob
}

// StartBuiltin starts work of the engine itself as a job: with progress, and going
// on after a crash where it was. The request is checked first. CodeInvalid for a
// kind or request that makes no sense, CodeNotFound for a queue that is not there.
func (e *Engine) StartBuiltin(ctx context.Context, r BuiltinRequest) (JobState, error) {
	begin := map[string]func(context.Context, json.RawMessage) (builtinJob, error){
		ExportKind: e.newExport, ImportKind: e.newImport, BulkKind: e.newBulk, ReindexKind: e.newReindex,
	}[r.Kind]
	if begin == nil {
		return JobState{}, store.Invalid(fmt.Sprintf("built-in job %q", r.Kind), "there is none of this kind", "use export, import, bulk or reindex")
	}
	b, err := begin(ctx, r.Request)
	if err != nil {
		return JobState{}, err
	}
	job := JobRequest{Queue: b.queue, Kind: r.Kind, SingletonKey: r.SingletonKey, Metadata: r.Request}
	if b.metadata != nil {
		job.Metadata = b.metadata
	}
	if err := job.validate(); err != nil {
		return JobState{}, err
	}
	start := e.startWhole
	if b.pieces > 1 {
		start = e.startInPieces
	}
	s, err := start(ctx, &job, &b)
	if err != nil {
		return JobState{}, err
	}
	existing := s.Existing
	s, err = e.Job(ctx, s.ID)
	s.Existing = existing
	return s, err
}

// builtinJob is a built-in job that is about to start.
type builtinJob struct {
	queue    string
	pieces   int                                                           // in which its first items come; 0 = one
	fill     func(*tx, *store.Queue, *store.Job, int) ([]AddResult, error) // gives it those of a piece
	metadata json.RawMessage                                               // nil: the request
}

// builtin gives a built-in queue, made when there is none yet.
func (t *tx) builtin(name string) (store.Queue, error) {
	q, err := t.Queue(name)
	if err == nil && name == NotifyQueue && q.BatchSize != NotifyAtOnce { // made by an engine that sent others
		q.BatchSize = NotifyAtOnce
		return q, t.putQueue(&q, "queue-set", fmt.Sprintf(`{"batch_size":%d}`, q.BatchSize))
	}
	if store.CodeOf(err) != store.CodeNotFound {
		return q, err
	}
	q = DefaultQueue(name, store.Jobs)
	q.Description, q.Lane = "built in", string(lane.Fast)
	q.Consumer.Kind = Handler
	q.MaxReclaims = 0 // an engine may be killed any number of times
	q.MaxDrains = 4
	q.Retries, q.RetryWindow, q.RetryFloor = 3, store.Duration(30*time.Second), store.Duration(time.Second)
	if name == NotifyQueue {
		q.BatchSize = NotifyAtOnce
		q.Retries, q.RetryWindow, q.RetryFloor = 8, store.Duration(time.Hour), store.Duration(5*time.Second)
		q.AttemptTimeout = store.Duration(30 * time.Second)
	}
	q.CreatedAt = t.now
	return q, t.addQueue(&q, "built in")
}

// Builtin says that a queue is built in.
func Builtin(name string) bool { return strings.HasPrefix(name, BuiltinPrefix) }

// addBuiltin adds an item of a built-in job, unless it is there by its key.
func (t *tx) addBuiltin(q *store.Queue, job, key string, weight int, payload any) ([]AddResult, error) {
	b, err := store.Encode(payload)
	if err != nil {
		return nil, err
	}
	n := NewItem{Payload: b, Job: job, Weight: weight}
	if key != "" {
		n.Key = job + "/" + key
	}
	results := make([]AddResult, 1)
	if fresh, err := t.admit(q, &n, &names{}, &results[0]); err != nil || !fresh {
		return results, err
	}
	return results, t.addOne(q, &AddRequest{Queue: q.Name, Items: []NewItem{n}}, 0, "", &tying{}, results)
}

// built makes a change for an item that a built-in holds; a stale holder changes
// nothing.
func (e *Engine) built(ctx context.Context, r *Record, fn func(*tx, *store.Queue) error) error {
	return e.holding(ctx, Holding{r.ID(), r.Fence}, func(t *tx, q *store.Queue, _ *store.Item) error { return fn(t, q) })
}

// tallied is built by what does many things: the change also keeps how many of them
// were done and how many not, as which the item counts in its job once it is
// completed.
func (e *Engine) tallied(ctx context.Context, r *Record, fn func(*tx, *store.Queue) (done, failed int, err error)) error {
	return e.holding(ctx, Holding{r.ID(), r.Fence}, func(t *tx, q *store.Queue, i *store.Item) error {
		done, failed, err := fn(t, q)
		if err != nil {
			return err
		}
		i.Tally = store.Tally{Known: true, Done: done, Failed: failed}
		return t.Put(i, nil)
	})
}

// PutChunk keeps a chunk of a job's file, in the name of an item of the job that
// is held. A stale holder changes nothing (CodeConflict).
func (e *Engine) PutChunk(ctx context.Context, r *Record, name string, index uint64, data []byte) error {
	return e.built(ctx, r, func(t *tx, _ *store.Queue) error { return t.Tx.PutChunk(r.Job, name, index, data) })
}

// strict reads a built-in's request.
func strict[T any](raw json.RawMessage) (v T, err error) {
	if len(raw) == 0 {
		raw = json.RawMessage(`{}`)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		return v, store.Misread("the request", err, "see docs/jobs.md")
	}
	return v, nil
}

// loose reads the payload of a built-in's item.
func loose[T any](r *Record) (v T, err error) {
	if err := json.Unmarshal(r.Payload, &v); err != nil {
		return v, store.Invalid("item "+r.ID().String(), "its payload is none of this queue: "+store.Unreadable(err), "start a job with `signalbox job start`")
	}
	return v, nil
}

// Builtins are the functions that work the built-in queues, but for imports and
// notifications, by the queue's name.
func (e *Engine) Builtins() map[string]WorkFunc {
	return map[string]WorkFunc{ExportQueue: e.workExport, BulkQueue: e.workBulk, ReindexQueue: e.workReindex}
}

// BuiltinHooks are the completion hooks of the built-in jobs, by their kinds.
func (e *Engine) BuiltinHooks() map[string]Hook {
	return map[string]Hook{ExportKind: e.joinExport, ImportKind: e.endImport, BulkKind: e.endBulk, ReindexKind: e.endReindex}
}

// progressName is under what name a built-in keeps how far it is.
const progressName = ".progress"

// overForGood says that no item of a built-in job can be retried any more; else what
// is kept for that stays.
func overForGood(r store.Reader, j *store.Job) (bool, error) {
	if j.Status == store.JobCancelled {
		return true, nil
	}
	for i, err := range r.Items(store.Query{Queue: j.Queue, Job: j.ID}) {
		if err != nil || i.Status != store.Completed {
			return false, err
		}
	}
	return true, nil
}

// logged is a hook's line in its job's log.
func (e *Engine) logged(tx store.Tx, id, level, text string) error {
	return tx.AppendLog(id, &store.LogLine{At: e.now(), Level: level, Text: text}, keptLog)
}
