package bolt

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// resident gives how many bytes of files, mapped ones and programs, the process
// has in its tables; 0 when the system does not say.
func resident() int64 {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	f := strings.Fields(string(b))
	if len(f) < 3 {
		return 0
	}
	pages, _ := strconv.ParseInt(f[2], 10, 64)
	return pages * int64(os.Getpagesize())
}

// drop takes a mapped file's pages out of the process's tables. What is read
// again comes from the system's cache, the same bytes.
func drop(at uintptr, size int64) {
	_, _, _ = unix.Syscall(unix.SYS_MADVISE, at, uintptr(size), unix.MADV_DONTNEED)
}
