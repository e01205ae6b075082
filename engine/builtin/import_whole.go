package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"signalbox/engine"
	"signalbox/engine/intake"
	"signalbox/store"
)

// errChanged says that a file is not what it was a moment before.
var errChanged = errors.New("the file changed while it was read; nothing was stored")

// whole stores all rows or none: it checks all before it stores any, which are then
// read again. What an earlier attempt stored without coming to the end has been
// taken out, so it begins anew; one that came to the end is known by its progress.
func (m *importing) whole(ctx context.Context) error {
	if m.progress.Whole {
		return nil
	}
	m.progress = engine.ImportProgress{}
	bad, rows, err := m.check(ctx)
	switch {
	case err != nil:
		return err
	case bad.N > 0:
		return m.refuse(ctx, bad)
	}
	done, err := m.store(ctx, rows)
	if refused, ok := errors.AsType[*engine.RowError](err); ok {
		bad, err := m.refused(ctx, refused)
		if err != nil {
			return err
		}
		return m.refuse(ctx, bad)
	}
	if err == nil {
		m.progress = wholly(done)
	}
	return err
}

func wholly(done engine.ImportResult) engine.ImportProgress {
	return engine.ImportProgress{Rows: int(done.Stored + done.Existing), Stored: int(done.Stored), Existing: int(done.Existing), Lacking: int(done.Lacking), Whole: true}
}

// check looks at all rows, to tell how many are bad.
func (m *importing) check(ctx context.Context) (bad intake.Bad, rows int64, err error) {
	err = m.read(ctx, m.job, func(file *intake.File) error {
		for row, err := range file.Rows() {
			if err := cmp.Or(err, ctx.Err()); err != nil {
				return err
			}
			if p := row.Item.Past; row.Err == nil && (p == nil || !p.Archived) { // those may be sealed, which only the engine opens
				row.Err = row.Item.Validate()
			}
			if row.Err != nil {
				bad.Add(row.Line, row.Err)
			}
			rows++
		}
		return nil
	})
	return bad, rows, err
}

// store reads the file again and stores its rows as they come.
func (m *importing) store(ctx context.Context, rows int64) (done engine.ImportResult, err error) {
	request := engine.ImportRequest{Queue: m.job.Queue, Strict: m.job.Strict, From: m.name()}
	err = m.read(ctx, m.job, func(file *intake.File) error {
		done, err = m.e.ImportHeld(ctx, m.record, request, func(yield func(engine.NewItem, error) bool) {
			n := int64(0)
			for row, err := range file.Rows() {
				if n++; err == nil && (row.Err != nil || n > rows) {
					err = errChanged
				}
				row.Item.Job = cmp.Or(m.job.Job, row.Item.Job)
				if !yield(row.Item, err) || err != nil {
					return
				}
			}
			if n < rows {
				yield(engine.NewItem{}, errChanged)
			}
		}, wholly)
		return err
	})
	return done, err
}

// refuse keeps how many rows were bad, and says why nothing was stored.
func (m *importing) refuse(ctx context.Context, bad intake.Bad) error {
	err := m.e.AddImported(ctx, m.record, engine.AddRequest{}, func([]engine.AddResult) (engine.ImportProgress, engine.ImportKept) {
		return engine.ImportProgress{Rejected: bad.N}, engine.ImportKept{}
	})
	if err != nil {
		return err
	}
	final := bad.Refusal(m.name())
	final.Code = store.CodeInvalid // trying again would not help
	return final
}

// refused names the line of a row that the engine refused, and that of an earlier one
// with its reference.
func (m *importing) refused(ctx context.Context, refused *engine.RowError) (intake.Bad, error) {
	row, err := m.find(ctx, func(n int64, _ *intake.Row) bool { return n == refused.Row })
	first := row
	if err == nil && row.Item.Reference != "" {
		first, err = m.find(ctx, func(_ int64, other *intake.Row) bool { return other.Item.Reference == row.Item.Reference })
	}
	return intake.Bad{N: 1, Line: row.Line, First: intake.Twice(refused.Err, row.Item.Reference, first.Line, row.Line)}, err
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
		return errChanged
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
