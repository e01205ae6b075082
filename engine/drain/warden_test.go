//go:build unix

package drain_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestNothingOutlivesAKilledEngine kills an engine with -9 and waits for the
// child of its program's shell to be gone too.
func TestNothingOutlivesAKilledEngine(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pid")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), victim+"=read item; sleep 1000 & echo $! > '"+pipe+"'; wait")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(pipe)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
	for end := time.Now().Add(20 * time.Second); alive(pid); time.Sleep(10 * time.Millisecond) { // nobody tells of a stranger's death
		if time.Now().After(end) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			t.Fatal("the program's child lives on")
		}
	}
}

// alive is false for a zombie too: where nobody reaps orphans they stay such.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || !strings.Contains(string(stat), ") Z ")
}
