package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"signalbox/engine"
	"signalbox/engine/export"
	"signalbox/tui/text"
)

// exporting is one run of export.
type exporting struct {
	app     *app
	sel     selection
	path    string // "" is stdout
	force   bool
	bom     bool
	unmask  bool
	request engine.ExportRequest
}

func (a *app) exportCommand() *cobra.Command {
	x := exporting{app: a}
	c := &cobra.Command{
		Use: "export --queue Q", Short: "Write a queue's items to a file: csv, jsonl, xml or orchestrator", Args: takes(),
		Long: "Write a queue's items with their payloads and results, as CSV, JSON lines, XML or the orchestrator's file layout, to stdout or a file. " +
			"All but XML can be imported again by `signalbox item import`; docs/formats.md describes them.\n\n" +
			"In CSV a cell that a spreadsheet would run begins with an apostrophe, which an import takes away again.\n\n" +
			"A file gets its name only when it is whole and on disk.",
		Example: "signalbox export --queue orders --format csv -f orders.csv\n" +
			"signalbox export --queue orders --filter 'status:failed age:>2h' --format jsonl",
	}
	f := c.Flags()
	f.StringVar(&x.sel.queue, "queue", "", "the queue")
	f.StringSliceVar(&x.sel.statuses, "status", nil, "only items of these statuses, as in failed,abandoned")
	f.StringVar(&x.sel.filter, "filter", "", "only those with these words, or terms like status:failed reference:INV- age:>2h")
	f.StringVarP(&x.path, "file", "f", "", "the file to write (default stdout)")
	f.BoolVar(&x.force, "force", false, "replace the file if it is there")
	f.BoolVar(&x.bom, "bom", false, "begin a CSV with a byte order mark, by which Excel knows UTF-8")
	unmaskFlag(c, &x.unmask)
	c.RunE = func(c *cobra.Command, _ []string) error {
		if x.sel.queue == "" {
			return needsQueue(c)
		}
		if err := x.readFlags(); err != nil {
			return err
		}
		return a.run(c.Context(), place.holds, x.run) // files have formats of their own
	}
	return c
}

func (x *exporting) readFlags() error {
	r, err := x.sel.request()
	if err != nil {
		return err
	}
	x.request = engine.ExportRequest{Queue: r.Queue, Filter: r.Filter}
	if x.request.Format, err = x.format(); err != nil {
		return err
	}
	if x.bom && x.request.Format != export.CSV {
		return usage("--bom", "only a CSV has a use for it", "leave it out")
	}
	x.request.Masked = x.path == "" && !x.unmask && x.app.IsTerminal(x.app.Stdout)
	return nil
}

// format is the one asked for, or the one that the file's name ends in.
func (x *exporting) format() (export.Format, error) {
	name := x.app.output
	if ending := strings.TrimPrefix(filepath.Ext(x.path), "."); name == "" {
		switch strings.ToLower(ending) {
		case "csv", "jsonl", "xml":
			name = ending
		default:
			return "", usage("`signalbox export`", "it needs --format", "use csv, jsonl, xml or orchestrator")
		}
	}
	return export.ParseFormat(name)
}

func (x *exporting) run(ctx context.Context, s Service) error {
	if _, err := s.Queue(ctx, x.request.Queue); err != nil {
		return err
	}
	if x.path == "" {
		return x.print(ctx, s)
	}
	if err := x.app.checkTarget(s, x.path, x.force); err != nil {
		return err
	}
	var done engine.Exported
	bytes, err := wholeFile(ctx, x.path, func(w io.Writer) (err error) {
		done, err = x.write(ctx, s, w)
		return err
	})
	if err != nil {
		return err
	}
	x.warn(done)
	report := struct {
		Exported int64  `json:"exported"`
		Damaged  int64  `json:"damaged,omitempty"`
		File     string `json:"file"`
		Bytes    int64  `json:"bytes"`
	}{done.Items, done.Damaged, x.path, bytes}
	if x.app.IsTerminal(x.app.Stdout) {
		return x.app.printFields(report)
	}
	return x.app.writeJSON(x.app.Stdout, report)
}

// print writes to stdout; for a terminal without anything that it would obey.
func (x *exporting) print(ctx context.Context, s Service) error {
	out := x.app.Stdout
	if x.app.IsTerminal(out) {
		out = &cleaned{w: out}
	}
	w := &interruptibleWriter{ctx: ctx, w: out}
	done, err := x.write(ctx, s, w)
	if err != nil {
		return w.fault(err)
	}
	x.warn(done)
	return nil
}

func (x *exporting) write(ctx context.Context, s Service, w io.Writer) (engine.Exported, error) {
	if x.bom {
		w = &marked{w: w}
	}
	return s.Export(ctx, x.request, w)
}

// warn says on stderr what is not in the file.
func (x *exporting) warn(done engine.Exported) {
	if done.Damaged > 0 {
		fmt.Fprintf(x.app.Stderr, "%s records can't be read and are left out\n", text.Count(done.Damaged))
	}
}

// marked writes a byte order mark before the first byte: none when there is
// nothing to write.
type marked struct {
	w   io.Writer
	any bool
}

func (m *marked) Write(p []byte) (int, error) {
	if !m.any {
		m.any = true
		if _, err := io.WriteString(m.w, "\ufeff"); err != nil {
			return 0, err
		}
	}
	return m.w.Write(p)
}

// cleaned makes what is written fit for a terminal, line by line. A line's rest
// waits for its end, which every layout has.
type cleaned struct {
	w    io.Writer
	rest []byte
}

func (s *cleaned) Write(p []byte) (int, error) {
	s.rest = append(s.rest, p...)
	end := bytes.LastIndexByte(s.rest, '\n') + 1
	var out []byte
	for line := range bytes.Lines(s.rest[:end]) {
		out = append(append(out, text.Clean(string(bytes.TrimSuffix(line, []byte("\n"))))...), '\n')
	}
	s.rest = append(s.rest[:0], s.rest[end:]...)
	_, err := s.w.Write(out)
	return len(p), err
}
