package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"

	"signalbox/engine"
	"signalbox/engine/intake"
)

// whole stores all rows or none: it checks all before it stores any, which are then
// read again. What an earlier attempt stored without coming to the end has been
// taken out, so it begins anew; one that came to the end is known by its progress.
func (m *importing) whole(ctx context.Context) error {
	if m.progress.Whole {
		return nil
	}
	if m.progress.Chunks > 0 { // of a file that may be another now
		if err := m.e.DropRejects(ctx, m.record); err != nil {
			return err
		}
	}
	m.progress = engine.ImportProgress{}
	r := refusal{importing: m}
	rows, err := r.check(ctx)
	switch {
	case err != nil:
		return err
	case r.faults.N > 0:
		return r.refuse(ctx, false)
	}
	done, err := m.store(ctx, rows)
	if refused, ok := errors.AsType[*engine.RowError](err); ok {
		return r.row(ctx, refused)
	}
	if err == nil {
		m.progress = wholly(done)
	}
	return err
}

func wholly(done engine.ImportResult) engine.ImportProgress {
	return engine.ImportProgress{Rows: int(done.Stored + done.Existing), Stored: int(done.Stored), Existing: int(done.Existing), Lacking: int(done.Lacking), Whole: true}
}

// store reads the file again and stores its rows as they come.
func (m *importing) store(ctx context.Context, rows int64) (done engine.ImportResult, err error) {
	request := engine.ImportRequest{Queue: m.job.Queue, Strict: m.job.Strict, From: m.name()}
	err = m.read(ctx, m.job, func(file *intake.File) error {
		done, err = m.e.ImportHeld(ctx, m.record, request, func(yield func(engine.NewItem, error) bool) {
			for item, err := range intake.Again(m.ofJob(file.Rows()), rows) {
				if !yield(item, err) {
					return
				}
			}
		}, wholly)
		return err
	})
	return done, err
}

// ofJob gives rows the job that all of them belong to, where there is one.
func (m *importing) ofJob(rows iter.Seq2[intake.Row, error]) iter.Seq2[intake.Row, error] {
	return func(yield func(intake.Row, error) bool) {
		for row, err := range rows {
			row.Item.Job = cmp.Or(m.job.Job, row.Item.Job)
			if !yield(row, err) {
				return
			}
		}
	}
}

// find gives the first row that is the one.
func (m *importing) find(ctx context.Context, is func(n int64, row *intake.Row) bool) (found intake.Row, err error) {
	err = m.read(ctx, m.job, func(file *intake.File) error {
		n := int64(0)
		for row, err := range file.Rows() {
			if err != nil {
				return err
			}
			if is(n, &row) {
				found = row
				return nil
			}
			n++
		}
		return intake.ErrChanged
	})
	return found, err
}

// name is the file as messages name it.
func (m *importing) name() string {
	if m.job.Path != "" {
		return filepath.Base(m.job.Path)
	}
	return fmt.Sprintf("%s of %s", m.job.Attachment, m.job.Of)
}
