package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/text"
)

func (a *app) queueCommands() *cobra.Command {
	return group("queue", "Add, change and look at queues", []string{"queues"},
		a.queueAdd(), a.queueSet(), a.queueList(), a.queueShow(), a.queuePause(), a.queueResume(), a.queueDelete(), a.queueLink(),
		a.queueDump(), a.queueApply(), a.queuePrune())
}

func (a *app) queueAdd() *cobra.Command {
	var family string
	c := &cobra.Command{
		Use:     "add NAME [-- CMD ARG…]",
		Short:   "Add a queue",
		Long:    "Add a queue. Settings that are not given get their family's defaults. A command after -- becomes the queue's consumer; so does a --url, to which items are then posted.",
		Example: "signalbox queue add invoices --family transactions --retries 3\nsignalbox queue add orders --url https://robots.example/orders --header 'Authorization: Bearer …'\nsignalbox queue add orders --family transactions --lane slow -- python3 work.py",
		Args:    takes("NAME", "[CMD…]"),
	}
	c.Flags().StringVar(&family, "family", "jobs", "what its items are: jobs (retried in place) or transactions (each retry a linked copy)")
	settings := a.addSettings(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		f, err := store.ParseFamily(family)
		if err != nil {
			return err
		}
		name, command, err := nameAndCommand(c, args)
		if err != nil {
			return err
		}
		patch, err := settings.patch(command)
		if err != nil {
			return err
		}
		q := engine.DefaultQueue(name, f)
		if err := json.Unmarshal(patch, &q); err != nil {
			return store.Misread("the settings", err, "see `signalbox queue add --help`")
		}
		if _, err := a.formatOfOne(); err != nil {
			return err
		}
		return a.make(c.Context(), func(ctx context.Context, s Service) error {
			state, err := s.AddQueue(ctx, q)
			if err != nil {
				return err
			}
			a.warnOfProgram(state)
			return a.printQueue(state)
		})
	}
	return c
}

func (a *app) queueSet() *cobra.Command {
	c := &cobra.Command{
		Use:     "set NAME [-- CMD ARG…]",
		Short:   "Change a queue's settings",
		Long:    "Change a queue's settings. What is not given stays; items in flight go on as they were claimed.",
		Example: "signalbox queue set invoices --retries 5 --retry-window 2h",
		Args:    takes("NAME", "[CMD…]"),
	}
	settings := a.addSettings(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		name, command, err := nameAndCommand(c, args)
		if err != nil {
			return err
		}
		patch, err := settings.patch(command)
		if err != nil {
			return err
		}
		if string(patch) == "{}" {
			return usage("`queue set`", "it names no setting", "give at least one, see `signalbox queue set --help`")
		}
		return a.doOne(c.Context(), func(ctx context.Context, s Service) error {
			state, err := s.SetQueue(ctx, name, patch)
			if err != nil {
				return err
			}
			a.warnOfProgram(state)
			return a.printQueue(state)
		})
	}
	return c
}

// nameAndCommand parts the queue's name from the command after the dashes.
func nameAndCommand(c *cobra.Command, args []string) (name string, command []string, err error) {
	dash := c.ArgsLenAtDash()
	switch {
	case dash == 0:
		return "", nil, usage("`"+c.CommandPath()+"`", "it needs NAME before --", "see `"+c.CommandPath()+" --help`")
	case dash < 0 && len(args) > 1:
		return "", nil, usage(fmt.Sprintf("argument %q", args[1]), "a queue's command stands after --", "write -- before it")
	case dash > 1:
		return "", nil, usage(fmt.Sprintf("argument %q", args[1]), "only the queue's name stands before --", "leave it out")
	}
	return args[0], args[1:], nil
}

func (a *app) queueList() *cobra.Command {
	var filter, after, folder string
	var limit int
	c := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List queues with their numbers", Args: takes(),
		Example: "signalbox queue list --folder /finance",
		RunE: func(c *cobra.Command, _ []string) error {
			if err := checkLimit(limit); err != nil {
				return err
			}
			match, err := parseFieldFilter(filter)
			if err != nil {
				return err
			}
			return a.do(c.Context(), func(ctx context.Context, s Service) error {
				queues, err := s.Queues(ctx)
				if err != nil {
					return err
				}
				var shown []engine.QueueState
				for _, q := range queues {
					q.Consumer.Headers = engine.VeilHeaders(q.Consumer.Headers)
					if q.Name > after && (folder == "" || engine.InFolder(&q.Queue, folder)) && match(q) && (limit == 0 || len(shown) < limit) {
						shown = append(shown, q)
					}
				}
				return printAll(a, queueColumns(), asTable, shown)
			})
		},
	}
	c.Flags().StringVar(&filter, "filter", "", "only those with these words, or terms like family:jobs or paused:true")
	c.Flags().StringVar(&folder, "folder", "", "only queues in this folder or below it, and those linked to one")
	limitFlag(c, &limit, 0, "queues")
	c.Flags().StringVar(&after, "after", "", "go on after the queue of this name")
	return c
}

