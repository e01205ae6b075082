package bolt

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"signalbox/store"
)

// Every write must be in the log too, so none may go to bbolt past the helpers.
func TestWritesAreRecorded(t *testing.T) {
	// A repair commits all it does, and before any call is made.
	may := map[string]bool{
		"write.go": true, "redo.go": true, "checkpoint.go": true, "open.go": true,
		"mender.go": true, "audit.go": true, "audit_index.go": true, "audit_history.go": true, "audit_job.go": true,
	}
	write := regexp.MustCompile(`\.(Put|Delete|CreateBucket|CreateBucketIfNotExists|DeleteBucket|MoveBucket|SetSequence|NextSequence)\(`)
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if may[name] || strings.HasSuffix(name, "_test.go") {
			continue
		}
		for n, line := range strings.Split(string(whole(t, name)), "\n") {
			if write.MatchString(line) && !strings.Contains(line, "slices.") && !strings.Contains(line, "pool.") {
				t.Errorf("%s:%d writes past the log; use the helpers of write.go: %s", name, n+1, strings.TrimSpace(line))
			}
		}
	}
}

// FuzzLog reads logs of all kinds: it must end, and leave a store that opens.
func FuzzLog(f *testing.F) {
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(t.TempDir(), "signalbox.db")
		s, err := Open(path, Options{NoSync: true})
		if err != nil {
			t.Fatal(err)
		}
		of, g := s.writer.store, s.writer.file.id
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		file := append(make([]byte, logStart), sealed(content)...)
		copy(file, logHead(of, g))
		if err := os.WriteFile(logPath(path), file, 0o600); err != nil {
			t.Fatal(err)
		}
		if s, err = Open(path, Options{NoSync: true}); err != nil {
			if store.CodeOf(err) != store.CodeUnavailable {
				t.Errorf("not a clear error: %v", err)
			}
			return
		}
		_ = s.View(t.Context(), func(r store.Reader) error {
			_, err := store.Check(r)
			return err
		})
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

// sealed makes records of a fuzzer's bytes that get past the checksum: a byte
// says how long each body is.
func sealed(content []byte) (b []byte) {
	for wave := uint64(1); len(content) > 1 && len(b) < 1<<20; wave++ {
		n := min(1+int(content[0]), len(content)-1)
		record := append(make([]byte, recordLen), content[1:1+n]...)
		putRecordHead(record, wave)
		b, content = append(b, record...), content[1+n:]
	}
	return append(b, content...)
}
