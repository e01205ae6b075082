package cli

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"syscall"

	"signalbox/store"
)

// noted is an output that knows how its first failed write failed: cobra's help
// asks nobody. One that is a file still is one, so that it gets its colours.
type noted interface {
	io.Writer
	failed() error
}

func noting(w io.Writer) noted {
	if f, ok := w.(*os.File); ok {
		return &notedFile{File: f}
	}
	return &notedWriter{Writer: w}
}

type notedFile struct {
	*os.File
	err error
}

func (f *notedFile) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	if f.err == nil {
		f.err = err
	}
	return n, err
}

// WriteString is not the file's own, past Write.
func (f *notedFile) WriteString(s string) (int, error) { return f.Write([]byte(s)) }

func (f *notedFile) failed() error { return f.err }

type notedWriter struct{ io.Writer }

func (notedWriter) failed() error { return nil }

// outlivesReaders lets a command that holds work outlive whoever read what it
// tells, as a tee that ctrl-c ends first: a write then fails like any other,
// where else it would end the process with the work in hand. Programs that it
// starts are not deaf to SIGPIPE, as they would be were it ignored. It holds to
// the end of the process, which has an exit code to give.
func outlivesReaders() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// unsaid words that stdout took no more. What was done by then is done: the
// command failed to tell of it.
func (a *app) unsaid(err error) error {
	e, failed := errors.AsType[*fs.PathError](err)
	out, ok := a.Stdout.(*os.File)
	if !failed || !ok || e.Op != "write" || e.Path != out.Name() {
		return err
	}
	return unprinted(e.Err, "make room there or print elsewhere; what the command did is done")
}

func unprinted(cause error, mend string) error {
	return &store.Error{Code: store.CodeFailed, Thing: "stdout", Rule: "it can't be written", Err: cause, Mend: mend}
}
