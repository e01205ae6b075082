package load

import (
	"bufio"
	"cmp"
	"errors"
	"os"

	"signalbox/engine/intake"
	"signalbox/store"
)

// rejectsHeld is how many bytes of rejected rows are written at once.
const rejectsHeld = 64 << 10

// rejects is the file of rejected rows, made with the first of them.
type rejects struct {
	path string // wanted, "" = beside the file
	mend string // of a file that can't be written
	file *intake.File
	out  *os.File
	text *bufio.Writer // into out
	rows *intake.Rejects
	made string // the path of the one made
}

func (l *Load) rejects(file *intake.File) rejects {
	return rejects{path: l.Rejects, mend: l.Words.Kept, file: file}
}

func (r *rejects) add(name string, row intake.Row, reason error) error {
	if r.out == nil {
		if err := r.create(name); err != nil {
			return err
		}
	}
	return r.unwritable(r.made, r.rows.Add(row, reason))
}

func (r *rejects) create(name string) (err error) {
	path := r.path
	if path != "" {
		r.out, err = os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	} else {
		r.out, path, err = intake.CreateRejects(name)
	}
	if err != nil {
		return r.unwritable(path, err)
	}
	r.text = bufio.NewWriterSize(r.out, rejectsHeld)
	r.made, r.rows = path, intake.NewRejects(r.text, r.file)
	return nil
}

// flush writes what is held of the rows.
func (r *rejects) flush() error {
	if r.out == nil {
		return nil
	}
	return r.unwritable(r.made, r.text.Flush())
}

func (r *rejects) close() error {
	if r.out == nil {
		return nil
	}
	err := r.flush()
	return cmp.Or(err, r.unwritable(r.made, r.out.Close()))
}

// drop takes back a file that is not to be.
func (r *rejects) drop() {
	if r.out == nil {
		return
	}
	info, err := r.out.Stat()
	_ = r.out.Close()
	if err == nil && info.Mode().IsRegular() { // a device stays
		_ = os.Remove(r.made)
	}
	r.made = ""
}

func (r *rejects) unwritable(path string, err error) error {
	if err == nil {
		return nil
	}
	if inner := errors.Unwrap(err); inner != nil {
		err = inner
	}
	return store.Invalid("rejects file "+path, "it can't be written: "+err.Error(), r.mend)
}
