// Package intake reads files of work into new items, row by row.
//
// What a file holds is told from its content: CSV (in UiPath's upload layout,
// with named columns, or as package export writes it), one JSON object a line,
// one JSON array, or the orchestrator's file. Reading streams: one row is in memory at a time, and a row that can't be read is
// handed on as a rejected row with its line, its text and its reason, after
// which reading goes on with the next. Only what makes the rest of the file
// unreadable ends it.
//
//	file ── Open ── File.Rows ──▶ Row{Line, Raw, Item} or Row{Line, Raw, Err}
//	                                                        └─▶ Rejects
package intake

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"signalbox/engine"
	"signalbox/engine/object"
	"signalbox/store"
)

// Format is how a file lays out its rows.
type Format string

// The formats that Open tells apart.
const (
	CSV   Format = "csv"
	JSONL Format = "jsonl"
	JSON  Format = "json" // one array
	// Orchestrator is one object whose items are an array in it.
	Orchestrator Format = "orchestrator"
)

// maxRow bounds a row's text: far above the largest payload an item may have,
// and small enough that a forgotten quote can't fill the memory.
const maxRow = 8 << 20

// Columns names the columns (CSV) or keys (JSON) that hold an item's own
// fields. They stay in the payload too.
type Columns struct {
	Reference, Due, Priority, Defer string
}

// Options says how to read a file.
type Options struct {
	// Columns, when any is set, replaces UiPath's column names.
	Columns Columns
	// Now is what relative times count from.
	Now time.Time
	// Zone is that of times written without one; nil is UTC.
	Zone *time.Location
	// Dates says how dates like 03/01/2026 are read.
	Dates Dates
	// States says whether items keep the states that the file says they are in.
	States States
	// Encoding is how the text is written; "" = UTF-8, or UTF-16 where the file
	// begins so.
	Encoding Encoding
	// From is the line from which on rows are wanted: those that begin before it
	// are passed over.
	From int
}

// Validate refuses values that there are not.
func (o *Options) Validate() error {
	r := engine.Reading{States: string(o.States), Dates: string(o.Dates), Encoding: string(o.Encoding), From: o.From}
	return r.Validate()
}

// Row is one row of a file: an item to add, or why it is none.
type Row struct {
	Line int    // where it begins, from 1
	Raw  []byte // as it stands in the file, without its line end
	Item engine.NewItem
	Err  error // a *store.Error when the row is rejected

	third int // CSV: where in Raw the third field begins
}

// File is an opened file of rows.
type File struct {
	Format Format

	opt       Options
	in        *lines
	delimiter byte     // CSV
	header    []byte   // CSV: the header's text
	third     int      // CSV: where in it the third name begins
	columns   *columns // CSV
	read      reader
	split     []object.Field
	identity  uint64          // of the archived item read last, 0 = none
	seen      map[uint64]bool // of those read before
}

// Open looks at the beginning of r and readies its rows. The error is a
// *store.Error about the file as a whole.
func Open(r io.Reader, opt Options) (*File, error) {
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	opt.Encoding = Encoding(strings.ToLower(string(opt.Encoding)))
	if opt.Zone == nil {
		opt.Zone = time.UTC
	}
	plain, err := unpacked(bufio.NewReaderSize(r, 64<<10))
	if err != nil {
		return nil, err
	}
	if err := noText(plain); err != nil {
		return nil, err
	}
	decoded, err := decode(plain, opt.Encoding)
	if err != nil {
		return nil, err
	}
	buf := bufio.NewReaderSize(decoded, 64<<10)
	head, err := buf.Peek(4 << 10)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, unreadable(err)
	}
	if bytes.HasPrefix(head, []byte("\ufeff")) {
		buf.Discard(len("\ufeff"))
		head = head[len("\ufeff"):]
	}
	f := &File{opt: opt, in: &lines{r: buf}, read: reader{opt.Now, opt.Zone, opt.Dates, opt.States}}
	switch begin := bytes.TrimLeft(head, " \t\r\n"); {
	case bytes.HasPrefix(begin, []byte("[")):
		f.Format = JSON
	case page.Match(begin):
		return nil, store.Invalid("the file", "it is a web page", "see in a browser whether it is an error or a login in the place of the file, and save the table as CSV")
	case tagged.Match(begin):
		return nil, store.Invalid("the file", "it is XML", "export as jsonl, csv or orchestrator, which can be imported")
	case wrapped.Match(begin):
		f.Format = Orchestrator
	case bytes.HasPrefix(begin, []byte("{")):
		if goesOn(begin) {
			return nil, store.Invalid("the file", "its first object goes on over several lines", "write one object on each line, or all of them in an array")
		}
		f.Format = JSONL
	default:
		f.Format = CSV
		return f, f.readHeader()
	}
	return f, nil
}

// wrapped is how the orchestrator's file begins.
var wrapped = regexp.MustCompile(`^\{\s*"items"\s*:\s*\[`)

// Texts with tags begin so. A first line of columns may begin with < too.
var (
	page   = regexp.MustCompile(`(?i)^<(!doctype html|html[\s>])`)
	tagged = regexp.MustCompile(`^<(\?xml\s|!|[A-Za-z][^,;\t\n]*>\s*[\n<])`)
)

// goesOn says that the first line begins an object which it does not end.
func goesOn(head []byte) bool {
	line, _, whole := bytes.Cut(head, []byte("\n"))
	if !whole {
		return false
	}
	var v any
	return errors.Is(json.NewDecoder(bytes.NewReader(line)).Decode(&v), io.ErrUnexpectedEOF)
}

// Rows yields the file's rows once, in order. An error ends them: the rest of
// the file can't be read.
func (f *File) Rows() iter.Seq2[Row, error] {
	rows := f.allRows()
	if f.opt.From == 0 {
		return rows
	}
	return func(yield func(Row, error) bool) {
		for row, err := range rows {
			if err == nil && row.Line < f.opt.From {
				continue
			}
			if !yield(row, err) {
				return
			}
		}
	}
}

func (f *File) allRows() iter.Seq2[Row, error] {
	switch f.Format {
	case JSON, Orchestrator:
		return f.arrayRows
	case JSONL:
		return f.lineRows
	}
	return f.csvRows
}

func unreadable(err error) error {
	return &store.Error{Code: store.CodeFailed, Thing: "the file", Rule: "it can't be read", Err: err}
}

// checkText refuses text that is not UTF-8, and says where.
func (f *File) checkText(raw []byte) error {
	if utf8.Valid(raw) {
		return nil
	}
	at := 0
	for at < len(raw) {
		r, n := utf8.DecodeRune(raw[at:])
		if r == utf8.RuneError && n <= 1 {
			break
		}
		at += n
	}
	return store.Invalid(fmt.Sprintf("byte 0x%02X at column %d", raw[at], at+1), "it is not UTF-8", "save the file as UTF-8, or say --encoding windows-1252 if it is that")
}
