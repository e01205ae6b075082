package bolt

import (
	"os"

	"golang.org/x/sys/unix"
)

// datasync syncs a file's content, and no more of what is known about it than
// is needed to read that.
func datasync(f *os.File) error {
	for {
		if err := unix.Fdatasync(int(f.Fd())); err != unix.EINTR {
			return err
		}
	}
}
