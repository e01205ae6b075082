// Package cli is the command line: one file for each group of commands.
//
//	arguments ── command tree ── Service ── output on stdout
//	                                └─ *store.Error ─ one line on stderr, exit code
//
// A command speaks to a Service: the engine, opened in this process for the
// one command, or a running engine over its socket. Commands print what
// programs read as JSON and what people read as tables; the names of fields,
// the formats and the exit codes are a contract.
package cli

import (
	"context"
	"io"
	"os"
	"os/signal"
	"os/user"
	"syscall"
	"time"

	"charm.land/fang/v2"
	"golang.org/x/term"

	"signalbox/cli/zone"
	"signalbox/server"
)

// Service is what commands act on.
type Service interface {
	server.Service
	Close() error
}

// Env is the world a command runs in.
type Env struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	Now            func() time.Time
	Zone           *time.Location
	// IsTerminal says whether a person is at the other end of one of the three.
	IsTerminal func(any) bool
	Version    string
}

// System is the process's own world.
func System(version string) Env {
	return Env{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, Now: time.Now, Zone: zone.System(),
		IsTerminal: func(stream any) bool {
			f, ok := stream.(*os.File)
			return ok && term.IsTerminal(int(f.Fd()))
		},
		Version: version,
	}
}

// app is one run of the command line: its world and its global flags.
type app struct {
	Env
	store    string
	connect  string
	zone     string
	config   string
	plain    bool
	readOnly bool
	noColor  bool
	output   string
}

// Run runs the command that args name and gives the exit code. The end of ctx
// interrupts the command; serve takes it as a wish to stop in good order.
func Run(ctx context.Context, env Env, args []string) int {
	a := &app{Env: env}
	var failure error
	root := a.root()
	root.SetArgs(args)
	root.SetIn(env.Stdin)
	help := noting(env.Stdout)
	root.SetOut(help)
	root.SetErr(env.Stderr)
	addCompletion(root)
	contain(root, &failure)
	// Errors of commands are contained, since fang asks the terminal for its
	// colours before it shows one; what is left are cobra's own.
	err := fang.Execute(ctx, root, fang.WithVersion(env.Version), fang.WithErrorHandler(func(io.Writer, fang.Styles, error) {}))
	if failure == nil {
		failure = err
	}
	if failure == nil {
		failure = help.failed()
	}
	return a.exit(failure)
}

// endings are the signals that ask a process to end. One that is to outlive
// its terminal (nohup) was started with SIGHUP ignored; it stays so.
func endings() []os.Signal {
	signals := []os.Signal{syscall.SIGINT, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}

// interruptible ends the context at the first signal to end; the next one ends
// the process as it is.
func interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, endings()...)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// actor is who acts, for the history.
func (a *app) actor() string {
	if name := a.Getenv("SIGNALBOX_ACTOR"); name != "" {
		return name
	}
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return "unknown"
}
