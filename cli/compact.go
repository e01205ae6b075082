package cli

import (
	"context"

	"github.com/spf13/cobra"

	"signalbox/client"
	"signalbox/engine"
	"signalbox/store/bolt"
)

func (a *app) compactCommand() *cobra.Command {
	return &cobra.Command{
		Use: "compact", Short: "Rewrite the store's file without its free space", Args: takes(),
		Long: "Rewrite the store's file without the space that is free in it. It is replaced only by a whole copy, for which there must be room. " +
			"Where an engine runs it does so itself; what is asked of it meanwhile waits.",
		RunE: func(c *cobra.Command, _ []string) error {
			if _, err := a.formatOfOne(); err != nil {
				return err
			}
			if err := a.refuseMemory(); err != nil {
				return err
			}
			s, err := a.serving(c.Context())
			if err != nil {
				return err
			}
			if s != nil {
				defer s.Close()
				ctx, stop := interruptible(engine.WithActor(c.Context(), a.actor()))
				defer stop()
				done, err := s.Compact(ctx)
				if err != nil {
					return err
				}
				return a.printOne(done)
			}
			return a.compactFile(c.Context())
		},
	}
}

// serving gives the engine that was named, or that serves the store; nil when
// there is none.
func (a *app) serving(ctx context.Context) (Service, error) {
	if address := a.address(); address != "" {
		return a.attach(ctx, address)
	}
	where, err := a.where()
	if err != nil {
		return nil, err
	}
	var c *client.Client
	if c, err = a.knock(ctx, where.socket()); err != nil {
		return nil, nil // a lock without a socket is met later
	}
	return c, nil
}

// compactFile compacts a store that nobody serves.
func (a *app) compactFile(ctx context.Context) error {
	where, err := a.alone(ctx)
	if err != nil {
		return err
	}
	if err := where.holds(); err != nil {
		return err
	}
	before, after, err := bolt.Compact(where.path, bolt.Options{})
	if err != nil {
		return heldOffline(err)
	}
	return a.printOne(engine.Compacted{Store: where.String(), Before: before, After: after})
}
