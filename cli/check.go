package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"signalbox/client"
	"signalbox/server/wire"
	"signalbox/store"
	"signalbox/tui/text"
)

func (a *app) checkCommand() *cobra.Command {
	return &cobra.Command{
		Use: "check", Short: "Read all of the store and tell what is wrong in it", Args: takes(),
		Long: "Read all of the store, and hold its counts, indexes and histories against its records. " +
			"It changes nothing, and an engine that runs goes on. Anything wrong is exit code 7.",
		RunE: func(c *cobra.Command, _ []string) error { return a.do(c.Context(), a.check) },
	}
}

func (a *app) check(ctx context.Context, s Service) error {
	format, err := a.format(asTable)
	if err != nil {
		return err
	}
	if format == asCSV {
		return usage("--format csv", "a check has no columns", "use json or table")
	}
	problems, err := s.Check(ctx)
	if err != nil {
		return err
	}
	if format != asTable {
		err = a.writeJSON(a.Stdout, wire.Check{Problems: append([]string{}, problems...)})
	} else {
		err = a.printCheck(ctx, s, problems)
	}
	if err != nil {
		return err
	}
	name, err := a.nameOf(s)
	if err != nil {
		return err
	}
	return store.Problems("store "+name, problems)
}

func (a *app) printCheck(ctx context.Context, s Service, problems []string) error {
	for _, problem := range problems {
		fmt.Fprintln(a.Stdout, text.Clean(problem))
	}
	if len(problems) > 0 {
		return nil
	}
	queues, err := s.Queues(ctx)
	if err != nil {
		return err
	}
	items := 0
	for _, q := range queues {
		items += int(q.Counts.Total())
	}
	_, err = fmt.Fprintf(a.Stdout, "checked %s, %s: nothing wrong\n", counted(len(queues), "queue"), counted(items, "item"))
	return err
}

// nameOf is the name of the store that a service is of.
func (a *app) nameOf(s Service) (string, error) {
	if c, ok := s.(*client.Client); ok {
		return c.Health().Store, nil
	}
	where, err := a.where()
	return where.String(), err
}
