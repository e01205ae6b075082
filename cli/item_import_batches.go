package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"signalbox/engine"
	"signalbox/engine/intake"
	"signalbox/store"
)

// batches stores good rows as they come and writes bad ones to the rejects
// file: all of them, or with stop-on-first-failure only the first.
func (im *importing) batches(ctx context.Context, s Service, file *intake.File, bar *bar) error {
	b := batcher{im: im, service: s, out: rejectsFile{im: im, file: file}}
	err := b.all(ctx, file, bar)
	if err == nil {
		err = b.flush(ctx)
	}
	stopped := errors.Is(err, errStop)
	if stopped {
		err = nil
	}
	if err = errors.Join(err, b.out.close()); err != nil {
		return fmt.Errorf("%s: after %s: %w", im.path, counted(b.done.Stored, "stored row"), err)
	}
	bar.clear()
	b.done.Rejected, b.done.Rejects = b.out.n, b.out.path
	if err := im.report(b.done); err != nil || !stopped {
		return err
	}
	return &store.Error{
		Code: max(store.CodeOf(b.out.first), store.CodeInvalid), Thing: fmt.Sprintf("%s line %d", im.path, b.out.line),
		Rule: "stopped after " + counted(b.done.Stored, "stored row"), Err: b.out.first,
	}
}

// errStop ends an import at its first bad row.
var errStop = errors.New("stop")

// batcher sends rows in batches, in their order, bad ones among them.
type batcher struct {
	im      *importing
	service Service
	out     rejectsFile
	rows    []intake.Row
	done    imported
}

func (b *batcher) all(ctx context.Context, file *intake.File, bar *bar) error {
	for row, err := range file.Rows() {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return errors.Join(err, b.flush(context.WithoutCancel(ctx)))
		}
		b.rows = append(b.rows, row)
		if len(b.rows) == batch || row.Err != nil && b.im.mode == engine.StopOnFirstFailure {
			if err := b.flush(ctx); err != nil {
				return err
			}
			bar.rows(b.done.Stored, b.out.n)
		}
	}
	return nil
}

// flush stores the good rows that wait and rejects the bad ones, those that
// the engine refuses included.
func (b *batcher) flush(ctx context.Context) error {
	rows := b.rows
	b.rows = nil
	results, err := b.add(ctx, rows)
	if err != nil {
		return err
	}
	for _, row := range rows {
		reason := row.Err
		if reason == nil {
			var result engine.AddResult
			result, results = results[0], results[1:]
			switch reason = result.Err; {
			case reason != nil:
			case result.Existing:
				b.done.Existing++
			default:
				b.done.Stored++
			}
		}
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
	r := engine.AddRequest{Queue: b.im.queue, Mode: b.im.mode}
	for _, row := range rows {
		if row.Err == nil {
			r.Items = append(r.Items, row.Item)
		}
	}
	if len(r.Items) == 0 {
		return nil, nil
	}
	return b.service.Add(ctx, r)
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
	r.path = r.im.rejects
	if r.path == "" {
		r.path = r.im.path + ".rejects"
		if r.im.path == "-" {
			r.path = "stdin.rejects"
		}
	}
	input, inputErr := os.Stat(r.im.path)
	if output, err := os.Stat(r.path); err == nil && inputErr == nil && os.SameFile(input, output) {
		return store.Invalid("rejects file "+r.path, "it is the file being read", "name another with --rejects FILE")
	}
	if r.out, err = os.OpenFile(r.path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600); err != nil {
		return store.Invalid("rejects file "+r.path, "it can't be written: "+err.Error(), "name another with --rejects FILE")
	}
	r.rows = intake.NewRejects(r.out, r.file)
	return nil
}

func (r *rejectsFile) close() error {
	if r.out == nil {
		return nil
	}
	return r.out.Close()
}
