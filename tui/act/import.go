package act

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"signalbox/engine"
	"signalbox/engine/intake"
	"signalbox/store"
	"signalbox/tui/screen"
	"signalbox/tui/text"
)

// Import is a file of this machine that is to be brought into a queue.
type Import struct {
	Queue     store.Queue // made first where it is New
	New       bool
	File      string
	Reference string // column of the reference, "" as the file says
	Mode      string // what bad rows do, as the engine names it; "" all or nothing
	Zone      *time.Location
	Now       time.Time
}

// batch is how many rows are added at a time where they need not all be.
const batch = 1_000

// Import brings in a file.
func (d Desk) Import(to screen.Addr, im Import, again func(error) screen.Dialog) screen.Effects {
	return d.keep(to, again, func(k Keeper) (string, error) { return d.bringIn(k, im) })
}

// BringIn brings in a file at once, and says what came of it.
func (d Desk) BringIn(im Import) (string, error) {
	keeper, ok := d.engine.(Keeper)
	if !ok {
		return "", store.Invalid("queues", notThere, "use `signalbox item import` there")
	}
	return d.bringIn(keeper, im)
}

func (d Desk) bringIn(k Keeper, im Import) (string, error) {
	f, err := os.Open(im.File)
	if err != nil {
		return "", store.Invalid("file "+im.File, "it can't be read: "+unwrapped(err), "give a file that is there")
	}
	defer f.Close()
	ctx, r := d.imports.begin(d.ctx, &im)
	defer d.imports.end(r)
	b := bringing{Import: im, ctx: ctx, whole: d.ctx, keeper: k, from: f, running: r}
	if err := b.open(); err != nil {
		return "", err
	}
	if im.Mode == "" || im.Mode == engine.AllOrNothing {
		return b.allOrNothing()
	}
	words, err := b.batches()
	if err != nil && b.stored+b.out.n > 0 {
		err = partly{err}
	}
	return words, err
}

// partly is an error of which something was done all the same, so that to ask
// once more for the whole would be wrong.
type partly struct{ error }

func (p partly) Unwrap() error { return p.error }

// bringing is an import under way. ctx ends when it is stopped, whole with the
// console: what has been read by then is still accounted for.
type bringing struct {
	Import
	ctx, whole context.Context
	keeper     Keeper
	from       *os.File
	file       *intake.File
	running    *importing
	made       bool // the queue is there
	waiting    []intake.Row
	stored     int
	known      int
	line       int // where the last row stored or rejected begins
	out        rejects
}

func (b *bringing) name() string { return filepath.Base(b.File) }

// open reads the file from its beginning.
func (b *bringing) open() (err error) {
	if _, err = b.from.Seek(0, io.SeekStart); err == nil {
		b.file, err = intake.Open(b.from, intake.Options{Columns: intake.Columns{Reference: b.Reference}, Now: b.Now, Zone: b.Zone})
	}
	if err != nil {
		return fmt.Errorf("%s: %s: %w", b.File, "nothing was stored", err)
	}
	return nil
}

// make adds the queue where it is new.
func (b *bringing) make() error {
	if !b.New || b.made {
		return nil
	}
	_, err := b.keeper.AddQueue(b.whole, b.Queue)
	b.made = err == nil
	return err
}

// allOrNothing looks at all rows, then reads them once more for the engine, which
// takes them out again should the last not come.
func (b *bringing) allOrNothing() (string, error) {
	var bad intake.Bad
	rows := int64(0)
	for row, err := range b.file.Rows() {
		if err = cmp.Or(err, b.ctx.Err()); err != nil {
			return "", b.nothing(err)
		}
		if p := row.Item.Past; row.Err == nil && (p == nil || !p.Archived) { // what is archived may be sealed
			row.Err = row.Item.Validate()
		}
		if row.Err != nil {
			bad.Add(row.Line, row.Err)
		}
		rows++
	}
	if bad.N > 0 {
		return "", b.refusal(&bad)
	}
	err := b.make()
	if err == nil {
		err = b.open()
	}
	if err != nil {
		return "", err
	}
	done, err := b.keeper.Import(b.whole, engine.ImportRequest{Queue: b.Queue.Name, From: b.name()}, b.again(rows))
	if refused, ok := errors.AsType[*engine.RowError](err); ok {
		return "", b.refused(refused)
	}
	if err != nil {
		return "", b.nothing(err)
	}
	b.stored, b.known = int(done.Stored), int(done.Existing)
	return b.words(), nil
}

// errChanged says that a file is not what it was a moment before.
var errChanged = errors.New("it changed while it was read")

// again gives the items of as many rows as there were at the first look.
func (b *bringing) again(rows int64) func(func(engine.NewItem, error) bool) {
	return func(yield func(engine.NewItem, error) bool) {
		n := int64(0)
		for row, err := range b.file.Rows() {
			if n++; err == nil && (row.Err != nil || n > rows) {
				err = errChanged
			}
			err = cmp.Or(err, b.ctx.Err())
			b.running.rows.Store(n)
			if !yield(row.Item, err) || err != nil {
				return
			}
		}
		if n < rows {
			yield(engine.NewItem{}, errChanged)
		}
	}
}

// nothing says that an import ended of which nothing is stored.
func (b *bringing) nothing(err error) error {
	if errors.Is(err, context.Canceled) {
		return &store.Error{Code: store.CodeFailed, Thing: b.name(), Rule: "stopped, nothing was stored"}
	}
	return fmt.Errorf("%s: nothing was stored: %w", b.name(), err)
}

func (b *bringing) refusal(bad *intake.Bad) error {
	err := bad.Refusal(b.name())
	err.Mend = "mend the file, or have the good rows stored"
	return err
}

