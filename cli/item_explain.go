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
				if _, own := s.(*engine.Engine); own && explanation.Status.Waiting() {
					explanation.Reasons = withoutEngine(explanation.Reasons)
				}
				return a.printExplanation(explanation)
			})
		},
	}
}

// withoutEngine puts in place of what an engine of our own, which has just
// started, says of drains and robots that none runs. Robots do without.
func withoutEngine(reasons []engine.Reason) []engine.Reason {
	var known []engine.Reason
	for _, r := range reasons {
		switch r.Code {
		case "robots":
			return append(known, engine.Reason{Code: "robots", Text: "no engine runs, so nobody knows when a robot last asked for work", Mend: r.Mend})
		case "next", "lane":
		default:
			known = append(known, r)
		}
	}
	none := engine.Reason{Code: "engine", Text: "no engine runs on this store", Mend: "start one with `signalbox` or `signalbox serve`"}
	return append([]engine.Reason{none}, known...)
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
		if !r.Until.IsZero() && r.Code != "held" { // which says itself how long
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
