//go:build unix

package bolt

import (
	"os"
	"syscall"
)

// unlock lets go of a file's lock, which closing alone does not while the
// file is still mapped.
func unlock(f *os.File) { _ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
