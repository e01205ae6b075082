package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"signalbox/cli/zone"
	"signalbox/engine"
	"signalbox/engine/export"
	"signalbox/store"
)

// starting is one run of job start.
type starting struct {
	app    *app
	single string
	watch  bool
	sel    selection

	exports engine.ExportJob
	format  string
	imports engine.ImportJob
	rows    rowFlags
	bulk    engine.BulkRequest
	yes     bool
}

func (a *app) jobStart() *cobra.Command {
	return group("start", "Start work of the engine itself as a job: it goes on whoever watches, also after a crash", nil,
		a.startExport(), a.startImport(), a.startBulk(), a.startReindex())
}

func (s *starting) flags(c *cobra.Command) {
	c.Flags().StringVar(&s.single, "singleton-key", "", "while a job with this key is open, give that and start nothing")
	c.Flags().BoolVar(&s.watch, "watch", false, "follow it until it has ended")
}

// run starts the job, and follows it if that was asked for.
func (s *starting) run(ctx context.Context, kind string, request any) error {
	raw, err := store.Encode(request)
	if err != nil {
		return err
	}
	return s.app.doOne(ctx, func(ctx context.Context, service Service) error {
		j, err := service.StartBuiltin(ctx, engine.BuiltinRequest{Kind: kind, SingletonKey: s.single, Request: raw})
		if err != nil {
			return err
		}
		if j.Existing {
			return s.app.existing(j, nil)
		}
		if _, own := service.(*engine.Engine); own {
			fmt.Fprintln(s.app.Stderr, "signalbox: no engine runs on this store; the job begins when one does, with `signalbox` or `signalbox serve`")
		} else if s.watch {
			return s.app.watchJob(ctx, service, j.ID)
		}
		return s.app.printOne(j)
	})
}

func (a *app) startExport() *cobra.Command {
	s := &starting{app: a}
	c := &cobra.Command{
		Use: "export --queue Q", Short: "Export items into an attachment of the job", Args: takes(),
		Long:    "Export a queue's items, part by part and several parts at once, into an attachment of the job. The same items give the same bytes as `signalbox export`.",
		Example: "signalbox job start export --queue orders --as csv --watch\nsignalbox job attachment signalbox.export-7 orders.csv -f orders.csv",
	}
	f := c.Flags()
	f.StringVar(&s.sel.queue, "queue", "", "the queue")
	f.StringSliceVar(&s.sel.statuses, "status", nil, "only items of these statuses, as in failed,abandoned")
	f.StringVar(&s.sel.filter, "filter", "", "only those with these words, or terms like status:failed reference:INV- age:>2h")
	f.StringVar(&s.format, "as", "csv", "the format: csv, jsonl or xml")
	f.StringVar(&s.exports.Name, "name", "", "of the attachment (default QUEUE.csv)")
	s.flags(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		if s.sel.queue == "" {
			return needsQueue(c)
		}
		r, err := s.sel.request()
		if err != nil {
			return err
		}
		s.exports.ExportRequest = engine.ExportRequest{Queue: r.Queue, Filter: r.Filter, Format: export.Format(s.format)}
		return s.run(c.Context(), engine.ExportKind, s.exports)
	}
	return c
}

func (a *app) startImport() *cobra.Command {
	s := &starting{app: a}
	m := &s.imports
	c := &cobra.Command{
		Use: "import FILE --queue Q", Short: "Import a file that the engine can read", Args: takes("FILE"),
		Long:    "Import a file as `signalbox item import` does, in the engine: it goes on whoever watches. After a crash it begins anew, as nothing of it is stored; with the other modes it goes on behind the last row that is in. Rejected rows are in its attachment `rejects`.",
		Example: "signalbox job start import orders.csv --queue orders --watch",
	}
	f := c.Flags()
	f.StringVar(&m.Queue, "queue", "", "the queue")
	f.StringVar(&m.Job, "job", "", "the job that the rows belong to; one is started if there is none of this id")
	f.StringVar(&m.Of, "of", "", "the file is an attachment of this job")
	s.rows.flags(c)
	s.flags(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		if m.Queue == "" {
			return needsQueue(c)
		}
		if err := s.rows.check(); err != nil {
			return err
		}
		asker, err := a.location()
		if err != nil {
			return err
		}
		if asker.String() == zone.Unnamed { // which to the engine is its own
			return usage("the time zone here", "it has no name by which the engine could know it", "say it with --tz Europe/Berlin")
		}
		s.rows.of(m, asker)
		if m.Of != "" {
			m.Attachment = args[0]
		} else if m.Path, err = filepath.Abs(args[0]); err != nil {
			return err
		}
		return s.run(c.Context(), engine.ImportKind, m)
	}
	return c
}

func (a *app) startBulk() *cobra.Command {
	s := &starting{app: a}
	b := &s.bulk
	var until string
	c := &cobra.Command{
		Use: "bulk VERB", Short: "Act on all items that match, as in retry, verify, delete or requeue", Args: takes("VERB"),
		Long: "Act on all items that match when it is asked for; what comes later is not touched. The verbs are " + strings.Join(engine.BulkJobVerbs, ", ") + " (deferred items may be claimed now). " +
			"After a crash it goes on with those that are left.",
		Example: "signalbox job start bulk retry --queue orders --status failed --watch",
	}
	f := c.Flags()
	s.sel.flags(c)
	f.IntVar(&b.First, "first", 0, "only the first of them (0 = all)")
	f.StringVar(&b.Note, "note", "", "for the history")
	f.StringVar(&until, "until", "", "for defer: when they may be claimed: a time, or +2h")
	f.StringVar(&b.Reviewer, "reviewer", "", "who judges (default you)")
	f.BoolVar(&s.yes, "yes", false, "do not ask")
	s.flags(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		r, err := s.sel.request()
		if err != nil {
			return err
		}
		if r.Queue == "" && r.Group == "" && r.Filter == "" {
			return usage("`"+c.CommandPath()+"`", "nothing says which items", "add --queue, --status, --group or --filter")
		}
		b.Verb, b.Select = args[0], []engine.ListRequest{r}
		if c.Flags().Changed("until") {
			if b.Until, err = a.moment("until", until); err != nil {
				return err
			}
		}
		if !s.yes {
			if err := a.confirmed("`job start bulk`", "Bulk "+b.Verb+" all that match now?"); err != nil {
				return err
			}
		}
		return s.run(c.Context(), engine.BulkKind, b)
	}
	return c
}

func (a *app) startReindex() *cobra.Command {
	s := &starting{app: a}
	c := &cobra.Command{
		Use: "reindex", Short: "Hold every index, counter and history against the records, and put right what differs", Args: takes(),
		Long: "Hold every index, counter and history of the store against its records, and put right what differs, while work goes on. " +
			"What was put right is in the job's log and in its attachment mended.txt; records that can't be read are taken out, into aside.jsonl. " +
			"What can't be put right while work goes on fails the job's item; `signalbox check --repair` does it without an engine.",
		RunE: func(c *cobra.Command, _ []string) error {
			return s.run(c.Context(), engine.ReindexKind, engine.ReindexJob{})
		},
	}
	s.flags(c)
	return c
}
