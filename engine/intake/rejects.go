package intake

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"signalbox/engine/object"
)

// Rejects writes rejected rows: for CSV as they stood, their line and reason
// before them, under the same header; for JSON one object a line. Mended, the
// result can be read again.
type Rejects struct {
	w io.Writer
	f *File
	n int
}

// NewRejects readies a file for the rows that f rejects. Nothing is written
// before the first row.
func NewRejects(w io.Writer, f *File) *Rejects { return &Rejects{w: w, f: f} }

// Count is the number of rows written.
func (r *Rejects) Count() int { return r.n }

// Add writes one row and why it was rejected.
func (r *Rejects) Add(row Row, reason error) error {
	r.n++
	if r.f.Format != CSV {
		return r.addJSON(row, reason)
	}
	if r.n == 1 {
		if err := r.line(rejectedLine, rejectedReason, r.own(Row{Raw: r.f.header, third: r.f.third})); err != nil {
			return err
		}
	}
	return r.line(strconv.Itoa(row.Line), `"`+strings.ReplaceAll(reason.Error(), `"`, `""`)+`"`, r.own(row))
}

// own is a row's text without the two columns of an earlier rejection, which
// would otherwise gain two more with each round.
func (r *Rejects) own(row Row) []byte {
	if r.f.columns.rejected() {
		return row.Raw[row.third:]
	}
	return row.Raw
}

func (r *Rejects) line(number, reason string, raw []byte) error {
	_, err := fmt.Fprintf(r.w, "%s%c%s%c%s\n", number, r.f.delimiter, reason, r.f.delimiter, raw)
	return err
}

func (r *Rejects) addJSON(row Row, reason error) error {
	line := fmt.Appendf(nil, `{%q:%d,%q:`, rejectedLine, row.Line, rejectedReason)
	line = append(object.AppendString(line, reason.Error()), `,"row":`...)
	var compact bytes.Buffer
	if utf8.Valid(row.Raw) && json.Compact(&compact, row.Raw) == nil {
		line = append(line, compact.Bytes()...)
	} else {
		line = object.AppendString(line, strings.ToValidUTF8(string(row.Raw), "\ufffd"))
	}
	_, err := r.w.Write(append(line, "}\n"...))
	return err
}

// MoreRejects is NewRejects for the rest of a file that has its header.
func MoreRejects(w io.Writer, f *File) *Rejects { return &Rejects{w: w, f: f, n: 1} }

// CreateRejects makes a new file for the rejected rows of another, beside it:
// orders.csv.rejects, or where there is one orders.csv.rejects.2, and so on.
func CreateRejects(path string) (*os.File, string, error) {
	path += ".rejects"
	for n := 1; ; n++ {
		name := path
		if n > 1 {
			name = fmt.Sprintf("%s.%d", path, n)
		}
		f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if !errors.Is(err, fs.ErrExist) {
			return f, name, err
		}
	}
}
