package intake

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// errLong is a line longer than any row may be; it has been passed over.
var errLong = errors.New("line too long")

// lines reads lines with their ends, counts them, and takes lines back.
type lines struct {
	r      *bufio.Reader
	n      int // the number of the line read last
	behind [][]byte
}

// next gives the next line, its end included; io.EOF after the last.
func (l *lines) next() ([]byte, error) {
	line, err := l.read()
	if err == nil || errors.Is(err, errLong) {
		l.n++
	}
	return line, err
}

func (l *lines) read() ([]byte, error) {
	if len(l.behind) > 0 {
		line := l.behind[0]
		l.behind = l.behind[1:]
		if line == nil {
			return nil, errLong
		}
		return line, nil
	}
	line, long := []byte{}, false
	for {
		part, err := l.r.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxRow; !long {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if long {
			return nil, errLong
		}
		if len(line) == 0 {
			return nil, io.EOF
		}
		return line, nil
	}
}

// back puts lines before the next one; a nil line is one that was too long.
func (l *lines) back(lines [][]byte) {
	l.n -= len(lines)
	l.behind = append(lines[:len(lines):len(lines)], l.behind...)
}

// trimEnd cuts a line's end off.
func trimEnd(line []byte) []byte {
	if body, ok := bytes.CutSuffix(line, []byte("\n")); ok {
		return bytes.TrimSuffix(body, []byte("\r"))
	}
	return line
}
