package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"signalbox/engine"
	"signalbox/engine/intake/load"
	"signalbox/store"
	"signalbox/tui/text"
)

// importing is one run of item import.
type importing struct {
	app     *app
	queue   string
	rows    rowFlags
	path    string // "-" is stdin
	rejects string // where rejected rows go; "" = beside the file
	job     string
	single  string             // its singleton key
	goesOn  bool               // the job needs no seal
	begun   bool               // the job is there
	start   *engine.JobRequest // the job that is started with the items
	// allOrNone says that all items are stored or none, and so are jobs started.
	allOrNone bool
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
	im.rows.flags(c)
	f.StringVar(&im.rejects, "rejects", "", "new file for the rejected rows (default FILE.rejects beside it)")
	f.StringVar(&im.job, "job", "", "the job the items belong to; one is started if there is none of this id")
	f.StringVar(&im.single, "singleton-key", "", "start a job with this key; while one is open, give that and add nothing")
	c.RunE = func(c *cobra.Command, args []string) error {
		im.path = args[0]
		if err := im.rows.check(); err != nil {
			return err
		}
		if im.queue == "" {
			return needsQueue(c)
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
	src, err := im.source()
	if err != nil {
		return err
	}
	defer src.Close()
	if err := im.checkRejects(s); err != nil {
		return err
	}
	zone, err := im.app.location()
	if err != nil {
		return err
	}
	l := im.load(s, src, zone)
	bar := newBar(im.app, 0)
	defer bar.clear()
	l.Open = func(r io.Reader, size int64) io.Reader {
		bar.restart(size)
		return bar.reader(r)
	}
	l.Progress = func(_, stored, rejected int) { bar.rows(stored, rejected) }
	l.Begin = func(rows bool) error { return im.begin(ctx, s, l, rows) }
	done, err := l.Run(ctx)
	bar.clear()
	if errors.Is(err, errOpen) {
		return nil
	}
	im.job = cmp.Or(done.Job, im.job)
	if told := im.told(done, err); told != nil {
		return told
	}
	return im.sealJob(ctx, s, err)
}

// load readies the rows of a file.
func (im *importing) load(s Service, src *load.Source, zone *time.Location) *load.Load {
	return &load.Load{
		Queues: s, Source: src, Queue: im.queue, Mode: im.rows.mode, Strict: im.rows.strict,
		Rejects: im.rejects, Reading: im.rows.options(im.app.Now(), zone), Job: im.job,
		Words: load.Words{
			Others: "store the other rows with --mode independent", Kept: "name another with --rejects FILE",
			GoOn:   func(line int) string { return fmt.Sprintf("--from-line %d", line) },
			Plural: text.Plural,
		},
	}
}

// source opens the file, or stdin.
func (im *importing) source() (*load.Source, error) {
	if im.path == "-" {
		return load.Stream("stdin", im.app.Stdin), nil
	}
	return load.Open(im.path)
}

// errOpen says that a job with the singleton key is open, which was told.
var errOpen = errors.New("a job with this key is open")

// begin starts the job that was asked for.
func (im *importing) begin(ctx context.Context, s Service, l *load.Load, rows bool) error {
	im.allOrNone = im.rows.mode == engine.AllOrNothing && rows
	open, err := im.startJob(ctx, s)
	if err == nil && !open {
		err = errOpen
	}
	l.Job, l.Start, im.begun = im.job, im.start, err == nil
	return err
}

// told prints what came of an import, also of one that was refused for its rows.
func (im *importing) told(done load.Done, err error) error {
	if err != nil && done.Stored+done.Existing+done.Rejected == 0 {
		return nil
	}
	return im.report(imported{Stored: done.Stored, Existing: done.Existing, Rejected: done.Rejected, Rejects: done.Rejects, Lacking: done.Lacking})
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
	if im.job == "" || im.goesOn || !im.begun {
		return imported
	}
	_, err := s.SealJob(context.WithoutCancel(ctx), im.job)
	return errors.Join(imported, err)
}

// name is the file as messages name it.
func (im *importing) name() string {
	if im.path == "-" {
		return "stdin"
	}
	return im.path
}

func (im *importing) report(done imported) error {
	if done.Stored+done.Existing+done.Rejected == 0 {
		fmt.Fprintf(im.app.Stderr, "%s: no rows\n", im.name())
	}
	done.Job = im.job
	return im.app.printOne(done)
}

// checkRejects refuses, before anything is stored, to write rejected rows over
// a file that is there, or that the store is to have.
func (im *importing) checkRejects(s Service) error {
	if im.rejects == "" {
		return nil
	}
	info, err := os.Stat(im.rejects)
	if err != nil || !info.Mode().IsRegular() {
		return im.app.sparesStore(s, im.rejects) // none is there, or it is a device
	}
	rule := "there is such a file already"
	if input, err := os.Stat(im.path); err == nil && os.SameFile(input, info) {
		rule = "it is the file being read"
	}
	return usage("rejects file "+im.rejects, rule, "name another with --rejects FILE")
}
