package bolt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"signalbox/store"
)

// The log's file holds a header and, from logStart on, one record for each
// wave since the last checkpoint:
//
//	length of body, 4 bytes │ CRC-32C of what follows, 4 │ wave, 8 │ body
//
// Numbers are big-endian, waves are numbered without gaps. The file has its
// full size from the start and is written over again after each checkpoint, so
// that a record costs one write and one sync of data alone. What an earlier
// round left behind the last record is told by its wave's number.
const (
	logStart  = 4096
	recordLen = 16 // what stands before a body
)

// The header is one of these, the store's id, the log's generation, which the
// first version lacks, and a checksum. What comes after the beginning may change.
const (
	logKind      = "redo log, "
	logMagic     = logKind + "2\n"
	logMagicOld  = logKind + "1\n"
	logHeadBytes = len(logMagic) + len(storeID{}) + len(generationID{}) + 4
)

// maxRecord bounds a record. A wave that would need a longer one is committed:
// writing much once and syncing twice is cheaper than writing it twice.
const maxRecord = 512 << 10

// logSize is the size of a log's file. Replaced in tests.
var logSize int64 = 8 << 20

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// disk is the file under a log. What was written before a Sync is on stable
// storage when that returns nil.
type disk interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Sync() error
}

// file is a disk. The size of a log never changes, so its data is all that
// must be synced.
type file struct{ *os.File }

func (f file) Sync() error { return datasync(f.File) }

// unsynced is a disk for Options.NoSync.
type unsynced struct{ disk }

func (unsynced) Sync() error { return nil }

// redoLog is the log of one store: the changes that were acknowledged and are
// not in the store's file yet.
type redoLog struct {
	disk       disk
	path       string
	store      storeID
	generation generationID
	end        int64  // where the next record goes
	first      uint64 // the wave at its start, 0: not known, or none yet
}

func logPath(path string) string { return path + ".wal" }

// createLog makes a log without records for a generation of a store.
func createLog(path string, of storeID, g generationID, noSync bool) (*redoLog, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	l := &redoLog{disk: openDisk(f, noSync), path: path, store: of, generation: g, end: logStart}
	if err := l.fill(f, noSync); err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(path))
	}
	return l, nil
}

// openDisk is replaced in tests.
var openDisk = func(f *os.File, noSync bool) disk {
	if noSync {
		return unsynced{file{f}}
	}
	return file{f}
}

// fill writes all of a new log, so that no later write makes the file's blocks
// or size change, and makes its name durable.
func (l *redoLog) fill(f *os.File, noSync bool) error {
	zeros := make([]byte, min(1<<20, logSize))
	for at := int64(0); at < logSize; at += int64(len(zeros)) {
		if _, err := f.WriteAt(zeros, at); err != nil {
			return err
		}
	}
	if _, err := l.disk.WriteAt(logHead(l.store, l.generation), 0); err != nil || noSync {
		return err
	}
	if err := l.disk.Sync(); err != nil {
		return err
	}
	return syncDir(filepath.Dir(l.path))
}

func logHead(of storeID, g generationID) []byte {
	return sealHead(append(append([]byte(logMagic), of[:]...), g[:]...))
}

func logHeadOld(of storeID) []byte { return sealHead(append([]byte(logMagicOld), of[:]...)) }

func sealHead(head []byte) []byte {
	return binary.BigEndian.AppendUint32(head, crc32.Checksum(head, castagnoli))
}

// openLog opens an existing log; nil when there is none, or one that was not
// made to its end and so never had a record.
func openLog(path string, noSync bool) (*redoLog, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, os.ErrPermission) || errors.Is(err, syscall.EROFS) {
		f, err = os.Open(path)
	}
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	l := &redoLog{disk: openDisk(f, noSync), path: path, end: logStart}
	if whole, err := l.readHead(); !whole {
		return nil, errors.Join(err, f.Close())
	}
	return l, nil
}

// readHead reads whose log it is. One without a whole header was not made to its
// end, and is empty, or it is one that we can't read.
func (l *redoLog) readHead() (whole bool, err error) {
	head := make([]byte, logHeadBytes)
	if _, err := l.disk.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	copy(l.store[:], head[len(logMagic):])
	copy(l.generation[:], head[len(logMagic)+len(l.store):])
	if bytes.Equal(head, logHead(l.store, l.generation)) {
		return true, nil
	}
	if bytes.HasPrefix(head, logHeadOld(l.store)) {
		l.generation = generationID{}
		return true, nil
	}
	rest := make([]byte, logSize-logStart)
	n, err := l.disk.ReadAt(rest, logStart)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return false, err
	case len(bytes.Trim(rest[:n], "\x00")) == 0:
		return false, nil
	case bytes.HasPrefix(head, []byte(logKind)) && !bytes.HasPrefix(head, []byte(logMagic)) && !bytes.HasPrefix(head, []byte(logMagicOld)):
		return false, errNewerLog
	}
	return false, errDamagedLog
}

// append makes a wave's record durable. The record has room for what stands
// before its body. After an error it may be on the disk all the same.
func (l *redoLog) append(wave uint64, record []byte) error {
	putRecordHead(record, wave)
	first := l.first
	l.first = 0
	if _, err := l.disk.WriteAt(record, l.end); err != nil {
		return err
	}
	if err := l.disk.Sync(); err != nil {
		return err
	}
	if l.first = first; l.end == logStart {
		l.first = wave
	}
	l.end += int64(len(record))
	return nil
}

