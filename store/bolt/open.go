package bolt

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"signalbox/store"
)

// format is the version of the layout this package writes. It reads those before
// it too; opening one of these for writing makes it this one. What changed:
//
//	2  a log beside the file, and in meta the store's id and the last wave
//	3  in meta and in the log's head the generation
const format = 3

// storeID is a store's random id, for life.
type storeID [16]byte

// Options say how to open a store. The zero value opens it for writing.
type Options struct {
	// ReadOnly opens an existing file for reading, beside other readers but
	// not beside a writer. Updates fail with CodeForbidden.
	ReadOnly bool
	// Timeout is how long to wait for another process to let go of the file;
	// 0 = 5 s.
	Timeout time.Duration
	// NoSync leaves out every sync, so that a crash of the machine may destroy
	// the file. For tests only.
	NoSync bool

	name    string // that the file is about to get, when it is another
	lostLog bool   // a log that is missing is given up
}

// Open opens the store in a file, which is made (mode 0600, in folders made
// 0700) unless it is opened read-only.
//
// Every error has CodeUnavailable: the file is held (ErrHeld, naming the
// holder's process), cannot be reached, is damaged, is no store, or was
// written by a newer version.
func Open(path string, o Options) (*Store, error) {
	if o.Timeout <= 0 {
		o.Timeout = 5 * time.Second
	}
	if !o.ReadOnly {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, unreachable(path, err)
		}
	}
	db, err := openNamed(path, o)
	if err != nil {
		return nil, err
	}
	s := &Store{db: db, path: path}
	s.relief.base = resident()
	left, err := s.prepare(o)
	if err != nil {
		_ = db.Close()
		return nil, err
	}
	if left {
		_ = db.Close()
		return openLeft(path, o)
	}
	if o.ReadOnly {
		return s, nil
	}
	go s.writer.loop()
	if err := s.buildNewer(context.Background()); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// openLeft opens a store read-only that was not closed in order: first for
// writing, which brings what its log has into it.
func openLeft(path string, o Options) (*Store, error) {
	writing := o
	writing.ReadOnly = false
	s, err := Open(path, writing)
	if err != nil {
		const why = "it was not closed in order and must be opened for writing once"
		if e, ok := errors.AsType[*store.Error](err); ok && e.Rule == "" {
			told := *e // which begins with the store
			told.Rule = why
			return nil, &told
		}
		return nil, fmt.Errorf("%s: %w", why, err)
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	return Open(path, o)
}

// openNamed opens the file that has the name when it is locked. One that was
// waited for while it was compacted or restored has lost its name to another,
// and what is written there is lost.
func openNamed(path string, o Options) (*bbolt.DB, error) {
	for {
		db, opened, err := openFile(path, o)
		if err != nil {
			return nil, err
		}
		if now, err := os.Stat(path); err == nil && os.SameFile(opened, now) {
			return db, nil
		}
		if err := db.Close(); err != nil {
			return nil, unreachable(path, err)
		}
	}
}

var openOS = os.OpenFile // replaced in tests

// openFile opens and locks the file, and says which it is. bbolt panics on some kinds of damage and
// then leaves its file open, and so locked.
func openFile(path string, o Options) (db *bbolt.DB, opened os.FileInfo, err error) {
	var file *os.File
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			unlock(file)
			_ = file.Close()
			db, opened, err = nil, nil, damaged("store "+path, unreadable(p))
		}
	}()
	db, err = bbolt.Open(path, 0o600, &bbolt.Options{
		ReadOnly:        o.ReadOnly,
		Timeout:         o.Timeout,
		NoSync:          o.NoSync,
		NoGrowSync:      o.NoSync,
		NoFreelistSync:  true,
		FreelistType:    bbolt.FreelistMapType,
		InitialMmapSize: 1 << 30, // address space only; saves remapping, for which the writer must wait for readers
		NoStatistics:    true,
		OpenFile: func(name string, flag int, mode os.FileMode) (*os.File, error) {
			if file != nil && o.name != "" { // bbolt opens it again for each backup
				name = o.name
			}
			f, err := openOS(name, flag, mode)
			if file == nil {
				file = f
			}
			return f, err
		},
	})
	switch {
	case err == nil:
		if opened, err = file.Stat(); err != nil {
			_ = db.Close()
			return nil, nil, unreachable(path, err)
		}
		return db, opened, nil
	case errors.Is(err, berrors.ErrTimeout):
		return nil, nil, held(path, o.Timeout)
	case errors.As(err, new(*os.PathError)):
		return nil, nil, unreachable(path, err)
	}
	return nil, nil, damaged("store "+path, err)
}

// prepare checks that the open file is one of ours, makes its buckets when it
// is new, takes over its log, and leaves our process id beside it. Read-only it
// changes nothing, and says whether there is a log with changes.
func (s *Store) prepare(o Options) (left bool, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = damaged("store "+s.path, unreadable(p))
		}
	}()
	var m meta
	if err := s.db.View(func(b *bbolt.Tx) (err error) {
		m, err = s.check(b)
		return err
	}); err != nil {
		return false, err
	}
	if o.ReadOnly {
		if m.format == 0 {
			return false, damaged("store "+s.path, errors.New("has no records"))
		}
		return hasLeft(s.path, m)
	}
	if m.format < format {
		if m, err = s.create(m, o); err != nil {
			return false, unreachable(s.path, err)
		}
	}
	s.writer = newWriter(s.db, s.path, m, o.NoSync, &s.relief)
	if err := s.writer.recover(m, o.lostLog); err != nil {
		return false, unrecovered(s.path, err)
	}
	if err := os.WriteFile(pidPath(s.path), []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600); err != nil {
		return false, unreachable(s.path, err)
	}
	return false, nil
}

