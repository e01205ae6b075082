package cli

import "syscall"

// dieWithParent has a process killed when the thread that started it ends.
func dieWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
