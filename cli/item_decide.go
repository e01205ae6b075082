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

// decision is a verb on items that are named, or selected with --all or --first.
type decision struct {
	app   *app
	verb  string
	sel   selection
	all   bool
	yes   bool
	asks  bool // also before it acts on items that were named
	first int
	rate  string
}

func (d *decision) flags(c *cobra.Command) {
	d.sel.flags(c)
	f := c.Flags()
	f.BoolVar(&d.all, "all", false, "all items that the flags select, as they are now")
	f.IntVar(&d.first, "first", 0, "only the first so many of them")
	f.StringVar(&d.rate, "rate", "", "at most so many in a time, as in 50/s, 100/m or 2000/h")
	f.BoolVar(&d.yes, "yes", false, "do not ask")
}

// chunk is how many items go to the engine at once.
const chunk = 1000

// run acts on the chosen items and prints what became of each: on a few that
// are named in one change, on others by a bulk act.
func (d *decision) run(ctx context.Context, s Service, ids []store.ID, bulk engine.BulkRequest, act func([]engine.Target) ([]acted, error)) error {
	if len(ids) == 0 || len(ids) > chunk || d.rate != "" || d.first > 0 {
		return d.runBulk(ctx, s, ids, bulk)
	}
	targets := named(ids)
	if d.asks {
		bulk.Targets = targets
		if err := d.consent(ctx, s, bulk); err != nil {
			return err
		}
	}
	rows, err := act(targets)
	if err != nil {
		return err
	}
	tally := tally{verb: d.verb, of: len(targets)}
	for _, row := range rows {
		tally.count(row.Outcome)
	}
	if err := printAll(d.app, outcomeColumns(), asJSON, rows); err != nil {
		return err
	}
	return tally.verdict()
}

func named(ids []store.ID) []engine.Target {
	targets := make([]engine.Target, len(ids))
	for i, id := range ids {
		targets[i].Item = id
	}
	return targets
}

// irreversible is from how many items on the count must be typed.
const irreversible = 1000

// consent asks before many are acted on. Of them it names the first that the act
// is allowed on: with --first those are what it begins with.
func (d *decision) consent(ctx context.Context, s Service, r engine.BulkRequest) error {
	if d.yes {
		return nil
	}
	n, of := len(r.Targets), ""
	if d.first > 0 && d.first < n {
		n, of = d.first, fmt.Sprintf(" of %s that match", text.Count(int64(n)))
	}
	if !d.app.IsTerminal(d.app.Stdin) {
		return usage(counted(n, "item"), "nobody is there to confirm", "add --yes")
	}
	first, err := r.FirstAllowed(ctx, s.Item, r.Targets, 1)
	if err != nil {
		return err
	}
	for _, id := range first {
		of += ", the first " + string(text.Clean(id.String()))
	}
	question := fmt.Sprintf("%s%s %s%s?", strings.ToUpper(d.verb[:1]), d.verb[1:], counted(n, "item"), of)
	if n > irreversible {
		return d.app.confirmCount(question, n)
	}
	return d.app.confirm(question)
}

func (d *decision) selects() bool {
	return d.sel.queue != "" || d.sel.group != "" || d.sel.filter != "" || len(d.sel.statuses) > 0
}

// chosen checks that items are named or selected, not both.
func (d *decision) chosen(c *cobra.Command, args []string) ([]store.ID, error) {
	selects := d.selects()
	if d.first < 0 || d.first == 0 && c.Flags().Changed("first") {
		return nil, usage(fmt.Sprintf("--first %d", d.first), "it is 1 or more", "write it as --first 100")
	}
	if _, err := engine.ParseRate(d.rate); err != nil {
		return nil, err
	}
	some := d.all || d.first > 0
	switch {
	case len(args) > 0 && (d.all || selects):
		return nil, usage("`"+c.CommandPath()+"`", "items are named and selected at once", "name them, or select them with --all")
	case len(args) == 0 && !some && selects:
		return nil, usage("`"+c.CommandPath()+"`", "a selection may be many items", "add --all, or --first 100")
	case len(args) == 0 && !some:
		return nil, usage("`"+c.CommandPath()+"`", "it needs ITEM…", "name items, or select them with --status, --group or --filter and --all")
	case len(args) == 0 && !selects:
		return nil, usage("--all", "nothing says which items", "add --queue, --status, --group or --filter")
	}
	return parseIDs(args)
}

