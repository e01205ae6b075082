package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/text"
)

func (a *app) itemCommands() *cobra.Command {
	return group("item", "Add, import, look at and decide on items", []string{"items"},
		a.itemAdd(), a.itemImport(), a.itemList(), a.itemShow(), a.itemHistory(), a.itemExplain(),
		a.itemRetry(), a.itemReview(), a.itemEdit(), a.itemDefer(), a.itemDelete(), a.itemUndo(), a.itemBulk())
}

func (a *app) itemAdd() *cobra.Command {
	var queue, payload, priority, due, deferral, single string
	var item engine.NewItem
	var strict bool
	c := &cobra.Command{
		Use: "add", Short: "Add one item to a queue", Args: takes(),
		Example: `signalbox item add --queue invoices --reference INV-1042 --payload '{"amount": 12.5}' --due +2h`,
	}
	f := c.Flags()
	f.StringVar(&queue, "queue", "", "the queue")
	f.StringVar(&payload, "payload", "", "what there is to work on: JSON, @FILE, or - for stdin")
	f.StringVar(&item.Reference, "reference", "", "your name for it, as in INV-1042")
	f.StringVar(&priority, "priority", "normal", "how soon: high, normal or low")
	f.StringVar(&due, "due", "", "when it should be done: a time, or +2h")
	f.StringVar(&deferral, "defer", "", "not to be claimed before: a time, or +2h")
	f.StringVar(&item.Key, "key", "", "your own key: the same again gives the item that is there")
	f.StringVar(&item.Job, "job", "", "the job it belongs to; one is started if there is none of this id")
	f.IntVar(&item.Weight, "weight", 0, "how many units of work it counts for in its job (default 1)")
	f.StringVar(&single, "singleton-key", "", "start a job with this key; while one is open, give that and add nothing")
	f.IntVar(&item.MaxAttempts, "max-attempts", 0, "instead of the queue's retries + 1")
	strictFlag(c, &strict)
	c.RunE = func(c *cobra.Command, _ []string) (err error) {
		if !f.Changed("payload") {
			return usage("`item add`", "it needs --payload", "write it as --payload '{\"amount\": 12.5}', or {} for none")
		}
		for _, given := range []struct {
			flag  string
			value int
			most  string
		}{{"max-attempts", item.MaxAttempts, "17"}, {"weight", item.Weight, "1000000"}} {
			if f.Changed(given.flag) && given.value == 0 { // which would be as if it were not given
				return usage("--"+given.flag+" 0", "it is not from 1 to "+given.most, "choose a number in this range, or leave it out")
			}
		}
		if item.Priority, err = store.ParsePriority(priority); err != nil {
			return err
		}
		if item.DueAt, err = a.moment("due", due); err != nil {
			return err
		}
		if item.DeferUntil, err = a.moment("defer", deferral); err != nil {
			return err
		}
		if item.Payload, err = a.payload(payload); err != nil {
			return err
		}
		if queue == "" {
			return needsQueue(c)
		}
		return a.do(c.Context(), func(ctx context.Context, s Service) error {
			if single != "" {
				j, err := s.StartJob(ctx, engine.JobRequest{Queue: queue, ID: item.Job, SingletonKey: single, Filling: true})
				if err != nil || j.Existing {
					return a.existing(j, err)
				}
				defer func() { _, _ = s.SealJob(context.WithoutCancel(ctx), j.ID) }()
				item.Job = j.ID
			}
			results, err := s.Add(ctx, engine.AddRequest{Queue: queue, Strict: strict, Items: []engine.NewItem{item}})
			if err != nil {
				return err
			}
			return printAll(a, a.itemColumns(), asJSON, []store.Item{results[0].Item})
		})
	}
	return c
}

func strictFlag(c *cobra.Command, strict *bool) {
	c.Flags().BoolVar(strict, "strict", false, "refuse a payload that breaks the queue's schema, instead of adding it for a person to see")
}

