package cli

import (
	"context"

	"github.com/spf13/cobra"
)

func (a *app) queuePrune() *cobra.Command {
	var dryRun bool
	c := &cobra.Command{
		Use: "prune NAME", Short: "Delete or archive items whose retention is over, now", Args: takes("NAME"),
		Long: "Delete or archive the items of a queue whose retention is over, as its settings say. A running engine does so by itself; " +
			"this does it now, and tells how many went.\n\n" +
			"Settled items are those that are done, retried, cancelled or deleted, and those that a person has verified; the others that ended " +
			"(failed, excepted, abandoned) have a retention of their own. Archived items stand in FILE.archive beside the store, " +
			"a zstd file of JSON lines for each queue and day, which `signalbox item import` takes back.",
		Example: "signalbox queue set invoices --retain-settled 30d --retain-settled-then archive\nsignalbox queue prune invoices --dry-run",
	}
	c.Flags().BoolVar(&dryRun, "dry-run", false, "only count, also what is over its time and kept")
	c.RunE = func(c *cobra.Command, args []string) error {
		if _, err := a.formatOfOne(); err != nil {
			return err
		}
		a.readOnly = a.readOnly || dryRun // or an engine opened for it would apply what it is asked about
		return a.do(c.Context(), func(ctx context.Context, s Service) error {
			report, err := s.Prune(ctx, args[0], dryRun)
			if err != nil {
				return err
			}
			return a.printOne(report)
		})
	}
	return c
}
