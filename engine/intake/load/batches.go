package load

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"signalbox/engine"
	"signalbox/engine/intake"
	"signalbox/store"
)

// batch is how many rows go to the engine at once where they need not all go.
const batch = 1000

// batches stores good rows as they come and writes bad ones to the rejects
// file: all of them, or with stop-on-first-failure only the first.
func (l *Load) batches(ctx context.Context) (Done, error) {
	file, err := l.open()
	if err != nil {
		return Done{}, err
	}
	b := batcher{Load: l, out: l.rejects(file)}
	err = b.all(ctx, file)
	if e := b.out.close(); err == nil {
		err = e
	}
	b.done.Rejects = b.out.made
	return b.done, b.verdict(err)
}

// errStop ends a load at its first bad row.
var errStop = errors.New("stop")

// batcher sends rows in batches, in their order, bad ones among them.
type batcher struct {
	*Load
	out     rejects
	begun   bool
	barred  error // why it could not begin
	waiting []intake.Row
	links   engine.Links
	done    Done
	line    int  // where the last row stored or rejected begins
	crowded bool // two rows were on one line
}

// all brings in all rows. What has been read when ctx ends is still brought in,
// so that how far it came is never in doubt.
func (b *batcher) all(ctx context.Context, file *intake.File) error {
	whole := context.WithoutCancel(ctx)
	for row, err := range b.rows(file) {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return errors.Join(err, b.flush(whole))
		}
		b.waiting = append(b.waiting, row)
		if len(b.waiting) == batch || row.Err != nil && b.Mode == engine.StopOnFirstFailure {
			if err := b.flush(whole); err != nil {
				return err
			}
		}
	}
	return b.flush(whole)
}

// flush stores the good rows that wait and rejects the bad ones, those that
// the engine refuses included.
func (b *batcher) flush(ctx context.Context) error {
	rows := b.waiting
	b.waiting = nil
	results, err := b.add(ctx, rows)
	if err != nil {
		return err
	}
	first := map[string]int{} // the lines on which references are met first
	for _, row := range rows {
		reason := row.Err
		if reason == nil {
			reference := row.Item.Reference
			first[reference] = cmp.Or(first[reference], row.Line)
			reason = intake.Twice(results[0].Err, reference, first[reference], row.Line)
			switch {
			case reason != nil:
			case results[0].Existing:
				b.done.Existing++
			default:
				b.done.Stored++
			}
			results = results[1:]
		}
		b.crowded = b.crowded || row.Line == b.line
		b.line = row.Line
		if reason == nil {
			continue
		}
		if err := b.reject(row, reason); err != nil {
			return err
		}
	}
	b.progress(b.done.rows(), b.done.Stored, b.done.Rejected)
	return b.out.flush() // so that whatever ends this process, what is stored and what is not are both known
}

func (b *batcher) reject(row intake.Row, reason error) error {
	if b.done.Rejected++; b.done.Rejected == 1 {
		b.done.Line, b.done.First = row.Line, reason
	}
	if err := b.out.add(b.beside(), row, reason); err != nil {
		return err
	}
	if b.Mode == engine.StopOnFirstFailure {
		return errStop
	}
	return nil
}

func (b *batcher) add(ctx context.Context, rows []intake.Row) ([]engine.AddResult, error) {
	r := engine.AddRequest{Queue: b.Queue, Mode: b.Mode, Strict: b.Strict, From: b.from()}
	for _, row := range rows {
		if row.Err == nil {
			r.Items = append(r.Items, row.Item)
		}
	}
	if len(r.Items) == 0 {
		return nil, nil
	}
	if !b.begun {
		if b.barred = b.begin(true); b.barred != nil {
			return nil, b.barred
		}
		b.begun = true
	}
	r.Filling = b.Job != ""
	for i := range r.Items {
		r.Items[i].Job = cmp.Or(b.Job, r.Items[i].Job)
	}
	b.links.Fill(r.Queue, r.Items)
	results, err := b.Queues.Add(ctx, r)
	if err == nil {
		b.done.Lacking += b.links.Took(r.Items, results)
	}
	return results, err
}

// verdict says how a load ended that did not end well, and how to go on.
func (b *batcher) verdict(err error) error {
	name, after := b.Source.Name, "after "+b.Words.Plural(int64(b.done.Stored), "stored row")
	first := &store.Error{
		Code: max(store.CodeOf(b.done.First), store.CodeInvalid), Thing: fmt.Sprintf("%s line %d", name, b.done.Line), Err: b.done.First,
	}
	switch {
	case b.barred != nil:
		return b.barred
	case err == nil && b.done.Rejected > 0 && b.done.Stored+b.done.Existing == 0:
		first.Rule = "the first of " + b.Words.Plural(int64(b.done.Rejected), "rejected row") + ", none was stored"
		return first
	case err == nil:
		return nil
	case errors.Is(err, errStop):
		first.Rule = "stopped " + after
		first.Mend = "the rows behind it were not tried: mend it, then " + b.goOn(b.done.Line)
		return first
	case errors.Is(err, context.Canceled):
		return &store.Error{Code: store.CodeFailed, Thing: name, Rule: b.ended() + " " + after, Mend: b.goOn(b.line + 1)}
	}
	return fmt.Errorf("%s: %s (%s): %w", name, after, b.goOn(b.line+1), err)
}

// goOn says how to bring in the rows that are left. Of elements of an array that
// share a line no line's number tells them apart.
func (b *batcher) goOn(line int) string {
	switch {
	case b.line == 0:
		return "import it again"
	case b.crowded:
		return fmt.Sprintf("go on with the rows after the first %d, in a file of their own", b.done.rows())
	}
	return "go on with " + b.Words.GoOn(line)
}
