package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/text"
)

func (a *app) itemExplain() *cobra.Command {
	return &cobra.Command{
		Use: "explain ITEM", Short: "Say why an item is not being worked now", Args: takes("ITEM"),
		Long:    "Say why an item is not being worked now, or who works it: every reason, in the order in which they hold it up.",
		Example: "signalbox item explain invoices/12",
		RunE: func(c *cobra.Command, args []string) error {
			id, err := store.ParseID(args[0])
			if err != nil {
				return err
			}
			return a.do(c.Context(), func(ctx context.Context, s Service) error {
				explanation, err := s.Explain(ctx, id)
				if err != nil {
					return err
				}
				return a.printExplanation(explanation)
			})
		},
	}
}

// printExplanation prints plain words, unless JSON was asked for.
func (a *app) printExplanation(x engine.Explanation) error {
	format, err := a.format(asTable)
	switch {
	case err != nil:
		return err
	case format != asTable:
		return a.printOne(x)
	}
	zone, err := a.location()
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s is %s.\n", x.Item, x.Status)
	for n, r := range x.Reasons {
		fmt.Fprintf(&b, "%d. %s", n+1, r.Text)
		if !r.Until.IsZero() {
			b.WriteString(", until " + text.Stamp(r.Until.Time(), zone))
		}
		if r.Mend != "" {
			b.WriteString("; " + r.Mend)
		}
		b.WriteString("\n")
	}
	for line := range strings.Lines(b.String()) {
		if _, err := fmt.Fprintln(a.Stdout, text.Clean(strings.TrimSuffix(line, "\n"))); err != nil {
			return err
		}
	}
	return nil
}
