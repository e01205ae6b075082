// Package archive keeps what retention takes out of a store: files of JSON
// lines, one for each item, compressed with zstd, a file for each queue and day.
//
//	<folder>/<queue>/2026-03-01.jsonl.zst
//
// Any zstd tool reads them. Each append is a frame of its own behind a skippable
// one that holds its length, so that what a crash left of an append is found,
// and taken off, before the next. Appends are on disk when they return; the
// caller removes items only then. So a crash leaves lines that stand twice, or
// of items that are still there, but loses none.
package archive

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/klauspost/compress/zstd"

	"signalbox/store"
)

const (
	skippable = 0x184D2A5B // the magic number of the frames that hold lengths
	leadLen   = 16         // magic, its content's length, the next frame's length
)

// Folder is a folder of archives. Its methods are safe for concurrent use, but
// nobody else may write into the folder meanwhile.
type Folder struct {
	path string

	mu      sync.Mutex
	encoder *zstd.Encoder
	sound   map[string]bool // files that end where an append ended
}

// In gives the archives in a folder, which is made with the first append.
func In(path string) *Folder { return &Folder{path: path, sound: map[string]bool{}} }

// Append adds lines to the archive of a queue and day, and gives its file. They
// are on disk when it returns; after an error none of them counts.
func (f *Folder) Append(queue string, at store.Time, lines []byte) (file string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	file = filepath.Join(f.path, queue, at.Time().Format("2006-01-02")+".jsonl.zst")
	if f.encoder == nil {
		if f.encoder, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1)); err != nil {
			return file, unwritable(file, err)
		}
	}
	frame := f.encoder.EncodeAll(lines, make([]byte, leadLen, leadLen+len(lines)/4))
	binary.LittleEndian.PutUint32(frame, skippable)
	binary.LittleEndian.PutUint32(frame[4:], leadLen-8)
	binary.LittleEndian.PutUint64(frame[8:], uint64(len(frame)-leadLen))
	fresh, err := f.append(file, frame)
	if err == nil && fresh {
		err = f.settleNames(queue)
	}
	if f.sound[file] = err == nil; err != nil {
		return file, unwritable(file, err)
	}
	return file, nil
}

func (f *Folder) append(file string, frame []byte) (fresh bool, err error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return false, err
	}
	out, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	end, err := out.Seek(0, io.SeekEnd)
	if err != nil {
		return false, err
	}
	if !f.sound[file] {
		if end, err = takeOffTorn(out, end); err != nil {
			return false, err
		}
	}
	if _, err := out.WriteAt(frame, end); err != nil {
		return false, err
	}
	return end == 0, out.Sync()
}

// takeOffTorn cuts off what an append that was not finished left, and gives the
// file's end. What stands there otherwise is left alone, and refused.
func takeOffTorn(f *os.File, size int64) (end int64, err error) {
	var lead [leadLen]byte
	for end < size {
		if size-end < leadLen {
			return end, f.Truncate(end)
		}
		if _, err := f.ReadAt(lead[:], end); err != nil {
			return end, err
		}
		if binary.LittleEndian.Uint32(lead[:]) != skippable {
			return end, errors.New("it is no archive of ours")
		}
		n := binary.LittleEndian.Uint64(lead[8:])
		if n > uint64(size-end-leadLen) {
			return end, f.Truncate(end)
		}
		end += leadLen + int64(n)
	}
	return end, nil
}

// settleNames makes a new file's name durable, and those of its folders.
func (f *Folder) settleNames(queue string) error {
	for _, dir := range []string{filepath.Join(f.path, queue), f.path, filepath.Dir(f.path)} {
		d, err := os.Open(dir)
		if err != nil {
			return err
		}
		if err := errors.Join(d.Sync(), d.Close()); err != nil {
			return err
		}
	}
	return nil
}

func unwritable(file string, err error) error {
	return &store.Error{Code: store.CodeFailed, Thing: "archive " + file, Rule: "it can't be written", Err: err, Mend: "see to its folder and the room on its disk"}
}
