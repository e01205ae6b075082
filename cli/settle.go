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

// settleWave is how many lines of stdin settle takes at once, at most, and
// settleBytes how many bytes: they are one change to the store. What a wave may
// claim fits into one.
const (
	settleWave  = 1000
	settleBytes = 1 << 20
)

func (a *app) settleCommand() *cobra.Command {
	return &cobra.Command{
		Use: "settle < results.jsonl", Short: "Settle many claimed items", Args: takes(),
		Long: `Settle many claimed items. Each line of stdin reports on one: ` +
			`{"item": "orders/7", "fence": 31, "status": "success"}, with status business or system and a reason for a failure, ` +
			`and details, output and analytics where there are any. Prints one line for each, in order. ` +
			`A line that is no such report is answered as refused, with its number; the others are settled all the same.` + "\n\n" +
			"Up to 1,000 lines (or 1 MiB) are settled in one change and then answered, as soon as that many have come or stdin ends. Where the store or the way to the engine fails, the lines that were answered are settled; those of the wave under way may be, and are refused as final or stale when they are given again.",
		RunE: func(c *cobra.Command, _ []string) error {
			outlivesReaders()
			p, err := printing(a, outcomeColumns(), asJSONL)
			if err != nil {
				return err
			}
			s := settling{app: a, in: bufio.NewReader(a.Stdin), printer: p, tally: tally{verb: "settle"}}
			return s.run(c.Context())
		},
	}
}

// settling is one run of settle.
type settling struct {
	app     *app
	in      *bufio.Reader
	line    int // of stdin, the last that was read
	printer printer[acted]
	tally   tally
}

// run settles one wave after the other, and holds the store for none while it
// waits for the next.
func (s *settling) run(ctx context.Context) error {
	for {
		wave, ended := s.read()
		if len(wave) > 0 {
			if err := s.settle(ctx, wave); err != nil {
				return s.brokenOff(err, wave[0].line)
			}
			if err := s.print(wave); err != nil && ended == nil {
				return unprinted(reasonOf(err), fmt.Sprintf("print elsewhere; the lines behind line %d of stdin are not settled", s.line))
			} else if err != nil {
				return err
			}
		}
		switch {
		case errors.Is(ended, io.EOF) && s.tally.of == 0:
			return usage("stdin", "it is empty, nothing to settle", "give a line for each item, see `signalbox settle --help`")
		case errors.Is(ended, io.EOF):
			return errors.Join(s.printer.end(), s.tally.verdict())
		case ended != nil:
			return s.brokenOff(usage("stdin", "it can't be read: "+reasonOf(ended).Error(), "give a file of lines, or the output of a program"), s.line)
		}
	}
}

// settle settles what can be, and answers every report.
func (s *settling) settle(ctx context.Context, wave []report) error {
	var good []engine.Settlement
	for _, r := range wave {
		if r.err == nil {
			good = append(good, r.Settlement)
		}
	}
	var settled []engine.Outcome
	err := s.app.do(ctx, func(ctx context.Context, at Service) (err error) {
		if len(good) > 0 {
			settled, err = at.Settle(ctx, good)
		}
		return err
	})
	if err != nil {
		return err
	}
	for i, r := range wave {
		if r.err != nil {
			wave[i].outcome = engine.Outcome{Item: r.Item, Result: engine.Refused, Error: r.err.Error(), Err: r.err}
		} else {
			wave[i].outcome, settled = settled[0], settled[1:]
		}
	}
	return nil
}

// print prints what became of a wave, each report in its place.
func (s *settling) print(wave []report) error {
	for _, r := range wave {
		s.tally.of++
		s.tally.count(r.outcome)
		if err := s.printer.row(acted{Outcome: r.outcome}); err != nil {
			return err
		}
	}
	return s.printer.flush()
}

// brokenOff ends what is printed, and says from which line on nothing was answered:
// where the engine's answer was lost on its way, a wave is settled that nobody was
// told of.
func (s *settling) brokenOff(err error, line int) error {
	if s.tally.of == 0 {
		return err
	}
	_ = s.printer.end() // what went wrong before is told
	return &store.Error{Code: store.CodeOf(err), Thing: fmt.Sprintf("settle: line %d of stdin and those behind it have no answer", line), Err: err}
}

// report is a line of stdin: what became of an item, or why it is none.
type report struct {
	engine.Settlement
	line    int
	err     error
	outcome engine.Outcome
}

// read reads the reports of one wave, one a line, and says what ended it.
func (s *settling) read() (wave []report, err error) {
	for size := 0; len(wave) < settleWave && size < settleBytes; {
		line, long, err := boundedLine(s.in)
		s.line++
		size += len(line)
		place := fmt.Sprintf("line %d of stdin", s.line)
		if long {
			tooLong := usage(place, fmt.Sprintf("it is longer than %s bytes", text.Count(textMax)), "keep large data elsewhere and store a link to it")
			wave = append(wave, report{line: s.line, err: tooLong})
		} else if trimmed := bytes.TrimSpace(line); len(trimmed) > 0 && (err == nil || errors.Is(err, io.EOF)) {
			settlement, bad := readSettlement(trimmed)
			if bad != nil {
				bad = misread(place, bad)
			}
			wave = append(wave, report{Settlement: settlement, line: s.line, err: bad})
		}
		if err != nil {
			return wave, err
		}
	}
	return wave, nil
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
