package socket_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"signalbox/server/socket"
	"signalbox/store"
)

func listen(t *testing.T, path string) net.Listener {
	t.Helper()
	l, err := socket.Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func TestOnlyItsOwnerMayUseIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.sock")
	l := listen(t, path)
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode is %v, %v", info.Mode(), err)
	}
	if c, err := socket.Dial(t.Context(), path); err != nil {
		t.Error(err)
	} else {
		_ = c.Close()
	}
	_ = l.Close()
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 0 {
		t.Errorf("a closed socket left %v", left)
	}
}

func TestAStaleSocketGivesWay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.sock")
	dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
	if err != nil {
		t.Fatal(err)
	}
	dead.SetUnlinkOnClose(false)
	_ = dead.Close()
	listen(t, path)
}

func TestALiveSocketDoesNot(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.sock")
	listen(t, path)
	if _, err := socket.Listen(path); store.CodeOf(err) != store.CodeUnavailable {
		t.Errorf("a second listener got %v", err)
	}
}

func TestOtherFilesDoNot(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.sock")
	if err := os.WriteFile(path, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := socket.Listen(path); store.CodeOf(err) != store.CodeUnavailable {
		t.Errorf("listening on a file gave %v", err)
	}
	if b, _ := os.ReadFile(path); string(b) != "precious" {
		t.Error("the file is gone")
	}
}

// A successor's socket outlives the one it took the place of.
func TestClosingLeavesASuccessorAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.sock")
	first := listen(t, path)
	next, err := net.ListenUnix("unix", &net.UnixAddr{Name: path + ".next", Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	next.SetUnlinkOnClose(false)
	defer next.Close()
	if err := os.Rename(path+".next", path); err != nil {
		t.Fatal(err)
	}
	_ = first.Close()
	if c, err := socket.Dial(t.Context(), path); err != nil {
		t.Errorf("the successor's socket is gone: %v", err)
	} else {
		_ = c.Close()
	}
}

func TestLongPaths(t *testing.T) {
	dir := filepath.Join(t.TempDir(), strings.Repeat("long/", 40))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "signalbox.db.sock")
	l := listen(t, path)
	c, err := socket.Dial(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	_ = c.Close()
	_ = l.Close()
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Error("the socket is still there")
	}
}
