package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	tea "charm.land/bubbletea/v2"

	"signalbox/store"
	"signalbox/tui/text"
)

// guard catches what breaks: the terminal is given back in order, the report is
// kept in a file, and the console ends with an error that says where.
type guard struct {
	folder string // of reports
	end    context.CancelFunc
	err    error
}

// rescue is deferred around what may break. It must be called by defer itself.
func (a *app) rescue(where string) {
	if v := recover(); v != nil {
		a.broke(where, v, debug.Stack())
	}
}

// broke keeps the report of the first thing that broke, and ends the program.
func (a *app) broke(where string, v any, stack []byte) {
	if a.guard.err == nil {
		a.guard.err = a.report(where, v, stack)
	}
	if a.guard.end != nil {
		a.guard.end()
	}
}

// report writes what is known of a fault. It holds nothing of the items.
func (a *app) report(where string, v any, stack []byte) error {
	told := fmt.Sprintf("signalbox console: %v\nin: %s\nat: %s\nscreen: %s, %dx%d, %d dialogs, frozen %t\n\n%s",
		v, where, a.clock().UTC().Format(time.RFC3339), a.where(), a.env.Width, a.env.Height, len(a.dialogs), a.feed.frozen, stack)
	folder := a.guard.folder
	if folder == "" || os.MkdirAll(folder, 0o700) != nil {
		folder = os.TempDir()
	}
	f, err := os.CreateTemp(folder, "console-"+a.clock().UTC().Format("20060102-150405")+"-*.txt")
	if err == nil {
		_, err = f.WriteString(told)
		err = errors.Join(err, f.Close())
	}
	mend := "send it with a word on what you did"
	if err != nil {
		return &store.Error{Code: store.CodeFailed, Thing: "the console broke", Rule: fmt.Sprint(v), Mend: "no report could be kept: " + err.Error()}
	}
	return &store.Error{Code: store.CodeFailed, Thing: "the console broke", Rule: fmt.Sprintf("%v; the report is in %s", v, filepath.Clean(f.Name())), Mend: mend}
}

// where names the screen in front, as far as that can be done without it.
func (a *app) where() (name text.Safe) {
	if a.at < len(a.places) {
		return a.places[a.at].name
	}
	return "none"
}

// guarded wraps a command, which runs in a goroutine of its own.
func (a *app) guarded(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer func() {
			if v := recover(); v != nil {
				msg = broken{v, debug.Stack()}
			}
		}()
		return cmd()
	}
}

// broken is a command's fault on its way to the loop.
type broken struct {
	value any
	stack []byte
}
