package socket

import (
	"errors"
	"net"
	"os"
	"sync"
)

// listener is a socket that keeps its name: when that is deleted it is made again. It
// takes its name away when closed, unless a successor has it by then.
type listener struct {
	path string

	mu      sync.Mutex
	bound   *bound // now
	closed  bool
	unwatch func() // nil = nobody tells
}

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	for {
		now := l.now()
		c, err := now.Accept()
		if !errors.Is(err, net.ErrClosed) || l.now() == now {
			return c, err
		}
	}
}

// Addr implements net.Listener.
func (l *listener) Addr() net.Addr { return l.now().Addr() }

func (l *listener) now() *bound {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.bound
}

// Close implements net.Listener.
func (l *listener) Close() error {
	l.mu.Lock()
	l.closed = true
	unwatch := l.unwatch
	l.unwatch = nil
	l.mu.Unlock()
	if unwatch != nil {
		unwatch()
	}
	now := l.now()
	if now.named(l.path) {
		_ = os.Remove(l.path)
	}
	return now.Close()
}

// named says that the socket has its name.
func (b *bound) named(path string) bool {
	at, err := os.Stat(path)
	return err == nil && os.SameFile(at, b.info)
}

// keep makes the socket again when it has lost its name, unless another answers under
// that; false says that there is nothing more to watch.
func (l *listener) keep() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	if l.bound.named(l.path) {
		return true
	}
	made, err := bind(l.path)
	if err != nil {
		return false // the folder is gone, or the name is another's
	}
	_ = l.bound.Close()
	l.bound = made
	return true
}
