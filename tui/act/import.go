package act

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"signalbox/engine"
	"signalbox/engine/intake"
	"signalbox/engine/intake/load"
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
	src, err := load.Open(im.File)
	if err != nil {
		return "", err
	}
	defer src.Close()
	src.Name = filepath.Base(im.File)
	ctx, r := d.imports.begin(d.ctx, &im)
	defer d.imports.end(r)
	l := im.load(k, src)
	l.Begin = func(bool) error {
		if !im.New {
			return nil
		}
		_, err := k.AddQueue(ctx, im.Queue)
		return err
	}
	l.Progress = func(rows, _, _ int) { r.rows.Store(int64(rows)) }
	done, err := l.Run(ctx)
	if err == nil {
		return im.words(&done), nil
	}
	err = beside(err, &done)
	if done.Stored+done.Existing+done.Rejected > 0 && !allOrNothing(im.Mode) {
		err = partly{err}
	}
	return "", err
}

func allOrNothing(mode string) bool { return mode == "" || mode == engine.AllOrNothing }

// load readies the rows of a file.
func (im *Import) load(k Keeper, src *load.Source) *load.Load {
	return &load.Load{
		Queues: k, Source: src, Queue: im.Queue.Name, Mode: im.Mode,
		Reading: intake.Options{Columns: intake.Columns{Reference: im.Reference}, Now: im.Now, Zone: im.Zone},
		Words: load.Words{
			Others: "have the good rows stored", Kept: "make its folder writable, or import a copy in another", Ended: "stopped", Plural: text.Plural,
			GoOn: func(line int) string {
				return fmt.Sprintf("`signalbox item import --queue %s --from-line %d %s`", im.Queue.Name, line, im.File)
			},
		},
	}
}

// partly is an error of which something was done all the same, so that to ask
// once more for the whole would be wrong.
type partly struct{ error }

func (p partly) Unwrap() error { return p.error }

// beside has an error say where the rejected rows are, and of a refused file what
// all its faults are.
func beside(err error, done *load.Done) error {
	if refused, ok := errors.AsType[*intake.Refused](err); ok {
		return listed{refused}
	}
	if e, ok := errors.AsType[*store.Error](err); ok && done.Rejects != "" {
		told := *e
		told.Rule += "; rejected rows are in " + done.Rejects
		return &told
	}
	return err
}

// listed is the refusal of a file with its kinds of faults behind it, or below
// it where there is room for lines.
type listed struct{ *intake.Refused }

func (l listed) Error() string { return strings.Join(l.Lines(), " · ") }

// Lines implements form.Listed.
func (l listed) Lines() []string { return append([]string{l.Refused.Error()}, l.Kinds...) }

// words say what was stored, and what was not.
func (im *Import) words(done *load.Done) string {
	name := filepath.Base(im.File)
	words := fmt.Sprintf("%s of %s in %s", text.Plural(int64(done.Stored), "row"), name, im.Queue.Name)
	if done.Existing > 0 {
		words += fmt.Sprintf("; %s known already", text.Count(int64(done.Existing)))
	}
	if done.Rejected > 0 {
		words += fmt.Sprintf("; %s rejected, the first at line %d: %v; kept in %s", text.Count(int64(done.Rejected)), done.Line, done.First, done.Rejects)
	}
	if done.Lacking > 0 {
		words += "; " + text.Plural(int64(done.Lacking), "link") + " to retries dropped"
	}
	return words
}
