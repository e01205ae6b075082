package cli

import (
	"context"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/text"
)

func (a *app) slotHistory() *cobra.Command {
	var since string
	var r engine.HoldsRequest
	c := &cobra.Command{
		Use: "history", Short: "Show who held which slot when", Args: takes(),
		Long: "Show who held which slot when, in the order in which they began. It is kept for 24 hours. Holds of one slot for one queue and job " +
			"that followed each other within a second are one line.",
		Example: "signalbox slot history --since 1h -o json",
	}
	c.Flags().StringVar(&since, "since", "24h", "how far to look back")
	c.Flags().IntVar(&r.Slot, "slot", 0, "only this slot (0 = all)")
	limitFlag(c, &r.Limit, 0, "holds, the newest")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if err := checkLimit(r.Limit); err != nil {
			return err
		}
		back, err := duration("since", since)
		if err != nil {
			return err
		}
		r.Since = store.At(a.Now()).Add(-time.Duration(back))
		return a.do(c.Context(), func(ctx context.Context, s Service) error {
			zone, err := a.location()
			if err != nil {
				return err
			}
			holds, err := s.SlotHistory(ctx, r)
			if err != nil {
				return err
			}
			return printAll(a, holdColumns(a.Now(), zone), asTable, holds)
		})
	}
	return c
}

func holdColumns(now time.Time, zone *time.Location) columns[store.Hold] {
	type h = store.Hold
	stamp := func(t store.Time) string { return text.Stamp(t.Time(), zone) }
	end := func(h h) string {
		switch {
		case h.To == 0:
			return "now"
		case h.Cut:
			return stamp(h.To) + ", the engine died"
		}
		return stamp(h.To)
	}
	held := func(h h) string {
		if h.To == 0 {
			return now.Sub(h.From.Time()).Round(time.Second).String()
		}
		return time.Duration(h.Held).Round(time.Millisecond).String()
	}
	return columns[h]{table: []column[h]{
		{"from", func(h h) string { return stamp(h.From) }, false},
		{"to", end, false},
		{"slot", func(h h) string { return strconv.Itoa(h.Slot) }, true},
		{"lane", func(h h) string { return h.Lane }, false},
		{"queue", func(h h) string { return h.Queue }, false},
		{"item", func(h h) string { return h.Item }, false},
		{"robot", func(h h) string { return h.Robot }, false},
		{"held", held, true},
		{"times", func(h h) string { return strconv.Itoa(h.Times) }, true},
	}}
}