func putRecordHead(record []byte, wave uint64) {
	binary.BigEndian.PutUint32(record, uint32(len(record)-recordLen))
	binary.BigEndian.PutUint64(record[8:], wave)
	binary.BigEndian.PutUint32(record[4:], crc32.Checksum(record[8:], castagnoli))
}

// fits says whether a record can still be appended.
func (l *redoLog) fits(record []byte) bool { return l.end+int64(len(record)) <= logSize }

// spoil makes a record that was not acknowledged unreadable, as far as the
// disk still does what it is told.
func (l *redoLog) spoil() error {
	if _, err := l.disk.WriteAt(make([]byte, recordLen), l.end); err != nil {
		return err
	}
	return l.disk.Sync()
}

// reset says that the store's file has all that the log had.
func (l *redoLog) reset() { l.end = logStart }

// remove deletes the log, which nobody needs any more.
func (l *redoLog) remove() error {
	err := errors.Join(l.disk.Close(), os.Remove(l.path))
	if _, unsynced := l.disk.(unsynced); err != nil || unsynced {
		return err
	}
	return syncDir(filepath.Dir(l.path))
}

// read gives the record at a place and the place behind it; false when there is
// none that is whole.
func (l *redoLog) read(at int64) (wave uint64, body []byte, next int64, whole bool) {
	var head [recordLen]byte
	if _, err := l.disk.ReadAt(head[:], at); err != nil {
		return 0, nil, 0, false
	}
	length := int64(binary.BigEndian.Uint32(head[:]))
	next = at + recordLen + length
	if length == 0 || next > logSize {
		return 0, nil, 0, false
	}
	record := make([]byte, recordLen+length)
	if _, err := l.disk.ReadAt(record, at); err != nil {
		return 0, nil, 0, false
	}
	if crc32.Checksum(record[8:], castagnoli) != binary.BigEndian.Uint32(record[4:]) {
		return 0, nil, 0, false
	}
	return binary.BigEndian.Uint64(record[8:]), record[recordLen:], next, true
}

// find looks through a log that an earlier process left, for what is missing in
// a store that has all up to a wave. It puts the log's end behind it and gives
// the last wave. A record that was cut off ends the log: it was not acknowledged.
func (l *redoLog) find(kept uint64) (last uint64, err error) {
	last = kept
	for at, before := int64(logStart), uint64(0); ; {
		wave, _, next, whole := l.read(at)
		switch {
		case !whole:
			return last, l.damaged(at, last)
		case before != 0 && wave != before+1:
			return last, nil
		case wave > last+1:
			return last, errForeignLog
		}
		last = max(last, wave)
		at, before, l.end = next, wave, next
	}
}

// damaged tells a record that was spoilt from one that was cut off. A record is
// begun only when the one before it is whole, so then no later one follows.
func (l *redoLog) damaged(at int64, last uint64) error {
	rest := make([]byte, logSize-at)
	n, _ := l.disk.ReadAt(rest, at)
	rest = rest[:n]
	number := numberKey(last + 2)
	for from := 0; ; {
		found := bytes.Index(rest[from:], number)
		if found < 0 {
			return nil
		}
		from += found
		if _, _, _, whole := l.read(at + int64(from) - 8); whole && from >= 8 {
			return errDamagedLog
		}
		from++
	}
}

// each calls fn with the waves after one that the log has up to its end.
func (l *redoLog) each(kept uint64, fn func(body []byte) error) error {
	for at := int64(logStart); at < l.end; {
		wave, body, next, whole := l.read(at)
		if !whole {
			return errDamagedLog
		}
		if wave > kept {
			if err := fn(body); err != nil {
				return err
			}
		}
		at = next
	}
	return nil
}

var (
	// errForeignLog: the log has waves that don't follow what the store has.
	errForeignLog = errors.New("its log belongs to another store, or to another state of this one")
	errDamagedLog = errors.New("its log is damaged")
	errNewerLog   = errors.New("its log was written by a newer version of signalbox")
	errLeft       = errors.New("it was not closed in order")
	// errLostLog: the file was left with a log that may have had more than it.
	errLostLog = errors.New("it was not closed in order and its log is missing, which may have the last changes")
)

// unrecovered is the error for a store that lacks what its log holds.
func unrecovered(path string, err error) error {
	log := logPath(path)
	const goOn = "`signalbox check --repair` goes on without one"
	mend := "make room on the disk, and check the rights of " + log
	switch {
	case errors.Is(err, syscall.ENOSPC):
		mend = "make room on the disk"
	case errors.Is(err, errForeignLog):
		mend = "put back the file that " + log + " was beside, or move the log away: " + goOn
	case errors.Is(err, errDamagedLog):
		mend = "keep a copy of " + log + " and move it away, the changes in it are lost then: " + goOn
	case errors.Is(err, errNewerLog):
		mend = "use that version"
	case errors.Is(err, errLostLog):
		mend = "put " + log + " back; if it is lost for good, " + goOn
	}
	return store.Unavailable("store "+path, cause(err), mend)
}
