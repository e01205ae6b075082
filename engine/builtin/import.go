package builtin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"

	"signalbox/engine"
	"signalbox/engine/intake"
	"signalbox/store"
)

// rowsAtOnce is how many rows are added in one change.
const rowsAtOnce = 1000

// importer works the items of the import queue.
type importer struct{ e *engine.Engine }

// work reads the file from its start, passes over the rows that an earlier attempt
// brought in, and adds the others batch by batch.
func (m *importer) work(ctx context.Context, r engine.Record) (json.RawMessage, error) {
	var job engine.ImportJob
	if err := json.Unmarshal(r.Payload, &job); err != nil {
		return nil, store.Invalid("item "+r.ID().String(), "it is no import: "+store.Unreadable(err), "start one with `signalbox job start`")
	}
	progress, err := m.e.ImportProgress(ctx, &r)
	if err != nil {
		return nil, err
	}
	run := importing{importer: m, record: &r, job: &job, progress: progress}
	if job.Mode == engine.StopOnFirstFailure && progress.Rejected > 0 {
		err = run.stepBack(ctx)
	}
	if err != nil {
		return nil, err
	}
	if job.Mode == engine.AllOrNothing {
		err = run.whole(ctx)
	} else {
		err = m.read(ctx, &job, func(file *intake.File) error {
			run.file = file
			return run.all(ctx)
		})
	}
	if err != nil {
		return nil, err
	}
	return store.Encode(run.progress)
}

// read opens the file for fn.
func (m *importer) read(ctx context.Context, job *engine.ImportJob, fn func(*intake.File) error) error {
	in, err := m.open(ctx, job)
	if err != nil {
		return err
	}
	defer in.Close()
	zone, err := engine.ZoneOf(job.Zone)
	if err != nil {
		return err
	}
	file, err := intake.Open(in, intake.Options{
		Columns: intake.Columns{Reference: job.Reference, Due: job.Due, Priority: job.Priority, Defer: job.Defer},
		Now:     job.Now.Time(), Zone: zone, From: job.FromLine,
		States: intake.States(job.States), Dates: intake.Dates(job.Dates), Encoding: intake.Encoding(job.Encoding),
	})
	if err != nil {
		return err
	}
	return fn(file)
}

// open gives the file, or the attachment as it is read.
func (m *importer) open(ctx context.Context, job *engine.ImportJob) (io.ReadCloser, error) {
	if job.Path != "" {
		return engine.OpenRows(job.Path)
	}
	out, in := io.Pipe()
	go func() { in.CloseWithError(m.e.ReadAttachment(ctx, job.Of, job.Attachment, in)) }()
	return out, nil
}

// importing is one attempt.
type importing struct {
	*importer
	record   *engine.Record
	job      *engine.ImportJob
	file     *intake.File
	progress engine.ImportProgress
	rows     []intake.Row
	links    engine.Links
}

func (m *importing) all(ctx context.Context) error {
	n, behind := 0, m.progress.Rows
	linked, stop := iter.Pull2(m.e.LinkedRows(ctx, m.record, m.progress.Parts))
	defer stop()
	for row, err := range m.file.Rows() {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return errors.Join(err, m.flush(context.WithoutCancel(ctx)))
		}
		if n++; n <= behind {
			if err := m.passed(&row, linked); err != nil {
				return err
			}
			continue
		}
		m.rows = append(m.rows, row)
		if len(m.rows) == rowsAtOnce || row.Err != nil && m.job.Mode == engine.StopOnFirstFailure {
			if err := m.flush(ctx); err != nil {
				return err
			}
		}
	}
	return m.flush(ctx)
}

// stepBack has the row read again at which an earlier attempt stopped: it may have been
// mended since, and nothing behind it may come in while it is bad.
func (m *importing) stepBack(ctx context.Context) error {
	next := m.progress
	next.Rows, next.Rejected, next.Chunks = next.Rows-next.Rejected, 0, 0
	err := m.e.AddImported(ctx, m.record, engine.AddRequest{Queue: m.job.Queue, Mode: m.job.Mode}, func([]engine.AddResult) (engine.ImportProgress, engine.ImportKept) {
		return next, engine.ImportKept{}
	})
	m.progress = next
	return err
}

