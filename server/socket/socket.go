// Package socket listens on and dials unix sockets beside a store's file.
package socket

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"signalbox/store"
)

// longest is the longest path every system takes for a unix socket.
const longest = 100

// Listen makes a socket that only its owner may use, and takes the place of one
// that nobody answers on any more. The socket is under its name only once it
// is ready, and is made again when somebody takes the name away, where the system
// tells of that (Linux). CodeUnavailable when the name can't be had.
func Listen(path string) (net.Listener, error) {
	made, err := bind(path)
	if err != nil {
		return nil, err
	}
	l := &listener{path: path, bound: made}
	l.watch()
	return l, nil
}

// bound is a socket that had its name once.
type bound struct {
	*net.UnixListener
	info os.FileInfo
}

func bind(path string) (*bound, error) {
	if err := vacant(path); err != nil {
		return nil, err
	}
	birth := fmt.Sprintf("%s.%d", path, os.Getpid())
	_ = os.Remove(birth)
	var l *net.UnixListener
	err := within(birth, func(short string) (err error) {
		l, err = net.ListenUnix("unix", &net.UnixAddr{Name: short, Net: "unix"})
		return err
	})
	if err != nil {
		return nil, store.Unavailable("socket "+path, err, "use a store in a folder you may write to")
	}
	l.SetUnlinkOnClose(false)
	if err := publish(birth, path); err != nil {
		_ = l.Close()
		_ = os.Remove(birth)
		return nil, store.Unavailable("socket "+path, err, "use a store in a folder you may write to")
	}
	info, err := os.Stat(path)
	if err != nil {
		_ = l.Close()
		return nil, store.Unavailable("socket "+path, err, "")
	}
	return &bound{l, info}, nil
}

// publish closes the socket to others before it gets its name.
func publish(birth, path string) error {
	if err := os.Chmod(birth, 0o600); err != nil {
		return err
	}
	return os.Rename(birth, path)
}

// vacant refuses a name that is something else's, or that somebody answers on.
func vacant(path string) error {
	info, err := os.Lstat(path)
	if os.IsNotExist(err) {
		return nil
	}
	if err == nil && info.Mode()&os.ModeSocket == 0 {
		return &store.Error{Code: store.CodeUnavailable, Thing: "socket " + path, Rule: "something that is no socket has this name", Mend: "move it away"}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if c, err := Dial(ctx, path); err == nil {
		_ = c.Close()
		return &store.Error{Code: store.CodeUnavailable, Thing: "socket " + path, Rule: "another engine answers on it", Mend: "stop that one first"}
	}
	return nil
}

// Dial connects to a socket.
func Dial(ctx context.Context, path string) (c net.Conn, err error) {
	var d net.Dialer
	err = within(path, func(short string) error {
		c, err = d.DialContext(ctx, "unix", short)
		return err
	})
	return c, err
}

// within gives fn a name for path that a unix socket's address has room for:
// where path is too long, one through its folder held open (Linux).
func within(path string, fn func(short string) error) error {
	if len(path) <= longest {
		return fn(path)
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer dir.Close()
	return fn(fmt.Sprintf("/proc/self/fd/%d/%s", dir.Fd(), filepath.Base(path)))
}
