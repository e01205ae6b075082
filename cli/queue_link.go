package cli

import (
	"context"

	"github.com/spf13/cobra"
)

func (a *app) queueLink() *cobra.Command {
	var remove bool
	c := &cobra.Command{
		Use: "link NAME FOLDER", Short: "Show a queue in one more folder", Args: takes("NAME", "FOLDER"),
		Long:    "Show a queue in one more folder than the one it stands in. Its own folder is a setting: `signalbox queue set NAME --folder /finance`.",
		Example: "signalbox queue link invoices /audit/2026\nsignalbox queue link invoices /audit/2026 --remove",
		RunE: func(c *cobra.Command, args []string) error {
			return a.doOne(c.Context(), func(ctx context.Context, s Service) error {
				state, err := s.LinkQueue(ctx, args[0], args[1], remove)
				if err != nil {
					return err
				}
				return a.printQueue(state)
			})
		},
	}
	c.Flags().BoolVar(&remove, "remove", false, "show it there no longer")
	return c
}
