package bolt

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"signalbox/store"
)

// pair is a store's file and its log as they were at some moment; a log of nil
// is none.
type pair struct{ file, log []byte }

// taken copies a store's file and log.
func taken(t *testing.T, path string) (p pair) {
	t.Helper()
	p.file = whole(t, path)
	if exists(logPath(path)) {
		p.log = whole(t, logPath(path))
	}
	return p
}

// laid puts a file and a log beside each other.
func laid(t *testing.T, p pair) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "signalbox.db")
	err := os.WriteFile(path, p.file, 0o600)
	if p.log != nil {
		err = errors.Join(err, os.WriteFile(logPath(path), p.log, 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// reopened opens what was left of a store, for as long as the test runs.
func reopened(t *testing.T, path string) *Store {
	t.Helper()
	s, err := Open(path, Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func checkpointed(t *testing.T, s *Store) {
	t.Helper()
	if err := s.View(t.Context(), func(store.Reader) error { return nil }); err != nil {
		t.Fatal(err)
	}
}

// Files and logs of every state that a store and a copy of it which was worked
// on apart went through, in every mix: a mix gives all that its file's branch
// had, or it is refused, and then in one line that says what to do.
func TestFilesAndLogsMixed(t *testing.T) {
	s := logging(t)
	early := taken(t, s.path) // one wave, in the file alone
	grow(t, s, 1, 3, 10)
	checkpointed(t, s)
	grow(t, s, 4, 6, 10)
	first := taken(t, s.path) // the file has 3, the log 4 to 6
	grow(t, s, 7, 8, 10)
	second := taken(t, s.path) // 4 to 8 in the log
	checkpointed(t, s)
	grow(t, s, 9, 10, 10)
	third := taken(t, s.path) // 9 and 10 over what was there
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	closed := taken(t, s.path)

	copied := reopened(t, laid(t, first)) // and worked on apart
	grow(t, copied, 107, 109, 10)
	checkpointed(t, copied)
	grow(t, copied, 110, 112, 10)
	apart := taken(t, copied.path)
	again := reopened(t, laid(t, closed))
	grow(t, again, 11, 13, 10)
	later := taken(t, again.path)
	other := logging(t)
	grow(t, other, 1, 9, 10)
	foreign := taken(t, other.path)

	branch := append(numbered(1, 6), numbered(107, 112)...)
	missing, mixed := errLostLog, errForeignLog
	for _, c := range []struct {
		name      string
		file, log pair
		want      []string
		err       error
	}{
		{"each as it was: early", early, early, nil, nil},
		{"each as it was: first", first, first, numbered(1, 6), nil},
		{"each as it was: third", third, third, numbered(1, 10), nil},
		{"each as it was: closed", closed, closed, numbered(1, 10), nil},
		{"each as it was: apart", apart, apart, branch, nil},
		{"each as it was: later", later, later, numbered(1, 13), nil},
		{"the log went on from this file", first, second, numbered(1, 8), nil},
		{"the log of before the last waves", second, first, numbered(1, 6), nil}, // both were whole stores then
		{"an old file beside a log that began anew", first, third, nil, mixed},
		{"an old file beside the log of a later opening", closed, later, nil, mixed},
		{"an older one beside it", early, later, nil, mixed},
		{"an old file beside the log of the copy", first, apart, nil, mixed},
		{"a newer file beside the log of the copy", third, apart, nil, mixed},
		{"a closed file beside the log of the copy", closed, apart, nil, mixed},
		{"the copy beside the older log that it has", apart, first, nil, mixed},
		{"the copy beside a log that went on without it", apart, second, nil, mixed},
		{"the copy beside a later log", apart, third, nil, mixed},
		{"a file of later beside an old log", later, first, nil, mixed},
		{"a closed file beside its last log", closed, third, numbered(1, 10), nil},
		{"a closed file beside an old log", closed, first, numbered(1, 10), nil},
		{"the log of another store", first, foreign, nil, mixed},
		{"the log of another store, beside a closed file", closed, foreign, nil, mixed},
		{"no log: early", early, pair{}, nil, missing},
		{"no log: first", first, pair{}, nil, missing},
		{"no log: third", third, pair{}, nil, missing},
		{"no log: apart", apart, pair{}, nil, missing},
		{"no log: later", later, pair{}, nil, missing},
		{"no log: closed", closed, pair{}, numbered(1, 10), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := laid(t, pair{c.file.file, c.log.log})
			if c.err == nil {
				wantKeys(t, "all", contents(t, path, Options{NoSync: true}), c.want)
				return
			}
			for _, o := range []Options{{NoSync: true}, {NoSync: true, ReadOnly: true}} {
				_, err := Open(path, o)
				if !errors.Is(err, c.err) || store.CodeOf(err) != store.CodeUnavailable || !strings.Contains(err.Error(), logPath(path)) {
					t.Errorf("%+v: %v", o, err)
				}
			}
			if got := taken(t, path); string(got.file) != string(c.file.file) || string(got.log) != string(c.log.log) {
				t.Error("what was refused was changed")
			}
			if c.log.log != nil {
				if err := os.Rename(logPath(path), path+".aside"); err != nil {
					t.Fatal(err)
				}
			}
			if c.err == missing {
				goOnWithoutLog(t, path)
			}
		})
	}
}

// A backup that is put in a store's place by hand, beside the log that is there,
// is brought on to what the log has, or refused; alone it is a store.
func TestBackupBesideALog(t *testing.T) {
	s := logging(t)
	grow(t, s, 1, 3, 10)
	backup := func() (content []byte) {
		t.Helper()
		path := filepath.Join(t.TempDir(), "backup.db")
		f, err := os.Create(path)
		if err == nil {
			err = errors.Join(s.Backup(t.Context(), f), f.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		return whole(t, path)
	}
	old := backup()
	grow(t, s, 4, 6, 10)
	checkpointed(t, s)
	grow(t, s, 7, 8, 10)
	log := taken(t, s.path).log
	wantKeys(t, "alone", contents(t, laid(t, pair{old, nil}), Options{NoSync: true}), numbered(1, 3))
	if _, err := Open(laid(t, pair{old, log}), Options{NoSync: true}); !errors.Is(err, errForeignLog) {
		t.Errorf("beside a log of later: %v", err)
	}
	wantKeys(t, "a newer one", contents(t, laid(t, pair{backup(), nil}), Options{NoSync: true}), numbered(1, 8))
	grow(t, s, 9, 12, 10)
	wantKeys(t, "after a crash", contents(t, crashed(t, s), Options{NoSync: true}), numbered(1, 12))
}

// A log without a whole header is one that was not made to its end, if it has no
// records; else it is not for us to throw away.
func TestUnreadableHeads(t *testing.T) {
	s := logging(t)
	grow(t, s, 1, 3, 10)
	for name, c := range map[string]struct {
		spoil func([]byte)
		want  error
	}{
		"flipped": {func(b []byte) { b[20] ^= 1 }, errDamagedLog},
		"cleared": {func(b []byte) { clear(b[:logStart]) }, errDamagedLog},
		"newer":   {func(b []byte) { copy(b, logKind+"9\n") }, errNewerLog},
	} {
		path := crashed(t, s)
		change(t, path, c.spoil)
		if _, err := Open(path, Options{NoSync: true}); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	path := laid(t, pair{whole(t, s.path), make([]byte, logSize)})
	wantKeys(t, "beside one that was not made", contents(t, path, Options{NoSync: true}), numbered(1, 3))
	if exists(logPath(path)) {
		t.Error("it is still there")
	}
}

// What was written before there were generations, and killed, is brought
// forward; its log beside a file that has gone on without it is refused.
func TestLogOfAnOlderFormat(t *testing.T) {
	old := taken(t, "testdata/format2.db")
	for _, o := range []Options{{NoSync: true}, {NoSync: true, ReadOnly: true}} {
		wantKeys(t, "brought forward", contents(t, laid(t, old), o), numbered(1, 6))
	}
	path := laid(t, pair{file: old.file})
	db, err := openNamed(path, Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (&Store{db: db, path: path}).prepare(Options{NoSync: true}); err != nil || db.Close() != nil {
		t.Fatal(err)
	}
	wantKeys(t, "killed while it was brought forward", contents(t, laid(t, pair{whole(t, path), old.log}), Options{NoSync: true}), numbered(1, 6))
	s := reopened(t, path)
	grow(t, s, 104, 109, 10)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(laid(t, pair{whole(t, path), old.log}), Options{NoSync: true}); !errors.Is(err, errForeignLog) {
		t.Errorf("beside a file that went on without it: %v", err)
	}
}
