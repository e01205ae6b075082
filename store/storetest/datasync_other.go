//go:build !linux

package storetest

import "os"

func datasync(f *os.File) error { return f.Sync() }
