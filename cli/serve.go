package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"

	"github.com/spf13/cobra"

	"signalbox/store"
)

func (a *app) serveCommand() *cobra.Command {
	return &cobra.Command{
		Use: "serve", Short: "Run the engine without a screen", Args: takes(),
		Long: "Run the engine without a screen, until it is told to stop. It works the queues that have a consumer, ends leases, " +
			"and answers other commands and consoles on a socket beside the store.\n\n" +
			"The first SIGINT, SIGTERM or SIGHUP takes no new work and lets running work finish for 25 seconds; what is left is given back at no cost. " +
			"The second gives it back at once.",
		RunE: func(c *cobra.Command, _ []string) error { return a.serve(c.Context()) },
	}
}

func (a *app) serve(ctx context.Context) error {
	outlivesReaders()
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, endings()...)
	defer signal.Stop(signals)
	if a.readOnly {
		return usage("`signalbox serve`", "an engine changes its store", "leave out --read-only")
	}
	h, other, err := a.hosting(ctx)
	if err != nil {
		return err
	}
	if other != nil {
		pid := other.Health().PID
		return errors.Join(&store.Error{
			Code: store.CodeUnavailable, Thing: "store " + other.Health().Store,
			Rule: fmt.Sprintf("process %d serves it already", pid), Mend: "stop that one first",
		}, other.Close())
	}
	if h.where.memory {
		_, err := h.close(ended())
		return errors.Join(usage("`signalbox serve`", "nobody could reach a store in memory", "name a file with --store bolt:PATH"), err)
	}
	fmt.Fprintf(a.Stderr, "signalbox: serving %s on %s\n", h.where, h.where.socket())
	select {
	case <-signals:
	case <-ctx.Done():
	case err := <-h.served: // the server broke
		h.served <- err
	}
	if h.drains != nil {
		h.drains.BeginStop() // before it is said
	}
	fmt.Fprintln(a.Stderr, "signalbox: stopping; again to give running work back at once")
	return a.stopHost(ctx, h, signals)
}

// stopHost stops in good order, until a signal says to hurry, and tells what
// was left.
func (a *app) stopHost(ctx context.Context, h *host, signals <-chan os.Signal) error {
	hurry, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	go func() {
		select {
		case <-signals:
			cancel()
		case <-hurry.Done():
		}
	}()
	left, err := h.close(hurry)
	fmt.Fprintln(a.Stderr, "signalbox: stopped; "+leftBehind(left))
	if err == nil && left.Lost+left.Stuck > 0 {
		return told{store.CodeFailed}
	}
	return err
}

// ended is a context that has ended.
func ended() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}
