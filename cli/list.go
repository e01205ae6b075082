package cli

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"signalbox/tui/text"
)

// column is one column of a table or of CSV.
type column[T any] struct {
	name  string
	value func(T) string
	right bool // numbers
}

// columns are what a list shows: to people, and in CSV (nil = the same).
type columns[T any] struct {
	table []column[T]
	csv   []column[T]
}

// limitFlag is the flag of how many of a list's things are shown.
func limitFlag(c *cobra.Command, limit *int, otherwise int, things string) {
	c.Flags().IntVar(limit, "limit", otherwise, "at most this many "+things+" (0 = all)")
}

func checkLimit(limit int) error {
	if limit < 0 {
		return usage(fmt.Sprintf("--limit %d", limit), "a limit is 0 (all) or more", "write it as --limit 10")
	}
	return nil
}

// printer prints rows as they come.
type printer[T any] interface {
	row(T) error
	// flush hands on the rows that came, where their widths need not wait for
	// more.
	flush() error
	end() error
}

// printing readies the printer of the format asked for.
func printing[T any](a *app, c columns[T], otherwise string) (printer[T], error) {
	format, err := a.format(otherwise)
	if err != nil {
		return nil, err
	}
	w := bufio.NewWriter(a.Stdout)
	switch format {
	case asJSON:
		return &arrayPrinter[T]{app: a, w: w}, nil
	case asJSONL:
		return &linePrinter[T]{app: a, w: w}, nil
	case asCSV:
		if c.csv == nil {
			c.csv = c.table
		}
		p := &csvPrinter[T]{columns: c.csv, w: csv.NewWriter(w), out: w, safe: a.IsTerminal(a.Stdout)}
		return p, p.head()
	}
	return &tablePrinter[T]{columns: c.table, w: w}, nil
}

// printAll prints rows that are all there.
func printAll[T any](a *app, c columns[T], otherwise string, rows []T) error {
	p, err := printing(a, c, otherwise)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if err := p.row(row); err != nil {
			return err
		}
	}
	return p.end()
}

// arrayPrinter prints one JSON array, a row on each line.
type arrayPrinter[T any] struct {
	app *app
	w   *bufio.Writer
	n   int
}

func (p *arrayPrinter[T]) row(row T) error {
	lead := ",\n"
	if p.n++; p.n == 1 {
		lead = "[\n"
	}
	b, err := p.app.json(row)
	if err == nil {
		_, err = p.w.WriteString(lead + string(b))
	}
	return err
}

func (p *arrayPrinter[T]) flush() error { return p.w.Flush() }

func (p *arrayPrinter[T]) end() error {
	tail := "\n]\n"
	if p.n == 0 {
		tail = "[]\n"
	}
	if _, err := p.w.WriteString(tail); err != nil {
		return err
	}
	return p.w.Flush()
}

// linePrinter prints one JSON object a line.
type linePrinter[T any] struct {
	app *app
	w   *bufio.Writer
}

func (p *linePrinter[T]) row(row T) error { return p.app.writeJSON(p.w, row) }
func (p *linePrinter[T]) flush() error    { return p.w.Flush() }
func (p *linePrinter[T]) end() error      { return p.w.Flush() }

// csvPrinter prints CSV under a header.
type csvPrinter[T any] struct {
	columns []column[T]
	w       *csv.Writer
	out     *bufio.Writer
	safe    bool // for a terminal
}

func (p *csvPrinter[T]) head() error {
	names := make([]string, len(p.columns))
	for i, c := range p.columns {
		names[i] = strings.ReplaceAll(c.name, " ", "_")
	}
	return p.w.Write(names)
}

func (p *csvPrinter[T]) row(row T) error {
	cells := make([]string, len(p.columns))
	for i, c := range p.columns {
		cells[i] = c.value(row)
		if p.safe {
			cells[i] = string(text.Clean(cells[i]))
		}
	}
	return p.w.Write(cells)
}

func (p *csvPrinter[T]) flush() error {
	p.w.Flush()
	if err := p.w.Error(); err != nil {
		return err
	}
	return p.out.Flush()
}

func (p *csvPrinter[T]) end() error { return p.flush() }

const (
	// measured is how many rows a table looks at before it fixes its widths.
	measured = 1000
	// widest is the widest a cell gets.
	widest = 80
)

// tablePrinter prints aligned columns for people, made safe for a terminal.
type tablePrinter[T any] struct {
	columns []column[T]
	w       *bufio.Writer
	held    [][]text.Safe // until the widths are fixed
	width   []int
}

func (p *tablePrinter[T]) row(row T) error {
	cells := make([]text.Safe, len(p.columns))
	for i, c := range p.columns {
		cells[i] = text.Truncate(text.Clean(c.value(row)), widest, text.Ellipsis)
	}
	if p.width != nil {
		return p.line(cells)
	}
	if p.held = append(p.held, cells); len(p.held) == measured {
		return p.begin()
	}
	return nil
}

func (p *tablePrinter[T]) flush() error {
	if p.width == nil {
		return nil
	}
	return p.w.Flush()
}

func (p *tablePrinter[T]) end() error {
	if p.width == nil {
		if err := p.begin(); err != nil {
			return err
		}
	}
	return p.w.Flush()
}

// begin fixes the widths and prints the head and what was held.
func (p *tablePrinter[T]) begin() error {
	head := make([]text.Safe, len(p.columns))
	for i, c := range p.columns {
		head[i] = text.Safe(strings.ToUpper(c.name))
	}
	p.width = make([]int, len(p.columns))
	rows := append([][]text.Safe{head}, p.held...)
	for _, row := range rows {
		for i, cell := range row {
			p.width[i] = max(p.width[i], text.Width(cell))
		}
	}
	for _, row := range rows {
		if err := p.line(row); err != nil {
			return err
		}
	}
	p.held = nil
	return nil
}

func (p *tablePrinter[T]) line(cells []text.Safe) error {
	var line strings.Builder
	for i, cell := range cells {
		if i > 0 {
			line.WriteString("  ")
		}
		if p.columns[i].right {
			cell = text.PadLeft(cell, p.width[i])
		} else {
			cell = text.Pad(cell, p.width[i])
		}
		line.WriteString(string(cell))
	}
	_, err := p.w.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	return err
}
