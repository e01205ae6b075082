package socket_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"signalbox/server/socket"
)

// untilMade waits until somebody answers under a name that was taken away.
func untilMade(t *testing.T, path string) net.Conn {
	t.Helper()
	for t.Context().Err() == nil {
		if c, err := socket.Dial(t.Context(), path); err == nil {
			return c
		}
	}
	t.Fatal("nobody answers any more")
	return nil
}

// A socket that is deleted, or moved away, is made again, as often as that happens, and
// what had been connected stays so. None is left when it is closed.
func TestADeletedSocketIsMadeAgain(t *testing.T) {
	away := filepath.Join(t.TempDir(), "away")
	for name, take := range map[string]func(string) error{
		"deleted": os.Remove,
		"moved":   func(path string) error { return os.Rename(path, away) },
	} {
		for _, folder := range []string{"short", strings.Repeat("long/", 40)} {
			path := filepath.Join(t.TempDir(), folder, "s.sock")
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			l := listen(t, path)
			taken := make(chan net.Conn)
			go func() {
				defer close(taken)
				for {
					c, err := l.Accept()
					if err != nil {
						return
					}
					taken <- c
				}
			}()
			first, err := socket.Dial(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			served := <-taken
			for range 3 {
				if err := take(path); err != nil {
					t.Fatal(err)
				}
				c := untilMade(t, path)
				_ = (<-taken).Close()
				_ = c.Close()
				if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
					t.Errorf("%s: its mode is %v, %v", name, info.Mode(), err)
				}
			}
			if _, err := served.Write([]byte("x")); err != nil {
				t.Errorf("%s: who was connected is not any more: %v", name, err)
			}
			if n, err := first.Read(make([]byte, 1)); n != 1 || err != nil {
				t.Errorf("%s: read %d, %v", name, n, err)
			}
			_, _ = first.Close(), served.Close()
			_ = l.Close()
			for range taken {
			}
			if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 0 {
				t.Errorf("%s: a closed socket left %v", name, left)
			}
		}
	}
}

// What has taken the name meanwhile keeps it.
func TestASocketIsNotMadeOverWhatHasItsName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.sock")
	l := listen(t, path)
	precious := filepath.Join(filepath.Dir(path), "precious")
	if err := os.WriteFile(precious, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(precious, path); err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	if b, err := os.ReadFile(path); string(b) != "precious" {
		t.Errorf("the file holds %q, %v", b, err)
	}
}
