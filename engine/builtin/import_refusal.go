package builtin

import (
	"bytes"
	"cmp"
	"context"

	"signalbox/engine"
	"signalbox/engine/intake"
	"signalbox/store"
)

// rejectsAtOnce is how many bytes of rejected rows are kept in one change.
const rejectsAtOnce = 1 << 20

// refusal is an import of all rows or none that may come to nothing: its bad rows
// go to the rejects as they are met.
type refusal struct {
	*importing
	faults intake.Faults
	text   bytes.Buffer
	out    *intake.Rejects
}

// check looks at all rows, so that all faults can be mended at once.
func (r *refusal) check(ctx context.Context) (rows int64, err error) {
	err = r.read(ctx, r.job, func(file *intake.File) error {
		r.out = intake.NewRejects(&r.text, file)
		for row, err := range file.Rows() {
			if err := cmp.Or(err, ctx.Err()); err != nil {
				return err
			}
			if err := row.Check(); err != nil {
				if err := r.reject(ctx, row, err); err != nil {
					return err
				}
			}
			rows++
		}
		return nil
	})
	return rows, err
}

func (r *refusal) reject(ctx context.Context, row intake.Row, reason error) error {
	r.faults.Add(row.Line, reason)
	_ = r.out.Add(row, reason) // into memory
	if r.text.Len() < rejectsAtOnce {
		return nil
	}
	return r.keep(ctx)
}

// keep stores the rejected rows that came since it did so last.
func (r *refusal) keep(ctx context.Context) error {
	p := engine.ImportProgress{Rejected: r.faults.N, Chunks: r.progress.Chunks, Faults: r.faults.Kinds()}
	kept := engine.ImportKept{Rejects: bytes.Clone(r.text.Bytes())}
	err := r.e.AddImported(ctx, r.record, engine.AddRequest{}, func([]engine.AddResult) (engine.ImportProgress, engine.ImportKept) {
		return p, kept
	})
	if err == nil && len(kept.Rejects) > 0 {
		r.progress.Chunks++
	}
	r.text.Reset()
	return err
}

// refuse says why nothing was stored.
func (r *refusal) refuse(ctx context.Context, untried bool) error {
	if err := r.keep(ctx); err != nil {
		return err
	}
	mend := "mend the file, whose bad rows are in the job's attachment " + engine.RejectsName + " with their reasons, or store the other rows with --mode independent"
	final := r.faults.Refusal(r.name(), untried, mend).Err
	final.Code = store.CodeInvalid // trying again would not help
	return final
}

// row refuses the file for one that the engine refused, and names the line of an
// earlier one with its reference.
func (r *refusal) row(ctx context.Context, refused *engine.RowError) error {
	row, err := r.find(ctx, func(n int64, _ *intake.Row) bool { return n == refused.Row })
	first := row
	if err == nil && row.Item.Reference != "" {
		first, err = r.find(ctx, func(_ int64, other *intake.Row) bool { return other.Item.Reference == row.Item.Reference })
	}
	if err == nil {
		err = r.reject(ctx, row, intake.Twice(refused.Err, row.Item.Reference, first.Line, row.Line))
	}
	if err != nil {
		return err
	}
	return r.refuse(ctx, true)
}
