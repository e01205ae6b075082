package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"signalbox/engine"
	"signalbox/engine/intake"
)

// rowFlags are the flags that say how the rows of a file are read, and what becomes
// of bad ones: those of every door through which files come in.
type rowFlags struct {
	mode    string
	strict  bool
	from    int // the first line to read rows from
	columns intake.Columns
	states  string
	dates   string
	text    string // its encoding
}

func (r *rowFlags) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&r.mode, "mode", engine.AllOrNothing, "what to do about bad rows: all-or-nothing (store nothing), stop-on-first-failure, or independent (store the others)")
	f.StringVar(&r.columns.Reference, "reference", "", "column of the reference")
	f.StringVar(&r.columns.Due, "due", "", "column of the due date")
	f.StringVar(&r.columns.Priority, "priority", "", "column of the priority")
	f.StringVar(&r.columns.Defer, "defer", "", "column of the time before which not to claim")
	f.IntVar(&r.from, "from-line", 0, "pass over the rows that begin before this line, to go on after an import that ended early")
	f.StringVar(&r.states, "states", "", "the states that items were in: keep, or new for all as new work (default keep for the orchestrator's file)")
	f.StringVar(&r.dates, "dates", "", "how dates like 03/01/2026 are read: dmy or mdy (default refused)")
	f.StringVar(&r.text, "encoding", "", "of the text: utf-8, utf-16, utf-16le, utf-16be or windows-1252 (default UTF-8, or UTF-16 by its mark)")
	strictFlag(c, &r.strict)
}

// check refuses flags that have no such value.
func (r *rowFlags) check() error {
	switch r.mode {
	case engine.AllOrNothing, engine.StopOnFirstFailure, engine.Independent:
	default:
		return usage(fmt.Sprintf("--mode %q", r.mode), "no such mode", "use all-or-nothing, stop-on-first-failure or independent")
	}
	o := r.options(time.Time{}, nil)
	return o.Validate()
}

func (r *rowFlags) options(now time.Time, zone *time.Location) intake.Options {
	return intake.Options{
		Columns: r.columns, Now: now, Zone: zone, From: r.from,
		States: intake.States(r.states), Dates: intake.Dates(r.dates), Encoding: intake.Encoding(r.text),
	}
}

// of has a job read its file so.
func (r *rowFlags) of(m *engine.ImportJob, zone *time.Location) {
	m.Mode, m.Strict, m.FromLine, m.Zone = r.mode, r.strict, r.from, zone.String()
	m.Reference, m.Due, m.Priority, m.Defer = r.columns.Reference, r.columns.Due, r.columns.Priority, r.columns.Defer
	m.States, m.Dates, m.Encoding = r.states, r.dates, r.text
}
