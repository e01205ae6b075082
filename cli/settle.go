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
	"signalbox/store"
	"signalbox/tui/text"
)

func (a *app) settleCommand() *cobra.Command {
	return &cobra.Command{
		Use: "settle < results.jsonl", Short: "Settle many claimed items at once", Args: takes(),
		Long: `Settle many claimed items in one change. Each line of stdin reports on one: ` +
			`{"item": "orders/7", "fence": 31, "status": "success"}, with status business or system and a reason for a failure, ` +
			`and details, output and analytics where there are any. Prints one line for each, in order. ` +
			`A line that is no such report is answered as refused, with its number; the others are settled all the same.`,
		RunE: func(c *cobra.Command, _ []string) error {
			reports, err := readReports(a.Stdin)
			if err == nil && len(reports) == 0 {
				err = usage("stdin", "it is empty, nothing to settle", "give a line for each item, see `signalbox settle --help`")
			}
			if err != nil {
				return err
			}
			return a.do(c.Context(), func(ctx context.Context, s Service) error { return a.settle(ctx, s, reports) })
		},
	}
}

// settle settles what can be, and answers every report in its place.
func (a *app) settle(ctx context.Context, s Service, reports []report) error {
	var good []engine.Settlement
	for _, r := range reports {
		if r.err == nil {
			good = append(good, r.Settlement)
		}
	}
	var settled []engine.Outcome
	if len(good) > 0 {
		var err error
		if settled, err = s.Settle(ctx, good); err != nil {
			return err
		}
	}
	outcomes := make([]engine.Outcome, len(reports))
	tally := tally{verb: "settle", of: len(reports)}
	for i, r := range reports {
		if r.err != nil {
			outcomes[i] = engine.Outcome{Item: r.Item, Result: engine.Refused, Error: r.err.Error(), Err: r.err}
		} else {
			outcomes[i], settled = settled[0], settled[1:]
		}
		tally.count(outcomes[i])
	}
	if err := printAll(a, outcomeColumns(), asJSONL, asOutcomes(outcomes)); err != nil {
		return err
	}
	return tally.verdict()
}

// report is a line of stdin: what became of an item, or why it is none.
type report struct {
	engine.Settlement
	err error
}

// readReports reads one report a line.
func readReports(r io.Reader) ([]report, error) {
	var all []report
	in := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, long, err := boundedLine(in)
		if long {
			tooLong := usage(fmt.Sprintf("line %d of stdin", n), fmt.Sprintf("it is longer than %s bytes", text.Count(textMax)), "keep large data elsewhere and store a link to it")
			all = append(all, report{err: tooLong})
		} else if trimmed := bytes.TrimSpace(line); len(trimmed) > 0 {
			settlement, err := readSettlement(trimmed)
			if err != nil {
				err = misread(fmt.Sprintf("line %d of stdin", n), err)
			}
			all = append(all, report{settlement, err})
		}
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// boundedLine reads a line; of one that is too long it keeps nothing.
func boundedLine(in *bufio.Reader) (line []byte, long bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if long = long || len(line)+len(part) > textMax; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, long, err
		}
	}
}

// misread says of a line why it is no report; what broke a rule of its own is
// told under the line all the same.
func misread(line string, err error) error {
	fault := store.Misread(line, err, `write {"item":"orders/7","fence":31,"status":"success"}`)
	if fault.Thing != line {
		fault = &store.Error{Code: store.CodeInvalid, Thing: line, Err: fault}
	}
	return fault
}

func readSettlement(line []byte) (s engine.Settlement, err error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return s, err
	}
	if err := nothingMore(d); err != nil {
		return s, err
	}
	if s.Item.IsZero() {
		return s, errors.New("it names no item")
	}
	return s, nil
}

// nothingMore refuses what stands behind the one value of a text.
func nothingMore(d *json.Decoder) error {
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the object")
	}
	return nil
}
