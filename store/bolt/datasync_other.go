//go:build !linux

package bolt

import "os"

func datasync(f *os.File) error { return f.Sync() }