func needsQueue(c *cobra.Command) error {
	return usage("`"+c.CommandPath()+"`", "it needs --queue", "see `signalbox queue list`")
}

// selection are the flags that select items.
type selection struct {
	queue, group, filter, after string // after is a place that pages name
	statuses                    []string
	desc                        bool
	sort                        string
	limit                       int
}

func (s *selection) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&s.queue, "queue", "", "items of this queue")
	f.StringSliceVar(&s.statuses, "status", nil, "items of these statuses, as in failed,abandoned")
	f.StringVar(&s.group, "group", "", "items that wait for a decision under this reason")
	f.StringVar(&s.filter, "filter", "", "only those with these words, or terms like status:failed reference:INV- age:>2h")
}

// request gives the list request; statuses go through the filter, which knows
// other systems' names too.
func (s *selection) request() (r engine.ListRequest, err error) {
	r = engine.ListRequest{Queue: s.queue, Group: s.group, Filter: s.filter, Desc: s.desc, Sort: s.sort, Limit: s.limit}
	for i, name := range s.statuses {
		if err := checkStatus(name); err != nil {
			return r, err
		}
		if i == 0 {
			r.Filter += " status:"
		} else {
			r.Filter += ","
		}
		r.Filter += engine.Quoted(name)
	}
	id, reference, ordered := strings.Cut(s.after, "@")
	r.Order, r.AfterReference = engine.AnyOrder, reference
	switch {
	case ordered:
		r.Order = engine.ByReference
	case id != "":
		r.Order = engine.ByNumber
	}
	err = r.After.UnmarshalText([]byte(id))
	return r, err
}

func checkStatus(name string) error {
	names := engine.StatusNames()
	if slices.Contains(names, strings.ToLower(name)) {
		return nil
	}
	mend := "use one of " + strings.Join(names, ", ")
	if near := text.Nearest(strings.ToLower(name), names); near != "" {
		mend = "did you mean " + near + "? " + mend
	}
	return usage(fmt.Sprintf("--status %q", name), "no item has this status", mend)
}

func (a *app) itemList() *cobra.Command {
	var sel selection
	var explain bool
	c := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List items, without their payloads", Args: takes(),
		Long: "List items, without their payloads, in order of queue and number; those of a common beginning of their references in order of reference, " +
			"where that is how they are found. With --explain it says how they would be found, and how many are looked at.",
		Example: "signalbox item list --queue invoices --filter 'status:failed reference:INV- age:>2h'\nsignalbox item list --filter 'due:<+2h !robot:r-7' --explain",
	}
	sel.flags(c)
	c.Flags().StringVar(&sel.after, "after", "", "go on after this item, as the page before says")
	c.Flags().BoolVar(&explain, "explain", false, "only say which index serves, what is looked at, and why")
	limitFlag(c, &sel.limit, 100, "items")
	c.Flags().BoolVar(&sel.desc, "desc", false, "newest first, or the order of --sort turned round")
	c.Flags().StringVar(&sel.sort, "sort", "", "in order of number (the default), "+strings.Join(engine.Orders(), ", ")+"; looks at every item")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if err := checkLimit(sel.limit); err != nil {
			return err
		}
		r, err := sel.request()
		if err != nil {
			return err
		}
		if _, err := a.location(); err != nil {
			return err
		}
		return a.do(c.Context(), func(ctx context.Context, s Service) error {
			if explain {
				return a.explainList(ctx, s, r)
			}
			return a.listItems(ctx, s, r)
		})
	}
	return c
}

// pageSize is how many items are asked for at once, pageBudget how long one
// question may take.
const (
	pageSize   = 1000
	pageBudget = store.Duration(time.Second)
)

