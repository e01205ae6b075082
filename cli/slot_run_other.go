//go:build !linux

package cli

import "syscall"

// dieWithParent is not known here: a command outlives one whose process was
// killed.
func dieWithParent() *syscall.SysProcAttr { return nil }
