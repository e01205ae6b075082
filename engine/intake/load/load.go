// Package load brings the rows of a file into a queue, as who asks for it wants
// bad rows dealt with.
//
//	all or nothing   Source ── look at all rows ── none is bad ── read again ──▶ Queues
//	the other modes  Source ── a thousand rows at a time ──────────────────────▶ Queues
//	                               └─ bad rows ──▶ rejects file, Faults
//
// Memory is bounded, whatever the size of the file and the number of bad rows.
package load

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"

	"signalbox/engine"
	"signalbox/engine/intake"
	"signalbox/store"
)

// Queues take the rows.
type Queues interface {
	Add(context.Context, engine.AddRequest) ([]engine.AddResult, error)
	// Import stores all items that rows yields, or none.
	Import(ctx context.Context, r engine.ImportRequest, rows iter.Seq2[engine.NewItem, error]) (engine.ImportResult, error)
}

// Load is one file that is brought in.
type Load struct {
	Queues  Queues
	Source  *Source
	Queue   string
	Mode    string // as in engine.AddRequest; "" = all or nothing
	Strict  bool
	Rejects string // where rejected rows go; "" = beside the file
	Reading intake.Options

	// Job is that of all rows; Start one that is started with them.
	Job   string
	Start *engine.JobRequest

	// Begin, where set, is told before anything is stored whether there are rows;
	// it may set Job and Start. Its error ends the load.
	Begin func(rows bool) error
	// Open, where set, wraps what is read, each time that it is read from its beginning.
	Open func(r io.Reader, size int64) io.Reader
	// Progress, where set, is told how many rows came so far.
	Progress func(rows, stored, rejected int)
	// Words are how whoever asked for it goes about what did not end well.
	Words Words
}

// Words are the mends of one door.
type Words struct {
	Others string                // to have the good rows stored all the same
	Kept   string                // to have rejected rows kept where they can't be
	GoOn   func(line int) string // to go on from a line
	Ended  string                // what "interrupted" is called
	// Plural words a number of things.
	Plural func(n int64, thing string) string
}

// Done is what came of it.
type Done struct {
	Stored, Existing, Rejected int
	Lacking                    int    // links to retries that were dropped
	Rejects                    string // the file of rejected rows, "" where there is none
	Job                        string // the one that was started

	First error // why the first rejected row was
	Line  int   // where it begins
}

// rows is how many rows it accounts for.
func (d *Done) rows() int { return d.Stored + d.Existing + d.Rejected }

// Run brings the file in. The end of ctx ends it; what was read by then is
// accounted for.
func (l *Load) Run(ctx context.Context) (Done, error) {
	if l.Mode == "" || l.Mode == engine.AllOrNothing {
		return l.whole(ctx)
	}
	return l.batches(ctx)
}

// open reads the file from its beginning.
func (l *Load) open() (*intake.File, error) {
	r, err := l.Source.again()
	if err != nil {
		return nil, err
	}
	if l.Open != nil {
		r = l.Open(r, l.Source.size)
	}
	file, err := intake.Open(r, l.Reading)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.Source.Name, err)
	}
	return file, nil
}

// rows are the file's rows, in the job that is theirs.
func (l *Load) rows(file *intake.File) iter.Seq2[intake.Row, error] {
	rows := file.Rows()
	if l.Source.steady() {
		rows = ahead(rows)
	}
	return func(yield func(intake.Row, error) bool) {
		for row, err := range rows {
			switch {
			case l.Start != nil: // which names it
				row.Item.Job = ""
			case l.Job != "":
				row.Item.Job = l.Job
			}
			if !yield(row, err) {
				return
			}
		}
	}
}

func (l *Load) begin(rows bool) error {
	if l.Begin == nil {
		return nil
	}
	return l.Begin(rows)
}

func (l *Load) progress(rows, stored, rejected int) {
	if l.Progress != nil {
		l.Progress(rows, stored, rejected)
	}
}

// beside is the path beside which rejects are kept.
func (l *Load) beside() string { return cmp.Or(l.Source.path, l.Source.Name) }

// from is the file as the history of its items names it.
func (l *Load) from() string { return filepath.Base(l.Source.Name) }

// nothing says that a load ended of which nothing is stored.
func (l *Load) nothing(err error) error {
	if errors.Is(err, context.Canceled) {
		return &store.Error{Code: store.CodeFailed, Thing: l.Source.Name, Rule: l.ended() + ", nothing was stored"}
	}
	return fmt.Errorf("%s: nothing was stored: %w", l.Source.Name, err)
}

func (l *Load) ended() string { return cmp.Or(l.Words.Ended, "interrupted") }
