package cli

import (
	"context"
	"fmt"

	"signalbox/engine"
	"signalbox/tui/text"
)

// explainList says how a list is found, in plain words unless JSON was asked for.
func (a *app) explainList(ctx context.Context, s Service, r engine.ListRequest) error {
	plan, err := s.Plan(ctx, r)
	if err != nil {
		return err
	}
	format, err := a.format(asTable)
	switch {
	case err != nil:
		return err
	case format != asTable:
		return a.printOne(plan)
	}
	rows := "those that the index gives; only looking could tell how many"
	if plan.Rows >= 0 {
		rows = "at most " + text.Count(plan.Rows)
	}
	lines := []string{
		"found by  " + plan.Index + ": " + plan.Uses,
		"in order  of " + plan.Order,
		"looks at  " + rows + " of " + counted(int(plan.Of), "item"),
	}
	for _, term := range plan.Looks {
		lines = append(lines, "checks    "+term)
	}
	for _, why := range plan.Slow {
		lines = append(lines, "no index  "+why)
	}
	for _, line := range lines {
		if _, err := fmt.Fprintln(a.Stdout, text.Clean(line)); err != nil {
			return err
		}
	}
	return nil
}
