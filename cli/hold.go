package cli

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"signalbox/engine"
	"signalbox/store"
)

// holds makes a command about an item that a robot holds: it takes the item and
// its fence.
func (a *app) holds(use, short string, args cobra.PositionalArgs, act func(ctx context.Context, s Service, h engine.Holding, args []string) error) *cobra.Command {
	var fence uint64
	c := &cobra.Command{Use: use + " --fence F", Short: short, Args: args}
	c.Flags().Uint64Var(&fence, "fence", 0, "the fence the claim was given")
	c.RunE = func(c *cobra.Command, args []string) error {
		id, err := store.ParseID(args[0])
		if err != nil {
			return err
		}
		if !c.Flags().Changed("fence") {
			return usage("`"+c.CommandPath()+"`", "it needs --fence", "give the fence that the claim printed")
		}
		return a.doOne(c.Context(), func(ctx context.Context, s Service) error {
			return act(ctx, s, engine.Holding{Item: id, Fence: fence}, args[1:])
		})
	}
	return c
}

func (a *app) startCommand() *cobra.Command {
	return a.holds("start ITEM", "Say that work on a claimed item begins", takes("ITEM"),
		func(ctx context.Context, s Service, h engine.Holding, _ []string) error {
			record, err := s.Start(ctx, h)
			if err != nil {
				return err
			}
			return a.printRecord(ctx, s, record, false)
		})
}

func (a *app) renewCommand() *cobra.Command {
	return a.holds("renew ITEM", "Give a sign of life: extend the lease of a claimed item", takes("ITEM"),
		func(ctx context.Context, s Service, h engine.Holding, _ []string) error {
			outcomes, err := s.Renew(ctx, []engine.Holding{h})
			return a.printOutcome(outcomes, err)
		})
}

func (a *app) progressCommand() *cobra.Command {
	return a.holds("progress ITEM TEXT", "Leave word on how far a claimed item is", takes("ITEM", "TEXT…"),
		func(ctx context.Context, s Service, h engine.Holding, words []string) error {
			err := s.Progress(ctx, h, strings.Join(words, " "))
			return a.printOutcome([]engine.Outcome{{Item: h.Item, Result: engine.OK}}, err)
		})
}

func (a *app) postponeCommand() *cobra.Command {
	var until string
	c := a.holds("postpone ITEM --until T", "Give a claimed item back, to be claimed later", takes("ITEM"),
		func(ctx context.Context, s Service, h engine.Holding, _ []string) error {
			at, err := a.moment("until", until)
			if err != nil {
				return err
			}
			if at.IsZero() {
				return usage("`signalbox postpone`", "it needs --until", "give a time, or +2h")
			}
			return a.printOutcome([]engine.Outcome{{Item: h.Item, Result: engine.OK}}, s.Postpone(ctx, h, at))
		})
	c.Flags().StringVar(&until, "until", "", "a time, or +2h")
	return c
}

// results are the flags with which a robot hands in what it made.
type results struct{ output, analytics string }

func (r *results) flags(c *cobra.Command) {
	c.Flags().StringVar(&r.output, "output", "", "what came of it: a JSON object, @FILE, or - for stdin")
	c.Flags().StringVar(&r.analytics, "analytics", "", "figures about the work: a JSON object, @FILE, or - for stdin")
}

func (r *results) read(a *app, s *engine.Settlement) (err error) {
	if s.Output, err = a.object("output", r.output); err != nil {
		return err
	}
	s.Analytics, err = a.object("analytics", r.analytics)
	return err
}

// object reads a flag's JSON object; "" is none.
func (a *app) object(flag, value string) (json.RawMessage, error) {
	if value == "" {
		return nil, nil
	}
	b, err := a.content(flag, value)
	if err != nil {
		return nil, err
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(b, &object); err != nil {
		return nil, usage("--"+flag, "it is no JSON object", `write it as {"total": 3}`)
	}
	return b, nil
}

func (a *app) completeCommand() *cobra.Command {
	var r results
	c := a.holds("complete ITEM", "Settle a claimed item as done", takes("ITEM"),
		func(ctx context.Context, s Service, h engine.Holding, _ []string) error {
			settlement := engine.Settlement{Item: h.Item, Fence: h.Fence, Status: engine.Success}
			if err := r.read(a, &settlement); err != nil {
				return err
			}
			outcomes, err := s.Settle(ctx, []engine.Settlement{settlement})
			return a.printOutcome(outcomes, err)
		})
	r.flags(c)
	return c
}

func (a *app) failCommand() *cobra.Command {
	var r results
	var settlement engine.Settlement
	c := a.holds("fail ITEM --reason R", "Settle a claimed item as failed", takes("ITEM"),
		func(ctx context.Context, s Service, h engine.Holding, _ []string) error {
			if settlement.Status != engine.System && settlement.Status != engine.Business {
				return usage("--kind "+settlement.Status, "no such kind of failure", "use system (a retry may help) or business (a person must look)")
			}
			if settlement.Reason == "" {
				return usage("`signalbox fail`", "it needs --reason", "say why")
			}
			if err := r.read(a, &settlement); err != nil {
				return err
			}
			settlement.Item, settlement.Fence = h.Item, h.Fence
			outcomes, err := s.Settle(ctx, []engine.Settlement{settlement})
			return a.printOutcome(outcomes, err)
		})
	f := c.Flags()
	f.StringVar(&settlement.Status, "kind", engine.System, "what failed: system (a retry may help) or business (a person must look)")
	f.StringVar(&settlement.Reason, "reason", "", "why it failed")
	f.StringVar(&settlement.Details, "details", "", "more about it, such as a stack trace")
	f.BoolVar(&settlement.Final, "final", false, "not to be retried")
	r.flags(c)
	return c
}

// printOutcome prints the outcome of an act on one item, or returns why it was
// refused.
func (a *app) printOutcome(outcomes []engine.Outcome, err error) error {
	if err != nil {
		return err
	}
	if err := outcomeError(outcomes[0]); err != nil {
		return err
	}
	if a.output == "" {
		return a.writeJSON(a.Stdout, outcomes[0])
	}
	return a.printOne(outcomes[0])
}