// meta is what the store knows of its file and log.
type meta struct {
	format int        // 0: the file is empty
	store  storeID    // tells the store's log from others'
	wave   uint64     // the last wave that the file has
	of     generation // and whose it is
}

// check reads what the file says of itself, or why it cannot be used.
func (s *Store) check(b *bbolt.Tx) (m meta, err error) {
	info, err := os.Stat(s.path)
	if err != nil {
		return m, unreachable(s.path, err)
	}
	if info.Size() < b.Size() {
		return m, damaged("store "+s.path, fmt.Errorf("cut short: %d of %d bytes are left", info.Size(), b.Size()))
	}
	records := b.Bucket(metaBucket)
	if records == nil {
		if k, _ := b.Cursor().First(); k != nil {
			return m, &store.Error{Code: store.CodeUnavailable, Thing: "store " + s.path, Rule: "is a bbolt file of another program", Mend: "choose another file"}
		}
		return m, nil
	}
	m.format, err = strconv.Atoi(string(records.Get(formatKey)))
	switch {
	case err != nil || m.format < 1:
		return m, damaged("store "+s.path, errors.New("has no format version"))
	case m.format > format:
		return m, &store.Error{
			Code: store.CodeUnavailable, Thing: "store " + s.path,
			Rule: fmt.Sprintf("has format %d, this version of signalbox reads up to %d", m.format, format),
			Mend: "use the newer signalbox that wrote it",
		}
	}
	for _, name := range [][]byte{queuesBucket, transactionsBucket, dueBucket, historyBucket} {
		if b.Bucket(name) == nil {
			return m, damaged("store "+s.path, fmt.Errorf("lacks its bucket %s", name))
		}
	}
	if m.format < 2 {
		return m, nil
	}
	if copy(m.store[:], records.Get(storeKey)) < len(m.store) {
		return m, damaged("store "+s.path, errors.New("has no id"))
	}
	m.wave = numberOf(records.Get(waveKey))
	if m.of, err = generationOf(records); err != nil {
		return m, damaged("store "+s.path, err)
	}
	return m, nil
}

// create makes a new file's buckets, or an older file one of the present format.
func (s *Store) create(m meta, o Options) (meta, error) {
	fresh := m.format == 0
	if m.format < 2 {
		_, _ = rand.Read(m.store[:]) // never fails
	}
	m.format = format
	if err := s.db.Update(func(b *bbolt.Tx) error {
		for _, name := range [][]byte{metaBucket, queuesBucket, transactionsBucket, dueBucket, historyBucket} {
			if _, err := b.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		records := b.Bucket(metaBucket)
		if fresh {
			if err := indexed(records); err != nil {
				return err
			}
		}
		return errors.Join(records.Put(storeKey, m.store[:]), records.Put(formatKey, []byte(strconv.Itoa(format))))
	}); err != nil || o.NoSync || !fresh {
		return m, err
	}
	return m, syncDir(filepath.Dir(s.path))
}

// indexed notes that a new store lacks no index.
func indexed(meta *bbolt.Bucket) error {
	for _, x := range newerIndexes {
		if err := meta.Put(x.all, []byte{1}); err != nil {
			return err
		}
	}
	return nil
}

// hasLeft says whether there is a log with changes that the file lacks.
func hasLeft(path string, m meta) (bool, error) {
	log, err := openLog(logPath(path), true)
	switch {
	case err != nil:
		return false, unrecovered(path, err)
	case log == nil && m.of.logged:
		return false, unrecovered(path, errLostLog)
	case log == nil:
		return false, nil
	}
	defer log.disk.Close()
	last, err := log.missing(m)
	if err != nil {
		return false, unrecovered(path, err)
	}
	return last != m.wave, nil
}

// syncDir makes a new file's name durable.
func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

func pidPath(path string) string { return path + ".pid" }

// held names the process that holds the file, where that left its id.
func held(path string, waited time.Duration) error {
	holder := "another process"
	if b, err := os.ReadFile(pidPath(path)); err == nil {
		if pid, err := strconv.Atoi(string(bytes.TrimSpace(b))); err == nil && alive(pid) {
			holder = "process " + strconv.Itoa(pid)
		}
	}
	return &store.Error{
		Code: store.CodeUnavailable, Thing: "store " + path,
		Rule: fmt.Sprintf("is held by %s (waited %s)", holder, waited),
		Mend: "use that signalbox, or stop it first",
		Err:  ErrHeld,
	}
}

// alive tells a holder from one that crashed, leaving its id behind, before a
// reader, which leaves none, took the file.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	err = p.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, syscall.EPERM)
}

func unreachable(path string, err error) error {
	return store.Unavailable("store "+path, err, "check the path, its rights and the room on its disk")
}
