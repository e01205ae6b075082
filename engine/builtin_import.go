package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"signalbox/store"
)

// ImportJob is an import that the engine does by itself.
type ImportJob struct {
	Queue string `json:"queue"` // where the rows go
	// Path is a file beside the engine, whole; or Attachment one of the job Of.
	Path       string `json:"path,omitempty"`
	Of         string `json:"of,omitempty"`
	Attachment string `json:"attachment,omitempty"`
	Mode       string `json:"mode,omitempty"` // as in AddRequest; "" = all-or-nothing
	Job        string `json:"job,omitempty"`  // the job that the rows belong to
	Strict     bool   `json:"strict,omitempty"`
	Reference  string `json:"reference,omitempty"` // columns, as in item import
	Due        string `json:"due,omitempty"`
	Priority   string `json:"priority,omitempty"`
	Defer      string `json:"defer,omitempty"`
	Zone       string `json:"zone,omitempty"`     // of times written without one; "" = UTC, Local = the engine's
	States     string `json:"states,omitempty"`   // keep or new, as in item import
	Dates      string `json:"dates,omitempty"`    // dmy or mdy
	Encoding   string `json:"encoding,omitempty"` // of the text
	FromLine   int    `json:"from_line,omitempty"`
	// Now is what relative times count from; set when the job starts.
	Now store.Time `json:"now,omitzero"`
}

// ImportProgress is how far an import is: what has been read up to Rows is in.
type ImportProgress struct {
	Rows     int `json:"rows"` // read
	Stored   int `json:"stored"`
	Existing int `json:"existing,omitempty"`
	Rejected int `json:"rejected"`
	Chunks   int `json:"chunks,omitempty"` // of the rejects file
	// Lacking counts links to retries that were dropped, as their other items are
	// not of the import.
	Lacking int `json:"links_dropped,omitempty"`
	Parts   int `json:"parts,omitempty"` // of the numbers of linked items
	// Faults tell of each kind of bad row, where nothing is stored for them.
	Faults []string `json:"faults,omitempty"`
	// Whole says that all is done: the rows of an all-or-nothing import are in.
	Whole bool `json:"whole,omitempty"`
}

// RejectsName is the attachment of rejected rows.
const RejectsName = "rejects"

func (e *Engine) newImport(ctx context.Context, raw json.RawMessage) (b builtinJob, err error) {
	m, err := strict[ImportJob](raw)
	if err != nil {
		return b, err
	}
	m.Now = e.now()
	if m.Mode == "" {
		m.Mode = AllOrNothing
	}
	switch {
	case m.Mode != AllOrNothing && m.Mode != Independent && m.Mode != StopOnFirstFailure:
		return b, store.Invalid(fmt.Sprintf("mode %q", m.Mode), "there is none of this name", "use all-or-nothing, stop-on-first-failure or independent")
	case (m.Path == "") == (m.Attachment == ""):
		return b, store.Invalid("an import job", "its rows are in a file or in an attachment", "give path, or of and attachment")
	case m.Path != "" && !filepath.IsAbs(m.Path):
		return b, store.Invalid(fmt.Sprintf("path %q", m.Path), "the engine may run elsewhere", "write it whole, from / on")
	}
	if err := m.reading().Validate(); err != nil {
		return b, err
	}
	if _, err := ZoneOf(m.Zone); err != nil {
		return b, err
	}
	if m.Path != "" {
		f, err := OpenRows(m.Path)
		if err != nil {
			return b, err
		}
		_ = f.Close() // only its being there is asked
	}
	if Builtin(m.Queue) {
		return b, reserved(m.Queue)
	}
	if _, err := e.Queue(ctx, m.Queue); err != nil {
		return b, err
	}
	if m.Attachment != "" {
		if _, err := e.attached(ctx, m.Of, m.Attachment); err != nil {
			return b, err
		}
	}
	return builtinJob{queue: ImportQueue, fill: func(t *tx, q *store.Queue, j *store.Job, _ int) ([]AddResult, error) {
		if err := t.takes(&m); err != nil {
			return nil, err
		}
		if err := t.feed(j); err != nil {
			return nil, err
		}
		return t.addBuiltin(q, j.ID, "import", 1, m)
	}}, nil
}

func (m *ImportJob) reading() *Reading {
	return &Reading{States: m.States, Dates: m.Dates, Encoding: m.Encoding, From: m.FromLine}
}

// takes refuses a job that the import's rows can't belong to.
func (t *tx) takes(m *ImportJob) error {
	if m.Job == "" {
		return nil
	}
	if err := (&JobRequest{ID: m.Job}).validate(); err != nil {
		return err
	}
	q, err := t.Queue(m.Queue)
	if err != nil {
		return err
	}
	return t.joinable(&q, m.Job)
}

// OpenRows opens the file of an import.
func OpenRows(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, store.Invalid("file "+path, "it is no file of rows", "give a file, not a folder or a device")
	}
	var f *os.File
	if err == nil {
		f, err = os.Open(path)
	}
	if err != nil {
		return nil, store.Invalid("file "+path, "it can't be read: "+errors.Unwrap(err).Error(), "put it where the engine can read it")
	}
	return f, nil
}

// reserved refuses what only the engine itself does with built-in queues.
func reserved(queue string) error {
	return &store.Error{Code: store.CodeForbidden, Thing: "queue " + queue, Rule: "is built in, and filled and worked by signalbox itself", Mend: "use another queue, or `signalbox job start`"}
}

