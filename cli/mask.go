package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"signalbox/engine"
)

func unmaskFlag(c *cobra.Command, unmask *bool) {
	c.Flags().BoolVar(unmask, "unmask", false, "show a person what the queue's mask hides")
}

// veiled gives records as a person may see them. What a program reads is
// whole: it is to work with it. Where the mask can't be had, all is hidden.
func (a *app) veiled(ctx context.Context, s Service, records []engine.Record, unmask bool) []engine.Record {
	if unmask || a.output != asTable && !a.IsTerminal(a.Stdout) {
		return records
	}
	masks := map[string][]string{}
	shown := slices.Clone(records)
	for i := range shown {
		r := &shown[i]
		mask, known := masks[r.Queue]
		if !known {
			q, err := s.Queue(ctx, r.Queue)
			if err != nil {
				r.Payload, r.Output, r.Analytics = nil, nil, nil
				continue
			}
			mask = q.Mask
			masks[r.Queue] = mask
		}
		r.Payload, r.Output, r.Analytics = engine.Mask(r.Payload, mask), engine.Mask(r.Output, mask), engine.Mask(r.Analytics, mask)
	}
	return shown
}
