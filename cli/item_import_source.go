package cli

import (
	"bufio"
	"errors"
	"io"
	"os"
)

// source is the file that is imported. A whole import reads it again: a regular
// file from its beginning, anything else from a copy made while it was read.
type source struct {
	r    io.Reader
	size int64         // 0 = unknown
	file *os.File      // nil: stdin
	copy *os.File      // nil: the file itself can be read again
	to   *bufio.Writer // fills the copy
}

func (im *importing) open() (*source, error) {
	if im.path == "-" {
		return &source{r: im.app.Stdin}, nil
	}
	f, err := os.Open(im.path)
	if err != nil {
		cause := errors.Unwrap(err)
		return nil, usage("file "+im.path, "it can't be read: "+cause.Error(), "give a file that is there, or - for stdin")
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = errors.New("it is a folder")
	}
	if err != nil {
		_ = f.Close()
		return nil, usage("file "+im.path, err.Error(), "give a file")
	}
	s := &source{r: f, file: f, size: info.Size()}
	if !info.Mode().IsRegular() {
		s.size = 0
	}
	return s, nil
}

// keep sees to it that what is read can be read again, if that is wanted.
func (s *source) keep(wanted bool) error {
	if !wanted || s.size > 0 {
		return nil
	}
	f, err := os.CreateTemp("", "signalbox-import-*")
	if err != nil {
		return err
	}
	s.copy, s.to = f, bufio.NewWriterSize(f, 64<<10)
	s.r = io.TeeReader(s.r, s.to)
	return nil
}

// again gives what was read from its beginning.
func (s *source) again() (io.Reader, error) {
	f := s.file
	if s.copy != nil {
		f = s.copy
		if err := s.to.Flush(); err != nil {
			return nil, err
		}
	}
	_, err := f.Seek(0, io.SeekStart)
	return f, err
}

func (s *source) close() {
	if s.file != nil {
		_ = s.file.Close()
	}
	if s.copy != nil {
		_ = s.copy.Close()
		_ = os.Remove(s.copy.Name())
	}
}
