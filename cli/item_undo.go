package cli

import (
	"context"

	"github.com/spf13/cobra"

	"signalbox/engine"
)

func (a *app) itemUndo() *cobra.Command {
	d := decision{app: a, verb: "take back the last act on"}
	var note string
	var of uint64
	c := &cobra.Command{
		Use: "undo ITEM…", Short: "Take back the last retry, delete, judgement or deferral of items", Args: takes("[ITEM…]"),
		Long: "Take back the last thing an operator did to items: a retry that nobody has claimed, a delete, a judgement, a deferral. " +
			"They stand as they did before; what has been changed since stays as it is and is told. The history keeps both.",
		Example: "signalbox item undo invoices/12\nsignalbox item undo --queue invoices --status deleted --all\nsignalbox item undo --bulk 812",
	}
	d.flags(c)
	c.Flags().StringVar(&note, "note", "", "note for the history")
	c.Flags().Uint64Var(&of, "bulk", 0, "all that this bulk act did")
	c.RunE = func(c *cobra.Command, args []string) error {
		bulk := engine.BulkRequest{Verb: engine.BulkUndo, Note: note, Of: of}
		if c.Flags().Changed("bulk") {
			if len(args) > 0 || d.selects() || d.all {
				return usage("--bulk", "items are named or selected beside it", "leave out the one or the other")
			}
			return a.do(c.Context(), func(ctx context.Context, s Service) error { return d.start(ctx, s, bulk) })
		}
		ids, err := d.chosen(c, args)
		if err != nil {
			return err
		}
		return a.do(c.Context(), func(ctx context.Context, s Service) error {
			return d.run(ctx, s, ids, bulk, func(targets []engine.Target) ([]acted, error) {
				outcomes, err := s.Undo(ctx, engine.UndoRequest{Targets: targets, Note: note})
				if err != nil {
					return nil, err
				}
				return withItems(ctx, s, outcomes)
			})
		})
	}
	return c
}
