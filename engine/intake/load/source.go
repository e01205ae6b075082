package load

import (
	"bufio"
	"errors"
	"io"
	"os"

	"signalbox/store"
)

// Source is a file that is brought in. To store all of it or nothing it is read
// twice: a regular file from its beginning, anything else from a copy made while
// it was read.
type Source struct {
	Name string // as messages name it

	path string // "" = a stream
	r    io.Reader
	size int64         // 0 = unknown
	file *os.File      // nil: a stream
	copy *os.File      // nil: the file itself can be read again
	to   *bufio.Writer // fills the copy
	read bool          // once already
	full bool          // the copy is
}

// Stream is a source that can be read only once.
func Stream(name string, r io.Reader) *Source { return &Source{Name: name, r: r} }

// Open opens a file.
func Open(path string) (*Source, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, store.Invalid("file "+path, "it can't be read: "+errors.Unwrap(err).Error(), "give a file that is there")
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = errors.New("it is a folder")
	}
	if err != nil {
		_ = f.Close()
		return nil, store.Invalid("file "+path, err.Error(), "give a file")
	}
	s := &Source{Name: path, path: path, r: f, file: f, size: info.Size()}
	if !info.Mode().IsRegular() {
		s.size = 0
	}
	return s, nil
}

// keep sees to it that what is read can be read again.
func (s *Source) keep() error {
	if s.size > 0 {
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

// again gives what is read, from its beginning.
func (s *Source) again() (io.Reader, error) {
	if !s.read {
		s.read = true
		return s.r, nil
	}
	f := s.file
	if s.copy != nil {
		f = s.copy
		if err := s.to.Flush(); err != nil {
			return nil, err
		}
		s.full = true
	}
	_, err := f.Seek(0, io.SeekStart)
	return f, err
}

// steady says that reading never waits for what may not come.
func (s *Source) steady() bool { return s.size > 0 || s.full }

// Close lets go of the file.
func (s *Source) Close() {
	if s.file != nil {
		_ = s.file.Close()
	}
	if s.copy != nil {
		_ = s.copy.Close()
		_ = os.Remove(s.copy.Name())
	}
}