func (a *app) itemRetry() *cobra.Command {
	d := decision{app: a, verb: "retry"}
	var payload, note string
	c := &cobra.Command{
		Use: "retry ITEM…", Short: "Give failed, excepted or abandoned items another life", Args: takes("[ITEM…]"),
		Long: "Give failed, excepted or abandoned items a fresh budget of retries: jobs in place, transactions as a linked copy.",
		Example: "signalbox item retry invoices/12\nsignalbox item retry --queue invoices --status abandoned --all\n" +
			"signalbox item retry --filter 'queue:invoices status:failed timeout' --first 100 --rate 50/s",
	}
	d.flags(c)
	c.Flags().StringVar(&payload, "payload", "", "another payload for one item: JSON, @FILE, or - for stdin")
	c.Flags().StringVar(&note, "note", "", "note for the history")
	c.RunE = func(c *cobra.Command, args []string) error {
		ids, err := d.chosen(c, args)
		if err != nil {
			return err
		}
		r := engine.RetryRequest{Note: note}
		if c.Flags().Changed("payload") {
			if len(ids) != 1 {
				return usage("--payload", "it is for one item", "name the item")
			}
			if r.Payload, err = a.payload(payload); err != nil {
				return err
			}
		}
		return a.do(c.Context(), func(ctx context.Context, s Service) error {
			return d.run(ctx, s, ids, engine.BulkRequest{Verb: engine.BulkRetry, Note: note}, func(targets []engine.Target) ([]acted, error) {
				r.Targets = targets
				outcomes, err := s.Retry(ctx, r)
				if err != nil {
					return nil, err
				}
				return withItems(ctx, s, outcomes)
			})
		})
	}
	return c
}

func (a *app) itemReview() *cobra.Command {
	d := decision{app: a, verb: "review"}
	var verify, clear bool
	r := engine.ReviewRequest{}
	c := &cobra.Command{
		Use: "review ITEM…", Short: "Record a judgement on failed, excepted or abandoned items", Args: takes("[ITEM…]"),
		Example: "signalbox item review invoices/12 --assign kim\n" +
			"signalbox item review --queue invoices --group 'no postal code' --all --verify --note 'customer told'",
	}
	d.flags(c)
	f := c.Flags()
	f.StringVar(&r.Reviewer, "assign", "", "put in review, by this person")
	f.BoolVar(&verify, "verify", false, "decided: not to be retried any more")
	f.BoolVar(&clear, "clear", false, "back to no review")
	f.StringVar(&r.Note, "note", "", "a note; alone it only sets the note")
	c.RunE = func(c *cobra.Command, args []string) error {
		ids, err := d.chosen(c, args)
		if err != nil {
			return err
		}
		if r.Action, err = reviewAction(f.Changed("assign"), verify, clear, f.Changed("note")); err != nil {
			return err
		}
		return a.do(c.Context(), func(ctx context.Context, s Service) error {
			bulk := engine.BulkRequest{Verb: r.Action, Reviewer: r.Reviewer, Note: r.Note}
			return d.run(ctx, s, ids, bulk, func(targets []engine.Target) ([]acted, error) {
				r.Targets = targets
				outcomes, err := s.Review(ctx, r)
				if err != nil {
					return nil, err
				}
				return asOutcomes(outcomes), nil
			})
		})
	}
	return c
}

func reviewAction(assign, verify, clear, note bool) (string, error) {
	action, n := engine.Note, 0
	for _, choice := range []struct {
		chosen bool
		action string
	}{{assign, engine.Assign}, {verify, engine.Verify}, {clear, engine.Clear}} {
		if choice.chosen {
			action, n = choice.action, n+1
		}
	}
	if n > 1 || n == 0 && !note {
		return "", usage("`item review`", "it needs one judgement", "use one of --assign NAME, --verify, --clear, --note TEXT")
	}
	return action, nil
}
