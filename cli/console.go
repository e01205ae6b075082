package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"signalbox/config"
	"signalbox/engine"
	"signalbox/tui"
	"signalbox/tui/plain"
)

// console shows the console on the engine that runs on the store, or on one of
// its own, which then also works queues and answers on the socket.
func (a *app) console(c *cobra.Command, _ []string) error {
	if err := a.wantsTerminal("snapshot slots"); err != nil {
		return err
	}
	ctx := engine.WithActor(c.Context(), a.actor())
	if address := a.address(); address != "" {
		s, err := a.attach(ctx, address)
		if err != nil {
			return err
		}
		return errors.Join(a.show(ctx, s, tui.EngineAway, false), s.Close())
	}
	if a.readOnly {
		v, err := a.visit(ctx)
		if err != nil {
			return err
		}
		return errors.Join(a.show(ctx, v, tui.EngineNone, false), v.Close())
	}
	h, other, err := a.hosting(ctx)
	if err != nil {
		return err
	}
	if other != nil {
		return errors.Join(a.show(ctx, other, tui.EngineAway, false), other.Close())
	}
	outlivesReaders()
	// Signals end the screen first; the next one is for what still runs.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, endings()...)
	defer signal.Stop(signals)
	shown := a.show(ctx, h.engine, tui.EngineHere, false)
	select {
	case <-signals:
	default:
	}
	fmt.Fprintln(a.Stderr, "signalbox: letting running work finish; ctrl-c gives it back at once")
	return errors.Join(shown, a.stopHost(ctx, h, signals))
}

// wantsTerminal refuses a screen where none can be drawn.
func (a *app) wantsTerminal(instead string) error {
	switch {
	case a.plain:
		return nil
	case a.Getenv("TERM") == "dumb":
		return usage("the console", "TERM=dumb tells of a terminal that draws no screens", "use --plain for lines, or set TERM to what the terminal is")
	case a.IsTerminal(a.Stdin) && a.IsTerminal(a.Stdout):
		return nil
	}
	return usage("the console", "it needs a terminal", "try `signalbox "+instead+"`, or --plain for lines")
}

// show runs the screen.
func (a *app) show(ctx context.Context, s Service, at tui.EngineAt, demo bool) error {
	o, err := a.screenOptions(s)
	if err != nil {
		return err
	}
	o.At, o.Demo = at, demo
	if a.plain {
		return a.showPlain(ctx, o)
	}
	o.Terminal, _ = a.Stdout.(*os.File)
	ctx, stop := hangups(ctx)
	defer stop()
	return tui.Run(ctx, o)
}

// showPlain runs the console without a screen.
func (a *app) showPlain(ctx context.Context, o tui.Options) error {
	ctx, stop := interruptible(ctx)
	defer stop()
	return plain.Run(ctx, plain.Options{
		Engine: o.Engine, Title: o.Title, Actor: o.Actor, ReadOnly: o.ReadOnly,
		Place: o.Place, Clock: o.Clock, Input: a.Stdin, Output: a.Stdout,
	})
}

// lingering is how long a screen has to end in good order at a hangup.
const lingering = time.Second

// hangups passes a hangup on as SIGTERM, at which a screen ends in good order
// by itself; should it not, the context ends.
func hangups(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	signals := make(chan os.Signal, 1)
	terms := make(chan os.Signal, 1) // so that ours can't end the process
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
		signal.Notify(terms, syscall.SIGTERM)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-ctx.Done():
			return
		case <-signals:
		}
		if self, err := os.FindProcess(os.Getpid()); err == nil {
			_ = self.Signal(syscall.SIGTERM)
		}
		select {
		case <-ctx.Done():
		case <-time.After(lingering):
			cancel()
		}
	}()
	return ctx, func() {
		cancel()
		<-ended
		signal.Stop(signals)
		signal.Stop(terms)
	}
}

func (a *app) screenOptions(s Service) (tui.Options, error) {
	zone, err := a.location()
	if err != nil {
		return tui.Options{}, err
	}
	settings, err := a.loadConfig()
	if err != nil {
		return tui.Options{}, err
	}
	path, _ := a.configPath()
	o := tui.Options{
		Config: settings, Themes: a.ownThemes(), File: path, Reports: a.reports(),
		Save:   func(c config.Config) error { return config.Save(path, c) },
		Engine: only(s, settings.Allow), Actor: a.actor(), ReadOnly: a.readOnly,
		Place: zone, Clock: a.Now, Environ: os.Environ(),
	}
	if a.noColor {
		o.Environ = append(o.Environ, "NO_COLOR=1")
	}
	return o, nil
}