func queueColumns() columns[engine.QueueState] {
	type q = engine.QueueState
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	count := func(of func(q) int64) func(q) string { return func(q q) string { return text.Count(of(q)) } }
	name := column[q]{"name", func(q q) string { return q.Name }, false}
	family := column[q]{"family", func(q q) string { return q.Family.String() }, false}
	laneOf := column[q]{"lane", func(q q) string { return q.Lane }, false}
	consumer := column[q]{"consumer", func(q q) string { return q.Consumer.Kind }, false}
	return columns[q]{
		table: []column[q]{
			name, family, laneOf, consumer,
			{"waiting", count(func(q q) int64 { return q.Counts.Waiting() - q.Delayed }), true},
			{"delayed", count(func(q q) int64 { return q.Delayed }), true},
			{"running", count(func(q q) int64 { return q.Counts.InFlight() }), true},
			{"done", count(func(q q) int64 { return q.Counts[store.Completed] + q.Counts[store.Successful] }), true},
			{"excepted", count(func(q q) int64 { return q.Counts[store.BusinessException] }), true},
			{"failed", count(func(q q) int64 { return q.Counts[store.Failed] + q.Counts[store.SystemException] }), true},
			{"abandoned", count(func(q q) int64 { return q.Counts[store.Abandoned] }), true},
			{"overdue", count(func(q q) int64 { return q.SLA.Overdue }), true},
			{"at-risk", count(func(q q) int64 { return q.SLA.AtRisk }), true},
			{"note", queueNote, false},
		},
		csv: append([]column[q]{
			name, family, laneOf, consumer,
			{"folder", func(q q) string { return q.Folder }, false},
			{"links", func(q q) string { return strings.Join(q.Links, " ") }, false},
			{"paused", func(q q) string { return strconv.FormatBool(q.Paused) }, false},
			{"delayed", func(q q) string { return number(q.Delayed) }, true},
			{"sla_ok", func(q q) string { return number(q.SLA.OnTime) }, true},
			{"sla_risk", func(q q) string { return number(q.SLA.AtRisk) }, true},
			{"sla_overdue", func(q q) string { return number(q.SLA.Overdue) }, true},
			{"oldest_waiting_at", func(q q) string { return q.OldestWaitingAt.String() }, false},
			{"next_available_at", func(q q) string { return q.NextAvailableAt.String() }, false},
			{"consumer_error", func(q q) string { return q.ConsumerError }, false},
		}, countColumns()...),
	}
}

// countColumns is one column for each status.
func countColumns() []column[engine.QueueState] {
	var columns []column[engine.QueueState]
	for s := store.Queued; int(s) < store.Statuses; s++ {
		columns = append(columns, column[engine.QueueState]{"counts." + s.String(), func(q engine.QueueState) string {
			return strconv.FormatInt(q.Counts[s], 10)
		}, true})
	}
	return columns
}

func queueNote(q engine.QueueState) string {
	switch {
	case q.Paused:
		return "paused by " + q.PausedBy
	case q.Locked != "":
		return q.Locked
	case q.ConsumerError != "":
		return "consumer error: " + q.ConsumerError
	}
	return ""
}

func (a *app) queueShow() *cobra.Command {
	return onOne(a, "show NAME", "Show a queue's settings and numbers", func(ctx context.Context, s Service, name string) (engine.QueueState, error) {
		return s.Queue(ctx, name)
	}, a.printQueue)
}

func (a *app) queuePause() *cobra.Command {
	return onOne(a, "pause NAME", "Hand out no more items of a queue; those in flight go on", func(ctx context.Context, s Service, name string) (engine.QueueState, error) {
		return s.PauseQueue(ctx, name, true)
	}, a.printQueue)
}

func (a *app) queueResume() *cobra.Command {
	return onOne(a, "resume NAME", "Hand out items of a paused queue again", func(ctx context.Context, s Service, name string) (engine.QueueState, error) {
		return s.PauseQueue(ctx, name, false)
	}, a.printQueue)
}

func (a *app) queueDelete() *cobra.Command {
	var force, yes bool
	c := &cobra.Command{
		Use: "delete NAME", Short: "Delete a queue with its items", Args: takes("NAME"),
		Long: "Delete a queue with its items; its history stays. While items are waiting, in flight or abandoned it takes --force.",
		RunE: func(c *cobra.Command, args []string) error {
			return a.do(c.Context(), func(ctx context.Context, s Service) error {
				state, err := s.Queue(ctx, args[0])
				if err != nil {
					return err
				}
				settled := state.Counts.Total() > 0 && state.Counts.Unsettled() == 0
				if !yes && (a.IsTerminal(a.Stdin) || settled && !force) {
					question := fmt.Sprintf("Delete queue %s and %s in it? This can't be taken back.", text.Clean(state.Name), counted(int(state.Counts.Total()), "item"))
					if err := a.confirmed("`queue delete`", question); err != nil {
						return err
					}
				}
				err = s.DeleteQueue(ctx, args[0], force)
				if e, ok := errors.AsType[*store.Error](err); ok && e.Code == store.CodeConflict && !force {
					err = store.Conflict(e.Thing, e.Rule, "settle them, or delete it all the same with --force")
				}
				return err
			})
		},
	}
	c.Flags().BoolVar(&force, "force", false, "even with items that are waiting, in flight or abandoned")
	c.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return c
}
