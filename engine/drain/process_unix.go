//go:build unix && !linux

package drain

import (
	"os/exec"
	"syscall"
)

// attributes give a program its own group.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// await waits until the program has ended, and gives what reaps it: here it is
// reaped already.
func await(cmd *exec.Cmd) (reap func() error) {
	err := cmd.Wait()
	return func() error { return err }
}
