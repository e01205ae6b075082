package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"signalbox/engine"
	"signalbox/engine/intake"
	"signalbox/store"
)

// batch is how many items go to the engine at once where they need not all go.
const batch = 1000

// importing is one run of item import.
type importing struct {
	app     *app
	queue   string
	mode    string
	path    string // "-" is stdin
	rejects string // where rejected rows go; "" = beside the file
	from    int    // the first line to read rows from
	strict  bool
	job     string
	single  string             // its singleton key
	goesOn  bool               // the job needs no seal
	start   *engine.JobRequest // the job that is started with the items
	// allOrNone says that all items are stored or none, and so are jobs started.
	allOrNone bool
	columns   intake.Columns
	states    string
	dates     string
	text      string // its encoding
	reading   intake.Options
	steady    bool // what is read is a regular file
}

func (a *app) itemImport() *cobra.Command {
	im := importing{app: a}
	c := &cobra.Command{
		Use:   "import FILE|-",
		Short: "Add the rows of a file: CSV, JSON lines, a JSON array, the orchestrator's file or an archive",
		Long: "Add the rows of a file, told from its content, also where it is compressed with zstd: CSV, JSON lines, a JSON array, the orchestrator's file, or an archive that retention wrote. docs/formats.md describes them.\n\n" +
			"In CSV the columns Reference, Deadline, Postpone and Priority become the item's own fields and all others its payload. " +
			"With --reference, --due, --priority or --defer the named columns do, and all columns stay in the payload. " +
			"A JSON row with a payload is an item; any other is a payload.\n\n" +
			"Items of the orchestrator's file and of archives keep their states, attempts and results; all others are new work, unless --states keep says that they were exported and are to be stored as they were.\n\n" +
			"Rejected rows go to FILE.rejects, or FILE.rejects.2 and so on where there is one; mended, that file can be imported.",
		Example: "signalbox item import --queue orders --reference orderID --due requiredDate orders.csv\n" +
			"signalbox item import --queue orders --mode independent orders.csv",
		Args: takes("FILE"),
	}
	f := c.Flags()
	f.StringVar(&im.queue, "queue", "", "the queue")
	f.StringVar(&im.mode, "mode", engine.AllOrNothing, "what to do about bad rows: all-or-nothing (store nothing), stop-on-first-failure, or independent (store the others)")
	f.StringVar(&im.columns.Reference, "reference", "", "column of the reference")
	f.StringVar(&im.columns.Due, "due", "", "column of the due date")
	f.StringVar(&im.columns.Priority, "priority", "", "column of the priority")
	f.StringVar(&im.columns.Defer, "defer", "", "column of the time before which not to claim")
	f.StringVar(&im.rejects, "rejects", "", "new file for the rejected rows (default FILE.rejects beside it)")
	f.IntVar(&im.from, "from-line", 0, "pass over the rows that begin before this line, to go on after an import that ended early")
	f.StringVar(&im.states, "states", "", "the states that items were in: keep, or new for all as new work (default keep for the orchestrator's file)")
	f.StringVar(&im.dates, "dates", "", "how dates like 03/01/2026 are read: dmy or mdy (default refused)")
	f.StringVar(&im.text, "encoding", "", "of the text: utf-8, utf-16, utf-16le, utf-16be or windows-1252 (default UTF-8, or UTF-16 by its mark)")
	f.StringVar(&im.job, "job", "", "the job the items belong to; one is started if there is none of this id")
	f.StringVar(&im.single, "singleton-key", "", "start a job with this key; while one is open, give that and add nothing")
	strictFlag(c, &im.strict)
	c.RunE = func(c *cobra.Command, args []string) error {
		im.path = args[0]
		switch im.mode {
		case engine.AllOrNothing, engine.StopOnFirstFailure, engine.Independent:
		default:
			return usage(fmt.Sprintf("--mode %q", im.mode), "no such mode", "use all-or-nothing, stop-on-first-failure or independent")
		}
		if err := im.checkReading(); err != nil {
			return err
		}
		if im.queue == "" {
			return needsQueue(c)
		}
		if im.from < 0 {
			return usage(fmt.Sprintf("--from-line %d", im.from), "a line's number is 1 or more", "write it as 4")
		}
		defer debug.SetMemoryLimit(debug.SetMemoryLimit(importMemory))
		return a.doOne(c.Context(), im.run)
	}
	return c
}

// importMemory is beyond how many bytes an import collects its garbage at once.
// With the pages of the store's file on top it stays below 100 MiB, whatever the
// size of its own file.
const importMemory = 56 << 20

// imported is what an import says it did.
type imported struct {
	Stored   int    `json:"stored"`
	Existing int    `json:"existing,omitempty"` // their keys were known
	Rejected int    `json:"rejected"`
	Rejects  string `json:"rejects_file"`
	Lacking  int    `json:"links_dropped,omitempty"` // to retries that are not in the file
	Job      string `json:"job,omitempty"`
}