// listItems prints the selected items page by page.
func (a *app) listItems(ctx context.Context, s Service, r engine.ListRequest) error {
	p, err := printing(a, a.itemColumns(), asTable)
	if err != nil {
		return err
	}
	left, shown, damaged := r.Limit, 0, 0
	r.Budget, r.Whole = pageBudget, r.Limit == 0 || r.Limit > pageSize
	for {
		r.Limit = pageSize
		if left > 0 {
			r.Limit = min(left-shown, pageSize)
		}
		page, err := s.List(ctx, r)
		if err != nil {
			return err
		}
		for _, item := range page.Items {
			if err := p.row(item); err != nil {
				return err
			}
		}
		shown += len(page.Items)
		damaged += page.Damaged
		r.After, r.AfterReference, r.Order = page.Next, page.NextReference, page.Order
		if !page.More || left > 0 && shown >= left {
			if err := p.end(); err != nil {
				return err
			}
			a.listRest(page, shown, damaged)
			return nil
		}
	}
}

// listRest says on stderr what the list does not show.
func (a *app) listRest(page engine.Page, shown, damaged int) {
	if damaged > 0 {
		fmt.Fprintf(a.Stderr, "%s records can't be read and are left out\n", text.Count(int64(damaged)))
	}
	if !page.More {
		return
	}
	of := ""
	if page.Total >= 0 {
		of = " of " + text.Count(page.Total)
	}
	place := page.Next.String()
	if page.NextReference != "" || page.Order == engine.ByReference {
		place += "@" + page.NextReference
	}
	fmt.Fprintf(a.Stderr, "%s%s shown; go on with --after %s, or see all with --limit 0\n", text.Count(int64(shown)), of, text.Clean(shellWord(place)))
}

// shellWord quotes a word where a shell would take it apart.
func shellWord(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("/@._-", r)
	}) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func (a *app) itemShow() *cobra.Command {
	var unmask bool
	c := &cobra.Command{
		Use: "show ITEM", Short: "Show an item whole", Args: takes("ITEM"),
		RunE: func(c *cobra.Command, args []string) error {
			id, err := store.ParseID(args[0])
			if err != nil {
				return err
			}
			return a.do(c.Context(), func(ctx context.Context, s Service) error {
				record, err := s.Item(ctx, id)
				if err != nil {
					return err
				}
				return a.printRecord(ctx, s, record, unmask)
			})
		},
	}
	unmaskFlag(c, &unmask)
	return c
}

func (a *app) printRecord(ctx context.Context, s Service, record engine.Record, unmask bool) error {
	return a.printOne(a.veiled(ctx, s, []engine.Record{record}, unmask)[0])
}

func (a *app) itemHistory() *cobra.Command {
	var filter string
	var limit int
	var after uint64
	c := &cobra.Command{Use: "history ITEM", Short: "Show what happened to an item, newest first", Args: takes("ITEM")}
	c.Flags().StringVar(&filter, "filter", "", "only those with these words, or terms like event:claim or actor:r-7")
	limitFlag(c, &limit, 100, "changes")
	c.Flags().Uint64Var(&after, "after", 0, "only changes after this seq")
	c.RunE = func(c *cobra.Command, args []string) error {
		id, err := store.ParseID(args[0])
		if err != nil {
			return err
		}
		if err := checkLimit(limit); err != nil {
			return err
		}
		match, err := parseFieldFilter(filter)
		if err != nil {
			return err
		}
		zone, err := a.location()
		if err != nil {
			return err
		}
		return a.do(c.Context(), func(ctx context.Context, s Service) error {
			changes, err := s.History(ctx, id, allChanges)
			if err != nil {
				return err
			}
			var shown []store.Change
			for _, change := range changes {
				if change.Seq > after && match(change) && (limit == 0 || len(shown) < limit) {
					shown = append(shown, change)
				}
			}
			return printAll(a, changeColumns(func(t store.Time) string { return text.Stamp(t.Time(), zone) }), asTable, shown)
		})
	}
	return c
}

// allChanges is above what the history of any one item holds.
const allChanges = 1 << 20