// passed remembers a row that an earlier attempt brought in.
func (m *importing) passed(row *intake.Row, linked func() (uint64, error, bool)) error {
	if row.Err != nil || !row.Item.Past.Linked() {
		return nil
	}
	number, err, _ := linked()
	if err == nil && number != 0 {
		m.links.Past(row.Item.Past, m.job.Queue, number)
	}
	return err
}

// flush adds the rows that wait; the bad ones go to the rejects.
func (m *importing) flush(ctx context.Context) error {
	rows := m.rows
	if m.rows = nil; len(rows) == 0 {
		return nil
	}
	a := engine.AddRequest{Queue: m.job.Queue, Mode: m.job.Mode, Strict: m.job.Strict}
	for _, row := range rows {
		if row.Err == nil {
			if m.job.Job != "" {
				row.Item.Job = m.job.Job
			}
			a.Items = append(a.Items, row.Item)
		}
	}
	m.links.Fill(a.Queue, a.Items)
	var next engine.ImportProgress
	var kept engine.ImportKept
	var first error
	var stored []engine.AddResult
	err := m.e.AddImported(ctx, m.record, a, func(results []engine.AddResult) (engine.ImportProgress, engine.ImportKept) {
		var rejects bytes.Buffer
		next, first = m.tally(rows, results, &rejects)
		var links engine.Links
		next.Lacking += links.Took(a.Items, results)
		stored, kept = results, engine.ImportKept{Rejects: rejects.Bytes(), Linked: m.linkedOf(a.Items, results)}
		return next, kept
	})
	if err != nil {
		return err
	}
	m.links.Took(a.Items, stored)
	if next.Rejected > m.progress.Rejected {
		next.Chunks = m.progress.Chunks + 1
	}
	if len(kept.Linked) > 0 {
		next.Parts = m.progress.Parts + 1
	}
	m.progress = next
	if first != nil && m.job.Mode == engine.StopOnFirstFailure {
		return store.Invalid("the import", "stopped at its first bad row: "+first.Error(), "mend the file and import the rest")
	}
	return nil
}

// linkedOf gives the numbers under which those items were stored that are linked
// to retries, 0 of those that were not; of those that were not tried, or will be again,
// none.
func (m *importing) linkedOf(items []engine.NewItem, results []engine.AddResult) (numbers []uint64) {
	for n := range items {
		if !items[n].Past.Linked() {
			continue
		}
		switch r := &results[n]; {
		case r.Err != nil && m.job.Mode == engine.StopOnFirstFailure:
		case r.Existing || r.Err != nil:
			numbers = append(numbers, 0)
		case r.Item.Number != 0:
			numbers = append(numbers, r.Item.Number)
		}
	}
	return numbers
}

// tally counts what became of rows, and writes the rejected ones.
func (m *importing) tally(rows []intake.Row, results []engine.AddResult, rejected io.Writer) (p engine.ImportProgress, first error) {
	p = m.progress
	out := intake.NewRejects(rejected, m.file)
	if p.Chunks > 0 {
		out = intake.MoreRejects(rejected, m.file)
	}
	for _, row := range rows {
		reason := row.Err
		if reason == nil {
			reason = results[0].Err
			switch {
			case reason != nil:
			case results[0].Existing:
				p.Existing++
			case results[0].Item.Number == 0: // behind the first bad one
				continue
			default:
				p.Stored++
			}
			results = results[1:]
		}
		p.Rows++
		if reason == nil {
			continue
		}
		if first == nil {
			first = reason
		}
		p.Rejected++
		_ = out.Add(row, reason) // into memory
		if m.job.Mode == engine.StopOnFirstFailure {
			break
		}
	}
	return p, first
}
