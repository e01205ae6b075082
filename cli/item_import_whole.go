package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"

	"signalbox/engine"
	"signalbox/engine/intake"
	"signalbox/store"
)

// What an import holds in memory before it reads its file again instead.
const (
	heldItems = 10_000
	heldBytes = 8 << 20 // of payloads
)

// whole stores all rows or none. It checks all before it stores any; those of a
// large file it does not keep, but reads them again.
func (im *importing) whole(ctx context.Context, s Service, src *source, file *intake.File, bar *bar) error {
	c, err := im.check(ctx, file)
	switch {
	case err != nil:
		return err
	case c.bad.N > 0:
		return c.bad.Refusal(im.name())
	}
	im.allOrNone = c.rows > 0
	return im.underJob(ctx, s, func() error {
		switch {
		case c.rows == 0:
			return im.report(imported{})
		case c.large:
			return im.again(ctx, s, src, c.rows, bar)
		}
		for i := range c.items {
			c.items[i].Job = cmp.Or(im.job, c.items[i].Job)
			if im.start != nil { // which names it
				c.items[i].Job = ""
			}
		}
		return im.atOnce(ctx, s, &c, bar)
	})
}

// checked is what a first look at a file found.
type checked struct {
	items []engine.NewItem // of a small file
	lines []int
	rows  int64
	bytes int
	large bool
	bad   intake.Bad
}

// check looks at all rows. After the first bad one no more items are kept, but
// the others are still checked, to tell how many are bad.
func (im *importing) check(ctx context.Context, file *intake.File) (c checked, err error) {
	for row, err := range im.rows(file) {
		if err != nil {
			return c, fmt.Errorf("%s: nothing was stored: %w", im.name(), err)
		}
		if ctx.Err() != nil {
			return c, im.interrupted()
		}
		if p := row.Item.Past; row.Err == nil && (p == nil || !p.Archived) { // those may be sealed, which only the engine opens
			row.Err = row.Item.Validate()
		}
		if row.Err != nil {
			c.bad.Add(row.Line, row.Err)
		}
		c.rows++
		c.bytes += len(row.Item.Payload)
		if c.large = c.large || c.rows > heldItems || c.bytes > heldBytes; c.large || c.bad.N > 0 {
			c.items, c.lines = nil, nil
			continue
		}
		c.items, c.lines = append(c.items, row.Item), append(c.lines, row.Line)
	}
	return c, nil
}

func (im *importing) interrupted() error {
	return &store.Error{Code: store.CodeFailed, Thing: im.name(), Rule: "interrupted, nothing was stored"}
}

// atOnce stores the items of a small file in one change.
func (im *importing) atOnce(ctx context.Context, s Service, c *checked, bar *bar) error {
	bar.say("storing")
	// From here on it is stored or refused, so that nobody need guess.
	results, err := s.Add(context.WithoutCancel(ctx), engine.AddRequest{Queue: im.queue, Strict: im.strict, From: filepath.Base(im.name()), Items: c.items, Start: im.start})
	if err == nil {
		bar.clear()
		var links engine.Links
		done := imported{Stored: len(c.items), Lacking: links.Took(c.items, results)}
		for _, r := range results {
			switch {
			case r.Existing:
				done.Stored, done.Existing = done.Stored-1, done.Existing+1
			case im.start != nil:
				im.job = r.Item.Job
			}
		}
		return im.report(done)
	}
	for i, r := range results {
		if r.Err != nil {
			first := slices.IndexFunc(c.items, func(n engine.NewItem) bool { return n.Reference == c.items[i].Reference })
			c.bad.Add(c.lines[i], intake.Twice(r.Err, c.items[i].Reference, c.lines[first], c.lines[i]))
		}
	}
	if c.bad.N == 0 {
		return err
	}
	return c.bad.Refusal(im.name())
}

// errChanged says that a file is not what it was a moment before.
var errChanged = errors.New("it changed while it was read")

