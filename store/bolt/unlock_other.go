//go:build !unix

package bolt

import "os"

// unlock has nothing to do where closing a file ends its lock.
func unlock(*os.File) {}
