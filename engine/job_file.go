package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"

	"signalbox/store"
)

// Limits on what is kept with a job.
const (
	MaxAttachment = 1 << 30 // bytes
	MaxLogText    = 10_240  // characters
	maxLogFields  = 5_120   // bytes
	keptLog       = 10_000  // lines
	chunkBytes    = 1 << 20 // of a file that is handed in
	maxFileName   = 255     // bytes
)

// Levels of a log line.
var logLevels = map[string]bool{"debug": true, "info": true, "warn": true, "error": true}

// JobLog gives the lines of a job's log after a sequence number, oldest first, at
// most limit (0 = 100). Only the newest 10,000 are kept; that the first one's Seq
// is not 1 tells how many were cut. CodeForbidden for those whom it is not for.
func (e *Engine) JobLog(ctx context.Context, id string, after uint64, limit int) (lines []store.LogLine, err error) {
	err = e.details(ctx, id, func(r store.Reader) error {
		lines, err = r.JobLog(id, after, pageSize(limit))
		return err
	})
	return lines, err
}

// LogJob adds a line to a job's log; an over-long text is cut with a mark.
func (e *Engine) LogJob(ctx context.Context, id string, line store.LogLine) (store.LogLine, error) {
	line.Text = cleanText(line.Text, MaxLogText)
	switch {
	case !logLevels[line.Level]:
		return line, store.Invalid(fmt.Sprintf("log level %q", line.Level), "a level is debug, info, warn or error", "use one of these")
	case line.Text == "":
		return line, store.Invalid("a log line", "it says nothing", "give it a text")
	case len(line.Fields) > maxLogFields:
		return line, overLimit("fields", len(line.Fields), maxLogFields, "bytes")
	case line.Fields != "" && (!isObject([]byte(line.Fields)) || !json.Valid([]byte(line.Fields))):
		return line, store.Invalid("fields", "they are no JSON object", `write them as {"rows": 3}`)
	}
	err := e.change(ctx, func(t *tx) error {
		line.At = t.now
		return t.AppendLog(id, &line, keptLog)
	})
	return line, err
}

// details reads what is for a job's initiator and those with access only.
func (e *Engine) details(ctx context.Context, id string, fn func(store.Reader) error) error {
	return e.store.View(ctx, func(r store.Reader) error {
		j, err := r.Job(id)
		if err != nil {
			return err
		}
		if err := e.closedTo(ctx, &j); err != nil {
			return err
		}
		return fn(r)
	})
}

// Attachments lists a job's attachments by name. CodeForbidden for those whom
// they are not for.
func (e *Engine) Attachments(ctx context.Context, id string) (list []store.Attachment, err error) {
	err = e.details(ctx, id, func(r store.Reader) error {
		list, err = r.Attachments(id)
		return err
	})
	return append([]store.Attachment{}, list...), err
}

// ReadAttachment writes an attachment's contents to w, in short looks at the
// store. CodeNotFound when there is none of the name.
func (e *Engine) ReadAttachment(ctx context.Context, id, name string, w io.Writer) error {
	chunks, err := e.attached(ctx, id, name)
	for _, c := range chunks {
		var data []byte
		if err == nil {
			err = e.store.View(ctx, func(r store.Reader) error {
				data, err = r.Chunk(id, name, c.Index)
				return err
			})
		}
		if err == nil {
			_, err = w.Write(data)
		}
	}
	return err
}

// attached gives what an attachment is kept in. CodeNotFound when there is none of
// this name.
func (e *Engine) attached(ctx context.Context, id, name string) (chunks []store.Chunk, err error) {
	err = e.details(ctx, id, func(r store.Reader) error {
		a, err := attachment(r, id, name)
		if err == nil && a == nil {
			err = store.NotFound(fmt.Sprintf("attachment %q of job %q", name, id), "see `signalbox job attachment "+id+"`")
		}
		if err == nil {
			chunks, err = r.Chunks(id, name)
		}
		return err
	})
	return chunks, err
}

// attachment finds an attachment by name; nil when there is none.
func attachment(r store.Reader, id, name string) (*store.Attachment, error) {
	list, err := r.Attachments(id)
	for n := range list {
		if list[n].Name == name {
			return &list[n], nil
		}
	}
	return nil, err
}

// Attach keeps a file with a job. It is there when it is whole. CodeConflict when
// there is one of the name, or one is on its way; CodeInvalid when it is larger
// than MaxAttachment; CodeForbidden for a built-in job, which makes its own.
func (e *Engine) Attach(ctx context.Context, id, name, mediaType string, r io.Reader) (a store.Attachment, err error) {
	if err := validateFileName(name); err != nil {
		return a, err
	}
	done, err := e.uploads.begin(id, name)
	if err != nil {
		return a, err
	}
	defer done()
	a = store.Attachment{Name: name, Type: cleanText(mediaType, 256), CreatedBy: Actor(ctx)}
	err = e.change(ctx, func(t *tx) error { // what an attempt that broke off has left goes
		j, err := t.Job(id)
		if err != nil {
			return err
		}
		if err := e.closedTo(ctx, &j); err != nil {
			return err
		}
		if Builtin(j.Queue) {
			return reserved(j.Queue)
		}
		if there, err := attachment(t, id, name); err != nil || there != nil {
			return firstOf(err, store.Conflict(fmt.Sprintf("attachment %q", name), "job "+id+" has one of this name", "choose another name"))
		}
		return t.DropChunks(id, name)
	})
	if err == nil {
		err = e.putChunks(ctx, id, name, r)
	}
	if err == nil {
		err = e.change(ctx, func(t *tx) error {
			a.CreatedAt = t.now
			t.touchJob(id)
			return t.PutAttachment(id, &a)
		})
	}
	return a, err
}

// uploads are the files that are being handed in.
type uploads struct {
	mu  sync.Mutex
	all map[[2]string]bool // by job and name
}

// begin lets nobody else write the file until the function it gives is called.
func (u *uploads) begin(id, name string) (end func(), err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	key := [2]string{id, name}
	if u.all[key] {
		return nil, store.Conflict(fmt.Sprintf("attachment %q", name), "somebody hands one of this name to job "+id+" just now", "choose another name")
	}
	if u.all == nil {
		u.all = map[[2]string]bool{}
	}
	u.all[key] = true
	return func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		delete(u.all, key)
	}, nil
}

func (e *Engine) putChunks(ctx context.Context, id, name string, r io.Reader) error {
	buf := make([]byte, chunkBytes)
	size := 0
	for index := uint64(0); ; index++ {
		n, err := io.ReadFull(r, buf)
		if size += n; size > MaxAttachment {
			return overLimit("attachment", size, MaxAttachment, "bytes")
		}
		if n > 0 || index == 0 {
			if err := e.change(ctx, func(t *tx) error { return t.PutChunk(id, name, index, buf[:n]) }); err != nil {
				return err
			}
		}
		switch err {
		case nil:
		case io.EOF, io.ErrUnexpectedEOF:
			return nil
		default:
			return err
		}
	}
}

func validateFileName(name string) error {
	if name == "" || name == "." || name == ".." || len(name) > maxFileName || cleanText(name, maxFileName) != name ||
		strings.ContainsFunc(name, func(r rune) bool { return r == '/' || r == '\\' || unicode.IsControl(r) }) {
		return store.Invalid(fmt.Sprintf("file name %q", name), fmt.Sprintf("a name is 1 to %d bytes of UTF-8 without slashes and control characters", maxFileName), "use another name")
	}
	return nil
}
