//go:build !unix

package drain

import (
	"os"
	"os/exec"
	"syscall"
)

// Where there are no process groups and no SIGTERM a program is just killed.
var (
	terminate = os.Kill
	kill      = os.Kill
)

func attributes() *syscall.SysProcAttr { return nil }

func await(cmd *exec.Cmd) (reap func() error) {
	err := cmd.Wait()
	return func() error { return err }
}

func signalGroup(cmd *exec.Cmd, s os.Signal) { _ = cmd.Process.Signal(s) }
