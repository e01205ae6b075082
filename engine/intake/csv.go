package intake

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"signalbox/store"
)

// record is one CSV record: its fields, and its text as it stands in the file.
type record struct {
	line   int
	raw    []byte
	third  int // where in raw the third field begins; 0 when there is none
	fields []string
	err    error // malformed: fields are not to be used
}

// splitter cuts one record into fields, line by line.
type splitter struct {
	delimiter byte
	fields    []string
	field     []byte
	quoted    bool // inside quotes: the record goes on with the next line
	before    int  // bytes of the record's lines before this one
	third     int  // where in the record the third field begins
}

// feed takes the record's next line and says whether the record goes on.
// A quote within an unquoted field stands for itself, as spreadsheets read it.
func (s *splitter) feed(line []byte) (more bool, err error) {
	body := trimEnd(line)
	fresh := !s.quoted // at the beginning of a field
	closed := false    // after a field's closing quote
	for i := 0; i < len(body); i++ {
		c := body[i]
		switch {
		case s.quoted && c == '"' && i+1 < len(body) && body[i+1] == '"':
			s.field = append(s.field, '"')
			i++
		case s.quoted && c == '"':
			s.quoted, closed = false, true
		case s.quoted:
			s.field = append(s.field, c)
		case c == s.delimiter:
			s.end()
			fresh, closed = true, false
			if len(s.fields) == 2 {
				s.third = s.before + i + 1
			}
		case closed:
			return false, store.Invalid(fmt.Sprintf("character %q at column %d", c, i+1), "it follows a closing quote", "write a quote within quotes twice")
		case fresh && c == '"':
			s.quoted, fresh = true, false
		default:
			s.field = append(s.field, c)
			fresh = false
		}
	}
	s.before += len(line)
	if s.quoted {
		s.field = append(s.field, line[len(body):]...)
		return true, nil
	}
	s.end()
	return false, nil
}

func (s *splitter) end() {
	s.fields = append(s.fields, string(s.field))
	s.field = s.field[:0]
}

// record reads the next record; io.EOF after the last. When its quotes are
// wrong only its first line is taken for it: the lines after may be sound.
func (f *File) record() (record, error) {
	first, err := f.in.next()
	for err == nil && len(trimEnd(first)) == 0 {
		first, err = f.in.next()
	}
	rec := record{line: f.in.n}
	if errors.Is(err, errLong) {
		rec.err = tooLong
		return rec, nil
	}
	if err != nil {
		return rec, err
	}
	split := splitter{delimiter: f.delimiter}
	text, rest, err := f.join(&split, first)
	if _, wrong := errors.AsType[*store.Error](err); wrong {
		f.in.back(rest)
		rec.raw, rec.err = trimEnd(first), err
		if split.third <= len(rec.raw) {
			rec.third = split.third
		}
		return rec, nil
	}
	if err != nil {
		return rec, err
	}
	rec.raw, rec.third, rec.fields = trimEnd(text), split.third, split.fields
	rec.err = f.checkText(rec.raw)
	return rec, nil
}

// join feeds lines to split until the record ends. It gives the record's text
// and, should its quotes be wrong, the lines after its first.
func (f *File) join(split *splitter, first []byte) (text []byte, rest [][]byte, err error) {
	text = first
	more, err := split.feed(first)
	for more && err == nil {
		line, err := f.in.next()
		switch {
		case errors.Is(err, io.EOF):
			return text, rest, errOpenQuote
		case errors.Is(err, errLong) || len(text)+len(line) > maxRow:
			return text, append(rest, line), errOpenQuote
		case err != nil:
			return text, rest, err
		}
		text, rest = append(text, line...), append(rest, line)
		if more, err = split.feed(line); err != nil {
			return text, rest, err
		}
	}
	return text, rest, err
}

var (
	tooLong      = store.Invalid("the row", fmt.Sprintf("it is longer than %d MiB", maxRow>>20), "split it, or close its quotes")
	errOpenQuote = store.Invalid("a quoted field", "its quote is never closed", "close it")
)

// readHeader finds the delimiter and reads the columns' names.
func (f *File) readHeader() error {
	f.delimiter = ','
	first, err := f.in.next()
	for err == nil && len(bytes.TrimSpace(first)) == 0 {
		first, err = f.in.next()
	}
	if errors.Is(err, io.EOF) {
		return store.Invalid("the file", "it is empty", "give one with rows")
	}
	if errors.Is(err, errLong) {
		return tooLong
	}
	if err != nil {
		return unreadable(err)
	}
	if line := bytes.TrimRight(first, "\r\n"); bytes.ContainsRune(line, '\r') {
		return store.Invalid("the file", "its lines end with a bare carriage return", "save it with line feeds, as text for Unix or Windows")
	}
	if bytes.IndexByte(first, 0) >= 0 {
		return store.Invalid("header", "it holds bytes of zero: the file is no text", "give CSV, JSON lines or a JSON array")
	}
	f.delimiter = delimiterOf(first)
	f.in.back([][]byte{first})
	rec, err := f.record()
	if err != nil {
		return unreadable(err)
	}
	if rec.err != nil {
		return fmt.Errorf("header: %w", rec.err)
	}
	f.header, f.third = rec.raw, rec.third
	f.columns, err = newColumns(rec.fields, f.opt, &f.read)
	return err
}

// delimiterOf picks the delimiter that a header has most of outside quotes.
func delimiterOf(line []byte) byte {
	var count [256]int
	quoted := false
	for _, c := range line {
		if c == '"' {
			quoted = !quoted
		} else if !quoted {
			count[c]++
		}
	}
	best := byte(',')
	for _, c := range []byte{';', '\t'} {
		if count[c] > count[best] {
			best = c
		}
	}
	return best
}

func (f *File) csvRows(yield func(Row, error) bool) {
	for {
		rec, err := f.record()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			yield(Row{}, unreadable(err))
			return
		}
		row := Row{Line: rec.line, Raw: rec.raw, third: rec.third, Err: rec.err}
		if row.Err == nil {
			row.Item, row.Err = f.columns.item(rec.fields)
		}
		if !yield(row, nil) {
			return
		}
	}
}
