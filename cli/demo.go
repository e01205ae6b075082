package cli

import (
	"context"
	"errors"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"signalbox/engine"
	"signalbox/engine/demo"
	"signalbox/engine/drain"
	"signalbox/store/memory"
	"signalbox/tui"
)

func (a *app) demoCommand() *cobra.Command {
	var o demo.Options
	var help []string
	for _, s := range demo.Scenarios() {
		help = append(help, "  "+s.Name+": "+s.Help)
	}
	c := &cobra.Command{
		Use: "demo [SCENARIO]", Short: "Show the console on a throw-away store with made-up traffic", Args: takes("[SCENARIO]"),
		Long: "Show the console on a throw-away store with made-up traffic. Nothing of it is kept.\n\nScenarios:\n" + strings.Join(help, "\n"),
	}
	c.Flags().Float64Var(&o.Speed, "speed", 1, "how many times faster than life")
	c.Flags().Uint64Var(&o.Seed, "seed", 1, "the same seed makes up the same company")
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := a.wantsTerminal("snapshot slots"); err != nil {
			return err
		}
		if len(args) == 1 {
			o.Scenario = args[0]
		}
		return a.demo(engine.WithActor(c.Context(), a.actor()), o)
	}
	return c
}

func (a *app) demo(ctx context.Context, o demo.Options) error {
	e, end, err := startDemo(ctx, o)
	if err != nil {
		return err
	}
	return errors.Join(a.show(ctx, e, tui.EngineHere, true), end())
}

// startDemo starts an engine with made-up traffic; end stops both.
func startDemo(ctx context.Context, o demo.Options) (e *engine.Engine, end func() error, err error) {
	debug.SetGCPercent(100) // a store in memory makes the heap large, and a demo wants no throughput
	if e, err = engine.Open(ctx, memory.New(), engine.Options{Name: "memory:"}); err != nil {
		return nil, nil, err
	}
	d, err := demo.New(ctx, e, o)
	if err != nil {
		return nil, nil, errors.Join(err, e.Close())
	}
	drains := drain.Start(ctx, e, drain.Options{Handlers: d.Handlers()})
	d.Start(ctx)
	return e, func() error {
		d.Stop()
		drains.Abort()
		return e.Close()
	}, nil
}
