package intake

import (
	"bytes"
	"errors"
	"io"

	"signalbox/store"
)

// arrayRows reads the elements of one JSON array. It only finds where each
// ends, by its brackets and strings, so that one that is no JSON inside is
// rejected alone.
func (f *File) arrayRows(yield func(Row, error) bool) {
	a := array{r: f.in, line: 1}
	if c, err := a.peekToken(); err != nil || c != '[' {
		yield(Row{}, unreadable(err))
		return
	}
	a.read()
	for first := true; ; first = false {
		c, err := a.peekToken()
		if err == nil && c == ']' && first {
			a.read()
			break
		}
		line, raw, err := a.element(err)
		if err != nil {
			yield(Row{}, a.broken(err))
			return
		}
		if !yield(f.row(line, raw), nil) {
			return
		}
		if end, _ := a.read(); end == ']' {
			break
		}
	}
	if c, err := a.peekToken(); err == nil {
		yield(Row{}, store.Invalid("the file", "something follows the array: "+quoted(string(c)), "remove it"))
	} else if !errors.Is(err, io.EOF) {
		yield(Row{}, a.broken(err))
	}
}

// array reads bytes and counts lines.
type array struct {
	r    *lines
	line int
}

func (a *array) read() (byte, error) {
	c, err := a.r.r.ReadByte()
	if c == '\n' {
		a.line++
	}
	return c, err
}

// peekToken passes over white space and gives the byte after it, unread.
func (a *array) peekToken() (byte, error) {
	for {
		c, err := a.r.r.ReadByte()
		if err != nil {
			return 0, err
		}
		switch c {
		case '\n':
			a.line++
		case ' ', '\t', '\r':
		default:
			return c, a.r.r.UnreadByte()
		}
	}
}

// element reads up to the comma or bracket that ends the element, and leaves
// that unread. before is the error met on the way to it.
func (a *array) element(before error) (line int, raw []byte, err error) {
	if before != nil {
		return 0, nil, before
	}
	line = a.line
	depth, quoted, escaped := 0, false, false
	for {
		c, err := a.read()
		if err != nil {
			return line, nil, err
		}
		switch {
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case quoted:
		case depth == 0 && (c == ',' || c == ']'):
			return line, bytes.TrimSpace(raw), a.r.r.UnreadByte()
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}
		if len(raw) == maxRow {
			return line, nil, tooLong
		}
		raw = append(raw, c)
	}
}

// broken says that the array can't be read on.
func (a *array) broken(err error) error {
	if errors.Is(err, io.EOF) {
		return store.Invalid("the file", "its array is not closed", "end it with ]")
	}
	if e, ok := errors.AsType[*store.Error](err); ok {
		return e
	}
	return unreadable(err)
}
