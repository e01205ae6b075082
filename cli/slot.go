package cli

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"signalbox/engine"
	"signalbox/engine/lane"
)

func (a *app) slotCommands() *cobra.Command {
	return group("slot", "Look at and split the pool of slots", []string{"slots"}, a.slotShow(), a.slotSet(), a.slotAuto(), a.slotRun(), a.slotHistory())
}

func (a *app) slotShow() *cobra.Command {
	return &cobra.Command{
		Use: "show", Short: "Show the pool: its lanes, who holds which slot, who waits", Args: takes(),
		RunE: func(c *cobra.Command, _ []string) error {
			return a.do(c.Context(), func(ctx context.Context, s Service) error {
				pool, err := s.Pool(ctx)
				if err != nil {
					return err
				}
				return a.printPool(pool)
			})
		},
	}
}

func (a *app) slotSet() *cobra.Command {
	var fast, slow int
	c := &cobra.Command{
		Use: "set N", Short: "Set the number of slots, and how many each lane keeps for itself", Args: takes("N"),
		Long:    "Set the number of slots. With --fast or --slow the lane keeps that many for itself; a lane not named keeps what it has.",
		Example: "signalbox slot set 25 --fast 6 --slow 6",
	}
	c.Flags().IntVar(&fast, "fast", 0, "slots only the fast lane may use")
	c.Flags().IntVar(&slow, "slow", 0, "slots only the slow lane may use")
	c.RunE = func(c *cobra.Command, args []string) error {
		n, err := poolSize(args[0])
		if err != nil {
			return err
		}
		return a.make(c.Context(), func(ctx context.Context, s Service) error {
			r := engine.SplitRequest{Size: n, Fast: fast, Slow: slow}
			setFast, setSlow := c.Flags().Changed("fast"), c.Flags().Changed("slow")
			r.Keep = !setFast && !setSlow
			if setFast != setSlow {
				now, err := s.Pool(ctx)
				if err != nil {
					return err
				}
				if !setFast {
					r.Fast = now.Fast.Reserve
				} else {
					r.Slow = now.Slow.Reserve
				}
			}
			return a.setPool(ctx, s, r)
		})
	}
	return c
}

func (a *app) slotAuto() *cobra.Command {
	return &cobra.Command{
		Use: "auto [N]", Short: "Split the pool by the default: a quarter for each lane", Args: takes("[N]"),
		RunE: func(c *cobra.Command, args []string) (err error) {
			size := 0
			if len(args) == 1 {
				if size, err = poolSize(args[0]); err != nil {
					return err
				}
			}
			return a.make(c.Context(), func(ctx context.Context, s Service) error {
				now, err := s.Pool(ctx)
				if err != nil {
					return err
				}
				return a.setPool(ctx, s, engine.SplitRequest{Size: cmp.Or(size, now.Pool), Auto: true})
			})
		},
	}
}

func poolSize(arg string) (int, error) {
	n, err := strconv.Atoi(arg)
	switch {
	case err != nil:
		return 0, usage(fmt.Sprintf("pool %q", arg), "it is not a number", "write it as 25")
	case n < 1:
		return 0, usage("pool "+arg, "a pool has at least 3 slots", "choose 3 or more")
	}
	return n, nil
}

func (a *app) setPool(ctx context.Context, s Service, r engine.SplitRequest) error {
	pool, err := s.SetPool(ctx, r)
	if err != nil {
		return err
	}
	return a.printPool(pool)
}

// printPool prints the pool as JSON, or for people its ranges and its slots.
func (a *app) printPool(pool lane.State) error {
	otherwise := asJSON
	if a.IsTerminal(a.Stdout) {
		otherwise = asTable
	}
	format, err := a.format(otherwise)
	switch {
	case err != nil:
		return err
	case format == asJSON || format == asJSONL:
		return a.writeJSON(a.Stdout, pool)
	case format == asTable:
		split := "split by hand"
		if pool.Auto {
			split = "split by the default"
		}
		fmt.Fprintf(a.Stdout, "%d of %d slots busy, %s\n", pool.Busy, pool.Pool, split)
		fmt.Fprintf(a.Stdout, "fast %d–%d (%d its own, %d waiting), slow %d–%d (%d its own, %d waiting), %d for both\n\n",
			pool.Fast.First, pool.Fast.Last, pool.Fast.Reserve, pool.Fast.Waiting,
			pool.Slow.First, pool.Slow.Last, pool.Slow.Reserve, pool.Slow.Waiting, pool.Commons.Size)
	}
	zone, err := a.location()
	if err != nil {
		return err
	}
	return printAll(a, a.slotColumns(zone), asTable, pool.Slots)
}

func (a *app) slotColumns(zone *time.Location) columns[lane.SlotState] {
	type s = lane.SlotState
	holder := func(value func(lane.Holder) string) func(s) string {
		return func(s s) string {
			if s.Holder == nil {
				return ""
			}
			return value(*s.Holder)
		}
	}
	return columns[s]{table: []column[s]{
		{"number", func(s s) string { return strconv.Itoa(s.Number) }, true},
		{"lane", func(s s) string { return string(s.Lane) }, false},
		{"state", func(s s) string { return s.State }, false},
		{"held by", holder(func(h lane.Holder) string { return string(h.Lane) }), false},
		{"queue", holder(func(h lane.Holder) string { return h.Queue }), false},
		{"item", holder(func(h lane.Holder) string { return h.Item }), false},
		{"robot", holder(func(h lane.Holder) string { return h.Robot }), false},
		{"since", holder(func(h lane.Holder) string { return when(h.Since, a.Now(), zone) }), false},
	}}
}
