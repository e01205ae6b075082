package drain

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// attributes give a program its own group, and make it die with the engine.
// The latter is tied to the thread that starts it: see spawner.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// await waits until the program has ended, and gives what reaps it.
func await(cmd *exec.Cmd) (reap func() error) {
	for {
		err := unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		switch err {
		case nil:
			return cmd.Wait
		case unix.EINTR:
			continue
		}
		err = cmd.Wait()
		return func() error { return err }
	}
}