func (im *importing) run(ctx context.Context, s Service) error {
	if _, err := s.Queue(ctx, im.queue); err != nil {
		return err
	}
	src, err := im.open()
	if err != nil {
		return err
	}
	defer src.close()
	if err := im.checkRejects(); err != nil {
		return err
	}
	bar := newBar(im.app, src.size)
	defer bar.clear()
	zone, err := im.app.location()
	if err != nil {
		return err
	}
	im.reading, im.steady = im.options(zone), src.size > 0
	if err := src.keep(im.mode == engine.AllOrNothing); err != nil {
		return fmt.Errorf("%s: nothing was stored: %w", im.name(), err)
	}
	file, err := im.read(src.r, bar)
	if err != nil {
		return err
	}
	if im.mode == engine.AllOrNothing {
		return im.whole(ctx, s, src, file, bar)
	}
	return im.underJob(ctx, s, func() error { return im.batches(ctx, s, file, bar) })
}

// underJob stores items, under the job that was asked for.
func (im *importing) underJob(ctx context.Context, s Service, keep func() error) error {
	if open, err := im.startJob(ctx, s); err != nil || !open {
		return err
	}
	return im.sealJob(ctx, s, keep())
}

// startJob starts the job that was asked for and keeps it open while items come.
// False says that one with the key is open already, and so nothing is imported.
func (im *importing) startJob(ctx context.Context, s Service) (bool, error) {
	if im.job == "" && im.single == "" {
		return true, nil
	}
	if im.job != "" && im.single == "" {
		j, err := s.Job(ctx, im.job)
		if err == nil && j.Queue == im.queue {
			im.goesOn = im.allOrNone && !j.Filling
			return true, nil // the items join it, and keep it open
		}
		if im.allOrNone && store.CodeOf(err) == store.CodeNotFound {
			im.goesOn = true
			return true, nil // it is started with the items
		}
	}
	if im.allOrNone {
		if j, err := openJob(ctx, s, im.queue, im.single); err != nil || j.Existing {
			return false, im.app.existing(j, err)
		}
		im.start, im.goesOn = &engine.JobRequest{ID: im.job, SingletonKey: im.single}, true
		return true, nil
	}
	j, err := s.StartJob(ctx, engine.JobRequest{Queue: im.queue, ID: im.job, SingletonKey: im.single, Filling: true})
	if err != nil || j.Existing {
		return false, im.app.existing(j, err)
	}
	im.job = j.ID
	return true, nil
}

// openJob finds the open job of a queue with a singleton key; Existing says that
// there is one.
func openJob(ctx context.Context, s Service, queue, key string) (engine.JobState, error) {
	for list := (engine.JobList{Queue: queue, Live: true, Limit: 1000}); ; {
		jobs, err := s.Jobs(ctx, list)
		if err != nil || len(jobs) == 0 {
			return engine.JobState{}, err
		}
		for _, j := range jobs {
			if j.SingletonKey == key && j.Status.Open() {
				j.Existing = true
				return j, nil
			}
			list.Before = j.Number
		}
	}
}

// sealJob says that no more items are to come. Those of an import that goes on
// later join the job all the same.
func (im *importing) sealJob(ctx context.Context, s Service, imported error) error {
	if im.job == "" || im.goesOn {
		return imported
	}
	_, err := s.SealJob(context.WithoutCancel(ctx), im.job)
	return errors.Join(imported, err)
}

// read readies the rows of what r gives.
func (im *importing) read(r io.Reader, bar *bar) (*intake.File, error) {
	file, err := intake.Open(bar.reader(r), im.reading)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", im.name(), err)
	}
	return file, nil
}

// checkReading refuses flags about the file that have no such value.
func (im *importing) checkReading() error {
	switch intake.States(im.states) {
	case intake.DefaultStates, intake.KeepStates, intake.NewStates:
	default:
		return usage(fmt.Sprintf("--states %q", im.states), "states are kept or new", "use keep or new")
	}
	switch intake.Dates(im.dates) {
	case intake.NoDates, intake.DayFirst, intake.MonthFirst:
	default:
		return usage(fmt.Sprintf("--dates %q", im.dates), "dates begin with the day or the month", "use dmy or mdy")
	}
	_, err := intake.ParseEncoding(im.text)
	return err
}

func (im *importing) options(zone *time.Location) intake.Options {
	encoding, _ := intake.ParseEncoding(im.text) // checked with the flags
	return intake.Options{
		Columns: im.columns, Now: im.app.Now(), Zone: zone,
		States: intake.States(im.states), Dates: intake.Dates(im.dates), Encoding: encoding,
	}
}

// name is the file as messages name it.
func (im *importing) name() string {
	if im.path == "-" {
		return "stdin"
	}
	return im.path
}

// rows are the file's rows from the line wanted on.
func (im *importing) rows(file *intake.File) iter.Seq2[intake.Row, error] {
	rows := file.Rows()
	if im.steady {
		rows = ahead(rows)
	}
	return func(yield func(intake.Row, error) bool) {
		for row, err := range rows {
			if err == nil && row.Line < im.from {
				continue
			}
			if im.job != "" {
				row.Item.Job = im.job
			}
			if !yield(row, err) {
				return
			}
		}
	}
}

func (im *importing) report(done imported) error {
	if done.Stored+done.Existing+done.Rejected == 0 {
		fmt.Fprintf(im.app.Stderr, "%s: no rows\n", im.name())
	}
	done.Job = im.job
	return im.app.printOne(done)
}
