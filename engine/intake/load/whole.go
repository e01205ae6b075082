package load

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"signalbox/engine"
	"signalbox/engine/intake"
)

// What a load holds in memory before it reads its file again instead.
const (
	heldRows  = 10_000
	heldBytes = 8 << 20 // of their text and payloads
)

// whole stores all rows or none. It checks all before it stores any; those of a
// large file it does not keep, but reads them again.
func (l *Load) whole(ctx context.Context) (Done, error) {
	if err := l.Source.keep(); err != nil {
		return Done{}, l.nothing(err)
	}
	file, err := l.open()
	if err != nil {
		return Done{}, err
	}
	w := wholly{Load: l, refusal: refusal{out: l.rejects(file)}}
	if err := w.look(ctx, file); err != nil {
		w.out.drop()
		return Done{}, l.nothing(err)
	}
	if w.faults.N > 0 {
		return w.refuse(false)
	}
	if err := l.begin(w.seen > 0); err != nil || w.seen == 0 {
		return Done{}, err
	}
	if w.large {
		return w.again(ctx)
	}
	return w.atOnce(ctx)
}

// wholly is a load of all rows or none.
type wholly struct {
	*Load
	refusal
	held  []intake.Row // of a small file
	seen  int64
	bytes int
	large bool
}

// refusal is what is told of a file of which nothing is stored.
type refusal struct {
	faults intake.Faults
	out    rejects
	kept   error // why the rejected rows could not be kept
}

// look checks all rows. After the first bad one no more are held, but the others
// are still checked, so that all faults can be mended at once.
func (w *wholly) look(ctx context.Context, file *intake.File) error {
	for row, err := range w.rows(file) {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		if row.Check() != nil {
			w.reject(row, row.Err)
		}
		w.seen++
		w.bytes += len(row.Raw) + len(row.Item.Payload)
		if w.large = w.large || w.seen > heldRows || w.bytes > heldBytes; w.large || w.faults.N > 0 {
			w.held = nil
			continue
		}
		w.held = append(w.held, row)
	}
	return nil
}

func (w *wholly) reject(row intake.Row, reason error) {
	w.faults.Add(row.Line, reason)
	if w.kept == nil {
		w.kept = w.out.add(w.beside(), row, reason)
	}
}

// refuse tells of all faults at once.
func (w *wholly) refuse(untried bool) (Done, error) {
	err := w.out.close()
	w.kept = cmp.Or(w.kept, err)
	mend := "mend the file, or " + w.Words.Others
	if w.kept == nil {
		mend = "mend the file, whose bad rows are in " + w.out.made + " with their reasons, or " + w.Words.Others
	}
	refused := w.faults.Refusal(w.Source.Name, untried, mend)
	if w.kept != nil {
		refused.Kinds = append(refused.Kinds, w.kept.Error())
	}
	return Done{Rejected: w.faults.N, Rejects: w.out.made, First: w.faults.First, Line: w.faults.Line}, refused
}

// atOnce stores the rows of a small file in one change. Once it is begun it is
// stored or refused, so that nobody need guess.
func (w *wholly) atOnce(ctx context.Context) (Done, error) {
	items := make([]engine.NewItem, len(w.held))
	for i, row := range w.held {
		items[i] = row.Item
		items[i].Job = cmp.Or(w.Job, row.Item.Job)
		if w.Start != nil { // which names it
			items[i].Job = ""
		}
	}
	results, err := w.Queues.Add(context.WithoutCancel(ctx), engine.AddRequest{Queue: w.Queue, Strict: w.Strict, From: w.from(), Items: items, Start: w.Start})
	if err != nil {
		return w.refusedOf(items, results, err)
	}
	var links engine.Links
	done := Done{Stored: len(items), Lacking: links.Took(items, results)}
	for _, r := range results {
		switch {
		case r.Existing:
			done.Stored, done.Existing = done.Stored-1, done.Existing+1
		case w.Start != nil:
			done.Job = r.Item.Job
		}
	}
	w.progress(len(items), done.Stored, 0)
	return done, nil
}

func (w *wholly) refusedOf(items []engine.NewItem, results []engine.AddResult, err error) (Done, error) {
	for i, r := range results {
		if r.Err == nil {
			continue
		}
		reference := items[i].Reference
		first := slices.IndexFunc(items, func(n engine.NewItem) bool { return n.Reference == reference })
		w.reject(w.held[i], intake.Twice(r.Err, reference, w.held[first].Line, w.held[i].Line))
	}
	if w.faults.N == 0 {
		return Done{}, err
	}
	return w.refuse(false)
}

// again reads the file once more and stores its rows as they come; the engine
// takes them out again should it not come to the end.
func (w *wholly) again(ctx context.Context) (Done, error) {
	file, err := w.open()
	if err != nil {
		return Done{}, err
	}
	n := 0
	stored, err := w.Queues.Import(context.WithoutCancel(ctx), engine.ImportRequest{Queue: w.Queue, Strict: w.Strict, From: w.from(), Start: w.Start}, func(yield func(engine.NewItem, error) bool) {
		for item, err := range intake.Again(w.rows(file), w.seen) {
			err = cmp.Or(err, ctx.Err())
			n++
			if w.progress(n, n, 0); !yield(item, err) || err != nil {
				return
			}
		}
	})
	if refused, ok := errors.AsType[*engine.RowError](err); ok {
		return w.refusedRow(refused)
	}
	if err != nil {
		return Done{}, w.nothing(err)
	}
	return Done{Stored: int(stored.Stored), Existing: int(stored.Existing), Lacking: int(stored.Lacking), Job: stored.Job}, nil
}

// refusedRow names the line of a row that the engine refused, and that of an
// earlier one with its reference.
func (w *wholly) refusedRow(refused *engine.RowError) (Done, error) {
	row, err := w.find(func(n int64, _ *intake.Row) bool { return n == refused.Row })
	first := row
	if err == nil && row.Item.Reference != "" {
		first, err = w.find(func(_ int64, other *intake.Row) bool { return other.Item.Reference == row.Item.Reference })
	}
	if err != nil {
		return Done{}, w.nothing(fmt.Errorf("%w (%w)", refused.Err, err))
	}
	w.reject(row, intake.Twice(refused.Err, row.Item.Reference, first.Line, row.Line))
	return w.refuse(true)
}

// find gives the first row that is the one.
func (w *wholly) find(is func(n int64, row *intake.Row) bool) (intake.Row, error) {
	file, err := w.open()
	if err != nil {
		return intake.Row{}, err
	}
	n := int64(0)
	for row, err := range w.rows(file) {
		if err != nil {
			return intake.Row{}, err
		}
		if is(n, &row) {
			return row, nil
		}
		n++
	}
	return intake.Row{}, intake.ErrChanged
}