// ImportProgress tells how far the import of a job's item is.
func (e *Engine) ImportProgress(ctx context.Context, r *Record) (p ImportProgress, err error) {
	err = e.store.View(ctx, func(rd store.Reader) error {
		data, err := rd.Chunk(r.Job, progressName, 0)
		if err != nil {
			return unlessGone(err)
		}
		return json.Unmarshal(data, &p)
	})
	return p, err
}

// AddImported adds rows of an import, and keeps in the same change how far it is:
// an attempt after a crash goes on behind them. fn is told what became of the
// rows, and gives the progress and what is kept with it.
func (e *Engine) AddImported(ctx context.Context, r *Record, a AddRequest, fn func([]AddResult) (ImportProgress, ImportKept)) error {
	bad := make([]error, len(a.Items))
	if err := e.openPasts(ctx, &a, bad); err != nil {
		return err
	}
	for i := range a.Items {
		bad[i] = firstOf(bad[i], a.Items[i].Validate())
	}
	var held violations
	if len(a.Items) > 0 {
		held = e.schemas.heldAgainst(&a)
	}
	results := make([]AddResult, len(a.Items))
	return e.change(ctx, func(t *tx) error {
		clear(results)
		if len(a.Items) > 0 {
			if err := t.addAll(&a, bad, held, results); err != nil {
				return err
			}
		}
		p, kept := fn(results)
		return t.imported(r, p, kept)
	})
}

// imported keeps how far the import is whose item is held, and what it keeps of
// the rows. A stale holder changes nothing.
func (t *tx) imported(r *Record, p ImportProgress, kept ImportKept) error {
	i, err := t.Item(r.ID())
	if err != nil {
		return err
	}
	if _, err := held(&i, r.Fence); err != nil {
		return err
	}
	if p.Chunks == 0 { // what is there is of an attempt before this one, which began anew
		if err := t.Tx.DropChunks(r.Job, RejectsName); err != nil {
			return err
		}
	}
	if len(kept.Rejects) > 0 {
		if err := t.Tx.PutChunk(r.Job, RejectsName, uint64(p.Chunks), kept.Rejects); err != nil {
			return err
		}
		p.Chunks++
	}
	if len(kept.Linked) > 0 {
		if err := t.Tx.PutChunk(r.Job, linkedName, uint64(p.Parts), encodeNumbers(kept.Linked)); err != nil {
			return err
		}
		p.Parts++
	}
	i.Progress = fmt.Sprintf("%d rows stored, %d rejected", p.Stored+p.Existing, p.Rejected)
	i.Tally = store.Tally{Known: true, Done: p.Stored + p.Existing, Failed: p.Rejected}
	t.touchJob(r.Job)
	return firstOf(t.Tx.PutChunk(r.Job, progressName, 0, output(p)), t.Put(&i, nil))
}

// DropRejects takes away the rejected rows of an earlier attempt, and its progress. A
// stale holder changes nothing.
func (e *Engine) DropRejects(ctx context.Context, r *Record) error {
	return e.built(ctx, r, func(t *tx, _ *store.Queue) error {
		return firstOf(t.Tx.DropChunks(r.Job, RejectsName), t.Tx.DropChunks(r.Job, progressName))
	})
}

// endImport makes the attachment of the rejected rows, and tells in the log how
// the import went.
func (e *Engine) endImport(_ context.Context, j JobState) (func(store.Tx) error, error) {
	return func(tx store.Tx) error {
		var p ImportProgress
		data, err := tx.Chunk(j.ID, progressName, 0)
		if err == nil {
			err = json.Unmarshal(data, &p)
		}
		if err := unlessGone(err); err != nil {
			return err
		}
		if p.Chunks > 0 {
			a := store.Attachment{Name: RejectsName, CreatedAt: e.now(), CreatedBy: j.Initiator}
			if err := tx.PutAttachment(j.ID, &a); err != nil {
				return err
			}
		}
		over, err := overForGood(tx, &j.Job)
		if err != nil {
			return err
		}
		if over { // else it goes on behind what it has stored
			if err := firstOf(tx.DropChunks(j.ID, progressName), tx.DropChunks(j.ID, linkedName)); err != nil {
				return err
			}
		}
		told := p
		told.Faults = nil // which have lines of their own
		line := store.LogLine{At: e.now(), Level: "info", Fields: store.JSON(output(told)),
			Text: fmt.Sprintf("%d rows stored, %d known, %d rejected", p.Stored, p.Existing, p.Rejected)}
		if p.Lacking > 0 {
			line.Text += fmt.Sprintf(", %d links to retries dropped that are not in the file", p.Lacking)
		}
		for i, err := range tx.Items(store.Query{Queue: j.Queue, Job: j.ID}) {
			if err == nil && i.Status == store.Failed {
				line.Level, line.Text = "error", line.Text+"; "+why(&i)
			}
		}
		if err := tx.AppendLog(j.ID, &line, keptLog); err != nil {
			return err
		}
		return logFaults(tx, &j.Job, p.Faults, line.At)
	}, nil
}

// logFaults tells of each kind of bad row in the job's log, where there are several.
func logFaults(tx store.Tx, j *store.Job, faults []string, at store.Time) error {
	if len(faults) < 2 {
		return nil // the item's error says it
	}
	for _, fault := range faults {
		if err := tx.AppendLog(j.ID, &store.LogLine{At: at, Level: "error", Text: fault}, keptLog); err != nil {
			return err
		}
	}
	return nil
}
