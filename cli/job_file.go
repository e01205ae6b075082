package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"signalbox/store"
	"signalbox/tui/text"
)

func (a *app) jobLog() *cobra.Command {
	var after uint64
	var limit int
	var line store.LogLine
	var fields string
	c := &cobra.Command{
		Use: "log JOB [TEXT]", Short: "Show a job's log, or with a text add a line to it", Args: takes("JOB", "[TEXT…]"),
		Example: "signalbox job log invoices-7\nsignalbox job log invoices-7 --level warn \"the bank's server is slow\"",
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkLimit(limit); err != nil {
				return err
			}
			object, err := a.object("fields", fields)
			if err != nil {
				return err
			}
			line.Fields = store.JSON(object)
			return a.do(c.Context(), func(ctx context.Context, s Service) error {
				if len(args) == 1 {
					return a.printLog(ctx, s, args[0], after, limit)
				}
				for n, word := range args[1:] {
					if n > 0 {
						line.Text += " "
					}
					line.Text += word
				}
				if _, err := a.formatOfOne(); err != nil {
					return err
				}
				added, err := s.LogJob(ctx, args[0], line)
				if err != nil {
					return err
				}
				return a.printOne(added)
			})
		},
	}
	f := c.Flags()
	f.StringVar(&line.Level, "level", "info", "of the line added: debug, info, warn or error")
	f.StringVar(&fields, "fields", "", "more about it: a JSON object, @FILE, or - for stdin")
	f.Uint64Var(&after, "after", 0, "go on after the line of this number")
	limitFlag(c, &limit, 0, "lines")
	return c
}

func (a *app) printLog(ctx context.Context, s Service, id string, after uint64, limit int) error {
	zone, err := a.location()
	if err != nil {
		return err
	}
	type l = store.LogLine
	p, err := printing(a, columns[l]{table: []column[l]{
		{"seq", func(l l) string { return fmt.Sprint(l.Seq) }, true},
		{"at", func(l l) string { return text.Stamp(l.At.Time(), zone) }, false},
		{"level", func(l l) string { return l.Level }, false},
		{"text", func(l l) string { return l.Text }, false},
		{"fields", func(l l) string { return string(l.Fields) }, false},
	}}, asTable)
	if err != nil {
		return err
	}
	for shown := 0; limit == 0 || shown < limit; {
		lines, err := s.JobLog(ctx, id, after, 1000)
		if err != nil {
			return err
		}
		if len(lines) == 0 {
			break
		}
		for _, line := range lines {
			if after = line.Seq; limit > 0 && shown == limit {
				continue
			}
			shown++
			if err := p.row(line); err != nil {
				return err
			}
		}
	}
	return p.end()
}

func (a *app) jobAttachment() *cobra.Command {
	var out, add string
	c := &cobra.Command{
		Use: "attachment JOB [NAME]", Short: "List a job's attachments, or write one out", Args: takes("JOB", "[NAME…]"),
		Long:    "List a job's attachments. With a name write that one to stdout, or to --file. With --add keep a file with the job.",
		Example: "signalbox job attachment invoices-7\nsignalbox job attachment invoices-7 report.csv --file report.csv",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 2 {
				return usage(fmt.Sprintf("argument %q", args[2]), "`job attachment` takes one name", "quote a name with spaces")
			}
			return a.do(c.Context(), func(ctx context.Context, s Service) error {
				switch {
				case add != "":
					name := filepath.Base(add)
					if len(args) == 2 {
						name = args[1]
					}
					return a.addAttachment(ctx, s, args[0], name, add)
				case len(args) == 1:
					return a.printAttachments(ctx, s, args[0])
				}
				return a.saveAttachment(ctx, s, args[0], args[1], out)
			})
		},
	}
	f := c.Flags()
	f.StringVarP(&out, "file", "f", "-", "where to write it; - is stdout")
	f.StringVar(&add, "add", "", "keep this file with the job, as NAME")
	return c
}

func (a *app) printAttachments(ctx context.Context, s Service, id string) error {
	list, err := s.Attachments(ctx, id)
	if err != nil {
		return err
	}
	zone, err := a.location()
	if err != nil {
		return err
	}
	type f = store.Attachment
	return printAll(a, columns[f]{table: []column[f]{
		{"name", func(f f) string { return f.Name }, false},
		{"type", func(f f) string { return f.Type }, false},
		{"size", func(f f) string { return text.Bytes(f.Size) }, true},
		{"created", func(f f) string { return when(f.CreatedAt, a.Now(), zone) }, false},
		{"by", func(f f) string { return f.CreatedBy }, false},
	}}, asTable, list)
}

func (a *app) addAttachment(ctx context.Context, s Service, id, name, path string) error {
	if _, err := a.formatOfOne(); err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return usage("file "+path, "it can't be read: "+errors.Unwrap(err).Error(), "give a file that is there")
	}
	defer f.Close()
	added, err := s.Attach(ctx, id, name, mime.TypeByExtension(filepath.Ext(name)), f)
	if err != nil {
		return err
	}
	return a.printOne(added)
}

// saveAttachment writes a file that has its name when it is whole.
func (a *app) saveAttachment(ctx context.Context, s Service, id, name, path string) error {
	if path == "-" {
		return s.ReadAttachment(ctx, id, name, a.Stdout)
	}
	if err := a.sparesStore(s, path); err != nil {
		return err
	}
	_, err := wholeFile(ctx, path, func(w io.Writer) error { return s.ReadAttachment(ctx, id, name, w) })
	return err
}
