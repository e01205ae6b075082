package intake

import (
	"bytes"
	"errors"
	"io"

	"signalbox/store"
)

// arrayRows reads the elements of one JSON array, or of the one within the
// orchestrator's file. It only finds where each ends, by its brackets and strings, so that one that is no JSON inside is
// rejected alone.
func (f *File) arrayRows(yield func(Row, error) bool) {
	a := array{r: f.in, line: 1}
	for c := byte(0); c != '['; { // Open has seen it
		var err error
		if c, err = a.read(); err != nil {
			yield(Row{}, unreadable(err))
			return
		}
	}
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
	if f.Format == Orchestrator {
		if err := a.unwrap(); err != nil {
			yield(Row{}, err)
			return
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

func (a *array) unread(c byte) error {
	if c == '\n' {
		a.line--
	}
	return a.r.r.UnreadByte()
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
	raw, err = a.past("]")
	return line, raw, err
}

// past reads up to the comma or the closing bracket behind what comes next.
func (a *array) past(end string) (raw []byte, err error) {
	depth, quoted, escaped := 0, false, false
	for {
		c, err := a.read()
		if err != nil {
			return nil, err
		}
		switch {
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case quoted:
		case depth == 0 && (c == ',' || c == end[0]):
			return bytes.TrimSpace(raw), a.unread(c)
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}
		if len(raw) == maxRow {
			return nil, tooLong
		}
		raw = append(raw, c)
	}
}

// unwrap passes over the rest of the object that the array is in.
func (a *array) unwrap() error {
	for {
		c, err := a.peekToken()
		switch {
		case err != nil:
			return store.Invalid("the file", "its object is not closed", "end it with }")
		case c == '}':
			a.read()
			return nil
		case c != ',':
			return store.Invalid("the file", "something follows its items: "+quoted(string(c)), "end it with }")
		}
		a.read()
		if _, err := a.past("}"); err != nil {
			return a.broken(err)
		}
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
