package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"signalbox/engine"
)

func (a *app) settleCommand() *cobra.Command {
	return &cobra.Command{
		Use: "settle < results.jsonl", Short: "Settle many claimed items at once", Args: takes(),
		Long: `Settle many claimed items in one change. Each line of stdin reports on one: ` +
			`{"item": "orders/7", "fence": 31, "status": "success"}, with status business or system and a reason for a failure, ` +
			`and details, output and analytics where there are any. Prints one line for each, in order.`,
		RunE: func(c *cobra.Command, _ []string) error {
			settlements, err := readSettlements(a.Stdin)
			if err == nil && len(settlements) == 0 {
				err = usage("stdin", "it is empty, nothing to settle", "give a line for each item, see `signalbox settle --help`")
			}
			if err != nil {
				return err
			}
			return a.do(c.Context(), func(ctx context.Context, s Service) error {
				outcomes, err := s.Settle(ctx, settlements)
				if err != nil {
					return err
				}
				tally := tally{verb: "settle", of: len(outcomes)}
				for _, o := range outcomes {
					tally.count(o)
				}
				if err := printAll(a, outcomeColumns(), asJSONL, asOutcomes(outcomes)); err != nil {
					return err
				}
				return tally.verdict()
			})
		},
	}
}

// readSettlements reads one settlement a line. One bad line refuses all, so
// that what was settled is never in doubt.
func readSettlements(r io.Reader) ([]engine.Settlement, error) {
	var all []engine.Settlement
	in := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if trimmed := bytes.TrimSpace(line); len(trimmed) > 0 {
			settlement, err := readSettlement(trimmed)
			if err != nil {
				return nil, usage(fmt.Sprintf("line %d of stdin", n), err.Error()+", nothing was settled", `write {"item":"orders/7","fence":31,"status":"success"}`)
			}
			all = append(all, settlement)
		}
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func readSettlement(line []byte) (s engine.Settlement, err error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return s, err
	}
	if d.More() {
		return s, errors.New("something follows the object")
	}
	if s.Item.IsZero() {
		return s, errors.New("it names no item")
	}
	return s, nil
}
