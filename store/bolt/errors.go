package bolt

import (
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"signalbox/store"
)

// ErrHeld is the cause when another process holds the file.
var ErrHeld = errors.New("held by another process")

const (
	mendDamage = "keep a copy of the file, and put a backup in its place"
	mendRecord = "stop the engine and put the store right with `signalbox check --repair`"
)

var errClosed = &store.Error{Code: store.CodeUnavailable, Thing: "store", Rule: "is closed", Mend: "open it again"}

// damaged is the error for a record of ours that cannot be read.
func damaged(thing string, err error) error {
	return store.Unavailable(thing, err, mendDamage)
}

func damagedItem(id store.ID, err error) error {
	return store.Unavailable("item "+strconv.Quote(id.String()), err, mendRecord)
}

func damagedQueue(name string, err error) error {
	return store.Unavailable("queue "+strconv.Quote(name), err, mendRecord)
}

// cause gives what is behind an error of ours, where another one, of a larger
// thing, says the rest.
func cause(err error) error {
	if e, ok := errors.AsType[*store.Error](err); ok && e.Err != nil {
		return e.Err
	}
	return err
}

// unreadable words a panic of opening a file: what Go says of a bad address
// tells a person nothing.
func unreadable(p any) error {
	if _, ok := p.(runtime.Error); ok {
		return errors.New("its pages point to nowhere")
	}
	return fmt.Errorf("%v", p)
}

// recovered turns what a panic left into an error. bbolt reports damaged
// pages by panicking, and touching a page past the end of a truncated file
// faults.
func recovered(p any) error {
	if _, fault := p.(interface{ Addr() uintptr }); fault {
		return store.Unavailable("store", fmt.Errorf("unreadable page: %v", p), mendDamage)
	}
	text := fmt.Sprint(p)
	if _, ours := p.(runtime.Error); !ours && (strings.HasPrefix(text, "assertion failed") || strings.HasPrefix(text, "page ")) {
		return store.Unavailable("store", fmt.Errorf("damaged page: %s", text), mendDamage)
	}
	return &store.Error{Code: store.CodeFailed, Thing: "store call", Rule: "panicked", Err: errors.New(text)}
}