// refused names the line of a row that the engine refused, and of the one before
// it that has the same reference.
func (b *bringing) refused(refused *engine.RowError) error {
	if err := b.open(); err != nil {
		return errors.Join(refused.Err, err)
	}
	first, n := map[string]int{}, int64(0)
	for row, err := range b.file.Rows() {
		if err != nil {
			break
		}
		reference := row.Item.Reference
		first[reference] = cmp.Or(first[reference], row.Line)
		if n == refused.Row {
			return b.refusal(&intake.Bad{N: 1, Line: row.Line, First: intake.Twice(refused.Err, reference, first[reference], row.Line)})
		}
		n++
	}
	return errors.Join(refused.Err, errChanged)
}

// errStop ends an import at its first bad row.
var errStop = errors.New("stop")

// batches stores good rows as they come and keeps bad ones in a file beside this
// one: all of them, or only the first, which ends it.
func (b *bringing) batches() (string, error) {
	stops := b.Mode == engine.StopOnFirstFailure
	var failed error
	for row, err := range b.file.Rows() {
		if failed = cmp.Or(err, b.ctx.Err()); failed != nil {
			break
		}
		b.waiting = append(b.waiting, row)
		if len(b.waiting) == batch || row.Err != nil && stops {
			if failed = b.flush(); failed != nil {
				break
			}
		}
	}
	if err := b.flush(); failed == nil {
		failed = err
	}
	if err := b.out.close(); failed == nil {
		failed = err
	}
	return b.verdict(failed)
}

// flush adds the rows that wait, and rejects the bad ones.
func (b *bringing) flush() error {
	rows := b.waiting
	b.waiting = nil
	results, err := b.add(rows)
	if err != nil {
		return err
	}
	first := map[string]int{}
	for _, row := range rows {
		reason, reference := row.Err, row.Item.Reference
		if reason == nil {
			first[reference] = cmp.Or(first[reference], row.Line)
			reason = intake.Twice(results[0].Err, reference, first[reference], row.Line)
			switch {
			case reason != nil:
			case results[0].Existing:
				b.known++
			default:
				b.stored++
			}
			results = results[1:]
		}
		b.line = row.Line
		b.running.rows.Add(1)
		if reason == nil {
			continue
		}
		if err := b.out.add(b, row, reason); err != nil {
			return err
		}
		if b.Mode == engine.StopOnFirstFailure {
			return errStop
		}
	}
	return nil
}

func (b *bringing) add(rows []intake.Row) ([]engine.AddResult, error) {
	req := engine.AddRequest{Queue: b.Queue.Name, From: b.name(), Mode: b.Mode}
	for i := range rows {
		if rows[i].Err == nil {
			req.Items = append(req.Items, rows[i].Item)
		}
	}
	if len(req.Items) == 0 {
		return nil, nil
	}
	if err := b.make(); err != nil {
		return nil, err
	}
	return b.keeper.Add(b.whole, req)
}

// verdict says how it ended, and where it did not end well how to go on.
func (b *bringing) verdict(err error) (string, error) {
	goOn := fmt.Sprintf("`signalbox item import --queue %s --from-line %%d %s`", b.Queue.Name, b.File)
	after := "after " + text.Plural(int64(b.stored), "stored row")
	switch {
	case err == nil && b.out.n > 0 && b.stored+b.known == 0:
		return "", &store.Error{
			Code: store.CodeInvalid, Thing: fmt.Sprintf("%s line %d", b.name(), b.out.line), Err: b.out.first,
			Rule: "the first of " + text.Plural(int64(b.out.n), "rejected row") + ", none was stored; they are in " + b.out.path,
		}
	case err == nil:
		return b.words(), nil
	case errors.Is(err, errStop):
		return "", &store.Error{
			Code: store.CodeInvalid, Thing: fmt.Sprintf("%s line %d", b.name(), b.out.line), Rule: "stopped " + after + "; the row is in " + b.out.path, Err: b.out.first,
			Mend: "the rows behind it were not tried: mend it, then " + fmt.Sprintf(goOn, b.out.line),
		}
	case b.line == 0:
		return "", b.nothing(err)
	case errors.Is(err, context.Canceled):
		return "", &store.Error{Code: store.CodeFailed, Thing: b.name(), Rule: "stopped " + after, Mend: "go on with " + fmt.Sprintf(goOn, b.line+1)}
	}
	return "", fmt.Errorf("%s: %s (go on with %s): %w", b.name(), after, fmt.Sprintf(goOn, b.line+1), err)
}

// words say what was stored, and what was not.
func (b *bringing) words() string {
	words := fmt.Sprintf("%s of %s in %s", text.Plural(int64(b.stored), "row"), b.name(), b.Queue.Name)
	if b.known > 0 {
		words += fmt.Sprintf("; %s known already", text.Count(int64(b.known)))
	}
	if b.out.n > 0 {
		words += fmt.Sprintf("; %s rejected, the first at line %d: %v; kept in %s", text.Count(int64(b.out.n)), b.out.line, b.out.first, b.out.path)
	}
	return words
}

// rejects is the file of rejected rows, made with the first of them.
type rejects struct {
	file  *os.File
	rows  *intake.Rejects
	path  string
	n     int
	line  int
	first error
}

func (r *rejects) add(b *bringing, row intake.Row, reason error) (err error) {
	if r.file == nil {
		if r.file, r.path, err = intake.CreateRejects(b.File); err != nil {
			return store.Invalid("rejects file "+r.path, "it can't be written: "+unwrapped(err), "give a file in a folder that can be written")
		}
		r.rows = intake.NewRejects(r.file, b.file)
	}
	if r.n++; r.n == 1 {
		r.line, r.first = row.Line, reason
	}
	return r.rows.Add(row, reason)
}

func (r *rejects) close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}
