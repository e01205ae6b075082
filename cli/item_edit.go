package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"signalbox/engine"
	"signalbox/store"
)

func (a *app) itemEdit() *cobra.Command {
	var payload, reference, priority, due, deferral string
	c := &cobra.Command{
		Use: "edit ITEM…", Short: "Change items that wait", Args: takes("ITEM…"),
		Long:    "Change items that wait. What is not given stays; what was changed is kept in the history.",
		Example: "signalbox item edit invoices/12 --priority high --due +2h\nsignalbox item edit invoices/12 --due none --payload @mended.json",
	}
	f := c.Flags()
	f.StringVar(&payload, "payload", "", "another payload for one item: JSON, @FILE, or - for stdin")
	f.StringVar(&reference, "reference", "", "another name for one item; empty for none")
	f.StringVar(&priority, "priority", "", "how soon: high, normal or low")
	f.StringVar(&due, "due", "", "when it should be done: a time, +2h, or none")
	f.StringVar(&deferral, "defer", "", "not to be claimed before: a time, +2h, or none")
	c.RunE = func(c *cobra.Command, args []string) (err error) {
		ids, err := parseIDs(args)
		if err != nil {
			return err
		}
		var r engine.EditRequest
		if f.Changed("payload") {
			if r.Payload, err = a.payload(payload); err != nil {
				return err
			}
		}
		if f.Changed("reference") {
			r.Reference = &reference
		}
		if f.Changed("priority") {
			p, err := store.ParsePriority(priority)
			if err != nil {
				return err
			}
			r.Priority = &p
		}
		if r.DueAt, err = a.changedMoment(c, "due", due); err != nil {
			return err
		}
		if r.DeferUntil, err = a.changedMoment(c, "defer", deferral); err != nil {
			return err
		}
		switch {
		case r.Payload == nil && r.Reference == nil && r.Priority == nil && r.DueAt == nil && r.DeferUntil == nil:
			return usage("`item edit`", "it changes nothing", "give --priority, --due, --defer, --reference or --payload")
		case len(ids) > 1 && (r.Payload != nil || r.Reference != nil):
			return usage("--payload and --reference", "they are for one item", "name one item")
		}
		return a.editItems(c.Context(), "edit", ids, r)
	}
	return c
}

// changedMoment reads a time that a flag sets, or with none takes off; nil
// where the flag was not given.
func (a *app) changedMoment(c *cobra.Command, flag, value string) (*store.Time, error) {
	if !c.Flags().Changed(flag) {
		return nil, nil
	}
	if value == "none" {
		value = ""
	}
	t, err := a.moment(flag, value)
	return &t, err
}

func (a *app) itemDefer() *cobra.Command {
	d := decision{app: a, verb: "defer"}
	var until string
	c := &cobra.Command{
		Use: "defer ITEM… --until T", Short: "Let nobody claim waiting items before a time", Args: takes("[ITEM…]"),
		Example: "signalbox item defer invoices/12 --until +2h\nsignalbox item defer --queue invoices --status pending --all --until 2026-12-24",
	}
	d.flags(c)
	c.Flags().StringVar(&until, "until", "", "when they may be claimed: a time, +2h, or none for now")
	c.RunE = func(c *cobra.Command, args []string) error {
		ids, err := d.chosen(c, args)
		if err != nil {
			return err
		}
		if until == "" {
			return usage("`item defer`", "it needs --until", "give a time, or +2h")
		}
		at, err := a.changedMoment(c, "until", until)
		if err != nil {
			return err
		}
		if len(ids) > 0 && d.rate == "" && d.first == 0 {
			return a.editItems(c.Context(), "defer", ids, engine.EditRequest{DeferUntil: at})
		}
		return a.do(c.Context(), func(ctx context.Context, s Service) error {
			return d.runBulk(ctx, s, ids, engine.BulkRequest{Verb: engine.BulkDefer, Until: *at})
		})
	}
	return c
}

func parseIDs(args []string) ([]store.ID, error) {
	ids := make([]store.ID, len(args))
	for i, arg := range args {
		id, err := store.ParseID(arg)
		if err != nil {
			return nil, err
		}
		ids[i] = id
	}
	return ids, nil
}

// editItems changes items one by one and prints what became of each.
func (a *app) editItems(ctx context.Context, verb string, ids []store.ID, r engine.EditRequest) error {
	return a.do(ctx, func(ctx context.Context, s Service) error {
		tally := tally{verb: verb, of: len(ids)}
		rows := make([]acted, 0, len(ids))
		for _, id := range ids {
			r.Item = id
			record, err := s.Edit(ctx, r)
			row := acted{Outcome: engine.Outcome{Item: id, Result: engine.OK, Status: record.Status}, now: &record.Item}
			switch store.CodeOf(err) {
			case 0:
			case store.CodeConflict, store.CodeNotFound:
				row = refused(id, err)
			default:
				return errors.Join(err, printAll(a, outcomeColumns(), asJSON, rows))
			}
			tally.count(row.Outcome)
			rows = append(rows, row)
		}
		if err := printAll(a, outcomeColumns(), asJSON, rows); err != nil {
			return err
		}
		return tally.verdict()
	})
}

func refused(id store.ID, err error) acted {
	result := engine.Refused
	if store.CodeOf(err) == store.CodeNotFound {
		result = engine.Gone
	}
	return acted{Outcome: engine.Outcome{Item: id, Result: result, Error: err.Error(), Err: err}}
}

func (a *app) itemDelete() *cobra.Command {
	d := decision{app: a, verb: "delete", asks: true}
	var note string
	c := &cobra.Command{
		Use: "delete ITEM…", Short: "Delete items that nobody holds", Args: takes("[ITEM…]"),
		Long:    "Delete items that nobody holds: they are worked no more, and their references are free again; their history stays. It asks first; `signalbox item undo` brings them back, until their references are taken.",
		Example: "signalbox item delete invoices/12\nsignalbox item delete --queue invoices --filter 'reference:TEST-' --all",
	}
	d.flags(c)
	c.Flags().StringVar(&note, "note", "", "note for the history")
	c.RunE = func(c *cobra.Command, args []string) error {
		ids, err := d.chosen(c, args)
		if err != nil {
			return err
		}
		return a.do(c.Context(), func(ctx context.Context, s Service) error {
			return d.run(ctx, s, ids, engine.BulkRequest{Verb: engine.BulkDelete, Note: note}, func(targets []engine.Target) ([]acted, error) {
				outcomes, err := s.Delete(ctx, engine.DeleteRequest{Targets: targets, Note: note})
				return asOutcomes(outcomes), err
			})
		})
	}
	return c
}
