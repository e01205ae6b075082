//go:build !linux

package socket

// watch does nothing: the systems that tell of a deleted file do so of an open one, and
// a socket can't be opened.
func (l *listener) watch() {}
