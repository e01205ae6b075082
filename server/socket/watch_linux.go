package socket

import (
	"os"
	"syscall"
)

// watched are changes of a file itself; those of others in its folder, such as a
// store's log, wake nobody. A deleted socket that is still open has a link less, which
// is a change of its attributes.
const watched = syscall.IN_ATTRIB | syscall.IN_MOVE_SELF | syscall.IN_DELETE_SELF

// watch keeps the socket's name until the listener is closed. It sleeps while nothing
// happens to it. Where the system has no room for a watch there is none.
func (l *listener) watch() {
	fd, err := syscall.InotifyInit1(syscall.IN_CLOEXEC | syscall.IN_NONBLOCK)
	if err != nil {
		return
	}
	events := os.NewFile(uintptr(fd), "inotify")
	over := make(chan struct{})
	l.unwatch = func() {
		_ = events.Close()
		<-over
	}
	go func() {
		defer close(over)
		for l.settle(events) && wait(events) {
		}
	}()
}

// settle has a watch on the socket that has the name, and makes it again where none
// has; false says that there is nothing more to watch.
func (l *listener) settle(events *os.File) bool {
	for {
		before := l.now()
		err := add(events, l.path)
		switch {
		case !l.keep():
			return false
		case l.now() == before:
			return err == nil
		}
	}
}

// add watches what has the name.
func add(events *os.File, path string) error {
	raw, err := events.SyscallConn()
	if err != nil {
		return err
	}
	var refused error
	err = raw.Control(func(fd uintptr) {
		refused = within(path, func(short string) error {
			_, err := syscall.InotifyAddWatch(int(fd), short, watched)
			return err
		})
	})
	if err == nil {
		err = refused
	}
	return err
}

// wait sleeps until something happens to what is watched.
func wait(events *os.File) bool {
	_, err := events.Read(make([]byte, 4096))
	return err == nil
}
