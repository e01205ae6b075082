package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"signalbox/engine"
	"signalbox/engine/intake"
	"signalbox/store"
)

// batches stores good rows as they come and writes bad ones to the rejects
// file: all of them, or with stop-on-first-failure only the first.
func (im *importing) batches(ctx context.Context, s Service, file *intake.File, bar *bar) error {
	b := batcher{im: im, service: s, out: rejectsFile{im: im, file: file}}
	err := b.all(ctx, file, bar)
	if e := b.out.close(); err == nil {
		err = e
	}
	bar.clear()
	b.done.Rejected, b.done.Rejects = b.out.n, b.out.path
	if err := im.report(b.done); err != nil {
		return err
	}
	return b.verdict(err)
}

// verdict says how an import ended that did not end well, and how to go on.
func (b *batcher) verdict(err error) error {
	after := "after " + counted(b.done.Stored, "stored row")
	switch {
	case err == nil && b.out.n > 0 && b.done.Stored+b.done.Existing == 0:
		return &store.Error{
			Code: max(store.CodeOf(b.out.first), store.CodeInvalid), Thing: fmt.Sprintf("%s line %d", b.im.name(), b.out.line),
			Rule: fmt.Sprintf("the first of %s, none was stored", counted(b.out.n, "rejected row")), Err: b.out.first,
		}
	case err == nil:
		return nil
	case errors.Is(err, errStop):
		return &store.Error{
			Code: max(store.CodeOf(b.out.first), store.CodeInvalid), Thing: fmt.Sprintf("%s line %d", b.im.name(), b.out.line),
			Rule: "stopped " + after, Err: b.out.first,
			Mend: "the rows behind it were not tried: mend it, then " + b.goOn(b.out.line),
		}
	case errors.Is(err, context.Canceled):
		return &store.Error{Code: store.CodeFailed, Thing: b.im.name(), Rule: "interrupted " + after, Mend: b.goOn(b.line + 1)}
	}
	return fmt.Errorf("%s: %s (%s): %w", b.im.name(), after, b.goOn(b.line+1), err)
}

// goOn says how to import the rows that are left. Of elements of an array that
// share a line no line's number tells them apart.
func (b *batcher) goOn(line int) string {
	switch {
	case b.line == 0:
		return "import it again"
	case b.crowded:
		return fmt.Sprintf("go on with the rows after the first %d, in a file of their own", b.rows)
	}
	return fmt.Sprintf("go on with --from-line %d", line)
}

// errStop ends an import at its first bad row.
var errStop = errors.New("stop")

// batcher sends rows in batches, in their order, bad ones among them.
type batcher struct {
	im      *importing
	service Service
	out     rejectsFile
	waiting []intake.Row
	links   engine.Links
	done    imported
	rows    int  // stored or rejected
	line    int  // where the last of them begins
	crowded bool // two rows were on one line
}

// all brings in all rows. What has been read when ctx ends is still brought in,
// so that how far it came is never in doubt.
func (b *batcher) all(ctx context.Context, file *intake.File, bar *bar) error {
	whole := context.WithoutCancel(ctx)
	for row, err := range b.im.rows(file) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return errors.Join(err, b.flush(whole))
		}
		b.waiting = append(b.waiting, row)
		if len(b.waiting) == batch || row.Err != nil && b.im.mode == engine.StopOnFirstFailure {
			if err := b.flush(whole); err != nil {
				return err
			}
			bar.rows(b.done.Stored, b.out.n)
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
			var result engine.AddResult
			result, results = results[0], results[1:]
			switch reason = result.Err; {
			case reason != nil:
				reason = intake.Twice(reason, row.Item.Reference, cmp.Or(first[row.Item.Reference], row.Line), row.Line)
			case result.Existing:
				b.done.Existing++
			default:
				b.done.Stored++
			}
			first[row.Item.Reference] = cmp.Or(first[row.Item.Reference], row.Line)
		}
		b.crowded = b.crowded || row.Line == b.line
		b.line, b.rows = row.Line, b.rows+1
		if reason == nil {
			continue
		}
		if err := b.out.add(row, reason); err != nil {
			return err
		}
		if b.im.mode == engine.StopOnFirstFailure {
			return errStop
		}
	}
	return nil
}

func (b *batcher) add(ctx context.Context, rows []intake.Row) ([]engine.AddResult, error) {
	r := engine.AddRequest{Queue: b.im.queue, Mode: b.im.mode, Strict: b.im.strict, From: filepath.Base(b.im.name()), Filling: b.im.job != ""}
	for _, row := range rows {
		if row.Err == nil {
			r.Items = append(r.Items, row.Item)
		}
	}
	if len(r.Items) == 0 {
		return nil, nil
	}
	b.links.Fill(r.Queue, r.Items)
	results, err := b.service.Add(ctx, r)
	if err == nil {
		b.done.Lacking += b.links.Took(r.Items, results)
	}
	return results, err
}

// rejectsFile is made with the first rejected row.
type rejectsFile struct {
	im    *importing
	file  *intake.File
	out   *os.File
	rows  *intake.Rejects
	path  string
	n     int
	line  int
	first error
}

func (r *rejectsFile) add(row intake.Row, reason error) error {
	if r.out == nil {
		if err := r.create(); err != nil {
			return err
		}
	}
	if r.n++; r.n == 1 {
		r.line, r.first = row.Line, reason
	}
	return r.rows.Add(row, reason)
}

func (r *rejectsFile) create() (err error) {
	if r.path = r.im.rejects; r.path != "" {
		r.out, err = os.OpenFile(r.path, os.O_CREATE|os.O_WRONLY, 0o600)
	} else {
		r.out, r.path, err = intake.CreateRejects(r.im.name())
	}
	if err != nil {
		return store.Invalid("rejects file "+r.path, "it can't be written: "+err.Error(), "name another with --rejects FILE")
	}
	r.rows = intake.NewRejects(r.out, r.file)
	return nil
}

// checkRejects refuses, before anything is stored, to write rejected rows over
// a file that is there.
func (im *importing) checkRejects() error {
	info, err := os.Stat(im.rejects)
	if im.rejects == "" || err != nil || !info.Mode().IsRegular() {
		return nil // none is there, or it is a device
	}
	rule := "there is such a file already"
	if input, err := os.Stat(im.path); err == nil && os.SameFile(input, info) {
		rule = "it is the file being read"
	}
	return usage("rejects file "+im.rejects, rule, "name another with --rejects FILE")
}

func (r *rejectsFile) close() error {
	if r.out == nil {
		return nil
	}
	return r.out.Close()
}