// again reads the file once more and stores its rows as they come; the engine
// takes them out again should it not come to the end.
func (im *importing) again(ctx context.Context, s Service, src *source, rows int64, bar *bar) error {
	r, err := src.again()
	if err != nil {
		return err
	}
	bar.restart(src.size)
	im.steady = true // a copy is
	file, err := im.read(r, bar)
	if err != nil {
		return err
	}
	var n int64
	done, err := s.Import(context.WithoutCancel(ctx), engine.ImportRequest{Queue: im.queue, Strict: im.strict, From: filepath.Base(im.name()), Start: im.start}, func(yield func(engine.NewItem, error) bool) {
		for row, err := range im.rows(file) {
			if n++; err == nil && (row.Err != nil || n > rows) {
				err = errChanged
			}
			if err == nil {
				err = ctx.Err()
			}
			if im.start != nil { // which names it
				row.Item.Job = ""
			}
			if bar.rows(int(n), 0); !yield(row.Item, err) || err != nil {
				return
			}
		}
		if n < rows {
			yield(engine.NewItem{}, errChanged)
		}
	})
	bar.clear()
	refused, isRow := errors.AsType[*engine.RowError](err)
	switch {
	case err == nil:
		im.job = cmp.Or(done.Job, im.job)
		return im.report(imported{Stored: int(done.Stored), Existing: int(done.Existing), Lacking: int(done.Lacking)})
	case errors.Is(err, context.Canceled):
		return im.interrupted()
	case isRow:
		return im.refusedRow(src, refused)
	}
	return fmt.Errorf("%s: nothing was stored: %w", im.name(), err)
}

// refusedRow names the line of a row that the engine refused.
func (im *importing) refusedRow(src *source, refused *engine.RowError) error {
	line, item, err := im.find(src, func(n int64, _ engine.NewItem) bool { return n == refused.Row })
	if err != nil {
		return errors.Join(refused.Err, err)
	}
	first := line
	if item.Reference != "" {
		if first, _, err = im.find(src, func(_ int64, other engine.NewItem) bool { return other.Reference == item.Reference }); err != nil {
			return errors.Join(refused.Err, err)
		}
	}
	bad := intake.Bad{N: 1, Line: line, First: intake.Twice(refused.Err, item.Reference, first, line)}
	return bad.Refusal(im.name())
}

// find gives the first row that is the one, and its line.
func (im *importing) find(src *source, is func(n int64, item engine.NewItem) bool) (line int, item engine.NewItem, err error) {
	r, err := src.again()
	if err != nil {
		return 0, item, err
	}
	file, err := intake.Open(r, im.reading)
	if err != nil {
		return 0, item, err
	}
	n := int64(0)
	for row, err := range im.rows(file) {
		if err != nil {
			return 0, item, err
		}
		if is(n, row.Item) {
			return row.Line, row.Item, nil
		}
		n++
	}
	return 0, item, errChanged
}

// Rows that are read ahead of those who use them.
const (
	aheadRows   = 256 // in one hand-over
	aheadParts  = 4
	aheadWeight = 1 << 20 // bytes in one hand-over, about
)

// ahead reads rows in a goroutine of its own, which ends before the iteration
// does: so it must not be left to read what may never come.
func ahead(rows iter.Seq2[intake.Row, error]) iter.Seq2[intake.Row, error] {
	return func(yield func(intake.Row, error) bool) {
		type part struct {
			rows []intake.Row
			err  error
		}
		parts, stop := make(chan part, aheadParts), make(chan struct{})
		defer func() {
			close(stop)
			for range parts {
			}
		}()
		go func() {
			defer close(parts)
			var p part
			weight := 0
			hand := func() bool {
				select {
				case parts <- p:
					p, weight = part{}, 0
					return true
				case <-stop:
					return false
				}
			}
			for row, err := range rows {
				if err != nil {
					p.err = err
					break
				}
				p.rows = append(p.rows, row)
				if weight += len(row.Raw); len(p.rows) == aheadRows || weight > aheadWeight {
					if !hand() {
						return
					}
				}
			}
			hand()
		}()
		for p := range parts {
			for _, row := range p.rows {
				if !yield(row, nil) {
					return
				}
			}
			if p.err != nil {
				yield(intake.Row{}, p.err)
				return
			}
		}
	}
}
