package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"signalbox/client"
	"signalbox/engine"
	"signalbox/server/wire"
	"signalbox/store"
	"signalbox/store/bolt"
	"signalbox/tui/text"
)

func (a *app) checkCommand() *cobra.Command {
	var repair bool
	c := &cobra.Command{
		Use: "check", Short: "Read all of the store and tell what is wrong in it", Args: takes(),
		Long: "Read all of the store, and hold its counts, indexes and histories against its records. " +
			"It changes nothing, and an engine that runs goes on. Anything wrong is exit code 7.\n\n" +
			"With --repair it is put right, for which no engine may hold the store: what stands beside the records is made anew from them, " +
			"and records that can't be read are taken out and added to FILE.damaged.jsonl. A log that is missing is given up. " +
			"Before that the store is copied to FILE.before-repair.",
	}
	c.Flags().BoolVar(&repair, "repair", false, "put right what is wrong, after a copy was made")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if repair {
			return a.repair(c.Context())
		}
		return a.do(c.Context(), a.check)
	}
	return c
}

// repaired is what a repair did.
type repaired struct {
	Store   string   `json:"store"`
	Mended  []string `json:"mended"`
	Backup  string   `json:"backup,omitempty"`
	Damaged string   `json:"damaged,omitempty"` // the file of unreadable records
}

func (a *app) repair(ctx context.Context) error {
	where, err := a.alone(ctx)
	if err != nil {
		return err
	}
	format, err := a.format(asTable)
	if err != nil {
		return err
	}
	if err := where.holds(); err != nil {
		return err
	}
	ctx, stop := interruptible(ctx)
	defer stop()
	done, err := bolt.Repair(ctx, where.path, bolt.RepairOptions{At: store.At(a.Now()), Actor: a.actor(), Queue: engine.DefaultQueue})
	if err != nil {
		return heldOffline(err)
	}
	if format != asTable {
		return a.writeJSON(a.Stdout, repaired{where.String(), append([]string{}, done.Mended...), done.Backup, done.Damaged})
	}
	if len(done.Mended) == 0 {
		_, err = fmt.Fprintln(a.Stdout, "nothing was wrong")
		return err
	}
	for _, what := range done.Mended {
		fmt.Fprintln(a.Stdout, "mended:", text.Clean(what))
	}
	if done.Damaged != "" {
		fmt.Fprintln(a.Stdout, "records that can't be read are in", text.Clean(done.Damaged))
	}
	_, err = fmt.Fprintln(a.Stdout, "the store as it was is", text.Clean(done.Backup))
	return err
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
